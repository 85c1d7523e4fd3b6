// New online keys while devices are served: roots that name waiting keys.
#include <gtest/gtest.h>

#include "cloud-server/registry/test_publisher.h"
#include "common/trust/assignment.h"
#include "common/trust/trusted_set.h"

namespace ferry::server {
namespace {

class TestKeys : public KeySource {
 public:
  Result<WaitingKeys> Waiting() override { return waiting; }
  Status Settle(const OnlineSecrets& present) override {
    settled.push_back(PublicKeysOf(present));
    return settle;
  }
  WaitingKeys waiting;
  std::vector<trust::OnlineKeys> settled;
  Status settle;
};

class RegistryRotationTest : public testing::Test {
 protected:
  void SetUp() override {
    Registry::Options options = RegistryOptions();
    server_.registry = std::make_unique<Registry>(options);
    ASSERT_TRUE(server_.registry->PutRoot(publisher_.RootDocument()).ok());
    path_ = publisher_.Add("1.0.0", 1, "package one");
    ASSERT_TRUE(server_.registry->Publish(publisher_.Make()).ok());
    ASSERT_TRUE(server_.fs.MakeDirectories("/scratch").ok());
    keys_.settled.clear();
  }
  Registry::Options RegistryOptions() {
    Registry::Options options;
    options.store = server_.store.get();
    options.blobs = server_.blobs.get();
    options.clock = &server_.clock;
    options.random = &server_.random;
    options.secrets = &server_.secrets;
    options.keys = &keys_;
    return options;
  }
  // The publisher's next root: the keys that the server says.
  Bytes NextRoot() {
    const trust::OnlineKeys keys = NextKeysOf(*server_.registry->secrets(), keys_.waiting);
    trust::Root next = publisher_.root;
    const auto put = [&](trust::RoleKeys& role, const trust::PublicKey& key) {
      for (const std::string& id : role.key_ids) next.keys.erase(id);
      role.key_ids.clear();
      next.AddKey(role, key);
    };
    put(next.snapshot, keys.snapshot);
    put(next.timestamp, keys.timestamp);
    put(next.director, keys.director);
    next.escrow = keys.escrow;
    if (keys.line) next.line = *keys.line;
    const Bytes document = *trust::SignNextRoot(publisher_.root, next, {&publisher_.root_key, 1});
    publisher_.root = *trust::ParseSelfSignedRoot(document);
    return document;
  }
  Bytes Document(const std::string& role) { return server_.registry->Metadata(role, 0)->document; }
  Status Walk(trust::TrustedSet& set) {
    const int64_t now_ms = server_.clock.now_ms;
    FERRY_TRY(set.UpdateTimestamp(Document("timestamp"), now_ms));
    FERRY_TRY(set.UpdateSnapshot(Document("snapshot"), now_ms));
    return set.UpdateTargets(Document("targets"), now_ms);
  }
  trust::SigningKey Fresh() { return trust::SigningKey::Generate(server_.random); }
  ArtefactRow Artefact() {
    ArtefactRow row;
    EXPECT_TRUE(server_.store
                    ->Read([&](Transaction& tx) -> Status {
                      FERRY_ASSIGN_OR_RETURN(row, tx.packages().Artefact(path_));
                      return OkStatus();
                    })
                    .ok());
    return row;
  }
  Status Open(const std::string& version) {
    return server_.registry->OpenPackage("digits", version, server_.fs, "/scratch/x.fpk");
  }

