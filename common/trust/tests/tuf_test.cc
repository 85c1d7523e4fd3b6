#include <gmock/gmock.h>

#include "common/sys/filesystem.h"
#include "common/trust/tests/tuf_test_repository.h"

namespace ferry::tuf {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using trust::kDayMs;
using trust::TestKey;

TEST(Tuf, AsksForWhatItLacksAndKeepsWhatItTrusts) {
  TestRepository repository;
  ASSERT_EQ(repository.Refresh().ToString(), "ok");
  EXPECT_THAT(repository.asked,
              ElementsAre("2.root.json", "timestamp.json", "1.snapshot.json", "1.targets.json"));
  EXPECT_EQ(repository.kept["targets.json"], repository.files["1.targets.json"]);
  repository.asked.clear();
  ASSERT_EQ(repository.Refresh().ToString(), "ok");
  EXPECT_THAT(repository.asked, ElementsAre("2.root.json", "timestamp.json"));
}

TEST(Tuf, WithoutConsistentSnapshotsNamesHaveNoVersion) {
  TestRepository repository;
  repository.consistent = false;
  repository.PublishRoot();
  repository.Publish({"targets"});
  ASSERT_EQ(repository.Refresh().ToString(), "ok");
  EXPECT_THAT(repository.asked, ElementsAre("2.root.json", "3.root.json", "timestamp.json",
                                            "snapshot.json", "targets.json"));
}

TEST(Tuf, EachExpiredRoleIsRefusedAndTheOnesAboveAreKept) {
  for (const std::string role : {"timestamp", "snapshot", "targets"}) {
    TestRepository repository;
    ASSERT_TRUE(repository.Refresh().ok());
    repository.expires_ms[role] = repository.now_ms - 1000;
    repository.Publish({"targets"});
    const Status status = repository.Refresh();
    EXPECT_EQ(status.code(), Code::kExpired) << role;
    EXPECT_THAT(status.message(), HasSubstr(role));
    EXPECT_EQ(repository.KeptVersion("timestamp"), role == "timestamp" ? 1 : 2);
    EXPECT_EQ(repository.KeptVersion("snapshot"), role == "targets" ? 2 : 1);
    EXPECT_EQ(repository.KeptVersion("targets"), 1);
  }
  TestRepository frozen;
  ASSERT_TRUE(frozen.Refresh().ok());
  frozen.now_ms += 2 * kDayMs;  // the same documents for ever: a freeze
  EXPECT_EQ(frozen.Refresh().code(), Code::kExpired);
}

TEST(Tuf, OlderVersionsAreRefused) {
  for (const bool hashes : {false, true}) {
    TestRepository repository;
    repository.with_hashes = hashes;
    repository.Publish({"targets"});
    ASSERT_TRUE(repository.Refresh().ok());
    TestRepository timestamp = repository;
    timestamp.version["timestamp"] = 0;
    timestamp.PublishTimestamp();
    EXPECT_EQ(timestamp.Refresh().code(), Code::kVersionRollback);
    TestRepository snapshot = repository;
    snapshot.version["snapshot"] = 0;
    snapshot.PublishSnapshot();
    EXPECT_EQ(snapshot.Refresh().code(), Code::kVersionRollback);
    EXPECT_EQ(snapshot.KeptVersion("timestamp"), 2) << "it names an older snapshot";
    TestRepository targets = repository;
    targets.version["targets"] = 0;
    targets.Publish({"targets"});
    EXPECT_EQ(targets.Refresh().code(), Code::kVersionRollback);
    EXPECT_EQ(targets.KeptVersion("targets"), 2);
  }
}

TEST(Tuf, ARoleThatGoesFromTheSnapshotIsARollback) {
  TestRepository repository;
  repository.Delegate("targets", "team", 20, {"*"});
  repository.Publish({"team", "targets"});
  ASSERT_TRUE(repository.Refresh().ok());
  repository.version.erase("team");
  repository.PublishSnapshot();
  EXPECT_EQ(repository.Refresh().code(), Code::kVersionRollback);
}

TEST(Tuf, AFreshKeyMakesAThiefsHighNumbersForgotten) {
  for (const std::string role : {"timestamp", "snapshot"}) {
    TestRepository repository;
    repository.version[role] = 999;
    repository.version["targets"] = 999;
    repository.Publish({"targets"});
    ASSERT_TRUE(repository.Refresh().ok());
    ASSERT_EQ(repository.KeptVersion(role), 1000);
    repository.signers[role] = {TestKey(30)};
    repository.PublishRoot();
    repository.version[role] = 1;
    repository.version["targets"] = 1;
    repository.Publish({"targets"});
    EXPECT_EQ(repository.Refresh().ToString(), "ok") << role;
    EXPECT_EQ(repository.KeptVersion(role), 2);
    EXPECT_EQ(repository.KeptVersion("targets"), 2);
  }
}

TEST(Tuf, RootsAreSignedByTheKeysBeforeAndTheirOwn) {
  TestRepository repository;
  const auto old_keys = repository.signers["root"];
  repository.signers["root"] = {TestKey(30), TestKey(31)};
  repository.threshold["root"] = 2;
  TestRepository unsigned_by_old = repository, unsigned_by_new = repository;
  repository.PublishRoot(old_keys);
  EXPECT_EQ(repository.Refresh().ToString(), "ok");
  EXPECT_EQ(repository.KeptVersion("root"), 2);
  unsigned_by_old.PublishRoot();
  EXPECT_EQ(unsigned_by_old.Refresh().code(), Code::kBadSignature);
  unsigned_by_new.threshold["root"] = 3;
  unsigned_by_new.PublishRoot(old_keys);
  EXPECT_EQ(unsigned_by_new.Refresh().code(), Code::kBadSignature);
  EXPECT_EQ(unsigned_by_new.KeptVersion("root"), 1);
}

TEST(Tuf, AVersionBesideItsNameIsRefused) {
  TestRepository repository;
  repository.version["root"] = 2;
  repository.PublishRoot();
  repository.files["2.root.json"] = repository.files["3.root.json"];
  EXPECT_EQ(repository.Refresh().code(), Code::kMalformed);
}

TEST(Tuf, OneKeyCountsOnceWhateverItsIds) {
  TestRepository repository;
  repository.threshold["snapshot"] = 2;
  repository.PublishRoot();
  Json root = *ParseJson(AsText(repository.files["2.root.json"]));
  Json& part = root["signed"];
  const std::string id = part["roles"]["snapshot"]["keyids"][0];
  part["keys"]["again"] = part["keys"][id];
  part["keys"]["again"]["x-unknown"] = 1;
  part["roles"]["snapshot"]["keyids"].push_back("again");
  repository.files["2.root.json"] = *trust::SignDocument(part, repository.signers["root"]);
  repository.PublishSnapshot();
  Json snapshot = *ParseJson(AsText(repository.files["2.snapshot.json"]));
  Json second = snapshot["signatures"][0];
  second["keyid"] = "again";
  snapshot["signatures"].push_back(second);
  repository.files["2.snapshot.json"] = ToBytes(WriteJson(snapshot));
  EXPECT_EQ(repository.Refresh().code(), Code::kBadSignature);
  snapshot["signatures"][1] = snapshot["signatures"][0];
  repository.files["2.snapshot.json"] = ToBytes(WriteJson(snapshot));
  EXPECT_EQ(repository.Refresh().code(), Code::kMalformed) << "one id twice";
}

TEST(Tuf, MixedDocumentsAreRefused) {
  TestRepository repository;
  repository.with_hashes = true;
  repository.Publish({"targets"});
  const Bytes older = repository.files["2.targets.json"];
  repository.Publish({"targets"});
  repository.files["3.targets.json"] = older;
  EXPECT_EQ(repository.Refresh().code(), Code::kCorruptContent);
  repository.with_hashes = false;
  repository.PublishSnapshot();
  EXPECT_EQ(repository.Refresh().code(), Code::kMalformed) << "version 2 where 3 was signed";
}

TEST(Tuf, NoMoreIsReadThanARoleMayHave) {
  for (const char* name : {"2.root.json", "timestamp.json"}) {
    TestRepository repository;
    repository.files[name] = Bytes(kMaxRootBytes + 1, ' ');
    EXPECT_EQ(repository.Refresh().code(), Code::kLimitExceeded) << name;
  }
  TestRepository repository;
  repository.with_hashes = true;
  repository.PublishSnapshot();
  repository.files["2.snapshot.json"].push_back(' ');
  EXPECT_EQ(repository.Refresh().code(), Code::kLimitExceeded) << "its length was signed";
}

TEST(Tuf, KeysOfOtherKindsAndUnknownMembersFromAGoldenRoot) {
  const Bytes golden =
      sys::ReadFile(sys::SystemFileSystem(), "common/trust/cases/tuf_root.json").value();
  const auto verifier = Verifier::FromRoot(golden);
  ASSERT_TRUE(verifier.ok()) << verifier.status().ToString();
  EXPECT_TRUE(verifier->root().consistent_snapshot);
  Json json = *ParseJson(AsText(golden));
  for (size_t i = 0; i < 3; ++i) {  // each of the three signatures is needed
    Json changed = json;
    std::string sig = changed["signatures"][i]["sig"];
    sig[20] = sig[20] == '0' ? '1' : '0';
    changed["signatures"][i]["sig"] = sig;
    EXPECT_EQ(Verifier::FromRoot(ToBytes(WriteJson(changed))).code(), Code::kBadSignature) << i;
  }
  json["signed"]["x-note"] = "line\\nend";
  EXPECT_EQ(Verifier::FromRoot(ToBytes(WriteJson(json))).code(), Code::kBadSignature);
}

}  // namespace
}  // namespace ferry::tuf
