// A registry that was restored from a backup: devices and publishers are ahead of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cloud-server/registry/test_publisher.h"
#include "common/trust/trusted_set.h"

namespace ferry::server {
namespace {

using testing::HasSubstr;

// Both servers have the same keys, since their random numbers are the same.
class RestoredRegistryTest : public testing::Test {
 protected:
  void SetUp() override {
    server_.clock.now_ms += 30 * trust::kDayMs;
    restored_.clock.now_ms = server_.clock.now_ms;
    ASSERT_TRUE(server_.registry->PutRoot(publisher_.RootDocument()).ok());
    ASSERT_TRUE(restored_.registry->PutRoot(publisher_.RootDocument()).ok());
    publisher_.Add("1.0.0", 1, "package one");
    const Publication first = publisher_.Make();
    ASSERT_TRUE(server_.registry->Publish(first).ok());
    CopyContent();
    ASSERT_TRUE(restored_.registry->Publish(first).ok());
  }
  // What `ferry publish` uploads before the metadata.
  void CopyContent() {
    for (const auto& [path, entry] : publisher_.targets.entries) {
      const std::string name = ToHex(entry.sha256);
      ASSERT_TRUE(server_.blobs->CopyTo(name, "/copy").ok());
      ASSERT_TRUE(restored_.blobs->PutBytes(name, *sys::ReadFile(server_.fs, "/copy")).ok());
    }
  }
  Bytes Document(TestServer& server, const std::string& role) {
    return server.registry->Metadata(role, 0)->document;
  }
  Status Follow(trust::TrustedSet& set, TestServer& server) {
    const int64_t now_ms = server.clock.now_ms;
    FERRY_TRY(set.UpdateTimestamp(Document(server, "timestamp"), now_ms));
    if (set.NeedsSnapshot()) FERRY_TRY(set.UpdateSnapshot(Document(server, "snapshot"), now_ms));
    if (set.NeedsTargets()) FERRY_TRY(set.UpdateTargets(Document(server, "targets"), now_ms));
    return OkStatus();
  }
  trust::TrustedSet Device() {
    const Bytes root = Document(server_, "root");
    return *trust::TrustedSet::FromPinnedRoot(root, crypto::Sha256(root));
  }

  TestServer server_, restored_;
  TestPublisher publisher_{server_};
};

TEST_F(RestoredRegistryTest, MetadataGoesOnAboveWhatDevicesHaveSeen) {
  trust::TrustedSet device = Device();
  ASSERT_TRUE(Follow(device, server_).ok());
  for (int i = 0; i < 10; ++i) {
    server_.clock.now_ms += trust::kDayMs;
    ASSERT_TRUE(Follow(device, server_).ok());
  }
  restored_.clock.now_ms = server_.clock.now_ms + 60'000;
  // As after a copy of the directory to which the server is not told: half a life later at most.
  EXPECT_TRUE(Follow(device, restored_).ok());

  // A backup of a moment ago: nothing is due, and devices have seen more.
  ASSERT_TRUE(server_.registry->Renew().ok());
  server_.clock.now_ms = restored_.clock.now_ms += 60'000;
  ASSERT_TRUE(server_.registry->Renew().ok());
  ASSERT_TRUE(Follow(device, server_).ok());
  EXPECT_EQ(Follow(device, restored_).code(), Code::kVersionRollback);
  restored_.clock.now_ms += 60'000;
  ASSERT_TRUE(restored_.registry->Renew().ok());
  const Status followed = Follow(device, restored_);
  EXPECT_TRUE(followed.ok()) << followed.ToString();
}

TEST_F(RestoredRegistryTest, APublisherBringsWhatIsMissing) {
  publisher_.Add("2.0.0", 2, "package two");
  const Publication second = publisher_.Make();
  ASSERT_TRUE(server_.registry->Publish(second).ok());
  trust::TrustedSet device = Device();
  ASSERT_TRUE(Follow(device, server_).ok());

  publisher_.Add("3.0.0", 3, "package three");
  Publication third = publisher_.Make();
  CopyContent();
  const auto refused = restored_.registry->Publish(third);
  EXPECT_EQ(refused.code(), Code::kInvalidArgument);
  EXPECT_THAT(refused.status().message(), HasSubstr("digits/2.0.0/full: its content key"));
  restored_.clock.now_ms += 60'000;
  for (const Publication::Key& key : second.keys) third.keys.push_back(key);
  const auto taken = restored_.registry->Publish(third);
  ASSERT_TRUE(taken.ok()) << taken.status().ToString();
  EXPECT_EQ(taken->size(), 2u);
  EXPECT_TRUE(Follow(device, restored_).ok());
}

TEST_F(RestoredRegistryTest, WhatNobodyHasAnyMoreBlocksNothing) {
  publisher_.Add("2.0.0", 2, "package two");
  const Publication second = publisher_.Make();
  publisher_.Add("3.0.0", 3, "package three");
  Publication third = publisher_.Make();
  third.absent = {"digits/2.0.0/full"};
  CopyContent();
  const auto taken = restored_.registry->Publish(third);
  ASSERT_TRUE(taken.ok()) << taken.status().ToString();
  ASSERT_EQ(taken->size(), 1u);
  EXPECT_EQ((*taken)[0].version, "3.0.0");
  // The next publication names it no more, and it may come after all.
  publisher_.Add("4.0.0", 4, "package four");
  Publication fourth = publisher_.Make();
  CopyContent();
  ASSERT_TRUE(restored_.registry->Publish(fourth).ok());
  fourth.keys = second.keys;
  const auto late = restored_.registry->Publish(fourth);
  ASSERT_TRUE(late.ok()) << late.status().ToString();
  ASSERT_EQ(late->size(), 1u);
  EXPECT_EQ((*late)[0].version, "2.0.0");
  ASSERT_TRUE(restored_.fs.MakeDirectories("/scratch").ok());
  EXPECT_TRUE(restored_.registry->OpenPackage("digits", "2.0.0", restored_.fs, "/scratch/x").ok());
}

}  // namespace
}  // namespace ferry::server
