#include "tools/device/output.h"
#include "device-runtime/task/outcome.h"

#include <cerrno>
#include <cstring>

namespace ferry::device {

Json ResultLine(const agent::TaskOutcome& outcome, int64_t now_ms) {
  Json line = {{"time_ms", now_ms},
               {"package", outcome.package},
               {"version", outcome.version},
               {"latency_us", outcome.outcome.latency_ns / 1000}};
  const Status& error = outcome.outcome.error;
  if (error.ok()) {
    line["result"] = outcome.outcome.result;
  } else {
    line["error"] = {{"code", static_cast<int>(error.code())},
                     {"name", InfoOf(error.code()).name},
                     {"text", error.message()}};
  }
  return line;
}

Result<ResultSink> ResultSink::Open(const std::string& path) {
  if (path.empty()) return ResultSink(nullptr);
  if (path == "-") return ResultSink(stdout);
  std::FILE* file = std::fopen(path.c_str(), "ae");
  if (file == nullptr) return Status::Of(Code::kIo, "{}: {}", path, std::strerror(errno));
  return ResultSink(file);
}

ResultSink::~ResultSink() {
  if (file_ != nullptr && file_ != stdout) std::fclose(file_);
}

void ResultSink::Write(const Json& line) {
  if (file_ == nullptr) return;
  const std::string text = WriteJson(line) + "\n";
  std::fwrite(text.data(), 1, text.size(), file_);
  std::fflush(file_);
}

Status ReplaceStatusFile(sys::FileSystem& fs, const std::string& path, const Json& status,
                         std::string* last) {
  std::string text = WriteJsonPretty(status) + "\n";
  if (text == *last) return OkStatus();
  const std::string fresh = path + ".new";
  FERRY_ASSIGN_OR_RETURN(auto file,
                         fs.OpenForWrite(fresh, sys::WriteMode::kTruncate, sys::kPublicFile));
  FERRY_TRY(file->Append(AsBytes(text)));
  FERRY_TRY(file->Close());
  FERRY_TRY(fs.Rename(fresh, path));
  *last = std::move(text);
  return OkStatus();
}

}  // namespace ferry::device
