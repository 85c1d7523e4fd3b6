// What the app sees of a device: result lines and the status file.
#pragma once

#include <cstdio>
#include <string>

#include "common/base/json_fwd.h"
#include "common/base/status.h"
#include "common/sys/clock.h"
#include "common/sys/filesystem.h"
#include "device-runtime/agent/run/tasks.h"

namespace ferry::device {

// {"time_ms","package","version","result","latency_us"}, or "error": {"code","name","text"} in
// place of the result.
Json ResultLine(const agent::TaskOutcome& outcome, int64_t now_ms);

// Adds lines to a file, or to standard output for "-"; does nothing for "". One thread.
class ResultSink {
 public:
  static Result<ResultSink> Open(const std::string& path);
  ResultSink(ResultSink&& other) noexcept : file_(other.file_) { other.file_ = nullptr; }
  ResultSink& operator=(ResultSink&&) = delete;
  ~ResultSink();
  void Write(const Json& line);

 private:
  explicit ResultSink(std::FILE* file) : file_(file) {}
  std::FILE* file_;
};

// Replaces the file when the text differs from the last one. Readers see a whole status; a power
// cut may lose it.
Status ReplaceStatusFile(sys::FileSystem& fs, const std::string& path, const Json& status,
                         std::string* last);

}  // namespace ferry::device
