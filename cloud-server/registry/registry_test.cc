#include "cloud-server/registry/registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cloud-server/registry/test_publisher.h"
#include "common/trust/trusted_set.h"

namespace ferry::server {
namespace {

using testing::HasSubstr;

class RegistryTest : public testing::Test {
 protected:
  void PutRoot() { ASSERT_TRUE(server_.registry->PutRoot(publisher_.RootDocument()).ok()); }
  Result<std::vector<PackageRow>> Publish() { return server_.registry->Publish(publisher_.Make()); }
  Bytes Document(const std::string& role) { return server_.registry->Metadata(role, 0)->document; }

  TestServer server_;
  TestPublisher publisher_{server_};
};

TEST_F(RegistryTest, APublicationGivesAChainThatDevicesAccept) {
  PutRoot();
  publisher_.Add("1.0.0", 1, "package one");
  Result<std::vector<PackageRow>> packages = Publish();
  ASSERT_TRUE(packages.ok()) << packages.status().ToString();
  ASSERT_EQ(packages->size(), 1u);
  EXPECT_EQ((*packages)[0].version, "1.0.0");

  const Bytes root = Document("root");
  trust::TrustedSet set = *trust::TrustedSet::FromPinnedRoot(root, crypto::Sha256(root));
  const int64_t now_ms = server_.clock.now_ms;
  EXPECT_TRUE(set.UpdateTimestamp(Document("timestamp"), now_ms).ok());
  EXPECT_TRUE(set.UpdateSnapshot(Document("snapshot"), now_ms).ok());
  EXPECT_TRUE(set.UpdateTargets(Document("targets"), now_ms).ok());

  // Days later the same chain is fresh again, with higher versions.
  server_.clock.now_ms += 5 * trust::kDayMs;
  EXPECT_TRUE(set.UpdateTimestamp(Document("timestamp"), server_.clock.now_ms).ok());
  EXPECT_TRUE(set.UpdateSnapshot(Document("snapshot"), server_.clock.now_ms).ok());
  EXPECT_TRUE(set.CheckFresh(server_.clock.now_ms).ok());
  EXPECT_GT(server_.registry->Metadata("timestamp", 0)->version, 1);
}

TEST_F(RegistryTest, RefusesWithoutARoot) {
  publisher_.Add("1.0.0", 1, "package one");
  EXPECT_EQ(Publish().code(), Code::kFailedPrecondition);
}

TEST_F(RegistryTest, RefusesARootOfAnotherServer) {
  publisher_.root.escrow[0] ^= 1;
  EXPECT_EQ(server_.registry->PutRoot(publisher_.RootDocument()).code(), Code::kWrongKey);
}

TEST_F(RegistryTest, RootsFollowEachOther) {
  PutRoot();
  PutRoot();  // the same again is fine
  trust::Root next = publisher_.root;
  Bytes document = *trust::SignNextRoot(publisher_.root, next, {&publisher_.root_key, 1});
  EXPECT_EQ(server_.registry->PutRoot(document).value(), 2);
  EXPECT_EQ(server_.registry->PutRoot(publisher_.RootDocument()).code(), Code::kVersionRollback);
  // Signed by itself only, not by the root before.
  trust::Root stranger = publisher_.root;
  crypto::SigningKey key = crypto::SigningKey::Generate(server_.random);
  stranger.version = 3;
  stranger.root.key_ids.clear();
  stranger.AddKey(stranger.root, key.public_key());
  EXPECT_EQ(server_.registry->PutRoot(*trust::SignRoot(stranger, {&key, 1})).code(),
            Code::kBadSignature);
}

TEST_F(RegistryTest, RefusesWrongSignaturesAndFlippedBytes) {
  PutRoot();
  publisher_.Add("1.0.0", 1, "package one");
  Publication publication = publisher_.Make();
  Publication wrong = publication;
  crypto::SigningKey stranger = crypto::SigningKey::Generate(server_.random);
  wrong.targets = *trust::SignTargets(publisher_.targets, {&stranger, 1});
  EXPECT_EQ(server_.registry->Publish(wrong).code(), Code::kBadSignature);
  int accepted = 0;
  for (size_t at = 0; at < publication.targets.size(); at += 7) {
    wrong.targets = publication.targets;
    wrong.targets[at] ^= 1;
    accepted += server_.registry->Publish(wrong).ok();
  }
  EXPECT_EQ(accepted, 0);
  EXPECT_TRUE(server_.registry->Publish(publication).ok());
}

TEST_F(RegistryTest, RefusesWhatIsNotThere) {
  PutRoot();
  std::string path = publisher_.Add("1.0.0", 1, "package one");
  Publication publication = publisher_.Make();
  Publication wrong = publication;
  wrong.keys.clear();
  Result<std::vector<PackageRow>> result = server_.registry->Publish(wrong);
  EXPECT_EQ(result.code(), Code::kInvalidArgument);
  EXPECT_THAT(result.status().message(), HasSubstr(path));
  wrong = publication;
  wrong.keys[0].wrapped.sealed[3] ^= 1;
  EXPECT_EQ(server_.registry->Publish(wrong).code(), Code::kWrongKey);
  trust::TargetEntry& entry = publisher_.targets.entries.at(path);
  entry.sha256[0] ^= 1;
  wrong.targets = *trust::SignTargets(publisher_.targets, {&publisher_.targets_key, 1});
  EXPECT_EQ(server_.registry->Publish(wrong).code(), Code::kNotFound);
  entry.sha256[0] ^= 1;
  entry.length += 1;
  wrong.targets = *trust::SignTargets(publisher_.targets, {&publisher_.targets_key, 1});
  EXPECT_EQ(server_.registry->Publish(wrong).code(), Code::kCorruptContent);
}

TEST_F(RegistryTest, PublishedVersionsNeverChange) {
  PutRoot();
  publisher_.Add("1.0.0", 1, "package one");
  Publication first = publisher_.Make();
  ASSERT_TRUE(server_.registry->Publish(first).ok());
  EXPECT_TRUE(server_.registry->Publish(first).ok()) << "a repeated upload is fine";
  publisher_.Add("1.0.0", 1, "another package one");
  EXPECT_EQ(Publish().code(), Code::kInvalidArgument);
  publisher_.targets.entries.clear();
  EXPECT_EQ(Publish().code(), Code::kInvalidArgument) << "it is gone";
}

TEST_F(RegistryTest, CountersAndVersionsOnlyGrow) {
  PutRoot();
  publisher_.Add("1.0.0", 5, "package one");
  ASSERT_TRUE(Publish().ok());
  publisher_.targets.version = -1;
  EXPECT_FALSE(Publish().ok());
  publisher_.targets.version = 1;
  publisher_.Add("2.0.0", 5, "package two");
  EXPECT_EQ(Publish().code(), Code::kVersionRollback) << "counter 5 again";
}

TEST_F(RegistryTest, ExpiredTargetsAreRefused) {
  PutRoot();
  publisher_.Add("1.0.0", 1, "package one");
  Publication publication = publisher_.Make();
  server_.clock.now_ms += 91 * trust::kDayMs;
  EXPECT_EQ(server_.registry->Publish(publication).code(), Code::kExpired);
}

TEST_F(RegistryTest, KeysGoToAssignedDevicesOnly) {
  PutRoot();
  const std::string path = publisher_.Add("1.0.0", 1, "package one");
  ASSERT_TRUE(Publish().ok());
  crypto::AgreementKey device_key = crypto::AgreementKey::Generate(server_.random);
  DeviceRow device;
  device.id = "d1";
  device.seal_public = ToBytes(device_key.public_key());
  auto wrap = [&](const std::string& release) {
    return server_.registry->WrapKey("d1", path, release);
  };
  EXPECT_EQ(wrap("r1").code(), Code::kNotFound);
  ASSERT_TRUE(
      server_.store
          ->Write([&](Transaction& tx) -> Status {
            FERRY_TRY(tx.devices().Put(device));
            return tx.devices().PutAssignment({"d1", 1, "r1", "install", {path}, {}, false, 0});
          })
          .ok());
  EXPECT_EQ(wrap("r2").code(), Code::kPermissionDenied);
  EXPECT_EQ(server_.registry->WrapKey("d1", "digits/9/full", "r1").code(), Code::kPermissionDenied);
  Result<Registry::DeviceKey> key = wrap("r1");
  ASSERT_TRUE(key.ok()) << key.status().ToString();
  const trust::TargetEntry& entry = publisher_.targets.entries.at(path);
  Result<crypto::Secret32> opened =
      package::UnwrapOnDevice(device_key, {"default", "r1", "d1"}, entry, key->wrapped);
  ASSERT_TRUE(opened.ok()) << opened.status().ToString();
  EXPECT_EQ(ToBytes(opened->bytes()), ToBytes(publisher_.content_keys.at(path).bytes()));
  crypto::AgreementKey other = crypto::AgreementKey::Generate(server_.random);
  EXPECT_EQ(package::UnwrapOnDevice(other, {"default", "r1", "d1"}, entry, key->wrapped).code(),
            Code::kWrongKey);
  ASSERT_TRUE(server_.store
                  ->Write([&](Transaction& tx) -> Status {
                    FERRY_ASSIGN_OR_RETURN(DeviceRow row, tx.devices().Get("d1"));
                    row.blocked = true;
                    return tx.devices().Put(row);
                  })
                  .ok());
  EXPECT_EQ(wrap("r1").code(), Code::kPermissionDenied);
}

TEST_F(RegistryTest, OpensPackagesByEscrow) {
  PutRoot();
  publisher_.Add("1.0.0", 1, "package one");
  ASSERT_TRUE(Publish().ok());
  ASSERT_TRUE(server_.fs.MakeDirectories("/scratch").ok());
  Status opened = server_.registry->OpenPackage("digits", "1.0.0", server_.fs, "/scratch/x.fpk");
  ASSERT_TRUE(opened.ok()) << opened.ToString();
  EXPECT_EQ(AsText(*sys::ReadFile(server_.fs, "/scratch/x.fpk")), "package one");
  EXPECT_EQ(server_.fs.List("/scratch")->size(), 1u) << "the sealed copy is gone";
  EXPECT_EQ(server_.registry->OpenPackage("digits", "2.0.0", server_.fs, "/scratch/y").code(),
            Code::kNotFound);
}

}  // namespace
}  // namespace ferry::server
