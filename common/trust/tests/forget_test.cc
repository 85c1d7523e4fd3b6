// What a device forgets when root takes a key from a role, and what it does not.
#include "common/trust/tests/test_fixture.h"

namespace ferry::trust {
namespace {

constexpr int64_t kForged = int64_t{1} << 40;

Status Check(TrustedSet& set, const Assignment& assignment, const SigningKey& key) {
  return set.CheckAssignment(*SignAssignment(assignment, key), kTestDevice, kTestNow).status();
}

// The next root of `set`, with `keys` alone in the role.
Bytes NextRoot(const TestRepository& repo, const TrustedSet& set, RoleKeys Root::*role,
               const std::vector<SigningKey>& keys) {
  Root next = set.root();
  (next.*role).key_ids.clear();
  for (const SigningKey& key : keys) next.AddKey(next.*role, key.public_key());
  (next.*role).threshold = 1;
  return *SignNextRoot(set.root(), next, repo.root_keys);
}

// A device that a thief of the director key told assignment 2^40.
TrustedSet Attacked(const TestRepository& repo) {
  TrustedSet set = repo.Updated();
  EXPECT_TRUE(Check(set, repo.MakeAssignment(5, Action::kNone, {}), repo.director_key).ok());
  EXPECT_TRUE(Check(set, repo.MakeAssignment(kForged, Action::kNone, {}), repo.director_key).ok());
  EXPECT_EQ(Check(set, repo.MakeAssignment(6, Action::kNone, {}), repo.director_key).code(),
            Code::kVersionRollback);
  return set;
}

TEST(ForgetTest, ANewDirectorKeyEndsAForgedCounter) {
  const TestRepository repo;
  TrustedSet set = Attacked(repo);
  const SigningKey fresh = TestKey(41);
  ASSERT_TRUE(set.UpdateRoot(NextRoot(repo, set, &Root::director, {fresh})).ok());
  EXPECT_EQ(set.assignment_counter(), 0);
  EXPECT_EQ(set.director_root(), 2);
  EXPECT_EQ(Check(set, repo.MakeAssignment(6, Action::kNone, {}), fresh).ToString(), "ok");
  // The thief's key is worth nothing, above and below.
  for (const int64_t counter : {kForged, kForged + 1, int64_t{7}}) {
    EXPECT_EQ(Check(set, repo.MakeAssignment(counter, Action::kNone, {}), repo.director_key).code(),
              Code::kBadSignature);
  }
  EXPECT_EQ(Check(set, repo.MakeAssignment(5, Action::kNone, {}), fresh).code(),
            Code::kVersionRollback);
  // What was not the director's is as it was.
  EXPECT_NE(set.timestamp(), nullptr);
  EXPECT_NE(set.targets(), nullptr);
}

// A cut of power leaves the state before the root or the one after it, never a mixture.
TEST(ForgetTest, TheRootAndWhatItForgetsAreOneState) {
  const TestRepository repo;
  TrustedSet set = Attacked(repo);
  const Bytes before = set.SaveState();
  ASSERT_TRUE(set.UpdateRoot(NextRoot(repo, set, &Root::director, {TestKey(41)})).ok());
  const auto old = TrustedSet::FromState(before), now = TrustedSet::FromState(set.SaveState());
  EXPECT_EQ(old->root().version, 1);
  EXPECT_EQ(old->assignment_counter(), kForged);
  EXPECT_EQ(old->director_root(), 0);
  EXPECT_EQ(now->root().version, 2);
  EXPECT_EQ(now->assignment_counter(), 0);
  EXPECT_EQ(now->director_root(), 2);
}

TEST(ForgetTest, TwoRootsInOneWalk) {
  const TestRepository repo;
  TrustedSet set = Attacked(repo);
  const SigningKey fresh = TestKey(41);
  ASSERT_TRUE(set.UpdateRoot(NextRoot(repo, set, &Root::director, {fresh})).ok());
  // The second takes no key from the director: which root did stays known.
  ASSERT_TRUE(set.UpdateRoot(NextRoot(repo, set, &Root::director, {fresh})).ok());
  EXPECT_EQ(set.root().version, 3);
  EXPECT_EQ(set.director_root(), 2);
  EXPECT_TRUE(Check(set, repo.MakeAssignment(6, Action::kNone, {}), fresh).ok());
  ASSERT_TRUE(set.UpdateRoot(NextRoot(repo, set, &Root::director, {TestKey(42)})).ok());
  EXPECT_EQ(set.director_root(), 4);
  EXPECT_EQ(set.assignment_counter(), 0);
}

TEST(ForgetTest, ARootThatTakesNoKeyForgetsNothing) {
  const TestRepository repo;
  TrustedSet set = Attacked(repo);
  ASSERT_TRUE(set.UpdateRoot(NextRoot(repo, set, &Root::director, {repo.director_key})).ok());
  EXPECT_EQ(set.assignment_counter(), kForged);
  // Nor does one that only adds: the old key may sign still.
  ASSERT_TRUE(
      set.UpdateRoot(NextRoot(repo, set, &Root::director, {repo.director_key, TestKey(41)})).ok());
  ASSERT_TRUE(
      set.UpdateRoot(NextRoot(repo, set, &Root::timestamp, {repo.timestamp_key, TestKey(42)}))
          .ok());
  EXPECT_EQ(set.assignment_counter(), kForged);
  EXPECT_EQ(set.director_root(), 0);
  EXPECT_NE(set.timestamp(), nullptr);
  EXPECT_NE(set.snapshot(), nullptr);
}

// Whoever stole the timestamp key waits for the root that takes it away, and then shows what was
// true long ago.
TEST(ForgetTest, AStolenTimestampKeyCannotUseTheRecovery) {
  TestRepository repo;
  const TestRepository old = repo;
  repo.PublishNext();
  TrustedSet set = repo.Updated();
  const SigningKey stolen = repo.timestamp_key;
  repo.timestamp_key = TestKey(42);
  ASSERT_TRUE(set.UpdateRoot(NextRoot(repo, set, &Root::timestamp, {repo.timestamp_key})).ok());
  EXPECT_EQ(set.timestamp(), nullptr);
  EXPECT_EQ(set.UpdateTimestamp(old.timestamp_document, kTestNow).code(), Code::kBadSignature);
  const Bytes forged = *SignTimestamp(old.snapshot_document, 1, kForged, kTestNow + kDayMs, stolen);
  EXPECT_EQ(set.UpdateTimestamp(forged, kTestNow).code(), Code::kBadSignature);
  EXPECT_EQ(set.CheckFresh(kTestNow).code(), Code::kFailedPrecondition);
  // Even a server that signs the old snapshot anew does not bring the old targets back: offline
  // keys signed newer ones.
  ASSERT_TRUE(set.UpdateTimestamp(*SignTimestamp(old.snapshot_document, 1, 1, kTestNow + kDayMs,
                                                 repo.timestamp_key),
                                  kTestNow)
                  .ok());
  ASSERT_TRUE(set.UpdateSnapshot(old.snapshot_document, kTestNow).ok());
  EXPECT_EQ(set.UpdateTargets(old.targets_document, kTestNow).code(), Code::kVersionRollback);
  EXPECT_EQ(set.targets()->version, 2);
}

// Targets keys that were stolen with the online keys: the snapshot that names their highest version
// goes with them.
TEST(ForgetTest, NewTargetsKeysEndAForgedVersion) {
  TestRepository repo;
  TestRepository attack = repo;
  attack.targets.version = kForged;
  attack.snapshot_version = attack.timestamp_version = 2;
  attack.Publish();
  TrustedSet set = attack.Updated();
  const std::vector<SigningKey> fresh = {TestKey(43)};
  ASSERT_TRUE(set.UpdateRoot(NextRoot(repo, set, &Root::targets, fresh)).ok());
  EXPECT_EQ(set.targets(), nullptr);
  repo.targets_keys = fresh;
  repo.targets.version = 2;
  repo.snapshot_version = repo.timestamp_version = 3;
  repo.Publish();
  EXPECT_EQ(repo.UpdateAll(set).ToString(), "ok");
  EXPECT_EQ(set.targets()->version, 2);
  EXPECT_EQ(attack.UpdateAll(set).code(), Code::kVersionRollback);
}

// The threshold of the old keys is among those that stay: what they signed stays too.
TEST(ForgetTest, TargetsThatTheKeysLeftStillSignAreKept) {
  TestRepository repo;
  repo.targets_keys.push_back(TestKey(44));
  repo.root.AddKey(repo.root.targets, TestKey(44).public_key());
  repo.root_document = *SignRoot(repo.root, repo.root_keys);
  repo.Publish();
  TrustedSet set = repo.Updated();
  Root next = set.root();
  next.targets.key_ids.pop_back();
  ASSERT_TRUE(set.UpdateRoot(*SignNextRoot(set.root(), next, repo.root_keys)).ok());
  EXPECT_NE(set.targets(), nullptr);
  EXPECT_NE(set.snapshot(), nullptr);
}

TEST(ForgetTest, StatesOfTheFirstReleaseAreRead) {
  const TestRepository repo;
  Json state = *ParseJson(AsText(Attacked(repo).SaveState()));
  ASSERT_EQ(state.erase("director_root"), 1u);
  auto set = TrustedSet::FromState(AsBytes(WriteJson(state)));
  ASSERT_TRUE(set.ok()) << set.status().ToString();
  EXPECT_EQ(set->assignment_counter(), kForged);
  ASSERT_TRUE(set->UpdateRoot(NextRoot(repo, *set, &Root::director, {TestKey(41)})).ok());
  EXPECT_EQ(set->assignment_counter(), 0);
}

}  // namespace
}  // namespace ferry::trust
