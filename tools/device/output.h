// What the app sees of a device: result lines and the status file.
#pragma once

#include <cstdio>
#include <optional>
#include <set>
#include <string>

#include "common/base/json_fwd.h"
#include "common/base/status.h"
#include "common/sys/clock.h"
#include "common/sys/filesystem.h"
#include "device-runtime/agent/run/tasks.h"

namespace ferry::device {

// {"time_ms","package","version","result","latency_us"}, or "error": {"code","name","text"} in
// place of the result; "event" is the number of an event that comes again after a kill.
Json ResultLine(const agent::TaskOutcome& outcome, int64_t now_ms);

// Adds lines to a file, or to standard output for "-"; does nothing for "". One thread.
class ResultSink {
 public:
  // A last line that a kill cut off is cut away: its event is given again.
  static Result<ResultSink> Open(const std::string& path);
  ResultSink(ResultSink&&) noexcept;
  ~ResultSink();
  void Write(const Json& line);
  // Whether the last kTailBytes of the file have this result of this event, whenever it was
  // written. What came out of standard output is not known.
  bool Has(const Json& line);

 private:
  ResultSink(std::FILE* file, std::string path);
  std::FILE* file_;
  std::string path_;
  std::optional<std::set<std::string>> known_;  // of the tail, when it was first asked for
};
inline constexpr uint64_t kTailBytes = 16 << 20;

// Replaces the file when the text differs from the last one. Readers see a whole status; a power
// cut may lose it.
Status ReplaceStatusFile(sys::FileSystem& fs, const std::string& path, const Json& status,
                         std::string* last);

}  // namespace ferry::device
