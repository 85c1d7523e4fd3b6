#include "common/trust/desired.h"

#include "common/trust/tests/test_fixture.h"

namespace ferry::trust {
namespace {

Desired Some() {
  Desired desired;
  desired.device = std::string(kTestDevice);
  desired.counter = 7;
  desired.expires_ms = kTestNow + 1000;
  desired.packages["digits"] = {DesiredState::kRun,
                                "1.1.0",
                                "digits-1.1.0-2",
                                3,
                                true,
                                {"digits/1.1.0/full", "digits/1.1.0/delta-1.0.0"},
                                {"digits/1.1.0/exclusive/a.json"}};
  desired.packages["gone"] = {DesiredState::kAbsent, "", "gone-1.0.0-1", 0, true, {}, {}};
  return desired;
}

TEST(Desired, IsReadAsItWasWritten) {
  const Desired desired = Some();
  Result<Desired> read = DesiredFromJson(DesiredToJson(desired));
  ASSERT_TRUE(read.ok()) << read.status().ToString();
  EXPECT_EQ(*read, desired);
}

TEST(Desired, ConditionsAreReadWhereTheyAre) {
  Desired desired = Some();
  EXPECT_FALSE(DesiredToJson(desired)["packages"]["digits"].contains("when"));
  desired.packages["digits"].when = R"({"charging":true,"windows":[]})";
  Result<Desired> read = DesiredFromJson(DesiredToJson(desired));
  ASSERT_TRUE(read.ok()) << read.status().ToString();
  EXPECT_EQ(*read, desired);
  Json json = DesiredToJson(desired);
  json["packages"]["digits"]["when"] = "soon";
  EXPECT_EQ(DesiredFromJson(json).code(), Code::kMalformed);
  json["packages"]["digits"]["when"] = {{"x", std::string(kMaxWhenBytes, 'x')}};
  EXPECT_EQ(DesiredFromJson(json).code(), Code::kLimitExceeded);
}

TEST(Desired, WhatIsObservedIsReadWhereItIs) {
  Desired desired = Some();
  EXPECT_FALSE(DesiredToJson(desired)["packages"]["digits"].contains("observe"));
  desired.packages["digits"].observe = "digits-1.2.0-3";
  Result<Desired> read = DesiredFromJson(DesiredToJson(desired));
  ASSERT_TRUE(read.ok()) << read.status().ToString();
  EXPECT_EQ(*read, desired);
  Json json = DesiredToJson(desired);
  json["packages"]["digits"]["observe"] = 7;
  EXPECT_EQ(DesiredFromJson(json).code(), Code::kMalformed);
  json["packages"]["digits"]["observe"] = std::string(kMaxNameBytes + 1, 'x');
  EXPECT_EQ(DesiredFromJson(json).code(), Code::kLimitExceeded);
}

TEST(Desired, WhatIsAbsentHasNoVersionAndWhatRunsHasOne) {
  Json absent = DesiredToJson(Some());
  absent["packages"]["gone"]["version"] = "1.0.0";
  EXPECT_EQ(DesiredFromJson(absent).code(), Code::kMalformed);
  Json runs = DesiredToJson(Some());
  runs["packages"]["digits"]["targets"] = Json::array();
  EXPECT_EQ(DesiredFromJson(runs).code(), Code::kMalformed);
}

TEST(Desired, PackagesAreLimited) {
  Desired desired = Some();
  for (size_t i = 0; i < kMaxDesiredPackages; ++i)
    desired.packages[fmt::format("p{}", i)] = desired.packages["gone"];
  EXPECT_EQ(DesiredFromJson(DesiredToJson(desired)).code(), Code::kLimitExceeded);
}

TEST(Desired, OnePackageIsAuthorizedAsAnAssignmentIs) {
  const Desired desired = Some();
  const Assignment back = AssignmentOf(desired, desired.packages.at("digits"));
  EXPECT_EQ(back.action, Action::kRollback);
  EXPECT_EQ(back.counter, 7);
  EXPECT_EQ(back.targets.size(), 2u);
  EXPECT_EQ(AssignmentOf(desired, desired.packages.at("gone")).action, Action::kNone);
}

TEST(Desired, CountsTogetherWithAssignments) {
  const TestRepository repo;
  TrustedSet set = repo.Updated();
  Desired desired = Some();
  desired.counter = 9;
  Result<Desired> checked =
      set.CheckDesired(*SignDesired(desired, repo.director_key), kTestDevice, kTestNow);
  ASSERT_TRUE(checked.ok()) << checked.status().ToString();
  EXPECT_EQ(*checked, desired);
  EXPECT_EQ(
      set.CheckDesired(*SignDesired(desired, repo.timestamp_key), kTestDevice, kTestNow).code(),
      Code::kBadSignature);
  EXPECT_EQ(set.CheckDesired(*SignDesired(desired, repo.director_key), "ffff", kTestNow).code(),
            Code::kWrongDevice);
  EXPECT_EQ(set.CheckAssignment(
                   *SignAssignment(repo.MakeAssignment(8, Action::kNone, {}), repo.director_key),
                   kTestDevice, kTestNow)
                .code(),
            Code::kVersionRollback);
}

// A delta that the server made says how it travels; the rest comes from what offline keys signed.
TEST(DesiredTest, AMadeDeltaIsReadAndBound) {
  DesiredPackage package;
  package.version = "2.0.0";
  package.targets = {"digits/2.0.0/full"};
  EXPECT_FALSE(DesiredPackageToJson(package).contains("made"));
  package.made = MadeDelta{"1.0.0", crypto::Sha256(AsBytes("base")), 77, crypto::Sha256({})};
  Json json = DesiredPackageToJson(package);
  EXPECT_EQ(*DesiredPackageFromJson(json), package);
  for (const auto& [member, bad] :
       std::vector<std::pair<const char*, Json>>{{"length", 0},
                                                 {"length", "7"},
                                                 {"sha256", "77"},
                                                 {"base_sha256", 3},
                                                 {"base_version", "../1"}}) {
    Json changed = json;
    changed["made"][member] = bad;
    EXPECT_EQ(DesiredPackageFromJson(changed).code(), Code::kMalformed) << member;
  }
  TargetEntry full;
  full.package = "digits";
  full.version = "2.0.0";
  full.release_counter = 7;
  full.length = 1000;
  full.plain_length = 2000;
  full.plain_sha256 = crypto::Sha256(AsBytes("next"));
  full.licence = "Apache-2.0";
  const TargetEntry made = MadeEntryOf(full, *package.made);
  EXPECT_EQ(made.kind, ArtefactKind::kDelta);
  EXPECT_EQ(made.length, 77u);
  EXPECT_EQ(made.base_sha256, package.made->base_sha256);
  EXPECT_EQ(made.plain_sha256, full.plain_sha256);
  EXPECT_EQ(made.plain_length, full.plain_length);
  EXPECT_EQ(made.release_counter, 7);
  EXPECT_EQ(*TargetEntryFromJson(TargetEntryToJson(made)), made);
}

}  // namespace
}  // namespace ferry::trust
