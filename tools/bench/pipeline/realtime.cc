// How soon a record that should not wait is at the server: realtime.py runs an app with the SDK and
// a server of this build. Wall time, the server's commit included.
#include <array>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "common/base/json.h"
#include "tools/bench/pipeline/bench.h"

namespace ferry::bench {
namespace {

constexpr double kMostRealtimeMs = 5;

Result<std::string> OutputOf(const std::string& command) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  if (pipe == nullptr) return Status::Of(Code::kIo, "{} cannot be started", command);
  std::string out;
  std::array<char, 4096> buffer;
  while (const size_t bytes = std::fread(buffer.data(), 1, buffer.size(), pipe.get()))
    out.append(buffer.data(), bytes);
  return out;
}

}  // namespace

Status MeasureRealtime(const Options&, std::vector<Figure>* out) {
  const auto bin = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  FERRY_ASSIGN_OR_RETURN(
      const std::string text,
      OutputOf("python3 -B tools/bench/pipeline/realtime.py --bin " + bin.string()));
  FERRY_ASSIGN_OR_RETURN(const Json json, ParseJson(text).Context("realtime.py"));
  FERRY_ASSIGN_OR_RETURN(const double p50_ms, GetNumber(json, "p50_ms"));
  FERRY_ASSIGN_OR_RETURN(const double p99_ms, GetNumber(json, "p99_ms"));
  out->push_back(
      {"realtime: event to the server's commit, p50", p50_ms, "ms", kMostRealtimeMs, true});
  out->push_back({"realtime: event to the server's commit, p99", p99_ms, "ms"});
  return OkStatus();
}

}  // namespace ferry::bench
