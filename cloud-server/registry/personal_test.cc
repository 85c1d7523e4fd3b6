// Files for single devices: taken in within what targets delegate, told to their device alone, kept
// over withdrawals, rotations of keys and reviews of content.
#include "common/trust/documents/personal/personal.h"

#include "cloud-server/registry/check.h"
#include "cloud-server/registry/test_publisher.h"
#include "common/trust/trusted_set.h"

namespace ferry::server {
namespace {

class PersonalKeys : public KeySource {
 public:
  Result<WaitingKeys> Waiting() override { return waiting; }
  Status Settle(const OnlineSecrets&) override { return OkStatus(); }
  WaitingKeys waiting;
};

class RegistryPersonalTest : public testing::Test {
 protected:
  void SetUp() override {
    Registry::Options options;
    options.store = server_.store.get();
    options.blobs = server_.blobs.get();
    options.clock = &server_.clock;
    options.random = &server_.random;
    options.secrets = &server_.secrets;
    options.keys = &keys_;
    server_.registry = std::make_unique<Registry>(options);
    registry_ = server_.registry.get();
    ASSERT_TRUE(registry_->PutRoot(publisher_.RootDocument()).ok());
    publisher_.Add("1.0.0", 1, "package one");
    publisher_.Delegate("personal/digits/*");
    ASSERT_TRUE(registry_->Publish(publisher_.Make()).ok());
    AddDevice("d1", d1_key_);
    AddDevice("d2", d2_key_);
  }
  void AddDevice(const std::string& id, const crypto::AgreementKey& key) {
    DeviceRow device;
    device.id = id;
    device.seal_public = ToBytes(key.public_key());
    ASSERT_TRUE(
        server_.store->Write([&](Transaction& tx) { return tx.devices().Put(device); }).ok());
  }
  Status Put(const std::string& device, const std::string& name, const std::string& plain) {
    return PutFiles({publisher_.MakePersonal(device, name, plain)});
  }
  Status PutFiles(std::vector<PersonalFile> files, const std::string& package = "digits") {
    return AsStatus(registry_->ChangePersonal({package, std::move(files), {}, "vera"}));
  }
  // What the device's own trusted set makes of the document that is bound for it.
  Result<trust::PersonalTargets> Read(const std::string& device) {
    const Bytes root = registry_->Metadata("root", 1)->document;
    const int64_t now_ms = server_.clock.now_ms;
    FERRY_ASSIGN_OR_RETURN(auto set, trust::TrustedSet::FromPinnedRoot(root, crypto::Sha256(root)));
    for (int64_t version = 2; registry_->Metadata("root", version).ok(); ++version)
      FERRY_TRY(set.UpdateRoot(registry_->Metadata("root", version)->document));
    FERRY_TRY(set.UpdateTimestamp(registry_->Metadata("timestamp", 0)->document, now_ms));
    FERRY_TRY(set.UpdateSnapshot(registry_->Metadata("snapshot", 0)->document, now_ms));
    FERRY_TRY(set.UpdateTargets(registry_->Metadata("targets", 0)->document, now_ms));
    FERRY_ASSIGN_OR_RETURN(const auto bound, registry_->BindPersonal(device));
    if (!bound) return Status(Code::kNotFound, "nothing is bound");
    FERRY_ASSIGN_OR_RETURN(const MetadataRow row,
                           registry_->PersonalDocument(device, bound->version));
    FERRY_TRY(set.UpdatePersonal(row.document, *bound, device, now_ms));
    return *set.personal();
  }
  // The plain content, as the device opens it.
  Result<std::string> Open(const std::string& device, const crypto::AgreementKey& key,
                           const std::string& path) {
    FERRY_ASSIGN_OR_RETURN(const trust::PersonalTargets files, Read(device));
    const trust::TargetEntry& entry = files.entries.at(path);
    FERRY_ASSIGN_OR_RETURN(const auto wrapped, registry_->WrapPersonalKey(device, path));
    FERRY_ASSIGN_OR_RETURN(
        const auto content_key,
        package::UnwrapOnDevice(key, {"default", "personal", device}, entry, wrapped.wrapped));
    FERRY_TRY(server_.blobs->CopyTo(ToHex(entry.sha256), "/sealed"));
    FERRY_TRY(package::OpenArtefact(server_.fs, "/sealed", "/plain", content_key, entry));
    FERRY_ASSIGN_OR_RETURN(const Bytes plain, sys::ReadFile(server_.fs, "/plain"));
    return std::string(AsText(plain));
  }

