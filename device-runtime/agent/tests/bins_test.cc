// Targets that lie in bins: the device fetches those of the paths that it needs, and no others.
#include <set>

#include "common/trust/envelope.h"
#include "common/trust/withdrawn.h"
#include "device-runtime/agent/tests/fixture.h"

namespace ferry::agent {
namespace {

constexpr int64_t kBinnedVersions = 24;

std::string BinnedVersion(int64_t counter) {
  return fmt::format("{}.0.0", counter);
}

class BinsAgent : public testing::Test {
 protected:
  void SetUp() override {
    f.gateway.targets.bins.emplace().bit_length = 6;
    for (int64_t i = 1; i <= kBinnedVersions; ++i)
      f.gateway.Publish(BinnedVersion(i), i, fmt::format("good {}", i), "",
                        i == 1 ? "" : BinnedVersion(i - 1));
    f.gateway.Sign();
    ASSERT_TRUE(f.Start().ok());
    ASSERT_TRUE(f.Until([&] { return f.agent->connected(); }));
  }
  trust::DesiredPackage Run(int64_t counter, bool back = false) {
    trust::DesiredPackage wish =
        f.gateway.Run("digits", BinnedVersion(counter), fmt::format("r{}", ++releases_));
    wish.back = back;
    return wish;
  }
  void Install(int64_t counter) {
    f.gateway.Want("digits", Run(counter));
    ASSERT_TRUE(f.UntilReported("digits", Step::kConfirmed));
    ASSERT_EQ(f.VersionOf("digits"), BinnedVersion(counter));
  }
  std::string BinOf(int64_t counter) {
    return trust::BinOf(*f.gateway.targets.bins, trust::FullPath("digits", BinnedVersion(counter)));
  }
  // The bins that were asked for since, each once.
  std::set<std::string> Asked() {
    std::set<std::string> out(f.gateway.bins_asked.begin(), f.gateway.bins_asked.end());
    EXPECT_EQ(out.size(), f.gateway.bins_asked.size());
    f.gateway.bins_asked.clear();
    return out;
  }
  void ExpectRefused(Code code, std::string_view what) {
    ASSERT_TRUE(f.Until([&] { return f.gateway.Failure() != nullptr; }));
    EXPECT_EQ(f.gateway.Failure()->error_code(), static_cast<int>(code));
    EXPECT_NE(f.gateway.Failure()->error_text().find(what), std::string::npos)
        << f.gateway.Failure()->error_text();
  }

  Fixture f;
  int releases_ = 0;
};

TEST_F(BinsAgent, AnInstallFetchesItsBinAndThatOfItsWayBack) {
  Install(10);
  EXPECT_EQ(Asked(), (std::set{BinOf(10), BinOf(9)}));
  // They are held over a restart, and fetched anew where they changed alone.
  f.Kill();
  ASSERT_TRUE(f.Start().ok());
  f.gateway.Publish("99.0.0", 99, "good 99", "", BinnedVersion(kBinnedVersions));
  f.gateway.Sign();
  Install(11);
  std::set<std::string> expected = {BinOf(11)};
  for (const int64_t held : {9, 10})
    if (BinOf(held) == BinOf(99)) expected.insert(BinOf(held));
  EXPECT_EQ(Asked(), expected);
}

TEST_F(BinsAgent, TheWayBackOverSeveralVersionsIsFetchedAsItIsWalked) {
  Install(10);
  Asked();
  f.gateway.Want("digits", Run(6, true));
  ASSERT_TRUE(f.Until([&] { return f.VersionOf("digits") == BinnedVersion(6); }));
  std::set<std::string> expected;
  for (const int64_t counter : {5, 6, 7, 8}) expected.insert(BinOf(counter));
  for (const int64_t held : {9, 10}) expected.erase(BinOf(held));
  EXPECT_EQ(Asked(), expected);
  // What lies on no chain stays out of reach.
  f.gateway.Want("digits", Run(9, true));
  ExpectRefused(Code::kVersionRollback, "rollback attack refused");
}

TEST_F(BinsAgent, OneDocumentAgainIsReadAsBefore) {
  Install(10);
  f.gateway.targets.bins.reset();
  f.gateway.Sign();
  Asked();
  Install(12);
  EXPECT_TRUE(Asked().empty());
}

TEST_F(BinsAgent, AMissingBinIsAskedForAgain) {
  int refused = 0;
  f.gateway.bend = [&](const proto::Envelope& request, proto::Envelope* answer) {
    if (!request.has_metadata_request() || !request.metadata_request().role().starts_with("bin-"))
      return false;
    if (++refused > 2) return false;
    answer->mutable_metadata()->set_role(request.metadata_request().role());
    return true;
  };
  f.gateway.Want("digits", Run(10));
  ASSERT_TRUE(f.Until([&] { return refused >= 1; }));
  EXPECT_EQ(f.VersionOf("digits"), "");
  f.world.RunFor(1'000);
  f.gateway.Want("digits", Run(10));
  f.world.RunFor(1'000);
  f.gateway.Want("digits", Run(10));
  ASSERT_TRUE(f.Until([&] { return f.VersionOf("digits") == BinnedVersion(10); }));
}

TEST_F(BinsAgent, AnEntryThatAThiefHidInAnotherBinIsRefused) {
  const std::string wrong = BinOf(10);
  const trust::SigningKey signers[] = {f.gateway.targets_key};
  trust::TargetsBin bin;
  bin.version = f.gateway.targets.version;
  bin.expires_ms = f.gateway.targets.expires_ms;
  const std::string path = trust::FullPath("digits", BinnedVersion(BinOf(11) == wrong ? 12 : 11));
  bin.entries[path] = f.gateway.targets.entries[path];
  auto files = trust::MetaOfAll(f.gateway.documents).value();
  Bytes& forged = f.gateway.documents.bins[wrong];
  forged = trust::SignDocument(trust::BinToJson(bin, wrong), signers).value();
  files[wrong + ".json"] = trust::MetaOf(forged, bin.version);
  f.gateway.NameOnline(files);
  f.gateway.Want("digits", Run(10));
  ExpectRefused(Code::kMalformed, "belongs into");
  EXPECT_EQ(f.VersionOf("digits"), "");
}

TEST_F(BinsAgent, ABinOfAnOlderVersionIsRefused) {
  const trust::TargetsDocuments before = f.gateway.documents;
  const std::string name = BinOf(10);
  ASSERT_TRUE(trust::Withdraw(f.gateway.targets, "digits", BinnedVersion(10), "broken", true).ok());
  f.gateway.Sign();
  // The director and the online keys are the thief's: the withdrawn version is given out.
  f.gateway.bend = [&](const proto::Envelope& request, proto::Envelope* answer) {
    if (!request.has_metadata_request() || request.metadata_request().role() != name) return false;
    answer->mutable_metadata()->set_role(name);
    answer->mutable_metadata()->set_signed_json(std::string(AsText(before.bins.at(name))));
    return true;
  };
  auto files = trust::MetaOfAll(f.gateway.documents).value();
  files[name + ".json"] = trust::MetaOf(before.bins.at(name), f.gateway.targets.version);
  f.gateway.NameOnline(files);
  trust::DesiredPackage wish;
  wish.version = BinnedVersion(10);
  wish.release = "r";
  wish.attempt = 1;
  wish.targets = {trust::FullPath("digits", BinnedVersion(10))};
  f.gateway.Want("digits", wish);
  ExpectRefused(Code::kVersionRollback, name);
  EXPECT_EQ(f.VersionOf("digits"), "");
}

}  // namespace
}  // namespace ferry::agent
