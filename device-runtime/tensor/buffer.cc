#include "device-runtime/tensor/buffer.h"

#include <utility>

#include "common/base/memory.h"
#include "common/sys/pages.h"

namespace ferry::tensor {
namespace {

constexpr int64_t kLargeBytes = 4 << 20;
// Large blocks begin where a large page of x86-64 and aarch64 may begin.
constexpr int64_t kLargePage = 2 << 20;

// A last page that is more than half full is taken whole: else each 4 KiB of it would be a fault of
// its own when it is first written.
int64_t WithLastPage(int64_t bytes) {
  const int64_t tail = bytes % kLargePage;
  return tail <= kLargePage / 2 ? bytes : bytes - tail + kLargePage;
}

}  // namespace

Result<Buffer> Buffer::Allocate(int64_t bytes, std::shared_ptr<MemoryBudget> budget) {
  Buffer buffer;
  if (bytes == 0) return buffer;
  if (budget && !budget->TryReserve(bytes)) {
    return Status::Of(Code::kOutOfMemory, "{} bytes pass the limit of {} ({} in use)", bytes,
                      budget->limit(), budget->used());
  }
  const bool is_large = bytes >= kLargeBytes;
  const auto size = static_cast<size_t>(is_large ? WithLastPage(bytes) : bytes);
  buffer.data_ =
      static_cast<uint8_t*>(TryAllocate(size, is_large ? size_t{kLargePage} : kDefaultAlignment));
  if (buffer.data_ == nullptr) {
    if (budget) budget->Release(bytes);
    return Status::Of(Code::kOutOfMemory, "no memory for {} bytes", bytes);
  }
  if (is_large) sys::PreferLargePages(buffer.data_, size);
  buffer.size_ = bytes;
  buffer.budget_ = std::move(budget);
  return buffer;
}

Buffer& Buffer::operator=(Buffer&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(budget_, other.budget_);
  return *this;
}

Buffer::~Buffer() {
  if (data_ == nullptr) return;
  Deallocate(data_);
  if (budget_) budget_->Release(size_);
}

}  // namespace ferry::tensor
