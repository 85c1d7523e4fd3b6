// The output of `ferry stream run`: a file of lines that is cut back to what was committed when a
// run that was killed goes on.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "common/sys/filesystem.h"

namespace ferry::cli {

class OutFile {
 public:
  // Goes on behind the first `bytes` bytes of the file when they end as `tail` says; else the file
  // begins anew.
  static Result<OutFile> Open(sys::FileSystem& fs, const std::string& path, uint64_t bytes,
                              const std::string& tail);

  Status Write(std::string_view text);
  // What was written survives a power cut.
  Status Sync();
  uint64_t bytes() const { return bytes_; }
  // Tells the end of this output from that of another file.
  std::string Tail() const;

 private:
  OutFile(std::string path, std::unique_ptr<sys::WritableFile> file, uint64_t bytes,
          std::string end)
      : path_(std::move(path)), file_(std::move(file)), bytes_(bytes), end_(std::move(end)) {}

  std::string path_;
  std::unique_ptr<sys::WritableFile> file_;
  uint64_t bytes_ = 0;
  std::string end_;  // the last bytes
};

}  // namespace ferry::cli
