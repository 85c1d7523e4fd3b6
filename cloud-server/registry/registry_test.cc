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

TEST_F(RegistryTest, WhatAPackageNeedsIsCheckedAndKept) {
  PutRoot();
  const std::string path = publisher_.Add("1.0.0", 1, "package one");
  trust::TargetEntry& entry = publisher_.targets.entries.at(path);
  entry.licence = "Apache-2.0";
  entry.description = "Reads digits";
  entry.requires_json = R"({"memory":"2"})";
  Publication publication = publisher_.Make();
  EXPECT_THAT(server_.registry->Publish(publication).status().message(),
              HasSubstr("digits/1.0.0/full: requires.memory"));
  const auto again = [&](const char* needs) {
    entry.requires_json = needs;
    publication.targets = *trust::SignTargets(publisher_.targets, {&publisher_.targets_key, 1});
    return server_.registry->Publish(publication).status();
  };
  EXPECT_THAT(again(R"({"packages":{"words":"^1.2"}})").message(),
              HasSubstr("digits/1.0.0/full: needs package words ^1.2, of which nothing"));
  EXPECT_THAT(again(R"({"packages":{"digits":"*"}})").message(), HasSubstr("digits needs digits"));
  const Status published = again(R"({"memory":"2 GiB"})");
  ASSERT_TRUE(published.ok()) << published.ToString();
  PackageRow row;
  EXPECT_TRUE(server_.store
                  ->Read([&](Transaction& tx) -> Status {
                    FERRY_ASSIGN_OR_RETURN(row, tx.packages().Get("digits", "1.0.0"));
                    return OkStatus();
                  })
                  .ok());
  EXPECT_EQ(row.requires_json, R"({"memory":"2 GiB"})");
  EXPECT_EQ(row.licence, "Apache-2.0");
  EXPECT_EQ(row.description, "Reads digits");
  publisher_.targets.entries.at(path).description = "Reads letters";
  EXPECT_EQ(Publish().code(), Code::kInvalidArgument) << "what was said is signed and stays";
}

TEST_F(RegistryTest, ATagIsOneCommitForEver) {
  PutRoot();
  const std::string path = publisher_.Add("1.0.0", 1, "package one");
  trust::TargetEntry& entry = publisher_.targets.entries.at(path);
  const std::string commit(40, 'a'), other(40, 'b');
  Publication publication = publisher_.Make();
  const auto publish = [&](const char* task, const char* tag) {
    entry.git = trust::GitOrigin{"vision", task, tag, commit};
    publication.targets = *trust::SignTargets(publisher_.targets, {&publisher_.targets_key, 1});
    return server_.registry->Publish(publication).status();
  };
  EXPECT_EQ(server_.registry->Signed()->version, 0);
  EXPECT_THAT(publish("letters", "letters/1.0.0").message(), HasSubstr("tag letters/1.0.0"));
  EXPECT_THAT(publish("digits", "digits/2.0.0").message(), HasSubstr("digits/1.0.0/full: tag"));
  const Status published = publish("digits", "digits/1.0.0");
  ASSERT_TRUE(published.ok()) << published.ToString();
  EXPECT_EQ(server_.registry->Signed()->entries.at(path).git->commit, commit);

  entry.git->commit = other;
  const Status moved = Publish().status();
  EXPECT_EQ(moved.code(), Code::kInvalidArgument);
  EXPECT_THAT(moved.message(), HasSubstr("tag digits/1.0.0 was moved"));
  EXPECT_THAT(moved.message(), HasSubstr("aaaaaaaaaaaa, signed with bbbbbbbbbbbb"));
  entry.git.reset();
  EXPECT_EQ(Publish().code(), Code::kInvalidArgument) << "nor is it taken away";
  EXPECT_EQ(server_.registry->Signed()->entries.at(path).git->commit, commit);
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
  EXPECT_EQ(wrap("r1").code(), Code::kBlocked);
}

