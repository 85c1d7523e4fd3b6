// The snapshot and timestamp roles: which versions of the others are current. Source: TUF
// specification 1.0, sections 4.4 and 4.6.
#pragma once

#include <map>
#include <string>

#include "common/trust/key.h"

namespace ferry::trust {

inline constexpr size_t kMaxSnapshotFiles = 1000;
// Online keys alone sign these two: what a thief of them pads must not fill a device's state.
inline constexpr size_t kMaxSnapshotBytes = 1 << 20;
inline constexpr size_t kMaxTimestampBytes = 64 << 10;

// What one document must be.
struct MetaFile {
  int64_t version = 0;
  uint64_t length = 0;
  Hash sha256{};
  bool operator==(const MetaFile&) const = default;
};

// The MetaFile of a document with that version.
MetaFile MetaOf(ByteView document, int64_t version);
// {"version","length","hashes":{"sha256"}}. FromJson: kMalformed.
Json MetaToJson(const MetaFile& meta);
Result<MetaFile> MetaFromJson(const Json& object);

struct Snapshot {
  int64_t version = 1;
  int64_t expires_ms = 0;
  std::map<std::string, MetaFile, std::less<>> files;  // "targets.json"
};

struct Timestamp {
  int64_t version = 1;
  int64_t expires_ms = 0;
  MetaFile snapshot;
};

// Signed parts.
Json SnapshotToJson(const Snapshot& snapshot);
Result<Snapshot> SnapshotFromJson(const Json& signed_part);
Json TimestampToJson(const Timestamp& timestamp);
Result<Timestamp> TimestampFromJson(const Json& signed_part);

}  // namespace ferry::trust
