#include "tools/device/output.h"
#include "device-runtime/task/outcome.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>

namespace ferry::device {

Json ResultLine(const agent::TaskOutcome& outcome, int64_t now_ms) {
  Json line = {{"time_ms", now_ms},
               {"package", outcome.package},
               {"version", outcome.version},
               {"latency_us", outcome.outcome.latency_ns / 1000}};
  if (outcome.event != 0) line["event"] = outcome.event;
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

namespace {

// The tail of the file from the first whole line on.
std::string TailOf(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  const auto size = file ? static_cast<uint64_t>(file.tellg()) : 0;
  const uint64_t from = size - std::min(size, kTailBytes);
  std::string text(size - from, '\0');
  file.seekg(static_cast<std::streamoff>(from));
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  if (from > 0) text.erase(0, text.find('\n') + 1);
  return text;
}

// What names one result: a run has one event, package and measured time.
std::string KeyOf(const Json& line) {
  Json key = Json::array();
  for (const char* member : {"event", "package", "latency_us"})
    key.push_back(line.value(member, Json()));
  return WriteJson(key);
}

Status CutTornLine(const std::string& path) {
  const std::string tail = TailOf(path);
  const size_t end = tail.rfind('\n') + 1;  // 0 without one
  if (end == tail.size()) return OkStatus();
  std::error_code error;
  const uint64_t size = std::filesystem::file_size(path, error);
  if (!error) std::filesystem::resize_file(path, size - (tail.size() - end), error);
  return error ? Status::Of(Code::kIo, "{}: {}", path, error.message()) : OkStatus();
}

}  // namespace

ResultSink::ResultSink(std::FILE* file, std::string path) : file_(file), path_(std::move(path)) {}
ResultSink::ResultSink(ResultSink&& other) noexcept
    : file_(std::exchange(other.file_, nullptr)), path_(std::move(other.path_)) {}

Result<ResultSink> ResultSink::Open(const std::string& path) {
  if (path.empty()) return ResultSink(nullptr, "");
  if (path == "-") return ResultSink(stdout, "");
  std::error_code ignored;
  const bool regular = std::filesystem::is_regular_file(path, ignored);
  if (regular) FERRY_TRY(CutTornLine(path));
  std::FILE* file = std::fopen(path.c_str(), "ae");
  if (file == nullptr) return Status::Of(Code::kIo, "{}: {}", path, std::strerror(errno));
  return ResultSink(file, regular ? path : "");
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

bool ResultSink::Has(const Json& line) {
  if (path_.empty()) return false;
  if (!known_) {
    known_.emplace();
    const std::string tail = TailOf(path_);
    for (size_t at = 0, end = 0; (end = tail.find('\n', at)) != std::string::npos; at = end + 1) {
      const auto json = ParseJson(std::string_view(tail).substr(at, end - at));
      if (json.ok() && json->is_object() && json->contains("event")) known_->insert(KeyOf(*json));
    }
  }
  return known_->contains(KeyOf(line));
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
