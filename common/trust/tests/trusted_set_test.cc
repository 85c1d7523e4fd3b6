// The attacks on metadata that TUF and Uptane name, one test each.
#include "common/trust/trusted_set.h"

#include "common/base/json.h"
#include "common/trust/envelope.h"
#include "common/trust/tests/test_fixture.h"

namespace ferry::trust {
namespace {

TEST(TrustedSetTest, AWholeUpdateGivesTheSignedTargets) {
  const TestRepository repo;
  const TrustedSet set = repo.Updated();
  ASSERT_NE(set.targets(), nullptr);
  EXPECT_EQ(set.targets()->entries, repo.targets.entries);
  EXPECT_FALSE(set.NeedsSnapshot());
  EXPECT_FALSE(set.NeedsTargets());
  EXPECT_TRUE(set.CheckFresh(kTestNow).ok());
}

TEST(TrustedSetTest, AnotherRootThanThePinnedOneIsRefused) {
  const TestRepository repo;
  Hash pinned = crypto::Sha256(repo.root_document);
  pinned[0] ^= 1;
  EXPECT_EQ(TrustedSet::FromPinnedRoot(repo.root_document, pinned).code(), Code::kCorruptContent);
  // A pinned root still has to be signed by its own threshold.
  const Bytes unsigned_root = SignRoot(repo.root, std::span(repo.root_keys).first(1)).value();
  EXPECT_EQ(TrustedSet::FromPinnedRoot(unsigned_root, crypto::Sha256(unsigned_root)).code(),
            Code::kBadSignature);
}

TEST(TrustedSetTest, ArbitraryInstallKeysOfOtherRolesSignNothing) {
  TestRepository repo;
  TrustedSet set = repo.Pinned();
  const Bytes wrong_time =
      *SignTimestamp(repo.snapshot_document, 1, 1, kTestNow + kDayMs, repo.snapshot_key);
  EXPECT_EQ(set.UpdateTimestamp(wrong_time, kTestNow).code(), Code::kBadSignature);
  // Every online key together cannot sign targets.
  const std::vector<SigningKey> online = {repo.snapshot_key, repo.timestamp_key, repo.director_key};
  repo.targets_document = *SignTargets(repo.targets, online);
  repo.snapshot_document =
      *SignSnapshot(repo.targets_document, 1, 1, kTestNow + kDayMs, repo.snapshot_key);
  repo.SignTime();
  EXPECT_EQ(repo.UpdateAll(set).ToString(), "bad_signature: targets: 0 of 2 needed keys signed");
  EXPECT_EQ(set.targets(), nullptr);
}

TEST(TrustedSetTest, KeysBelowTheThresholdAreNotEnough) {
  TestRepository repo;
  TrustedSet set = repo.Pinned();
  repo.targets_keys.pop_back();
  repo.Publish();
  EXPECT_EQ(repo.UpdateAll(set).ToString(), "bad_signature: targets: 1 of 2 needed keys signed");
}

TEST(TrustedSetTest, RollbackOfEachRoleIsRefused) {
  TestRepository repo;
  const TestRepository old = repo;
  repo.PublishNext();
  TrustedSet set = repo.Updated();
  EXPECT_EQ(set.UpdateTimestamp(old.timestamp_document, kTestNow).ToString(),
            "version_rollback: timestamp version 1 offered after version 2");
  // A new timestamp (stolen online key) that names the old snapshot.
  TestRepository attack = old;
  attack.timestamp_version = 3;
  attack.SignTime();
  EXPECT_EQ(set.UpdateTimestamp(attack.timestamp_document, kTestNow).ToString(),
            "version_rollback: timestamp version 3: snapshot version 1 offered after version 2");
  // A new snapshot (stolen online key) that names the old targets.
  attack.timestamp_version = 3;
  attack.snapshot_version = 3;
  attack.Publish();
  EXPECT_TRUE(set.UpdateTimestamp(attack.timestamp_document, kTestNow).ok());
  EXPECT_EQ(set.UpdateSnapshot(attack.snapshot_document, kTestNow).ToString(),
            "version_rollback: snapshot version 3: targets.json version 1 offered after version 2");
  EXPECT_EQ(set.targets()->version, 2);
}

TEST(TrustedSetTest, FreezeEachRoleExpires) {
  TestRepository repo;
  TrustedSet set = repo.Pinned();
  EXPECT_EQ(set.UpdateTimestamp(repo.timestamp_document, repo.online_expires_ms).ToString(),
            "expired: timestamp version 1 expired at 2026-01-02T00:00:00Z, now is "
            "2026-01-02T00:00:00Z");
  EXPECT_EQ(
      set.UpdateTimestamp(repo.timestamp_document, repo.root.expires_ms).message().substr(0, 14),
      "root version 1");
  EXPECT_TRUE(set.UpdateTimestamp(repo.timestamp_document, repo.online_expires_ms - 1).ok());
  EXPECT_EQ(set.UpdateSnapshot(repo.snapshot_document, repo.online_expires_ms).code(),
            Code::kExpired);
  EXPECT_TRUE(set.UpdateSnapshot(repo.snapshot_document, kTestNow).ok());
  EXPECT_TRUE(set.UpdateTargets(repo.targets_document, kTestNow).ok());
  EXPECT_EQ(set.CheckFresh(repo.online_expires_ms).code(), Code::kExpired);

  repo.targets.expires_ms = kTestNow;
  repo.PublishNext();
  EXPECT_EQ(repo.UpdateAll(set).ToString(),
            "expired: targets version 2 expired at 2026-01-01T00:00:00Z, now is "
            "2026-01-01T00:00:00Z");
  EXPECT_EQ(set.targets()->version, 1);
}

TEST(TrustedSetTest, MixAndMatchOfTwoEpochsIsRefused) {
  TestRepository repo;
  const TestRepository old = repo;
  repo.targets.entries.clear();
  repo.PublishNext();
  TrustedSet set = repo.Pinned();
  ASSERT_TRUE(set.UpdateTimestamp(repo.timestamp_document, kTestNow).ok());
  EXPECT_EQ(set.UpdateSnapshot(old.snapshot_document, kTestNow).code(), Code::kCorruptContent);
  ASSERT_TRUE(set.UpdateSnapshot(repo.snapshot_document, kTestNow).ok());
  EXPECT_EQ(set.UpdateTargets(old.targets_document, kTestNow).code(), Code::kCorruptContent);
  EXPECT_TRUE(set.UpdateTargets(repo.targets_document, kTestNow).ok());
}

TEST(TrustedSetTest, EndlessDataStopsAtTheSignedLength) {
  const TestRepository repo;
  TrustedSet set = repo.Pinned();
  ASSERT_TRUE(set.UpdateTimestamp(repo.timestamp_document, kTestNow).ok());
  Bytes longer = repo.snapshot_document;
  longer.insert(longer.end(), 10 * longer.size(), ' ');
  EXPECT_EQ(set.UpdateSnapshot(longer, kTestNow).code(), Code::kCorruptContent);
  EXPECT_EQ(set.UpdateTimestamp(Bytes(kMaxMetadataBytes + 1, ' '), kTestNow).code(),
            Code::kLimitExceeded);
}

// A thief of the online keys cannot fill the state that a device reads at its start.
TEST(TrustedSetTest, DocumentsOfOnlineKeysStaySmall) {
  const TestRepository repo;
  TrustedSet set = repo.Updated();
  Timestamp timestamp{2, kTestNow + kDayMs, MetaOf(repo.snapshot_document, 1)};
  const auto padded = [&](size_t bytes) {
    Json json = TimestampToJson(timestamp);
    json["padding"] = "";
    const size_t bare = SignDocument(json, {&repo.timestamp_key, 1})->size();
    json["padding"] = std::string(bytes - bare, 'x');
    return *SignDocument(json, {&repo.timestamp_key, 1});
  };
  ASSERT_EQ(padded(kMaxTimestampBytes).size(), kMaxTimestampBytes);
  EXPECT_TRUE(set.UpdateTimestamp(padded(kMaxTimestampBytes), kTestNow).ok());
  EXPECT_EQ(set.UpdateTimestamp(padded(kMaxTimestampBytes + 1), kTestNow).code(),
            Code::kLimitExceeded);
  timestamp.snapshot.length = kMaxSnapshotBytes;
  EXPECT_TRUE(TimestampFromJson(TimestampToJson(timestamp)).ok());
  ++timestamp.snapshot.length;
  EXPECT_EQ(TimestampFromJson(TimestampToJson(timestamp)).code(), Code::kLimitExceeded);
}

TEST(TrustedSetTest, StepsCannotBeLeftOut) {
  const TestRepository repo;
  TrustedSet set = repo.Pinned();
  EXPECT_EQ(set.UpdateSnapshot(repo.snapshot_document, kTestNow).code(), Code::kFailedPrecondition);
  EXPECT_EQ(set.UpdateTargets(repo.targets_document, kTestNow).code(), Code::kFailedPrecondition);
  EXPECT_EQ(set.CheckFresh(kTestNow).code(), Code::kFailedPrecondition);
  TestRepository next = repo;
  next.PublishNext();
  TrustedSet updated = repo.Updated();
  ASSERT_TRUE(updated.UpdateTimestamp(next.timestamp_document, kTestNow).ok());
  EXPECT_TRUE(updated.NeedsSnapshot());
  EXPECT_EQ(updated.UpdateTargets(next.targets_document, kTestNow).code(),
            Code::kFailedPrecondition);
}

TEST(TrustedSetTest, AssignmentsAreOfThisDeviceAndNeverGoBack) {
  const TestRepository repo;
  TrustedSet set = repo.Updated();
  const auto check = [&](const Assignment& assignment, const SigningKey& key) {
    return set.CheckAssignment(*SignAssignment(assignment, key), kTestDevice, kTestNow).status();
  };
  Assignment assignment = repo.MakeAssignment(5, Action::kInstall, {"digits/1.0.0/full"});
  EXPECT_EQ(check(assignment, repo.timestamp_key).code(), Code::kBadSignature);
  EXPECT_EQ(set.assignment_counter(), 0);
  EXPECT_TRUE(check(assignment, repo.director_key).ok());
  EXPECT_TRUE(check(assignment, repo.director_key).ok());
  assignment.counter = 4;
  EXPECT_EQ(check(assignment, repo.director_key).ToString(),
            "version_rollback: assignment 4 offered after assignment 5");
  assignment.counter = 6;
  assignment.device = "ffff";
  EXPECT_EQ(check(assignment, repo.director_key).code(), Code::kWrongDevice);
  assignment.device = kTestDevice;
  assignment.expires_ms = kTestNow;
  EXPECT_EQ(check(assignment, repo.director_key).code(), Code::kExpired);
  EXPECT_EQ(set.assignment_counter(), 5);
}

TEST(TrustedSetTest, StateSurvivesARestart) {
  TestRepository repo;
  repo.PublishNext();
  TrustedSet set = repo.Updated();
  ASSERT_TRUE(set.CheckAssignment(
                     *SignAssignment(repo.MakeAssignment(7, Action::kNone, {}), repo.director_key),
                     kTestDevice, kTestNow)
                  .ok());
  const Bytes state = set.SaveState();
  auto loaded = TrustedSet::FromState(state);
  ASSERT_TRUE(loaded.ok()) << loaded.status().ToString();
  EXPECT_EQ(loaded->SaveState(), state);
  EXPECT_EQ(loaded->assignment_counter(), 7);
  EXPECT_EQ(loaded->targets()->version, 2);
  EXPECT_EQ(loaded->UpdateTimestamp(TestRepository().timestamp_document, kTestNow).code(),
            Code::kVersionRollback);
  EXPECT_EQ(TrustedSet::FromState(AsBytes("{}")).code(), Code::kMalformed);
  const TrustedSet pinned = repo.Pinned();
  EXPECT_EQ(TrustedSet::FromState(pinned.SaveState())->timestamp(), nullptr);
}

}  // namespace
}  // namespace ferry::trust
