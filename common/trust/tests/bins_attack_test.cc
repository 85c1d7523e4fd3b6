// Attacks on targets that lie in hash bins, one a test: the thief holds the snapshot and timestamp
// keys, unless it says otherwise.
#include "common/trust/fresh.h"
#include "common/trust/tests/binned_repository.h"

namespace ferry::trust {
namespace {

// Rollback: a bin of before, from which a version was withdrawn since, beside the newest targets.
TEST(BinsAttackTest, AnOlderBinBesideNewerTargets) {
  BinnedRepository repo;
  const TargetsDocuments before = repo.documents;
  ASSERT_TRUE(Withdraw(repo.targets, "digits", BinnedVersion(12), "broken", false).ok());
  repo.SpreadNext();
  const std::string name = repo.BinOfVersion(12);
  repo.documents.bins[name] = before.bins.at(name);
  repo.NameNext();
  TrustedSet fresh = repo.Updated();  // it never saw any bin
  const Status status = repo.Take(fresh, name);
  EXPECT_EQ(status.code(), Code::kVersionRollback);
  EXPECT_EQ(status.message(), name + " version 1 where version 2 was signed");
  EXPECT_TRUE(fresh.targets()->entries.empty());
}

// Mix and match: newer bins below older targets that do not know them.
TEST(BinsAttackTest, ANewerBinBesideOlderTargets) {
  BinnedRepository repo;
  const BinnedRepository old = repo;
  repo.Add(13);
  repo.SpreadNext();
  BinnedRepository mixed = old;
  const std::string name = repo.BinOfVersion(13);
  mixed.documents.bins[name] = repo.documents.bins.at(name);
  mixed.Name();
  TrustedSet set = mixed.Updated();
  EXPECT_EQ(mixed.Take(set, name).code(), Code::kMalformed);
}

// One publisher signs it with too few keys, or a path is hidden in another bin than its own.
TEST(BinsAttackTest, AnEntryInTheWrongBin) {
  BinnedRepository repo;
  const std::string path = FullPath("digits", BinnedVersion(3)), right = repo.Bin(path);
  const std::string wrong = right == "bin-0" ? "bin-1" : "bin-0";
  TargetMap entries = {{path, repo.targets.entries.at(path)}};
  repo.documents.bins[wrong] = repo.Forged(wrong, entries, 1, repo.targets_keys);
  repo.Name();
  TrustedSet set = repo.Updated();
  const Status status = repo.Take(set, wrong);
  EXPECT_EQ(status.code(), Code::kMalformed);
  EXPECT_NE(status.message().find("belongs into " + right), std::string::npos) << status.message();
  EXPECT_EQ(OpenTargets(repo.root, repo.documents).code(), Code::kMalformed);
}

// One bin in the place of another, which hides what that one holds.
TEST(BinsAttackTest, OneBinInThePlaceOfAnother) {
  BinnedRepository repo;
  repo.documents.bins["bin-1"] = repo.Forged("bin-0", {}, 1, repo.targets_keys);
  repo.Name();
  TrustedSet set = repo.Updated();
  EXPECT_EQ(repo.Take(set, "bin-1").code(), Code::kMalformed);
}

TEST(BinsAttackTest, ABinSignedByOthers) {
  BinnedRepository repo;
  const std::vector<std::vector<SigningKey>> thieves = {
      {repo.snapshot_key, repo.timestamp_key}, {repo.targets_keys[0]}, {TestKey(60), TestKey(61)}};
  const std::string path = FullPath("digits", BinnedVersion(3)), name = repo.Bin(path);
  for (const auto& keys : thieves) {
    repo.documents.bins[name] = repo.Forged(name, {{path, repo.targets.entries.at(path)}}, 1, keys);
    repo.Name();
    TrustedSet set = repo.Updated();
    EXPECT_EQ(repo.Take(set, name).code(), Code::kBadSignature);
    EXPECT_EQ(OpenTargets(repo.root, repo.documents).code(), Code::kBadSignature);
  }
}

// Targets keys that the delegation names and root does not: root alone says who signs bins.
TEST(BinsAttackTest, KeysThatTheDelegationNamesCountForNothing) {
  BinnedRepository repo;
  const SigningKey other = TestKey(70);
  HashBins bins = *repo.targets.bins;
  bins.role = {{KeyIdOf(other.public_key())}, 1};
  bins.keys = {{bins.role.key_ids[0], other.public_key()}};
  repo.targets.bins = bins;
  repo.documents.top = SignTargets(repo.targets, repo.targets_keys).value();
  repo.documents.bins["bin-0"] = repo.Forged("bin-0", {}, 1, {&other, 1});
  repo.Name();
  TrustedSet set = repo.Updated();
  EXPECT_EQ(repo.Take(set, "bin-0").code(), Code::kBadSignature);
}

// The network alone: other bytes, cut ones, endless ones, or a bin that nobody names.
TEST(BinsAttackTest, ABinThatTheSnapshotDoesNotName) {
  BinnedRepository repo;
  TrustedSet set = repo.Updated();
  Bytes document = repo.documents.bins["bin-0"];
  document.push_back(' ');
  EXPECT_EQ(set.UpdateBin("bin-0", document, kTestNow).code(), Code::kCorruptContent);
  document.resize(document.size() / 2);
  EXPECT_EQ(set.UpdateBin("bin-0", document, kTestNow).code(), Code::kCorruptContent);
  for (const char* name : {"bin-4", "bin-00", "targets", "../bin-0", ""})
    EXPECT_EQ(set.UpdateBin(name, document, kTestNow).code(), Code::kFailedPrecondition) << name;
  // A missing one is missing: its paths are not signed, and the set says what it lacks.
  repo.documents.bins.erase("bin-1");
  repo.NameNext();
  EXPECT_EQ(repo.UpdateAll(set).code(), Code::kVersionRollback);
  set = repo.Updated();
  EXPECT_EQ(set.UpdateBin("bin-1", document, kTestNow).code(), Code::kMalformed);
  EXPECT_EQ(OpenTargets(repo.root, repo.documents).code(), Code::kNotFound);
  EXPECT_TRUE(set.targets()->entries.empty());
}

// A bin is targets of the same keys: it must not stand in the place of those.
TEST(BinsAttackTest, ABinInThePlaceOfTheTargets) {
  BinnedRepository repo;
  repo.documents.top = repo.documents.bins["bin-0"];
  repo.Name();
  TrustedSet set = repo.Pinned();
  const Status status = repo.UpdateAll(set);
  EXPECT_EQ(status.code(), Code::kMalformed);
  EXPECT_NE(status.message().find("one bin"), std::string::npos) << status.message();
}

TEST(BinsAttackTest, ABinBeforeItsTargets) {
  BinnedRepository repo;
  TrustedSet set = repo.Pinned();
  EXPECT_EQ(repo.Take(set, "bin-0").code(), Code::kFailedPrecondition);
  set = repo.Updated();
  repo.Add(13);
  repo.SpreadNext();
  ASSERT_TRUE(set.UpdateTimestamp(repo.timestamp_document, kTestNow).ok());
  EXPECT_EQ(repo.Take(set, "bin-0").code(), Code::kFailedPrecondition);
  ASSERT_TRUE(set.UpdateSnapshot(repo.snapshot_document, kTestNow).ok());
  EXPECT_EQ(repo.Take(set, "bin-0").code(), Code::kFailedPrecondition);
}

// Freeze: a bin past its time installs nothing, whatever is fresh above it.
TEST(BinsAttackTest, ABinPastItsTime) {
  BinnedRepository repo;
  const int64_t targets_expire_ms = repo.targets.expires_ms;
  repo.targets.expires_ms = kTestNow + kDayMs / 2;
  repo.SpreadNext(kTestNow + kDayMs * 365);
  const TargetsDocuments early = repo.documents;
  repo.targets.expires_ms = targets_expire_ms;
  repo.SpreadNext();
  EXPECT_EQ(repo.documents.bins, early.bins);
  TrustedSet set = repo.Updated();
  ASSERT_TRUE(repo.Take(set, "bin-0").ok());
  EXPECT_TRUE(set.CheckFresh(kTestNow).ok());
  const int64_t later_ms = kTestNow + kDayMs / 2;
  EXPECT_EQ(set.CheckFresh(later_ms).code(), Code::kExpired);
  EXPECT_EQ(CheckFreshFor(set, Purpose::kInstall, later_ms).code(), Code::kExpired);
  EXPECT_TRUE(CheckFreshFor(set, Purpose::kGoBack, later_ms).ok());
  EXPECT_EQ(set.UpdateBin("bin-1", repo.documents.bins["bin-1"], later_ms).code(), Code::kExpired);
}

// What a key signed that root took away is gone, in bins as above them.
TEST(BinsAttackTest, BinsOfAKeyThatRootTookAway) {
  BinnedRepository repo;
  TrustedSet set = repo.Updated();
  ASSERT_TRUE(repo.TakeAll(set).ok());
  Root next = repo.root;
  next.AddKey(next.targets, TestKey(44).public_key());
  ++next.version;
  const Bytes added = SignRoot(next, repo.root_keys).value();
  ASSERT_EQ(set.UpdateRoot(added).ToString(), "ok");
  EXPECT_EQ(set.targets()->entries, repo.targets.entries);
  next.targets.key_ids.erase(next.targets.key_ids.begin());
  ++next.version;
  ASSERT_TRUE(set.UpdateRoot(SignRoot(next, repo.root_keys).value()).ok());
  EXPECT_EQ(set.targets(), nullptr);
  EXPECT_TRUE(set.BinsNeeded({}).empty());
  EXPECT_FALSE(ParseJson(AsText(set.SaveState()))->contains("bins"));
}

TEST(BinsAttackTest, FormsThatNobodySigns) {
  BinnedRepository repo;
  const Json top = TargetsToJson(repo.targets);
  ASSERT_TRUE(TargetsFromJson(top).ok());
  const auto refused = [&](auto&& edit) {
    Json json = top;
    edit(json);
    return TargetsFromJson(json).code();
  };
  const std::string path = FullPath("digits", BinnedVersion(1));
  EXPECT_EQ(refused([&](Json& j) {
              j["targets"][path] = TargetEntryToJson(repo.targets.entries.at(path));
            }),
            Code::kMalformed);
  EXPECT_EQ(refused([](Json& j) { j.erase("ferry"); }), Code::kMalformed);
  EXPECT_EQ(refused([](Json& j) { j["ferry"]["bins"].erase(0); }), Code::kMalformed);
  EXPECT_EQ(refused([](Json& j) { j["ferry"]["bins"][0] = 0; }), Code::kMalformed);
  EXPECT_EQ(refused([](Json& j) { j["ferry"]["bins"][0] = uint64_t{1} << 63; }), Code::kMalformed);
  EXPECT_EQ(refused([](Json& j) { j["ferry"]["bins"][0] = "1"; }), Code::kMalformed);
  for (const int bits : {0, 9, 32})
    EXPECT_EQ(refused([&](Json& j) { j["delegations"]["succinct_roles"]["bit_length"] = bits; }),
              Code::kMalformed);
  EXPECT_EQ(refused([](Json& j) { j["delegations"]["succinct_roles"]["name_prefix"] = "root"; }),
            Code::kMalformed);
  EXPECT_EQ(refused([](Json& j) { j["delegations"]["succinct_roles"]["threshold"] = 3; }),
            Code::kMalformed);
  EXPECT_EQ(refused([](Json& j) { j["delegations"]["keys"] = Json::object(); }), Code::kMalformed);
  Json bin = BinToJson({1, kTestNow, {}}, "bin-0");
  EXPECT_TRUE(BinFromJson(bin, *repo.targets.bins, "bin-0").ok());
  bin["delegations"] = top["delegations"];
  EXPECT_EQ(BinFromJson(bin, *repo.targets.bins, "bin-0").code(), Code::kMalformed);
}

}  // namespace
}  // namespace ferry::trust
