// Targets that lie in hash bins: what is signed anew, and what a device takes of them.
#include "common/trust/tests/binned_repository.h"
#include "common/trust/tuf/documents.h"

namespace ferry::trust {
namespace {

TEST(BinsTest, TheUnionOfAllBinsIsWhatOneDocumentSays) {
  for (const int bits : {1, 2, 4, 5, 8}) {
    const BinnedRepository repo(40, bits);
    EXPECT_EQ(repo.documents.bins.size(), size_t{1} << bits);
    const auto read = OpenTargets(repo.root, repo.documents);
    ASSERT_TRUE(read.ok()) << read.status().ToString();
    EXPECT_EQ(read->entries, repo.targets.entries);
    TrustedSet set = repo.Updated();
    EXPECT_TRUE(set.targets()->entries.empty());
    ASSERT_EQ(repo.TakeAll(set).ToString(), "ok");
    EXPECT_EQ(set.targets()->entries, repo.targets.entries);
  }
}

TEST(BinsTest, OtherClientsFindThePathsInTheSameBins) {
  for (const int bits : {1, 3, 4, 7, 8}) {
    const tuf::HashBins theirs{{}, bits, std::string(kBinPrefix)};
    HashBins ours;
    ours.bit_length = bits;
    for (int i = 0; i < 200; ++i) {
      const std::string path = FullPath("digits", BinnedVersion(i));
      EXPECT_EQ(BinOf(ours, path), tuf::BinOf(theirs, path));
      EXPECT_EQ(BinNumber(ours, BinOf(ours, path)), BinNumberOf(bits, path));
      EXPECT_TRUE(IsBinName(BinOf(ours, path)));
    }
  }
  const BinnedRepository repo;
  const auto theirs = tuf::TargetsFromJson(ParseEnvelope(repo.documents.top)->signed_part);
  ASSERT_TRUE(theirs.ok()) << theirs.status().ToString();
  EXPECT_EQ(theirs->bins->bit_length, kBinnedBits);
  EXPECT_EQ(theirs->keys.size(), 2u);
  for (const char* name : {"bin", "bin-", "bin-0f1", "bin-0F", "bin-g", "targets", "binn0"})
    EXPECT_FALSE(IsBinName(name)) << name;
}

TEST(BinsTest, OnlyBinsThatAreNeededAreAskedFor) {
  const BinnedRepository repo;
  TrustedSet set = repo.Updated();
  const std::vector<std::string> paths = {FullPath("digits", BinnedVersion(1)),
                                          FullPath("digits", BinnedVersion(1))};
  EXPECT_EQ(set.BinsNeeded(paths), std::vector{repo.BinOfVersion(1)});
  ASSERT_TRUE(repo.Take(set, repo.BinOfVersion(1)).ok());
  EXPECT_TRUE(set.BinsNeeded(paths).empty());
  EXPECT_EQ(*set.BinVersion(repo.BinOfVersion(1)), 1);
  EXPECT_EQ(set.BinVersion("bin-00").code(), Code::kFailedPrecondition);
  // One document has none.
  EXPECT_TRUE(TestRepository().Updated().BinsNeeded(paths).empty());
}

TEST(BinsTest, SigningAnewTouchesTheBinsThatChangedAlone) {
  BinnedRepository repo(12, 4);
  TrustedSet set = repo.Updated();
  ASSERT_TRUE(repo.TakeAll(set).ok());
  const TargetsDocuments before = repo.documents;
  repo.Add(13);
  repo.SpreadNext();
  for (const auto& [name, document] : repo.documents.bins)
    EXPECT_EQ(document == before.bins.at(name), name != repo.BinOfVersion(13)) << name;
  // Of the device, too, only that one is gone, and the others go on to count.
  ASSERT_EQ(repo.UpdateAll(set).ToString(), "ok");
  std::vector<std::string> all;
  for (const auto& [path, entry] : repo.targets.entries) all.push_back(path);
  EXPECT_EQ(set.BinsNeeded(all), std::vector{repo.BinOfVersion(13)});
  ASSERT_EQ(repo.Take(set, repo.BinOfVersion(13)).ToString(), "ok");
  EXPECT_EQ(set.targets()->entries, repo.targets.entries);
  // Short of their expiry all are signed anew, and by other keys, too.
  ++repo.targets.version;
  const auto anew = SignSpread(repo.targets, repo.root, repo.targets_keys, repo.documents,
                               repo.targets.expires_ms + 1);
  for (const auto& [name, version] : BinsOf(*ReadTargets(*anew))) EXPECT_EQ(version, 3) << name;
}

TEST(BinsTest, AnotherSpreadNeverBringsAVersionDown) {
  BinnedRepository repo(20, 4);
  TrustedSet set = repo.Updated();
  const TargetsDocuments before = repo.documents;
  for (const int bits : {8, 3, 4}) {
    repo.targets.bins->bit_length = bits;
    ++repo.targets.version;
    repo.documents =
        SignSpread(repo.targets, repo.root, repo.targets_keys, repo.documents, 0).value();
    repo.targets.bins = ReadTargets(repo.documents)->bins;
  }
  for (const auto& [name, version] : BinsOf(*ReadTargets(repo.documents)))
    EXPECT_GE(version, BinsOf(*ReadTargets(before))[name]);
  EXPECT_EQ(OpenTargets(repo.root, repo.documents)->entries, repo.targets.entries);
  repo.NameNext();
  EXPECT_EQ(repo.UpdateAll(set).ToString(), "ok");
  EXPECT_EQ(repo.TakeAll(set).ToString(), "ok");
}

TEST(BinsTest, AuthorizeGoesOnAsWithOneDocument) {
  const BinnedRepository repo;
  TrustedSet set = repo.Updated();
  const std::string two = FullPath("digits", BinnedVersion(2)),
                    one = FullPath("digits", BinnedVersion(1));
  const Assignment back = repo.MakeAssignment(1, Action::kRollback, {two, one});
  EXPECT_EQ(AuthorizeInstall(*set.targets(), back, two, nullptr).code(),
            Code::kNotAuthorizedTarget);
  ASSERT_TRUE(repo.Take(set, repo.Bin(two)).ok());
  for (const std::string& name : set.BinsNeeded({&one, 1}))
    ASSERT_EQ(repo.Take(set, name).ToString(), "ok");
  const auto entry = AuthorizeInstall(*set.targets(), back, two, nullptr);
  ASSERT_TRUE(entry.ok()) << entry.status().ToString();
  const Running running = AfterInstall(nullptr, **entry);
  EXPECT_TRUE(AuthorizeInstall(*set.targets(), back, one, &running).ok());
  const Assignment install = repo.MakeAssignment(2, Action::kInstall, {one});
  EXPECT_EQ(AuthorizeInstall(*set.targets(), install, one, &running).code(),
            Code::kVersionRollback);
}

TEST(BinsTest, TheStateComesBackWithItsBins) {
  const BinnedRepository repo;
  TrustedSet set = repo.Updated();
  ASSERT_TRUE(repo.Take(set, repo.BinOfVersion(3)).ok());
  auto loaded = TrustedSet::FromState(set.SaveState());
  ASSERT_TRUE(loaded.ok()) << loaded.status().ToString();
  EXPECT_EQ(loaded->targets()->entries, set.targets()->entries);
  EXPECT_EQ(loaded->SaveState(), set.SaveState());
  // What is not signed in it is asked for again.
  Json state = *ParseJson(AsText(set.SaveState()));
  state["bins"][repo.BinOfVersion(3)] =
      AsText(repo.Forged(repo.BinOfVersion(3), {}, 1, {&repo.snapshot_key, 1}));
  loaded = TrustedSet::FromState(AsBytes(WriteJson(state)));
  ASSERT_TRUE(loaded.ok()) << loaded.status().ToString();
  EXPECT_TRUE(loaded->targets()->entries.empty());
}

TEST(BinsTest, PersonalFilesAreDelegatedAboveTheBins) {
  BinnedRepository repo;
  repo.targets.personal =
      MakePersonalDelegation(TestKey(8).public_key(), {"personal/digits/*"}, 1000).value();
  repo.targets.withdrawn["old/1/full"] = {"old", "1", 1, "broken"};
  repo.SpreadNext();
  const TrustedSet set = repo.Updated();
  EXPECT_EQ(set.targets()->personal, repo.targets.personal);
  EXPECT_EQ(set.targets()->withdrawn, repo.targets.withdrawn);
  // TUF's form has room for bins or for named roles.
  EXPECT_TRUE(tuf::TargetsFromJson(ParseEnvelope(repo.documents.top)->signed_part).ok());
}

}  // namespace
}  // namespace ferry::trust
