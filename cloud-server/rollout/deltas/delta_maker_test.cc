#include "cloud-server/rollout/deltas/delta_maker.h"

#include <gtest/gtest.h>

#include "cloud-server/rollout/new_release.h"
#include "cloud-server/rollout/test_rollout.h"
#include "common/base/json.h"
#include "common/trust/trusted_set.h"

namespace ferry::server {
namespace {

constexpr size_t kWeightBytes = 60000;

PackageRow PackageRowOf(const std::string& version, int64_t counter) {
  PackageRow row;
  row.name = "digits";
  row.version = version;
  row.release_counter = counter;
  return row;
}

TEST(WantedDeltas, AreFromTheVersionsOfTheMostDevices) {
  const std::vector<PackageRow> packages = {PackageRowOf("1", 1), PackageRowOf("2", 2),
                                            PackageRowOf("3", 3), PackageRowOf("4", 4)};
  const std::vector<VersionCount> counts = {{"digits", "2", 50}, {"digits", "4", 9},
                                            {"digits", "1", 7},  {"digits", "gone", 5},
                                            {"digits", "3", 1},  {"other", "1", 99}};
  EXPECT_EQ(WantedDeltas(packages, {}, counts, 2),
            (std::set<WantedDelta>{{"digits", "4", "2"}, {"digits", "4", "1"}}));
  EXPECT_EQ(WantedDeltas(packages, {}, counts, 9).size(), 3u);
  EXPECT_TRUE(WantedDeltas(packages, {}, counts, 0).empty());
  // A release gives out an older one; nothing leads back to it.
  ReleaseRow release;
  release.package = "digits";
  release.version = "3";
  release.state = ReleaseState::kGray;
  EXPECT_TRUE(WantedDeltas(packages, {release}, counts, 1).contains({"digits", "3", "2"}));
  EXPECT_FALSE(WantedDeltas(packages, {release}, counts, 9).contains({"digits", "3", "4"}));
  release.state = ReleaseState::kRolledBack;
  EXPECT_FALSE(WantedDeltas(packages, {release}, counts, 9).contains({"digits", "3", "2"}));
}

// Two versions of tuned weights, of which devices have the first.
class DeltaMakerTest : public testing::Test {
 protected:
  void SetUp() override {
    Bytes weights(kWeightBytes);
    sys::SeededRandom(5).Fill(weights);
    plain_[0] = weights;
    for (size_t i = 0; i < weights.size(); i += 7) weights[i] += 1;
    plain_[1] = weights;
    sys::SeededRandom(6).Fill(weights);
    plain_[2] = weights;
    ASSERT_TRUE(fleet_.registry->PutRoot(publisher_.RootDocument()).ok());
    for (int i = 0; i < 3; ++i)
      publisher_.Add(Version(i), i + 1, std::string(AsText(plain_[i])),
                     i == 0 ? "" : Version(i - 1));
    ASSERT_TRUE(fleet_.registry->Publish(publisher_.Make()).ok());
    fleet_.AddDevice("d1", "mid", "1.0.0");
    Change([&](DeviceRow& device) { device.reads_desired = true; });
    Has("1.0.0");
  }
  static std::string Version(int i) { return std::to_string(i + 1) + ".0.0"; }
  void Change(const std::function<void(DeviceRow&)>& change) {
    ASSERT_TRUE(fleet_.store
                    ->Write([&](Transaction& tx) -> Status {
                      FERRY_ASSIGN_OR_RETURN(DeviceRow row, tx.devices().Get("d1"));
                      change(row);
                      return tx.devices().Put(row);
                    })
                    .ok());
  }
  void Has(const std::string& version) {
    ASSERT_TRUE(fleet_.store
                    ->Write([&](Transaction& tx) {
                      return tx.devices().PutInstalled({"d1", "digits", version, "", false});
                    })
                    .ok());
  }
  void Release(const std::string& version) {
    NewRelease release;
    release.package = "digits";
    release.version = version;
    release.plan = *ParseJson(R"json({"rule":"os == \"android\"","stages":[{"kind":"full"}]})json");
    const auto made = fleet_.rollout->Create(release);
    ASSERT_TRUE(made.ok()) << made.status().ToString();
    release_ = made->id;
    const auto started = fleet_.rollout->Do(release_, command::Start{"ann"});
    ASSERT_TRUE(started.ok()) << started.status().ToString();
  }
  trust::Desired Ask() {
    const Bytes document = *fleet_.rollout->SignedAssignment("d1", 0);
    const Bytes root = publisher_.RootDocument();
    trust::TrustedSet set = *trust::TrustedSet::FromPinnedRoot(root, crypto::Sha256(root));
    return *set.CheckDesired(document, "d1", fleet_.clock.now_ms);
  }
  DeltaMaker Maker(int most = 4) {
    return DeltaMaker({fleet_.store.get(), fleet_.registry.get(), &fleet_.fs, "/scratch", most});
  }
  std::vector<ArtefactRow> Made() {
    std::vector<ArtefactRow> rows;
    EXPECT_TRUE(fleet_.store
                    ->Read([&](Transaction& tx) -> Status {
                      FERRY_ASSIGN_OR_RETURN(rows, tx.packages().Made());
                      return OkStatus();
                    })
                    .ok());
    return rows;
  }