// A release that goes by the operator's word alone: what a stranger calls himself gets no key.
TEST_F(RegistryTest, NoKeyForWhatADeviceCallsItself) {
  PutRoot();
  const std::string path = publisher_.Add("1.0.0", 1, "package one");
  ASSERT_TRUE(Publish().ok());
  ReleaseRow release;
  release.id = "r1";
  release.package = "digits";
  release.version = "1.0.0";
  release.plan_json =
      R"json({"rule":"tag(\"vip\")","trusted_only":true,"stages":[{"kind":"full"}]})json";
  release.settings_json = "{}";
  release.salt = "s";
  release.number = 1;
  DeviceRow device;
  device.id = "d1";
  device.seal_public = ToBytes(crypto::AgreementKey::Generate(server_.random).public_key());
  device.tags = {"vip"};
  ASSERT_TRUE(
      server_.store
          ->Write([&](Transaction& tx) -> Status {
            FERRY_TRY(tx.releases().Put(release));
            FERRY_TRY(tx.devices().Put(device));
            return tx.devices().PutAssignment({"d1", 1, "r1", "install", {path}, {}, false, 0});
          })
          .ok());
  EXPECT_EQ(server_.registry->WrapKey("d1", path, "r1").code(), Code::kPermissionDenied);
  ASSERT_TRUE(server_.store
                  ->Write([&](Transaction& tx) -> Status {
                    FERRY_ASSIGN_OR_RETURN(DeviceRow row, tx.devices().Get("d1"));
                    row.operator_tags = {"vip"};
                    return tx.devices().Put(row);
                  })
                  .ok());
  const auto wrapped = server_.registry->WrapKey("d1", path, "r1");
  EXPECT_TRUE(wrapped.ok()) << wrapped.status().ToString();
}

TEST_F(RegistryTest, ContentThatNoPackageNamesGoesAfterAGrace) {
  PutRoot();
  publisher_.Add("1.0.0", 1, "package one");
  ASSERT_TRUE(Publish().ok());
  const Bytes bytes(5'000, 9);
  const std::string upload = crypto::Sha256Hex(bytes);
  ASSERT_TRUE(server_.blobs->PutBytes(upload, bytes).ok());
  const int64_t grace_ms = 14 * trust::kDayMs;
  const auto review = [&](bool dry) { return *server_.registry->ReviewContent(grace_ms, dry); };
  EXPECT_EQ(review(true).unused.at(0).since_ms, 0);
  EXPECT_EQ(review(false).blobs, 2u);
  server_.clock.now_ms += grace_ms - 1;
  EXPECT_EQ(review(false).dropped_blobs, 0u);
  // A publisher that finds it there will publish it: the grace begins anew.
  ASSERT_TRUE(server_.registry->NoteContentUsed(upload).ok());
  server_.clock.now_ms += 1;
  EXPECT_EQ(review(false).dropped_blobs, 0u);
  server_.clock.now_ms += grace_ms;
  EXPECT_EQ(server_.registry->ReviewContent(0, false)->dropped_blobs, 0u);
  const ContentReview dry = review(true);
  EXPECT_EQ(dry.dropped_bytes, bytes.size());
  EXPECT_EQ(dry.unused.at(0).sha256, upload);
  EXPECT_TRUE(server_.blobs->Size(upload).ok());
  EXPECT_EQ(review(false).dropped_bytes, bytes.size());
  EXPECT_EQ(server_.blobs->Size(upload).code(), Code::kNotFound);
  EXPECT_EQ(review(false).blobs, 1u);
  EXPECT_EQ(review(false).unused_blobs, 0u);
  // What is published in the meantime is not unused, whatever was noted.
  publisher_.Add("2.0.0", 2, "package two");
  EXPECT_EQ(review(false).unused_blobs, 1u);
  ASSERT_TRUE(Publish().ok());
  server_.clock.now_ms += 2 * grace_ms;
  EXPECT_EQ(review(false).unused_blobs, 0u);
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
