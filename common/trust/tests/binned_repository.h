// A repository whose targets lie in bins.
#pragma once

#include <map>
#include <string>

#include "common/base/json.h"
#include "common/trust/documents/bins/spread.h"
#include "common/trust/envelope.h"
#include "common/trust/tests/test_fixture.h"

namespace ferry::trust {

inline constexpr int kBinnedBits = 2;

inline std::string BinnedVersion(int64_t counter) {
  return fmt::format("1.0.{}", counter);
}

// A repository of `count` versions of digits, each the fallback of the next, in bins.
struct BinnedRepository : TestRepository {
  TargetsDocuments documents;

  explicit BinnedRepository(int64_t count = 12, int bits = kBinnedBits) {
    targets.entries.clear();
    for (int64_t i = 1; i <= count; ++i) Add(i);
    targets.bins.emplace().bit_length = bits;
    Spread();
  }
  void Add(int64_t counter) {
    TargetEntry entry = TestEntry(BinnedVersion(counter), counter, static_cast<uint8_t>(counter));
    const auto before = targets.entries.find(FullPath("digits", BinnedVersion(counter - 1)));
    if (before != targets.entries.end())
      entry.fallback = Fallback{before->second.version, before->second.plain_sha256};
    targets.entries[FullPath("digits", entry.version)] = entry;
  }
  // Signs what changed, and all above it.
  void Spread(int64_t keep_ms = 0) {
    documents = SignSpread(targets, root, targets_keys, documents, keep_ms).value();
    targets.bins = ReadTargets(documents)->bins;
    Name();
  }
  void SpreadNext(int64_t keep_ms = 0) {
    ++targets.version;
    ++snapshot_version;
    ++timestamp_version;
    Spread(keep_ms);
  }
  // Snapshot and timestamp name the documents as they stand: also those of a thief of both keys.
  void Name() {
    auto files = std::map<std::string, MetaFile, std::less<>>();
    files["targets.json"] = MetaOf(documents.top, targets.version);
    for (const auto& [name, document] : documents.bins) {
      const auto envelope = ParseEnvelope(document);
      files[name + ".json"] =
          MetaOf(document, GetInt(envelope->signed_part, "version").value_or(1));
    }
    snapshot_document =
        SignSnapshot(files, snapshot_version, online_expires_ms, snapshot_key).value();
    targets_document = documents.top;
    SignTime();
  }
  void NameNext() {
    ++snapshot_version;
    ++timestamp_version;
    Name();
  }
  std::string Bin(std::string_view path) const { return BinOf(*targets.bins, path); }
  std::string BinOfVersion(int64_t counter) const {
    return Bin(FullPath("digits", BinnedVersion(counter)));
  }
  Status Take(TrustedSet& set, std::string_view name) const {
    return set.UpdateBin(name, documents.bins.find(name)->second, kTestNow);
  }
  Status TakeAll(TrustedSet& set) const {
    for (const auto& [name, document] : documents.bins) FERRY_TRY(Take(set, name));
    return OkStatus();
  }
  // A bin with other entries, signed by `signers` as version `version`.
  Bytes Forged(std::string_view name, TargetMap entries, int64_t version,
               std::span<const SigningKey> signers) const {
    return SignDocument(BinToJson({version, targets.expires_ms, std::move(entries)}, name), signers)
        .value();
  }
};

}  // namespace ferry::trust
