#include "common/sys/posix/disk_limit.h"

#include <atomic>
#include <charconv>
#include <cstdlib>
#include <cstring>

namespace ferry::sys {
namespace {

constexpr const char* kVariable = "FERRY_DISK_LIMIT_BYTES";

// UINT64_MAX when there is no limit. Read at each call: tests set it while they run.
uint64_t Limit() {
  const char* text = std::getenv(kVariable);
  uint64_t limit = UINT64_MAX;
  if (text != nullptr) std::from_chars(text, text + std::strlen(text), limit);
  return limit;
}

std::atomic<uint64_t> written{0};

}  // namespace

Status CountWritten(uint64_t bytes, const std::string& path) {
  const uint64_t limit = Limit();
  const uint64_t before = written.fetch_add(bytes, std::memory_order_relaxed);
  if (limit == UINT64_MAX || before + bytes <= limit) return OkStatus();
  return Status::Of(Code::kDiskFull, "write {}: past {}={}", path, kVariable, limit);
}

}  // namespace ferry::sys