  TestFleet fleet_;
  TestPublisher publisher_{fleet_};
  Bytes plain_[3];
  std::string release_;
};

TEST_F(DeltaMakerTest, MakesAndListsTheDeltaThatTheDeviceCanUse) {
  DeltaMaker maker = Maker();
  Release("2.0.0");
  EXPECT_FALSE(Ask().packages.at("digits").made);
  const int64_t counter = Ask().counter;
  // 3.0.0, the newest, shares nothing with 1.0.0: no delta to it is worth its name.
  EXPECT_EQ(*maker.Pass(), 1);
  EXPECT_EQ(*maker.Pass(), 0) << "nothing is made twice";
  ASSERT_EQ(Made().size(), 1u);
  EXPECT_EQ(Made()[0].path, "digits/2.0.0/made-delta-from-1.0.0");
  EXPECT_FALSE(sys::Exists(fleet_.fs, "/scratch")) << "no plain package is left";
  const trust::Desired desired = Ask();
  EXPECT_EQ(desired.counter, counter) << "a delta alone is no news";
  const trust::DesiredPackage& wish = desired.packages.at("digits");
  ASSERT_TRUE(wish.made);
  EXPECT_EQ(wish.made->base_version, "1.0.0");
  const trust::TargetEntry& full = publisher_.targets.entries.at("digits/2.0.0/full");
  EXPECT_LT(wish.made->length * 2, full.length);

  // What the device does with it: the key, the content, the result that offline keys signed.
  const crypto::AgreementKey seal = crypto::AgreementKey::Generate(fleet_.random);
  Change([&](DeviceRow& device) { device.seal_public = ToBytes(seal.public_key()); });
  const trust::TargetEntry entry = trust::MadeEntryOf(full, *wish.made);
  const auto key = fleet_.registry->WrapKey("d1", Made()[0].path, release_);
  ASSERT_TRUE(key.ok()) << key.status().ToString();
  const auto content_key =
      package::UnwrapOnDevice(seal, {"default", release_, "d1"}, entry, key->wrapped);
  ASSERT_TRUE(content_key.ok()) << content_key.status().ToString();
  ASSERT_TRUE(fleet_.blobs->CopyTo(ToHex(entry.sha256), "/sealing/made").ok());
  ASSERT_TRUE(package::OpenArtefact(fleet_.fs, "/sealing/made", "/sealing/plain", *content_key,
                                    entry, plain_[0])
                  .ok());
  EXPECT_EQ(*sys::ReadFile(fleet_.fs, "/sealing/plain"), plain_[1]);
  EXPECT_EQ(fleet_.registry->WrapKey("d1", Made()[0].path, "another").code(),
            Code::kPermissionDenied);
}

TEST_F(DeltaMakerTest, ARestartKeepsWhatIsMadeAndNeedsNone) {
  Release("2.0.0");
  EXPECT_EQ(*Maker().Pass(), 1);
  EXPECT_EQ(*Maker().Pass(), 0);
  EXPECT_EQ(*Maker(0).Pass(), 0);
}

TEST_F(DeltaMakerTest, AFullDiskIsTriedAgain) {
  DeltaMaker maker = Maker();
  Release("2.0.0");
  fleet_.fs.SetCapacity(1 << 20);
  EXPECT_EQ(*maker.Pass(), 0);
  EXPECT_FALSE(sys::Exists(fleet_.fs, "/scratch"));
  fleet_.fs.SetCapacity(uint64_t{1} << 30);
  EXPECT_EQ(*maker.Pass(), 1);
}

TEST_F(DeltaMakerTest, DevicesAreCountedAfterAChangeOrAWhile) {
  DeltaMaker maker = Maker();
  Has("3.0.0");
  EXPECT_EQ(*maker.Look(), 0);
  Release("2.0.0");
  EXPECT_EQ(*maker.Look(), 0) << "no delta leads back";
  Has("1.0.0");
  int looks = 1;
  while (*maker.Look() == 0 && looks <= kLooksACount) ++looks;
  EXPECT_EQ(looks, kLooksACount);
  EXPECT_EQ(Made().size(), 1u);
}

TEST_F(DeltaMakerTest, WhatNobodyNeedsGoes) {
  DeltaMaker maker = Maker();
  Release("2.0.0");
  ASSERT_EQ(*maker.Pass(), 1);
  const std::string sha256 = Made()[0].sha256;
  // Everyone has it: the delta is of no use, until somebody comes back with its base.
  Has("2.0.0");
  EXPECT_FALSE(Ask().packages.at("digits").made);
  EXPECT_EQ(*maker.Pass(), 0);
  EXPECT_TRUE(Made().empty());
  ASSERT_TRUE(fleet_.registry->ReviewContent(1000, false).ok());
  fleet_.clock.now_ms += 2000;
  ASSERT_TRUE(fleet_.registry->ReviewContent(1000, false).ok());
  EXPECT_EQ(fleet_.blobs->Size(sha256).code(), Code::kNotFound);
  Has("1.0.0");
  EXPECT_EQ(*maker.Pass(), 1);
}

TEST_F(DeltaMakerTest, AVersionThatIsWithdrawnTakesItsDeltasAlong) {
  ASSERT_TRUE(fleet_.registry->MakeDelta("digits", "2.0.0", "1.0.0", fleet_.fs, "/scratch").ok());
  ASSERT_EQ(Made().size(), 1u);
  ASSERT_TRUE(
      fleet_.store->Write([&](Transaction& tx) { return tx.packages().Remove("digits", "2.0.0"); })
          .ok());
  EXPECT_TRUE(Made().empty());
  EXPECT_EQ(fleet_.registry->MakeDelta("digits", "2.0.0", "1.0.0", fleet_.fs, "/scratch").code(),
            Code::kNotFound);
}

}  // namespace
}  // namespace ferry::server
