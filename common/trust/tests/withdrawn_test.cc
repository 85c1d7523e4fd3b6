#include "common/trust/withdrawn.h"

#include <gmock/gmock.h>

#include "common/trust/envelope.h"
#include "common/trust/tests/test_fixture.h"

namespace ferry::trust {
namespace {

using testing::HasSubstr;

Targets ThreeVersions() {
  Targets targets;
  targets.expires_ms = kTestNow + kDayMs;
  for (int i = 1; i <= 3; ++i) {
    const std::string version = fmt::format("{}.0.0", i);
    TargetEntry entry = TestEntry(version, i, static_cast<uint8_t>(i));
    if (i == 2) entry.fallback = Fallback{"1.0.0", TestEntry("1.0.0", 1, 1).plain_sha256};
    targets.entries[FullPath("digits", version)] = entry;
    entry.kind = ArtefactKind::kExclusive;
    targets.entries[ExclusivePath("digits", version, "a.bin")] = entry;
  }
  return targets;
}

TEST(Withdrawn, AVersionGoesWithAllItsArtefactsAndItsCounterStays) {
  Targets targets = ThreeVersions();
  ASSERT_EQ(Withdraw(targets, "digits", "3.0.0", "leaks", false).ToString(), "ok");
  EXPECT_EQ(targets.entries.size(), 4u);
  EXPECT_EQ(HighestCounter(targets, "digits"), 3);
  EXPECT_EQ(HighestCounter(targets, "letters"), 0);
  const auto read = TargetsFromJson(TargetsToJson(targets));
  ASSERT_TRUE(read.ok()) << read.status().ToString();
  EXPECT_EQ(read->withdrawn, targets.withdrawn);
  EXPECT_EQ(read->withdrawn.at("digits/3.0.0/full").reason, "leaks");
  EXPECT_EQ(Withdraw(targets, "digits", "3.0.0", "leaks", false).code(), Code::kNotFound);
}

TEST(Withdrawn, AFallbackIsKeptUnlessForced) {
  Targets targets = ThreeVersions();
  const Status status = Withdraw(targets, "digits", "1.0.0", "old", false);
  EXPECT_EQ(status.code(), Code::kFailedPrecondition);
  EXPECT_THAT(status.message(), HasSubstr("the fallback of 2.0.0"));
  EXPECT_EQ(targets.entries.size(), 6u);
  EXPECT_TRUE(Withdraw(targets, "digits", "1.0.0", "old", true).ok());
  EXPECT_EQ(targets.entries.size(), 4u);
}

TEST(Withdrawn, ReasonsAreNeededAndShort) {
  Targets targets = ThreeVersions();
  EXPECT_EQ(Withdraw(targets, "digits", "3.0.0", "", false).code(), Code::kInvalidArgument);
  EXPECT_EQ(Withdraw(targets, "digits", "3.0.0", std::string(201, 'x'), false).code(),
            Code::kInvalidArgument);
}

TEST(Withdrawn, TargetsWithoutAnyAreAsBefore) {
  EXPECT_FALSE(TargetsToJson(ThreeVersions()).contains("ferry"));
}

TEST(Withdrawn, BadListsAreNamed) {
  Json json = TargetsToJson(ThreeVersions());
  json["ferry"] = {
      {"withdrawn",
       {{"digits/9.0.0/full",
         {{"package", "digits"}, {"version", "8.0.0"}, {"release_counter", 9}, {"reason", ""}}}}}};
  const auto read = TargetsFromJson(json);
  EXPECT_EQ(read.code(), Code::kMalformed);
  EXPECT_THAT(read.status().message(), HasSubstr("digits/9.0.0/full"));
}

TEST(Withdrawn, ADeviceTakesNothingThatWasWithdrawn) {
  TestRepository repository;
  repository.targets.entries[FullPath("digits", "2.0.0")] = TestEntry("2.0.0", 2, 2);
  ASSERT_TRUE(Withdraw(repository.targets, "digits", "2.0.0", "bad", false).ok());
  repository.Publish();
  const TrustedSet set = repository.Updated();
  const std::string path = FullPath("digits", "2.0.0");
  const Assignment assignment = repository.MakeAssignment(1, Action::kInstall, {path});
  EXPECT_EQ(AuthorizeInstall(*set.targets(), assignment, path, nullptr).code(),
            Code::kNotAuthorizedTarget);
}

TEST(Withdrawn, WhatFitsNoFrameIsNamed) {
  EXPECT_TRUE(CheckSent(Bytes(kMaxSentDocumentBytes), "targets").ok());
  const Status status = CheckSent(Bytes(kMaxSentDocumentBytes + 1), "targets");
  EXPECT_EQ(status.code(), Code::kLimitExceeded);
  EXPECT_THAT(status.message(), HasSubstr("targets has 4190209 bytes"));
}

}  // namespace
}  // namespace ferry::trust
