// Files that stay sealed on a device's disk, under a key that does not lie beside them: a copy of
// the directory is of no use without it. Two views of a file system: one reads sealed files as what
// was sealed, the other also seals what it writes. Nothing of what is sealed is on the disk in
// plain, not for a moment.
//
//   "FERRYREST" (9) | format 1 (1) | zeros (6) | salt (32) | sealed content (common/crypto/seal.h)
//
// The content's key is HKDF-SHA256 of the device's key, with a salt that is fresh for each file and
// the bytes before it.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "common/crypto/secret.h"
#include "common/sys/filesystem.h"

namespace ferry::package {

inline constexpr std::string_view kAtRestMagic = "FERRYREST";
inline constexpr size_t kAtRestHeaderBytes = 48;

// Any thread, as the file system below it.
class AtRest {
 public:
  // Files below `directory` are looked at; `below` and `random` outlive this. Without a key what is
  // sealed cannot be read (kWrongKey), and nothing can be sealed (kFailedPrecondition).
  AtRest(sys::FileSystem& below, std::string directory, std::optional<crypto::Secret32> key,
         sys::Random& random);
  ~AtRest();

  bool has_key() const;
  // Reads and maps a sealed file piece by piece: the whole of it is in memory only where it is
  // mapped, and wiped when that ends. kWrongKey, kCorruptContent names the chunk,
  // kTruncatedContent. Stat says the length of what was sealed. Other files are as they are.
  sys::FileSystem& reading();
  // The same; what it writes is sealed. Appending to a file is kUnsupported.
  sys::FileSystem& sealing();

 private:
  class View;
  std::unique_ptr<View> reading_;
  std::unique_ptr<View> sealing_;
};

}  // namespace ferry::package
