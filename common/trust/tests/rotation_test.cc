#include "common/trust/tests/test_fixture.h"

namespace ferry::trust {
namespace {

std::vector<SigningKey> Both(const TestRepository& repo, const std::vector<SigningKey>& more) {
  std::vector<SigningKey> out = repo.root_keys;
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

// The root of `repo` with root keys 11 and 12 in place of 1 and 2.
Root WithNewRootKeys(const TestRepository& repo, const std::vector<SigningKey>& keys) {
  Root next = repo.root;
  next.root.key_ids.clear();
  for (const SigningKey& key : keys) next.AddKey(next.root, key.public_key());
  return next;
}

TEST(RotationTest, NeedsTheThresholdsOfOldAndNew) {
  const TestRepository repo;
  const std::vector<SigningKey> fresh = {TestKey(11), TestKey(12)};
  Root next = WithNewRootKeys(repo, fresh);
  EXPECT_EQ(SignNextRoot(repo.root, next, fresh).status().ToString(),
            "failed_precondition: the present root role: 0 of 2 needed keys are here");
  EXPECT_EQ(SignNextRoot(repo.root, next, repo.root_keys).code(), Code::kFailedPrecondition);
  const Bytes document = *SignNextRoot(repo.root, next, Both(repo, fresh));
  TrustedSet set = repo.Updated();
  ASSERT_EQ(set.UpdateRoot(document).ToString(), "ok");
  EXPECT_EQ(set.root().version, 2);
  EXPECT_TRUE(set.UpdateRoot(document).ok());
  EXPECT_EQ(set.UpdateRoot(repo.root_document).code(), Code::kBadSignature);
  EXPECT_NE(set.targets(), nullptr);

  next.version = 2;
  TrustedSet other = repo.Pinned();
  EXPECT_EQ(other.UpdateRoot(*SignRoot(next, fresh)).message(),
            "root version 2 under the keys of version 1: 0 of 2 needed keys signed");
  EXPECT_EQ(other.UpdateRoot(*SignRoot(next, repo.root_keys)).message(),
            "root version 2 under its own keys: 0 of 2 needed keys signed");
  EXPECT_EQ(other.root().version, 1);
}

TEST(RotationTest, VersionsGoUpByOne) {
  const TestRepository repo;
  TrustedSet set = repo.Pinned();
  Root next = repo.root;
  next.expires_ms += 1000;  // other bytes, same version
  EXPECT_EQ(set.UpdateRoot(*SignRoot(next, repo.root_keys)).ToString(),
            "version_rollback: root version 1 offered after version 1");
  next.version = 3;
  EXPECT_EQ(set.UpdateRoot(*SignRoot(next, repo.root_keys)).code(), Code::kMalformed);
  for (int version = 2; version <= 5; ++version) {
    const Bytes document = *SignNextRoot(set.root(), next, repo.root_keys);
    ASSERT_TRUE(set.UpdateRoot(document).ok());
    EXPECT_EQ(set.root().version, version);
  }
}

TEST(RotationTest, AnExpiredRootIsWalkedOverButNotStoodOn) {
  TestRepository repo;
  repo.root.expires_ms = kTestNow - kDayMs;
  repo.root_document = *SignRoot(repo.root, repo.root_keys);
  TrustedSet set = repo.Pinned();
  EXPECT_EQ(set.UpdateTimestamp(repo.timestamp_document, kTestNow).code(), Code::kExpired);
  Root next = repo.root;
  next.expires_ms = kTestNow + kDayMs;
  ASSERT_TRUE(set.UpdateRoot(*SignNextRoot(repo.root, next, repo.root_keys)).ok());
  EXPECT_TRUE(set.UpdateTimestamp(repo.timestamp_document, kTestNow).ok());
}

TEST(RotationTest, NewOnlineKeysRecoverFromFastForward) {
  TestRepository repo;
  TestRepository attack = repo;
  attack.timestamp_version = kTestNow;
  attack.snapshot_version = kTestNow;
  attack.Publish();
  TrustedSet set = attack.Updated();
  EXPECT_EQ(repo.UpdateAll(set).code(), Code::kVersionRollback);

  Root next = repo.root;
  next.timestamp.key_ids.clear();
  next.snapshot.key_ids.clear();
  repo.timestamp_key = TestKey(21);
  repo.snapshot_key = TestKey(22);
  next.AddKey(next.timestamp, repo.timestamp_key.public_key());
  next.AddKey(next.snapshot, repo.snapshot_key.public_key());
  ASSERT_TRUE(set.UpdateRoot(*SignNextRoot(repo.root, next, repo.root_keys)).ok());
  EXPECT_EQ(set.UpdateTimestamp(attack.timestamp_document, kTestNow).code(), Code::kBadSignature);
  repo.Publish();
  EXPECT_EQ(repo.UpdateAll(set).ToString(), "ok");
  // Offline-signed versions do not go down, whatever online keys say.
  EXPECT_EQ(set.targets()->version, 1);
  EXPECT_TRUE(TrustedSet::FromState(set.SaveState()).ok());
}

TEST(RotationTest, ARevokedTargetsKeyNoLongerSigns) {
  TestRepository repo;
  TrustedSet set = repo.Updated();
  Root next = repo.root;
  next.targets.key_ids.clear();
  next.targets.threshold = 1;
  next.AddKey(next.targets, TestKey(31).public_key());
  ASSERT_TRUE(set.UpdateRoot(*SignNextRoot(repo.root, next, repo.root_keys)).ok());
  // Nor does what it signed before, although snapshot still names it.
  EXPECT_EQ(set.targets(), nullptr);
  EXPECT_TRUE(set.NeedsSnapshot());
  EXPECT_EQ(set.CheckFresh(kTestNow).code(), Code::kFailedPrecondition);
  ASSERT_TRUE(set.UpdateSnapshot(repo.snapshot_document, kTestNow).ok());
  EXPECT_TRUE(set.NeedsTargets());
  EXPECT_EQ(set.UpdateTargets(repo.targets_document, kTestNow).code(), Code::kBadSignature);
  repo.PublishNext();
  EXPECT_EQ(repo.UpdateAll(set).code(), Code::kBadSignature);
  // What lies on disk under the old key is not taken back either.
  EXPECT_EQ(TrustedSet::FromState(set.SaveState())->targets(), nullptr);
  repo.targets_keys = {TestKey(31)};
  repo.PublishNext();
  EXPECT_EQ(repo.UpdateAll(set).ToString(), "ok");
}

}  // namespace
}  // namespace ferry::trust
