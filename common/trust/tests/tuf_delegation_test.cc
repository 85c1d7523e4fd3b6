#include <gmock/gmock.h>

#include "common/trust/tests/tuf_test_repository.h"

namespace ferry::tuf {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using trust::TestKey;

TEST(TufDelegation, PatternsMatchWithinOnePartOfAPath) {
  EXPECT_TRUE(MatchesPattern("*.md", "README.md"));
  EXPECT_TRUE(MatchesPattern("a*b*c", "aXbYbZc"));
  EXPECT_TRUE(MatchesPattern("foo-?.tgz", "foo-1.tgz"));
  EXPECT_TRUE(MatchesPattern("*/*", "a/"));
  EXPECT_FALSE(MatchesPattern("foo-?.tgz", "foo-alpha.tgz"));
  EXPECT_FALSE(MatchesPattern("*", "a/b"));
  EXPECT_FALSE(MatchesPattern("*/*", "a"));
  EXPECT_FALSE(MatchesPattern("*.md", "README.MD"));
  EXPECT_FALSE(MatchesPattern("", "a"));
  EXPECT_FALSE(MatchesPattern(std::string(100, '*') + "x", std::string(1000, 'y')));
}

TEST(TufDelegation, RolesAreAskedDepthFirstAndATerminatingOneEndsIt) {
  TestRepository repository;
  repository.Delegate("targets", "A", 20, {"*"});
  repository.Delegate("targets", "B", 21, {"*"});
  repository.Delegate("A", "C", 22, {"*"});
  repository.Delegate("A", "D", 23, {"*.py"});
  repository.AddTarget("B", "there", "content");
  repository.Publish({"A", "B", "C", "D", "targets"});
  const auto found = repository.Find("there");
  ASSERT_TRUE(found.ok()) << found.status().ToString();
  EXPECT_EQ(found->length, 7u);
  EXPECT_THAT(repository.asked, ElementsAre("1.A.json", "1.C.json", "1.B.json"));
  repository.kept.erase("C.json");
  ASSERT_TRUE(repository.Find("there").ok());
  EXPECT_THAT(repository.asked, ElementsAre("1.C.json")) << "what is kept is not asked for";

  TestRepository ended;
  ended.Delegate("targets", "A", 20, {"*"}, /*terminating=*/true);
  ended.Delegate("targets", "B", 21, {"*"});
  ended.AddTarget("B", "there", "content");
  ended.Publish({"A", "B", "targets"});
  EXPECT_EQ(ended.Find("there").code(), Code::kNotFound);
  EXPECT_THAT(ended.asked, ElementsAre("1.A.json"));
}

TEST(TufDelegation, ARoleThatTwoDelegateToIsCheckedByEach) {
  TestRepository repository;
  repository.Delegate("targets", "a", 20, {"a/*"});
  repository.Delegate("targets", "b", 21, {"b/*"});
  repository.Delegate("b", "release", 23, {"b/*"});
  repository.Delegate("a", "release", 22, {"a/*"});  // this key signs
  repository.AddTarget("release", "a/x", "good");
  repository.AddTarget("release", "b/x", "bad");
  repository.Publish({"release", "a", "b", "targets"});
  Updater updater(repository, repository, repository.now_ms);
  ASSERT_TRUE(updater.Refresh().ok());
  EXPECT_TRUE(updater.Find("a/x").ok());
  EXPECT_EQ(updater.Find("b/x").code(), Code::kBadSignature);
}

TEST(TufDelegation, ThresholdsOfDelegatedRolesCount) {
  TestRepository repository;
  repository.threshold["team"] = 2;
  repository.Delegate("targets", "team", 20, {"*"});
  repository.AddTarget("team", "x", "content");
  repository.Publish({"team", "targets"});
  EXPECT_EQ(repository.Find("x").code(), Code::kBadSignature);
}

TEST(TufDelegation, TooManyRolesAreNotAsked) {
  TestRepository wide, deep;
  std::vector<std::string> all;
  for (int i = 0; i <= kMaxVisitedRoles; ++i) {
    all.push_back(fmt::format("r{:02}", i));
    wide.Delegate("targets", all.back(), static_cast<uint8_t>(20 + i), {"*"});
    deep.Delegate(i == 0 ? "targets" : all[static_cast<size_t>(i - 1)], all.back(),
                  static_cast<uint8_t>(20 + i), {"*"});
  }
  all.push_back("targets");
  wide.Publish(all);
  deep.Publish(all);
  EXPECT_EQ(wide.Find("x").code(), Code::kLimitExceeded);
  EXPECT_EQ(wide.asked.size(), static_cast<size_t>(kMaxVisitedRoles));
  EXPECT_EQ(deep.Find("x").code(), Code::kLimitExceeded);
  EXPECT_EQ(deep.asked.size(), static_cast<size_t>(kMaxDelegationDepth));
}

TEST(TufDelegation, ACycleEnds) {
  TestRepository repository;
  repository.Delegate("targets", "A", 20, {"*"});
  repository.Delegate("A", "B", 21, {"*"});
  repository.Delegate("B", "A", 20, {"*"});
  repository.Publish({"A", "B", "targets"});
  EXPECT_EQ(repository.Find("x").code(), Code::kNotFound);
  EXPECT_THAT(repository.asked, ElementsAre("1.A.json", "1.B.json"));
}

TEST(TufDelegation, HashPrefixesAndBins) {
  // SHA-256 of "x" begins with 2d711642, in bits 0010 1101.
  Delegation delegation;
  delegation.hash_prefixes = {"ff", "2d7"};
  EXPECT_TRUE(Covers(delegation, "x"));
  delegation.hash_prefixes = {"2d8"};
  EXPECT_FALSE(Covers(delegation, "x"));
  EXPECT_EQ(BinOf({{}, 4, "bin"}, "x"), "bin-2");
  EXPECT_EQ(BinOf({{}, 5, "bin"}, "x"), "bin-05");
  EXPECT_EQ(BinOf({{}, 32, "bin"}, "x"), "bin-2d711642");

  TestRepository repository;
  repository.signers["bin-05"] = {TestKey(40)};
  repository.body["bin-05"] = {{"targets", Json::object()}};
  repository.AddTarget("bin-05", "x", "content");
  Json keys = Json::object();
  Json bins = repository.RoleJson("bin-05", keys);
  bins.update({{"bit_length", 5}, {"name_prefix", "bin"}});
  repository.body["targets"]["delegations"] = {{"keys", keys}, {"succinct_roles", bins}};
  repository.Publish({"bin-05", "targets"});
  ASSERT_TRUE(repository.Find("x").ok());
  EXPECT_THAT(repository.asked, ElementsAre("1.bin-05.json"));
}

TEST(TufDelegation, NamesCannotLeaveTheirFolderOrTakeARootRolesPlace) {
  TestRepository repository;
  repository.Delegate("targets", "../up", 20, {"*"});
  repository.Publish({"../up", "targets"});
  EXPECT_EQ(repository.Find("x").code(), Code::kNotFound);
  EXPECT_THAT(repository.asked, ElementsAre("1...%2Fup.json"));
  EXPECT_TRUE(repository.kept.contains("..%2Fup.json"));

  TestRepository taken;
  taken.Delegate("targets", "snapshot", 20, {"*"});
  taken.signers["snapshot"] = {TestKey(3)};
  taken.Publish({"targets"});
  const Status status = taken.Refresh();
  EXPECT_EQ(status.code(), Code::kMalformed);
  EXPECT_THAT(status.message(), HasSubstr("no name for a delegated role"));
}

TEST(TufDelegation, ARoleThatTheSnapshotDoesNotNameIsNotAsked) {
  TestRepository repository;
  repository.Delegate("targets", "team", 20, {"*"});
  repository.Publish({"targets"});
  EXPECT_EQ(repository.Find("x").code(), Code::kNotFound);
  EXPECT_TRUE(repository.asked.empty());
}

TEST(TufDelegation, TargetsLieUnderTheirHash) {
  Root root;
  TargetFile file{1, {{"sha256", "ab"}, {"sha512", "cd"}}};
  EXPECT_EQ(*TargetLocation(root, "a b/c?.bin", file), "a%20b/c%3F.bin");
  root.consistent_snapshot = true;
  EXPECT_EQ(*TargetLocation(root, "a b/c?.bin", file), "a%20b/ab.c%3F.bin");
  file.hashes = {{"md5", "00"}};
  EXPECT_EQ(TargetLocation(root, "x", file).code(), Code::kUnsupported);
  EXPECT_EQ(CheckHashes({}, file.hashes, "x").code(), Code::kUnsupported);
}

}  // namespace
}  // namespace ferry::tuf