  TestServer server_;
  TestPublisher publisher_{server_};
  TestKeys keys_;
  std::string path_;
};

TEST_F(RegistryRotationTest, ARootThatNamesWaitingKeysPutsThemToUseAtOnce) {
  const Bytes root = Document("root");
  trust::TrustedSet set = *trust::TrustedSet::FromPinnedRoot(root, crypto::Sha256(root));
  ASSERT_TRUE(Walk(set).ok());
  const auto before = server_.registry->secrets();
  keys_.waiting = {Fresh(), Fresh(), Fresh(), crypto::AgreementKey::Generate(server_.random)};
  // Waiting changes nothing.
  EXPECT_TRUE(Walk(set).ok());
  EXPECT_EQ(server_.registry->secrets(), before);

  const Bytes next = NextRoot();
  ASSERT_EQ(*server_.registry->PutRoot(next), 2);
  const auto after = server_.registry->secrets();
  EXPECT_EQ(after->director.public_key(), keys_.waiting.director->public_key());
  EXPECT_EQ(after->escrow.public_key(), keys_.waiting.escrow->public_key());
  ASSERT_EQ(keys_.settled.size(), 1u);
  EXPECT_EQ(keys_.settled[0].snapshot, keys_.waiting.snapshot->public_key());
  // What the old keys signed is gone from the newest chain, what the new ones signed is there.
  EXPECT_EQ(Walk(set).code(), Code::kBadSignature);
  ASSERT_TRUE(set.UpdateRoot(next).ok());
  EXPECT_EQ(Walk(set).ToString(), "ok");
  // The same root again is fine, and the life of the documents goes on under the new keys.
  EXPECT_EQ(*server_.registry->PutRoot(next), 2);
  server_.clock.now_ms += 5 * trust::kDayMs;
  EXPECT_EQ(Walk(set).ToString(), "ok");
}

TEST_F(RegistryRotationTest, ARootMustNameAnAuthorityOfThisServer) {
  const std::string own = "sha256:" + std::string(64, 'a'),
                    other = "sha256:" + std::string(64, 'b');
  keys_.waiting.authorities = {own};
  keys_.waiting.line = trust::Line{{other}, {}};
  EXPECT_EQ(server_.registry->KeysOfNextRoot()->waiting, std::vector<std::string>{"line"});
  EXPECT_EQ(server_.registry->KeysOfNextRoot()->keys.line, keys_.waiting.line);
  const trust::Root before = publisher_.root;
  const Result<int64_t> refused = server_.registry->PutRoot(NextRoot());
  publisher_.root = before;
  EXPECT_EQ(refused.code(), Code::kWrongKey);
  EXPECT_NE(refused.status().message().find(other), std::string::npos);
  keys_.waiting.line->authorities.push_back(own);
  EXPECT_EQ(*server_.registry->PutRoot(NextRoot()), 2);
  EXPECT_TRUE(server_.registry->KeysOfNextRoot()->waiting.empty());
}

TEST_F(RegistryRotationTest, EachRoleAlone) {
  const Bytes root = Document("root");
  trust::TrustedSet set = *trust::TrustedSet::FromPinnedRoot(root, crypto::Sha256(root));
  const std::vector<std::function<void()>> roles = {
      [&] { keys_.waiting.snapshot = Fresh(); }, [&] { keys_.waiting.timestamp = Fresh(); },
      [&] { keys_.waiting.director = Fresh(); },
      [&] { keys_.waiting.escrow = crypto::AgreementKey::Generate(server_.random); }};
  for (const auto& fresh : roles) {
    keys_.waiting = {};
    fresh();
    const Bytes next = NextRoot();
    ASSERT_TRUE(server_.registry->PutRoot(next).ok());
    ASSERT_TRUE(set.UpdateRoot(next).ok());
    EXPECT_EQ(Walk(set).ToString(), "ok");
    EXPECT_EQ(Open("1.0.0").ToString(), "ok");
  }
  EXPECT_EQ(*server_.registry->RootVersion(), 5);
}

TEST_F(RegistryRotationTest, ContentKeysAreWrappedAnewAndOldOnesOpenStill) {
  const ArtefactRow before = Artefact();
  const crypto::AgreementKey old = server_.secrets.escrow;
  keys_.waiting.escrow = crypto::AgreementKey::Generate(server_.random);
  // Sealed by a publisher who has not seen the root yet.
  publisher_.Add("2.0.0", 2, "package two");
  const Publication late = publisher_.Make();
  ASSERT_TRUE(server_.registry->PutRoot(NextRoot()).ok());
  const ArtefactRow after = Artefact();
  EXPECT_NE(after.escrow_sealed, before.escrow_sealed);
  const trust::TargetEntry& entry = publisher_.targets.entries.at(path_);
  EXPECT_EQ(package::UnwrapEscrow(old, entry, {after.escrow_enc, after.escrow_sealed}).code(),
            Code::kWrongKey);
  EXPECT_EQ(Open("1.0.0").ToString(), "ok");
  const auto published = server_.registry->Publish(late);
  ASSERT_TRUE(published.ok()) << published.status().ToString();
  EXPECT_EQ(Open("2.0.0").ToString(), "ok");
  path_ = trust::FullPath("digits", "2.0.0");
  const ArtefactRow two = Artefact();
  EXPECT_TRUE(package::UnwrapEscrow(*keys_.waiting.escrow, publisher_.targets.entries.at(path_),
                                    {two.escrow_enc, two.escrow_sealed})
                  .ok());
  // A third key: what was wrapped to the first opens still.
  keys_.waiting.escrow = crypto::AgreementKey::Generate(server_.random);
  ASSERT_TRUE(server_.registry->PutRoot(NextRoot()).ok());
  EXPECT_EQ(server_.registry->secrets()->old_escrow.size(), 2u);
  EXPECT_EQ(Open("1.0.0").ToString(), "ok");
}

TEST_F(RegistryRotationTest, ARootOfUnknownKeysIsRefusedAndNothingChanges) {
  keys_.waiting.director = Fresh();
  const Bytes next = NextRoot();
  keys_.waiting.director = Fresh();  // replaced after the publisher took the first
  const auto before = server_.registry->secrets();
  EXPECT_EQ(server_.registry->PutRoot(next).code(), Code::kWrongKey);
  EXPECT_EQ(server_.registry->secrets(), before);
  EXPECT_EQ(*server_.registry->RootVersion(), 1);
}

// The server died between the commit of the root and the renaming of its keys' files.
TEST_F(RegistryRotationTest, AStartAfterACrashTakesTheKeysOfTheStoredRoot) {
  keys_.waiting.director = Fresh();
  keys_.waiting.escrow = crypto::AgreementKey::Generate(server_.random);
  keys_.settle = Status(Code::kIo, "the power is gone");
  ASSERT_TRUE(server_.registry->PutRoot(NextRoot()).ok());
  keys_.settle = OkStatus();
  Registry again(RegistryOptions());  // with the old keys
  EXPECT_NE(again.secrets()->director.public_key(), keys_.waiting.director->public_key());
  ASSERT_TRUE(again.UseStoredRoot().ok());
  EXPECT_EQ(again.secrets()->director.public_key(), keys_.waiting.director->public_key());
  EXPECT_EQ(keys_.settled.size(), 2u);
  EXPECT_EQ(again.OpenPackage("digits", "1.0.0", server_.fs, "/scratch/y.fpk").ToString(), "ok");
  keys_.waiting = {};
  EXPECT_EQ(Registry(RegistryOptions()).UseStoredRoot().code(), Code::kWrongKey);
}

// Two nodes on one store, each with files of its own.
TEST_F(RegistryRotationTest, ANodeFollowsARootThatCameByAnother) {
  Registry other(RegistryOptions());
  ASSERT_TRUE(other.FollowRoot().ok());
  const auto before = other.secrets();
  ASSERT_TRUE(other.FollowRoot().ok());
  EXPECT_EQ(other.secrets(), before) << "nothing came";
  keys_.waiting.director = Fresh();
  ASSERT_TRUE(server_.registry->PutRoot(NextRoot()).ok());
  const WaitingKeys sealed = std::exchange(keys_.waiting, {});
  // Its files lack what the root names, until the key ring brings it.
  EXPECT_EQ(other.FollowRoot().code(), Code::kWrongKey);
  EXPECT_FALSE(other.keys_fit());
  EXPECT_EQ(other.secrets(), before);
  keys_.waiting = sealed;
  ASSERT_TRUE(other.FollowRoot().ok());
  EXPECT_TRUE(other.keys_fit());
  EXPECT_EQ(other.secrets()->director.public_key(), sealed.director->public_key());
  EXPECT_TRUE(server_.registry->keys_fit());
}

}  // namespace
}  // namespace ferry::server
