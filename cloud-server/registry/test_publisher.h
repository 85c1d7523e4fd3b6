// A publisher and a server's insides for tests: offline keys, a root, sealed artefacts.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>

#include "cloud-server/registry/registry.h"
#include "cloud-server/store/test_store.h"
#include "common/crypto/hash.h"
#include "common/package/artefact.h"
#include "common/sys/sim/filesystem.h"
#include "common/trust/builder.h"
#include "common/trust/documents/bins/spread.h"
#include "common/trust/time.h"

namespace ferry::server {

// Time that a test moves.
class TestClock : public sys::Clock {
 public:
  int64_t NowUnixMs() const override { return now_ms; }
  int64_t MonotonicNs() const override { return (now_ms - stepped_ms) * 1'000'000; }
  // Somebody sets the clock: no time passes.
  void Step(int64_t by_ms) {
    now_ms += by_ms;
    stepped_ms += by_ms;
  }
  int64_t now_ms = 1'767'225'600'000;  // 2026-01-01
  int64_t stepped_ms = 0;
};

// The rooms below rollout, in memory.
struct TestServer {
  TestServer() {
    store = *OpenTestStore();
    blobs = *OpenDirectoryBlobStore(fs, "/blobs", random);
    Registry::Options options;
    options.store = store.get();
    options.blobs = blobs.get();
    options.clock = &clock;
    options.random = &random;
    secrets.personal = crypto::SigningKey::Generate(sys::SystemRandom());
    options.secrets = &secrets;
    registry = std::make_unique<Registry>(options);
  }

  sys::SeededRandom random{7};
  TestClock clock;
  sys::SimFileSystem fs;
  OnlineSecrets secrets{crypto::SigningKey::Generate(random), crypto::SigningKey::Generate(random),
                        crypto::SigningKey::Generate(random),
                        crypto::AgreementKey::Generate(random)};
  std::unique_ptr<Store> store;
  std::unique_ptr<BlobStore> blobs;
  std::unique_ptr<Registry> registry;
};

// Makes what `ferry keys init` and `ferry publish` make.
class TestPublisher {
 public:
  explicit TestPublisher(TestServer& server) : server_(server) {
    trust::Root root;
    root.expires_ms = server.clock.now_ms + 365 * trust::kDayMs;
    root.AddKey(root.root, root_key.public_key());
    root.AddKey(root.targets, targets_key.public_key());
    root.AddKey(root.snapshot, server.secrets.snapshot.public_key());
    root.AddKey(root.timestamp, server.secrets.timestamp.public_key());
    root.AddKey(root.director, server.secrets.director.public_key());
    root.escrow = server.secrets.escrow.public_key();
    this->root = root;
    targets.version = 0;
    targets.expires_ms = server.clock.now_ms + 90 * trust::kDayMs;
  }

  Bytes RootDocument() { return *trust::SignRoot(root, {&root_key, 1}); }

  // Seals `plain` as the full package of that version, puts the blob into the store and the entry
  // into targets. Returns the path.
  std::string Add(const std::string& version, int64_t counter, const std::string& plain,
                  const std::string& fallback = {}) {
    trust::TargetEntry entry = Seal(plain);
    entry.version = version;
    entry.release_counter = counter;
    if (!fallback.empty())
      entry.fallback = trust::Fallback{
          fallback, targets.entries.at(trust::FullPath("digits", fallback)).plain_sha256};
    return Put(trust::FullPath("digits", version), entry);
  }
  std::string AddExclusive(const std::string& version, const std::string& name,
                           const std::string& plain) {
    trust::TargetEntry entry = Seal(plain);
    entry.version = version;
    entry.kind = trust::ArtefactKind::kExclusive;
    entry.release_counter = targets.entries.at(trust::FullPath("digits", version)).release_counter;
    return Put(trust::ExclusivePath("digits", version, name), entry);
  }

  // The next publication delegates personal files of `pattern` to the server's key.
  void Delegate(const std::string& pattern, uint64_t max_bytes = 1000) {
    targets.personal = *trust::MakePersonalDelegation(server_.secrets.personal->public_key(),
                                                      {pattern}, max_bytes);
  }
  // `plain`, sealed for one device, with its content in the store.
  PersonalFile MakePersonal(const std::string& device, const std::string& name,
                            const std::string& plain, const std::string& package = "digits") {
    const trust::TargetEntry sealed = Seal(plain);
    trust::TargetEntry entry = trust::PersonalEntry(package);
    entry.length = sealed.length;
    entry.sha256 = sealed.sha256;
    entry.plain_length = sealed.plain_length;
    entry.plain_sha256 = sealed.plain_sha256;
    return {device, name, entry,
            *package::WrapForEscrow(root.escrow, entry, *last_key_, server_.random)};
  }

  // The upload of what was added since the last one.
  Publication Make() {
    targets.version += 1;
    Publication publication;
    const trust::TargetsDocuments before = std::move(documents);
    documents = *trust::SignSpread(targets, root, {&targets_key, 1}, before, 0);
    publication.targets = documents.top;
    for (const auto& [name, document] : documents.bins) {
      const auto old = before.bins.find(name);
      if (old == before.bins.end() || old->second != document) publication.bins[name] = document;
    }
    publication.keys = std::move(keys_);
    keys_.clear();
    return publication;
  }

  crypto::SigningKey root_key = crypto::SigningKey::Generate(sys::SystemRandom());
  crypto::SigningKey targets_key = crypto::SigningKey::Generate(sys::SystemRandom());
  trust::Root root;
  trust::Targets targets;  // with `bins` they are spread
  trust::TargetsDocuments documents;
  std::map<std::string, crypto::Secret32> content_keys;

 private:
  trust::TargetEntry Seal(const std::string& plain) {
    EXPECT_TRUE(server_.fs.MakeDirectories("/sealing").ok());
    package::SealedArtefact sealed =
        *package::SealArtefact(server_.fs, "/sealing/sealed", AsBytes(plain), server_.random);
    Bytes bytes = *sys::ReadFile(server_.fs, "/sealing/sealed");
    EXPECT_TRUE(server_.blobs->PutBytes(ToHex(sealed.sha256), bytes).ok());
    trust::TargetEntry entry;
    entry.package = "digits";
    entry.length = sealed.length;
    entry.sha256 = sealed.sha256;
    entry.plain_length = sealed.plain_length;
    entry.plain_sha256 = sealed.plain_sha256;
    last_key_ = std::make_unique<crypto::Secret32>(sealed.content_key);
    return entry;
  }
  std::string Put(const std::string& path, const trust::TargetEntry& entry) {
    targets.entries[path] = entry;
    content_keys.insert_or_assign(path, *last_key_);
    keys_.push_back(
        {path, *package::WrapForEscrow(root.escrow, entry, *last_key_, server_.random)});
    return path;
  }

  TestServer& server_;
  std::unique_ptr<crypto::Secret32> last_key_;
  std::vector<Publication::Key> keys_;
};

}  // namespace ferry::server
