// The trusted metadata of this device, kept on its disk: versions and counters never go down, also
// over restarts.
#pragma once

#include <optional>
#include <string>

#include "common/sys/filesystem.h"
#include "common/trust/trusted_set.h"

namespace ferry::agent {

inline constexpr char kTrustFile[] = "trust.json";

// One thread.
class TrustStore {
 public:
  // Without a file the set is empty until a pinned root comes.
  static Result<TrustStore> Open(sys::FileSystem& fs, const std::string& directory);

  // Null before the pinned root.
  trust::TrustedSet* set() { return set_ ? &*set_ : nullptr; }
  // kCorruptContent when the document is not the pinned one.
  Status Pin(ByteView root_document, const trust::Hash& sha256);
  // Writes the set when it changed since the last time.
  Status Save();

 private:
  TrustStore(sys::FileSystem& fs, std::string path) : fs_(&fs), path_(std::move(path)) {}

  sys::FileSystem* fs_;
  std::string path_;
  std::optional<trust::TrustedSet> set_;
  Bytes saved_;
};

}  // namespace ferry::agent
