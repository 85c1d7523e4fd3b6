// Files of one device: each thing that a device refuses, and that neither online key is enough.
#include "common/trust/documents/personal/personal.h"

#include "common/base/json.h"
#include "common/trust/envelope.h"
#include "common/trust/tests/test_fixture.h"

namespace ferry::trust {
namespace {

class Personal : public testing::Test {
 protected:
  void SetUp() override {
    Delegate(key, {"personal/digits/*"}, 1000);
    set = std::make_unique<TrustedSet>(repo.Updated());
    Put("gain", 10);
  }
  void Delegate(const SigningKey& to, std::vector<std::string> patterns, uint64_t max_bytes) {
    repo.targets.personal = MakePersonalDelegation(to.public_key(), patterns, max_bytes).value();
    repo.PublishNext();
  }
  void Put(std::string_view name, uint64_t length, std::string_view package = "digits") {
    TargetEntry entry = PersonalEntry(package);
    entry.plain_length = length;
    files.entries[PersonalPath(package, name)] = entry;
  }
  Status Take(const SigningKey& signer, int64_t now_ms = kTestNow) {
    return TakeDocument(*SignPersonal(files, signer), now_ms);
  }
  Status Take() { return Take(key); }
  Status TakeDocument(const Bytes& document, int64_t now_ms = kTestNow) {
    return set->UpdatePersonal(document, MetaOf(document, files.version), kTestDevice, now_ms);
  }