  TestServer server_;
  TestPublisher publisher_{server_};
  PersonalKeys keys_;
  Registry* registry_ = nullptr;
  crypto::AgreementKey d1_key_ = crypto::AgreementKey::Generate(server_.random);
  crypto::AgreementKey d2_key_ = crypto::AgreementKey::Generate(server_.random);
};

TEST_F(RegistryPersonalTest, EachDeviceHearsOfItsOwnAlone) {
  EXPECT_EQ(*registry_->BindPersonal("d1"), std::nullopt);
  ASSERT_EQ(Put("d1", "gain", "one").ToString(), "ok");
  ASSERT_EQ(Put("d2", "secret-name", "two").ToString(), "ok");
  const auto files = Read("d1");
  ASSERT_TRUE(files.ok()) << files.status().ToString();
  EXPECT_EQ(files->entries.size(), 1u);
  EXPECT_EQ(*Open("d1", d1_key_, "personal/digits/gain"), "one");
  EXPECT_EQ(AsText(registry_->PersonalDocument("d1", 0)->document).find("secret"),
            std::string_view::npos);
  EXPECT_EQ(registry_->WrapPersonalKey("d1", "personal/digits/secret-name").code(),
            Code::kPermissionDenied);
  // Another device's key opens nothing.
  EXPECT_FALSE(Open("d1", d2_key_, "personal/digits/gain").ok());
}

TEST_F(RegistryPersonalTest, VersionsGrowWithChangesAndStandStillWithout) {
  ASSERT_TRUE(Put("d1", "gain", "one").ok());
  const auto first = *registry_->BindPersonal("d1");
  EXPECT_EQ(*registry_->BindPersonal("d1"), first);
  ASSERT_TRUE(Put("d1", "gain", "two").ok());
  EXPECT_EQ(*Open("d1", d1_key_, "personal/digits/gain"), "two");
  EXPECT_GT((*registry_->BindPersonal("d1"))->version, first->version);
  const auto removed = registry_->ChangePersonal({"digits", {}, {{"d1", "gain"}}, "vera"});
  ASSERT_TRUE(removed.ok());
  EXPECT_EQ(removed->devices, std::vector<std::string>{"d1"});
  EXPECT_TRUE(Read("d1")->entries.empty());
  EXPECT_EQ(registry_->ChangePersonal({"digits", {}, {{"d1", "gain"}}, "vera"})->removed, 0u);
}

TEST_F(RegistryPersonalTest, TheyAreSignedAnewBeforeTheyExpire) {
  ASSERT_TRUE(Put("d1", "gain", "one").ok());
  const auto first = *registry_->BindPersonal("d1");
  server_.clock.now_ms += kPersonalLifeMs / 2 - 1;
  EXPECT_EQ(*registry_->BindPersonal("d1"), first);
  server_.clock.now_ms += 2;
  EXPECT_GT((*registry_->BindPersonal("d1"))->version, first->version);
}

TEST_F(RegistryPersonalTest, WhatTargetsDoNotDelegateIsRefused) {
  EXPECT_EQ(Put("d1", "gain", std::string(1001, 'x')).code(), Code::kLimitExceeded);
  EXPECT_EQ(Put("d1", "task.py", "x").code(), Code::kInvalidArgument);
  EXPECT_EQ(Put("d1", ".hidden", "x").code(), Code::kInvalidArgument);
  EXPECT_EQ(Put("d9", "gain", "x").code(), Code::kNotFound);
  EXPECT_EQ(PutFiles({publisher_.MakePersonal("d1", "gain", "x", "other")}, "other").code(),
            Code::kNotAuthorizedTarget);
  PersonalFile file = publisher_.MakePersonal("d1", "gain", "x");
  file.wrapped.sealed[0] ^= 1;
  EXPECT_EQ(PutFiles({file}).code(), Code::kWrongKey);
  file = publisher_.MakePersonal("d1", "gain", "x");
  ASSERT_TRUE(server_.blobs->Remove(ToHex(file.entry.sha256)).ok());
  EXPECT_EQ(PutFiles({file}).code(), Code::kNotFound);
  EXPECT_EQ(*registry_->BindPersonal("d1"), std::nullopt);
}

TEST_F(RegistryPersonalTest, ADeviceGetsALimitedNumber) {
  publisher_.Delegate("personal/digits/*", 10);
  ASSERT_TRUE(registry_->Publish(publisher_.Make()).ok());
  std::vector<PersonalFile> files(trust::kMaxPersonalFiles + 1,
                                  publisher_.MakePersonal("d1", "x", "x"));
  for (size_t i = 0; i < files.size(); ++i) files[i].name = fmt::format("f{}", i);
  EXPECT_EQ(PutFiles(files).code(), Code::kLimitExceeded);
  EXPECT_EQ(*registry_->BindPersonal("d1"), std::nullopt) << "none of them was taken";
  files.pop_back();
  ASSERT_EQ(PutFiles(files).ToString(), "ok");
  EXPECT_EQ(Read("d1")->entries.size(), trust::kMaxPersonalFiles);
}

TEST_F(RegistryPersonalTest, WithoutADelegationTheErrorSaysWhatToDo) {
  ASSERT_TRUE(Put("d1", "old", "one").ok());
  publisher_.targets.personal.reset();
  ASSERT_TRUE(registry_->Publish(publisher_.Make()).ok());
  const Status refused = Put("d1", "gain", "one");
  EXPECT_EQ(refused.code(), Code::kFailedPrecondition);
  EXPECT_NE(refused.message().find("ferry keys personal"), std::string::npos);
  EXPECT_EQ(registry_->ChangePersonal({"digits", {}, {{"d1", "old"}}, "vera"})->removed, 1u);
  EXPECT_EQ(*registry_->BindPersonal("d1"), std::nullopt);
}

TEST_F(RegistryPersonalTest, ADelegationToAnotherKeyIsNotPublished) {
  publisher_.targets.personal =
      *trust::MakePersonalDelegation(publisher_.targets_key.public_key(), {"personal/*/*"}, 10);
  EXPECT_EQ(registry_->Publish(publisher_.Make()).code(), Code::kWrongKey);
}

TEST_F(RegistryPersonalTest, AWaitingKeyIsUsedWhenTargetsNameIt) {
  ASSERT_TRUE(Put("d1", "gain", "one").ok());
  const auto before = *registry_->BindPersonal("d1");
  keys_.waiting.personal = trust::SigningKey::Generate(server_.random);
  EXPECT_EQ(*registry_->KeysOfNextRoot()->keys.personal, keys_.waiting.personal->public_key());
  EXPECT_EQ(registry_->KeysOfNextRoot()->waiting, std::vector<std::string>{"personal"});
  EXPECT_EQ(*registry_->BindPersonal("d1"), before);
  publisher_.targets.personal = *trust::MakePersonalDelegation(keys_.waiting.personal->public_key(),
                                                               {"personal/digits/*"}, 1000);
  ASSERT_TRUE(registry_->Publish(publisher_.Make()).ok());
  EXPECT_EQ(registry_->secrets()->personal->public_key(), keys_.waiting.personal->public_key());
  EXPECT_EQ(*Open("d1", d1_key_, "personal/digits/gain"), "one");
  EXPECT_GT((*registry_->BindPersonal("d1"))->version, before->version);
}

TEST_F(RegistryPersonalTest, ContentKeysAreWrappedAnewAfterTheEscrowKeyChanged) {
  ASSERT_TRUE(Put("d1", "gain", "one").ok());
  keys_.waiting.escrow = crypto::AgreementKey::Generate(server_.random);
  trust::Root next = publisher_.root;
  next.escrow = keys_.waiting.escrow->public_key();
  ASSERT_TRUE(
      registry_->PutRoot(*trust::SignNextRoot(publisher_.root, next, {&publisher_.root_key, 1}))
          .ok());
  EXPECT_EQ(*Open("d1", d1_key_, "personal/digits/gain"), "one");
  ASSERT_TRUE(registry_->Refresh().ok());
  const std::string id = package::SealKeyId(next.escrow);
  ASSERT_TRUE(server_.store
                  ->Read([&](Transaction& tx) -> Status {
                    EXPECT_TRUE(tx.personal().NotWrappedTo(id, 10)->empty());
                    return OkStatus();
                  })
                  .ok());
  EXPECT_EQ(*Open("d1", d1_key_, "personal/digits/gain"), "one");
}

TEST_F(RegistryPersonalTest, TheyStayWhenVersionsAreWithdrawnAndTheirContentIsKept) {
  ASSERT_TRUE(Put("d1", "gain", "one").ok());
  ASSERT_TRUE(trust::Withdraw(publisher_.targets, "digits", "1.0.0", "leaks", true).ok());
  ASSERT_TRUE(registry_->Publish(publisher_.Make()).ok());
  constexpr int64_t kKeepMs = 1000;
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(registry_->ReviewContent(kKeepMs, false).ok());
    server_.clock.now_ms += 2 * kKeepMs;
  }
  EXPECT_EQ(*Open("d1", d1_key_, "personal/digits/gain"), "one");
  // What is replaced or removed is content that nothing names.
  ASSERT_TRUE(registry_->ChangePersonal({"digits", {}, {{"d1", "gain"}}, "vera"}).ok());
  EXPECT_EQ(registry_->ReviewContent(kKeepMs, true)->unused_blobs, 1u);
}

TEST_F(RegistryPersonalTest, ABlockedDeviceGetsNoKey) {
  ASSERT_TRUE(Put("d1", "gain", "one").ok());
  ASSERT_TRUE(server_.store
                  ->Write([&](Transaction& tx) -> Status {
                    FERRY_ASSIGN_OR_RETURN(DeviceRow device, tx.devices().Get("d1"));
                    device.blocked = true;
                    return tx.devices().Put(device);
                  })
                  .ok());
  EXPECT_EQ(registry_->WrapPersonalKey("d1", "personal/digits/gain").code(), Code::kBlocked);
}

}  // namespace
}  // namespace ferry::server
