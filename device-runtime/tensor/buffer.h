// Owned bytes for tensors and arenas: 64-byte aligned, counted, and failing with a Status.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "common/base/status.h"
#include "device-runtime/tensor/budget.h"

namespace ferry::tensor {

// Movable owner of one block. Not thread safe itself; the bytes are the user's affair.
class Buffer {
 public:
  Buffer() = default;
  // Uncleared memory from TryAllocate. kOutOfMemory names the size, and the limit when `budget`
  // (may be null) refuses. A size of 0 gives an empty buffer.
  static Result<Buffer> Allocate(int64_t bytes, std::shared_ptr<MemoryBudget> budget = nullptr);
  Buffer(Buffer&& other) noexcept { *this = std::move(other); }
  Buffer& operator=(Buffer&& other) noexcept;
  ~Buffer();

  uint8_t* data() const { return data_; }
  int64_t size() const { return size_; }

 private:
  uint8_t* data_ = nullptr;
  int64_t size_ = 0;
  std::shared_ptr<MemoryBudget> budget_;
};

}  // namespace ferry::tensor
