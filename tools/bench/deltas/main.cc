// ferry-deltas: what a tensor-aware delta between two files has of bytes, time and memory.
//
//   ferry-deltas make OLD NEW DELTA     prints {"bytes","make_s"}
//   ferry-deltas apply OLD DELTA NEW    prints {"apply_s","apply_bytes"}
//
// The last is the most anonymous memory that applying held, with the base mapped as on a device: in
// a process of its own, so that nothing which making left is used again. It fails when the result
// is not NEW.
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

constexpr size_t kPieceBytes = 64 << 10;

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

Status MeasureMaking(const std::string& from, const std::string& to, const std::string& delta) {
  sys::FileSystem& fs = sys::SystemFileSystem();
  FERRY_ASSIGN_OR_RETURN(const auto base, fs.Map(from));
  FERRY_ASSIGN_OR_RETURN(const auto next, fs.Map(to));
  FERRY_ASSIGN_OR_RETURN(const auto file, fs.OpenForWrite(delta, sys::WriteMode::kTruncate));
  size_t bytes = 0;
  const double began = Seconds();
  FERRY_TRY(package::MakeTensorDelta(base->bytes(), next->bytes(), [&](ByteView piece) {
    bytes += piece.size();
    return file->Append(piece);
  }));
  std::printf("{\"bytes\":%zu,\"make_s\":%.3f}\n", bytes, Seconds() - began);
  return file->Close();
}

Status MeasureApplying(const std::string& from, const std::string& delta, const std::string& to) {
  sys::FileSystem& fs = sys::SystemFileSystem();
  FERRY_ASSIGN_OR_RETURN(const auto base, fs.Map(from));
  FERRY_ASSIGN_OR_RETURN(const auto next, fs.Map(to));
  FERRY_ASSIGN_OR_RETURN(const auto coming, fs.Map(delta));
  const double began = Seconds();
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
  for (ByteView rest = coming->bytes(); !rest.empty();) {
    const size_t size = std::min(rest.size(), kPieceBytes);
    FERRY_TRY(patcher.Write(rest.first(size)));
    rest = rest.subspan(size);
  }
  FERRY_TRY(patcher.Finish());
  if (!same || at != next->bytes().size()) return Status(Code::kInternal, "it makes another file");
  std::printf("{\"apply_s\":%.3f,\"apply_bytes\":%lld}\n", Seconds() - began,
              static_cast<long long>(most - before));
  return OkStatus();
}

}  // namespace
}  // namespace ferry

int main(int count, char** arguments) {
  const std::string what = count == 5 ? arguments[1] : "";
  if (what != "make" && what != "apply") {
    std::fputs("usage: ferry-deltas make OLD NEW DELTA | apply OLD DELTA NEW\n", stderr);
    return 2;
  }
  const auto measure = what == "make" ? ferry::MeasureMaking : ferry::MeasureApplying;
  const ferry::Status status = measure(arguments[2], arguments[3], arguments[4]);
  if (status.ok()) return 0;
  std::fprintf(stderr, "ferry-deltas: %s\n", status.ToString().c_str());
  return 1;
}
