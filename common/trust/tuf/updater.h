// The client workflow: brings kept metadata up to date from a repository and looks for a target.
// Source: TUF specification 1.0.34, section 5.
#pragma once

#include "common/trust/tuf/verifier.h"

namespace ferry::tuf {

inline constexpr int kMaxRootRotations = 1024;  // roots that one update walks through
inline constexpr int kMaxVisitedRoles = 32;     // delegated roles that are asked for one path
inline constexpr int kMaxDelegationDepth = 16;
inline constexpr size_t kMaxRootBytes = 512 << 10;
inline constexpr size_t kMaxTimestampBytes = 64 << 10;

// Where metadata comes from: "3.root.json". kNotFound when it is not there; kLimitExceeded past
// `limit`, without reading on.
class Repository {
 public:
  virtual ~Repository() = default;
  virtual Result<Bytes> Fetch(const std::string& name, size_t limit) = 0;
};

// Where trusted metadata is kept: "root.json", without a version. kNotFound from Load.
class Keep {
 public:
  virtual ~Keep() = default;
  virtual Result<Bytes> Load(const std::string& name) = 0;
  virtual Status Save(const std::string& name, ByteView document) = 0;
  virtual Status Drop(const std::string& name) = 0;  // absent is ok
};

// Letters, digits, '-', '.', '_' and '~' stand for themselves, all else is "%XX".
std::string Quoted(std::string_view text);
// The path below the base of targets: with "HASH." before the last part when snapshots are
// consistent.
Result<std::string> TargetLocation(const Root& root, std::string_view path, const TargetFile& file);

// One update, at one time. Borrows what it is given.
class Updater {
 public:
  Updater(Repository& from, Keep& keep, int64_t now_ms);

  // Root, timestamp, snapshot, targets; each is kept as soon as it is trusted.
  Status Refresh();
  // The target of that path, from targets or a role that they delegate it to, found in depth-first
  // order. After Refresh. kNotFound; kLimitExceeded when too many roles are asked.
  Result<TargetFile> Find(std::string_view path);

  const Root& root() const { return verifier_->root(); }

 private:
  Status RefreshRoot();
  Status RefreshTimestamp();
  Status RefreshSnapshot();
  Result<Targets> TargetsOf(const std::string& role, const Keys& keys, const Role& signers);
  std::string Versioned(int64_t version, const std::string& name) const;

  Repository& from_;
  Keep& keep_;
  const int64_t now_ms_;
  std::optional<Verifier> verifier_;
  std::optional<Targets> targets_;
};

}  // namespace ferry::tuf
