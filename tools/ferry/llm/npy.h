// NumPy's file of one float32 matrix, written row by row. Source: the format description of NumPy
// (numpy.lib.format), version 1.0.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "common/base/status.h"
#include "common/sys/filesystem.h"

namespace ferry::cli {

// Writes `path` piece by piece. One that was not finished is removed, unless something stood there
// before: that may be a device.
class NpyWriter {
 public:
  static Result<std::unique_ptr<NpyWriter>> Create(sys::FileSystem& fs, const std::string& path,
                                                   int64_t rows, int64_t columns);
  ~NpyWriter();
  // The next values, in all rows * columns.
  Status Append(std::span<const float> values);
  Status Finish();

 private:
  NpyWriter(sys::FileSystem& fs, std::string path) : fs_(fs), path_(std::move(path)) {}

  sys::FileSystem& fs_;
  std::string path_;
  std::unique_ptr<sys::WritableFile> file_;
  bool is_new_ = false;
  bool finished_ = false;
};

}  // namespace ferry::cli
