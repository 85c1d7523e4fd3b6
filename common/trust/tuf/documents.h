// The four kinds of documents, parsed. Source: TUF specification 1.0.34, sections 4.3 to 4.6; bins
// as in TAP 15.
#pragma once

#include "common/trust/tuf/signed.h"

namespace ferry::tuf {

inline constexpr size_t kMaxRoleNameBytes = 80;  // three times that, encoded, is a file name
inline constexpr size_t kMaxDelegations = 4096;  // of one document
inline constexpr size_t kMaxPatterns = 1024;     // of one delegation
inline constexpr size_t kMaxPatternBytes = 1024;
inline constexpr size_t kMaxSnapshotFiles = 100000;
inline constexpr size_t kMaxTargets = 100000;  // of one document
inline constexpr int64_t kMaxTargetBytes = int64_t{64} << 30;

struct Root {
  Header header;
  bool consistent_snapshot = false;
  Keys keys;
  Role root, timestamp, snapshot, targets;
};

// What one document must be; length and hashes where the role above gives them.
struct MetaFile {
  int64_t version = 1;
  std::optional<uint64_t> length;
  std::optional<Hashes> hashes;
};

struct Timestamp {
  Header header;
  MetaFile snapshot;
};

struct Snapshot {
  Header header;
  std::map<std::string, MetaFile, std::less<>> files;  // "targets.json"
};

struct TargetFile {
  uint64_t length = 0;
  Hashes hashes;
};

// One delegated role: for paths that match a pattern, or whose SHA-256 begins with a prefix.
struct Delegation {
  std::string name;
  Role role;
  bool terminating = false;
  std::vector<std::string> patterns;
  std::vector<std::string> hash_prefixes;
};

// 2^bit_length roles of the same keys, each for the paths whose SHA-256 begins with its number.
struct HashBins {
  Role role;
  int bit_length = 1;  // 1 to 32
  std::string name_prefix;
};

struct Targets {
  Header header;
  std::map<std::string, TargetFile, std::less<>> targets;  // by path
  Keys keys;                                               // of delegated roles
  std::vector<Delegation> delegations;                     // in order of search
  std::optional<HashBins> bins;
};

// `part` of a Signed. kMalformed names the member; kLimitExceeded, kUnsupported.
Result<Root> RootFromJson(const Json& part);
Result<Timestamp> TimestampFromJson(const Json& part);
Result<Snapshot> SnapshotFromJson(const Json& part);
Result<Targets> TargetsFromJson(const Json& part);

// delegation.cc

// Whether `pattern` ('*' and '?', neither of which matches '/') is of `path`.
bool MatchesPattern(std::string_view pattern, std::string_view path);
// Whether the delegation is for `path`.
bool Covers(const Delegation& delegation, std::string_view path);
// The name of the bin that `path` falls into.
std::string BinOf(const HashBins& bins, std::string_view path);
// The delegated roles to ask for `path`, in order; those behind a terminating one are left out.
std::vector<Delegation> DelegationsFor(const Targets& targets, std::string_view path);

}  // namespace ferry::tuf
