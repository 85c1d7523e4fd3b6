// ferry-deltas: what a tensor-aware delta between two files has of bytes, time and memory.
//
//   ferry-deltas OLD NEW
//
// Prints {"bytes","make_s","apply_s","apply_bytes"}: the last is the most anonymous memory that
// applying held, with the base mapped as on a device. Fails when the result is not NEW.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <string>

#include "common/base/bytes.h"
#include "common/package/delta/delta.h"
#include "common/sys/filesystem.h"

namespace ferry {
namespace {

double Seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Of this process, in bytes; 0 where the kernel does not say.
int64_t AnonymousBytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("RssAnon:")) return std::stoll(line.substr(8)) * 1024;
  return 0;
}

Status MeasureDelta(const std::string& from, const std::string& to) {
  sys::FileSystem& fs = sys::SystemFileSystem();
  FERRY_ASSIGN_OR_RETURN(const auto base, fs.Map(from));
  FERRY_ASSIGN_OR_RETURN(const auto next, fs.Map(to));
  Bytes delta;
  const double began = Seconds();
  FERRY_TRY(package::MakeTensorDelta(base->bytes(), next->bytes(), [&](ByteView piece) {
    delta.insert(delta.end(), piece.begin(), piece.end());
    return OkStatus();
  }));
  const double made = Seconds();
  const int64_t before = AnonymousBytes();
  int64_t most = before;
  size_t at = 0;
  bool same = true;
  package::TensorPatcher patcher(base->bytes(), next->bytes().size(), [&](ByteView piece) {
    most = std::max(most, AnonymousBytes());
    same = same && std::equal(piece.begin(), piece.end(), next->bytes().begin() + at);
    at += piece.size();
    return OkStatus();
  });
  FERRY_TRY(patcher.Write(delta));
  FERRY_TRY(patcher.Finish());
  if (!same || at != next->bytes().size()) return Status(Code::kInternal, "it makes another file");
  std::printf("{\"bytes\":%zu,\"make_s\":%.3f,\"apply_s\":%.3f,\"apply_bytes\":%lld}\n",
              delta.size(), made - began, Seconds() - made, static_cast<long long>(most - before));
  return OkStatus();
}

}  // namespace
}  // namespace ferry

int main(int count, char** arguments) {
  if (count != 3) {
    std::fputs("usage: ferry-deltas OLD NEW\n", stderr);
    return 2;
  }
  const ferry::Status status = ferry::MeasureDelta(arguments[1], arguments[2]);
  if (status.ok()) return 0;
  std::fprintf(stderr, "ferry-deltas: %s\n", status.ToString().c_str());
  return 1;
}
