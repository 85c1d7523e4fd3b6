// A small repository for tests: keys of every role, and documents that fit together.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "common/trust/authorize.h"
#include "common/trust/builder.h"
#include "common/trust/time.h"
#include "common/trust/trusted_set.h"

namespace ferry::trust {

inline constexpr int64_t kTestNow = 1767225600000;  // 2026-01-01T00:00:00Z
inline constexpr std::string_view kTestDevice = "00112233445566778899aabbccddeeff";

// The key whose seed is `tag` in every byte: the same on each run.
inline SigningKey TestKey(uint8_t tag) {
  const Bytes seed(32, tag);
  return SigningKey::FromSeed(crypto::Secret32::From(seed, "seed").value());
}

inline TargetEntry TestEntry(std::string version, int64_t counter, uint8_t tag) {
  TargetEntry entry;
  entry.length = 1000 + tag;
  entry.sha256.fill(tag);
  entry.package = "digits";
  entry.version = std::move(version);
  entry.release_counter = counter;
  entry.plain_sha256.fill(static_cast<uint8_t>(tag + 100));
  entry.plain_length = 2000 + tag;
  return entry;
}

struct TestRepository {
  std::vector<SigningKey> root_keys = {TestKey(1), TestKey(2)};
  std::vector<SigningKey> targets_keys = {TestKey(3), TestKey(4)};
  SigningKey snapshot_key = TestKey(5);
  SigningKey timestamp_key = TestKey(6);
  SigningKey director_key = TestKey(7);
  Root root;
  Targets targets;
  int64_t snapshot_version = 1;
  int64_t timestamp_version = 1;
  int64_t online_expires_ms = kTestNow + kDayMs;
  Bytes root_document, targets_document, snapshot_document, timestamp_document;

  TestRepository() {
    root.expires_ms = kTestNow + 365 * kDayMs;
    for (const SigningKey& key : root_keys) root.AddKey(root.root, key.public_key());
    for (const SigningKey& key : targets_keys) root.AddKey(root.targets, key.public_key());
    root.root.threshold = 2;
    root.targets.threshold = 2;
    root.AddKey(root.snapshot, snapshot_key.public_key());
    root.AddKey(root.timestamp, timestamp_key.public_key());
    root.AddKey(root.director, director_key.public_key());
    root.escrow.fill(9);
    targets.expires_ms = kTestNow + 90 * kDayMs;
    targets.entries[FullPath("digits", "1.0.0")] = TestEntry("1.0.0", 1, 1);
    root_document = SignRoot(root, root_keys).value();
    Publish();
  }

  // Signs targets, snapshot and timestamp as they stand.
  void Publish() {
    targets_document = SignTargets(targets, targets_keys).value();
    snapshot_document = SignSnapshot(targets_document, targets.version, snapshot_version,
                                     online_expires_ms, snapshot_key)
                            .value();
    SignTime();
  }
  void SignTime() {
    timestamp_document = SignTimestamp(snapshot_document, snapshot_version, timestamp_version,
                                       online_expires_ms, timestamp_key)
                             .value();
  }
  // All three one version up.
  void PublishNext() {
    ++targets.version;
    ++snapshot_version;
    ++timestamp_version;
    Publish();
  }

  TrustedSet Pinned() const {
    return TrustedSet::FromPinnedRoot(root_document, crypto::Sha256(root_document)).value();
  }
  Status UpdateAll(TrustedSet& set, int64_t now_ms = kTestNow) const {
    FERRY_TRY(set.UpdateTimestamp(timestamp_document, now_ms));
    FERRY_TRY(set.UpdateSnapshot(snapshot_document, now_ms));
    return set.UpdateTargets(targets_document, now_ms);
  }
  TrustedSet Updated() const {
    TrustedSet set = Pinned();
    EXPECT_EQ(UpdateAll(set).ToString(), "ok");
    return set;
  }

  Assignment MakeAssignment(int64_t counter, Action action, std::vector<std::string> paths) const {
    Assignment out;
    out.device = kTestDevice;
    out.counter = counter;
    out.release = "r1";
    out.epoch = counter;
    out.action = action;
    out.targets = std::move(paths);
    out.expires_ms = kTestNow + kDayMs;
    return out;
  }
};

}  // namespace ferry::trust
