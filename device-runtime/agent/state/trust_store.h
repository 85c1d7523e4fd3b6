// The trusted metadata of this device, a twin file on its disk: versions and counters never go
// down, also over restarts.
#pragma once

#include <optional>
#include <string>

#include "common/sys/filesystem.h"
#include "common/trust/trusted_set.h"
#include "device-runtime/agent/state/twin_file.h"

namespace ferry::agent {

inline constexpr char kTrustFile[] = "trust.json";

// One thread.
class TrustStore {
 public:
  // Without a file the set is empty until a pinned root comes; so it is when no copy can be read,
  // which is lost(). Changes nothing on the disk.
  static Result<TrustStore> Open(sys::FileSystem& fs, const std::string& directory);
  // Sets aside what is lost, and writes both copies where one is absent, older or damaged.
  Status Heal();
  bool lost() const { return lost_; }
  // What Open found damaged, for people; "" for nothing.
  const std::string& damage() const { return file_.damage(); }

  // Null before the pinned root.
  trust::TrustedSet* set() { return set_ ? &*set_ : nullptr; }
  // kCorruptContent when the document is not the pinned one.
  Status Pin(ByteView root_document, const trust::Hash& sha256);
  // Writes the set when it changed since the last time.
  Status Save();

 private:
  TrustStore(sys::FileSystem& fs, const std::string& path) : file_(fs, path) {}

  TwinFile file_;
  bool lost_ = false;
  std::optional<trust::TrustedSet> set_;
  Bytes saved_;
};

}  // namespace ferry::agent
