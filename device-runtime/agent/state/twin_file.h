// A small file that must survive a damaged sector: two copies, each with a checksum and a number.
//
//   <path> and <path>.2, each: "ferry-twin 1 <number> <bytes> <SHA-256 in hexadecimal>\n" <body>
//
// The copy with the highest number that verifies counts. A file from before there were two copies
// is its body alone: it is read where neither copy has a header that verifies.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "common/sys/filesystem.h"

namespace ferry::agent {

inline constexpr char kSecondCopy[] = ".2";
inline constexpr char kSetAside[] = ".damaged";
inline constexpr uint64_t kMaxTwinHeader = 256;

// One thread.
class TwinFile {
 public:
  TwinFile(sys::FileSystem& fs, std::string path) : fs_(&fs), path_(std::move(path)) {}

  // Whether a body can be used; what fails it counts as damaged.
  using Check = std::function<Status(ByteView body)>;
  // The body. kNotFound: there is no copy. kCorruptContent: no copy verifies, with what is wrong
  // with each. Other errors are of the disk or of permissions, not of the content. Changes nothing.
  Result<Bytes> Read(uint64_t max_bytes, const Check& check);
  // Whether the last Read found both copies whole and equal; else Write heals them.
  bool whole() const { return damage_.empty() && !stale_; }
  // What the last Read found damaged, for people; "" for nothing (a copy that is absent or older is
  // what a power cut leaves, and no damage).
  const std::string& damage() const { return damage_; }

  // Replaces one copy after the other: after a power cut at least one is whole, and the newest
  // whole one is the old or the new body. Ok when both are durable.
  Status Write(ByteView body);
  // Renames both copies to <copy>.damaged, over what was set aside before.
  Status SetAside();

 private:
  struct Copy;
  Result<Copy> ReadCopy(const std::string& path, uint64_t max_bytes) const;

  sys::FileSystem* fs_;
  std::string path_;
  uint64_t number_ = 0;  // of the newest copy
  bool stale_ = false;
  std::string damage_;
};

// Whether a file or its second copy is there.
bool TwinExists(sys::FileSystem& fs, const std::string& path);

}  // namespace ferry::agent