  TestRepository repo;
  SigningKey key = TestKey(20), other = TestKey(21);
  PersonalTargets files{std::string(kTestDevice), 5, kTestNow + kDayMs, {}};
  std::unique_ptr<TrustedSet> set;
};

TEST_F(Personal, AreTakenWithBothKeys) {
  EXPECT_EQ(set->personal(), nullptr);
  ASSERT_EQ(Take().ToString(), "ok");
  ASSERT_NE(set->personal(), nullptr);
  EXPECT_EQ(set->personal()->entries, files.entries);
  // And over a restart.
  const TrustedSet again = TrustedSet::FromState(set->SaveState()).value();
  ASSERT_NE(again.personal(), nullptr);
  EXPECT_EQ(again.personal()->entries, files.entries);
  EXPECT_FALSE(again.NeedsPersonal(MetaOf(*SignPersonal(files, key), 5)));
}

TEST_F(Personal, BytesThatTheDirectorDidNotBindAreRefused) {
  const Bytes document = *SignPersonal(files, key);
  MetaFile bound = MetaOf(document, files.version);
  bound.sha256[0] ^= 1;
  EXPECT_EQ(set->UpdatePersonal(document, bound, kTestDevice, kTestNow).code(),
            Code::kCorruptContent);
  bound = MetaOf(document, files.version - 1);
  EXPECT_EQ(set->UpdatePersonal(document, bound, kTestDevice, kTestNow).code(), Code::kMalformed);
}

TEST_F(Personal, AnotherKeyIsRefused) {
  EXPECT_EQ(Take(repo.director_key).code(), Code::kBadSignature);
  EXPECT_EQ(Take(repo.snapshot_key).code(), Code::kBadSignature);
  EXPECT_EQ(Take(other).code(), Code::kBadSignature);
  EXPECT_EQ(set->personal(), nullptr);
}

TEST_F(Personal, WithoutADelegationNoneAreTaken) {
  repo.targets.personal.reset();
  repo.PublishNext();
  ASSERT_TRUE(repo.UpdateAll(*set).ok());
  EXPECT_EQ(Take().code(), Code::kNotAuthorizedTarget);
}

TEST_F(Personal, AnotherPathIsRefused) {
  Put("gain", 10, "other");
  EXPECT_EQ(Take().code(), Code::kNotAuthorizedTarget);
  // A path that is none of its package's, within the pattern.
  Json json = PersonalToJson(files);
  json["targets"] = {{"personal/digits/deep/er", TargetEntryToJson(PersonalEntry("digits"))}};
  EXPECT_EQ(PersonalFromJson(json).code(), Code::kMalformed);
  json["targets"] = {{"personal/digits/gain", TargetEntryToJson(PersonalEntry("other"))}};
  EXPECT_EQ(PersonalFromJson(json).code(), Code::kMalformed);
}

TEST_F(Personal, AFileThatIsTooLargeIsRefused) {
  Put("gain", 1001);
  EXPECT_EQ(Take().code(), Code::kLimitExceeded);
  Put("gain", 1000);
  EXPECT_EQ(Take().ToString(), "ok");
}

TEST_F(Personal, AllTogetherAreLimited) {
  Delegate(key, {"personal/*/*"}, kMaxPersonalFileBytes);
  ASSERT_TRUE(repo.UpdateAll(*set).ok());
  for (int i = 0; i < 5; ++i) Put(fmt::format("f{}", i), kMaxPersonalFileBytes);
  EXPECT_EQ(Take().code(), Code::kLimitExceeded);
  files.entries.clear();
  for (size_t i = 0; i <= kMaxPersonalFiles; ++i) Put(fmt::format("f{}", i), 1);
  EXPECT_EQ(Take().code(), Code::kLimitExceeded);
}

TEST_F(Personal, WhatIsNotDataIsRefused) {
  for (const char* name : {"task.py", "task.fbc", "weights.fm", "talk.flm", "lib.so"}) {
    files.entries.clear();
    Put(name, 10);
    EXPECT_EQ(Take().code(), Code::kNotAuthorizedTarget) << name;
  }
  // An entry that says to be something else than a personal file.
  files.entries.clear();
  TargetEntry entry = PersonalEntry("digits");
  entry.kind = ArtefactKind::kExclusive;
  files.entries[PersonalPath("digits", "gain")] = entry;
  EXPECT_EQ(Take().code(), Code::kNotAuthorizedTarget);
  // A delegation that would allow more is not followed.
  repo.targets.personal->data_only = false;
  repo.PublishNext();
  ASSERT_TRUE(repo.UpdateAll(*set).ok());
  files.entries.clear();
  Put("gain", 10);
  EXPECT_EQ(Take().code(), Code::kNotAuthorizedTarget);
}

TEST_F(Personal, AnotherDevicesAreRefused) {
  files.device = "ffffffffffffffffffffffffffffffff";
  EXPECT_EQ(Take().code(), Code::kWrongDevice);
}

TEST_F(Personal, AnOlderVersionIsRefused) {
  ASSERT_TRUE(Take().ok());
  files.version = 4;
  EXPECT_EQ(Take().code(), Code::kVersionRollback);
  // Also after a restart, and where the same key is delegated to once more.
  *set = TrustedSet::FromState(set->SaveState()).value();
  EXPECT_EQ(Take().code(), Code::kVersionRollback);
  repo.targets.personal.reset();
  repo.PublishNext();
  ASSERT_TRUE(repo.UpdateAll(*set).ok());
  EXPECT_EQ(set->personal(), nullptr);
  Delegate(key, {"personal/digits/*"}, 1000);
  ASSERT_TRUE(repo.UpdateAll(*set).ok());
  EXPECT_EQ(Take().code(), Code::kVersionRollback);
}

TEST_F(Personal, AnExpiredDocumentIsRefused) {
  EXPECT_EQ(Take(key, kTestNow + kDayMs).code(), Code::kExpired);
  EXPECT_EQ(Take(key, kTestNow + kDayMs - 1).ToString(), "ok");
}

TEST_F(Personal, WhatAStolenKeyCountedEndsWithIt) {
  files.version = int64_t{1} << 50;
  ASSERT_TRUE(Take().ok());
  Delegate(other, {"personal/digits/*"}, 1000);
  ASSERT_TRUE(repo.UpdateAll(*set).ok());
  EXPECT_EQ(set->personal(), nullptr) << "the stolen key's files count no more";
  EXPECT_EQ(Take().code(), Code::kBadSignature);
  files.version = 6;
  EXPECT_EQ(Take(other).ToString(), "ok");
}

TEST_F(Personal, ANarrowerDelegationDropsWhatItDoesNotTake) {
  ASSERT_TRUE(Take().ok());
  Delegate(key, {"personal/digits/*"}, 9);
  ASSERT_TRUE(repo.UpdateAll(*set).ok());
  EXPECT_EQ(set->personal(), nullptr);
}

TEST_F(Personal, ADelegationIsReadAsItWasSigned) {
  const Targets read = OpenTargets(repo.root, repo.targets_document).value();
  EXPECT_EQ(read.personal, repo.targets.personal);
  EXPECT_EQ(MakePersonalDelegation(key.public_key(), {}, 1).code(), Code::kInvalidArgument);
  EXPECT_EQ(MakePersonalDelegation(key.public_key(), {"digits/*"}, 1).code(),
            Code::kInvalidArgument);
  EXPECT_EQ(MakePersonalDelegation(key.public_key(), {"personal/*/*"}, 0).code(),
            Code::kInvalidArgument);
  // Offline keys sign no personal file themselves.
  Json json = TargetsToJson(repo.targets);
  json["targets"]["personal/digits/gain"] = TargetEntryToJson(PersonalEntry("digits"));
  EXPECT_EQ(TargetsFromJson(json).code(), Code::kMalformed);
}

TEST_F(Personal, TheDesiredStateBindsThem) {
  Desired desired;
  desired.device = std::string(kTestDevice);
  desired.counter = 3;
  desired.expires_ms = kTestNow + kDayMs;
  EXPECT_FALSE(DesiredToJson(desired).contains("personal"));
  desired.personal = MetaOf(*SignPersonal(files, key), files.version);
  EXPECT_EQ(DesiredFromJson(DesiredToJson(desired)).value(), desired);
}

}  // namespace
}  // namespace ferry::trust
