// Remembers which model files were found sound, so that a file is read through once and not each
// time it is opened: a mark (an empty file) in a folder, named after the file's identity.
#pragma once

#include <string>

#include "common/base/bytes.h"
#include "common/sys/filesystem.h"

namespace ferry::llm {

// More marks than this, and all are dropped: most are of files that are no more.
inline constexpr size_t kMaxMarks = 4096;

class CheckedFile {
 public:
  // A file of the contents `bytes` (its header is part of the identity). `fs` outlives this.
  CheckedFile(sys::FileSystem& fs, std::string folder, const sys::FileInfo& info, ByteView bytes);

  // False where the file system tells no identity.
  bool known() const;
  // A folder that cannot be written remembers nothing.
  void Remember() const;

 private:
  sys::FileSystem& fs_;
  const std::string folder_;
  std::string mark_;  // empty: no identity
};

}  // namespace ferry::llm
