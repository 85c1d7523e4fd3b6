#include "device-runtime/engine/model/packed_cache.h"

#include <algorithm>

namespace ferry::engine {
namespace {

// What of a chunk no block takes is never touched, so it costs addresses only; the first one is
// small and has pages of the usual size: small models should not take a large page.
#if defined(FERRY_SANITIZED)
constexpr int64_t kFirstChunkBytes = 0, kChunkBytes = 0;  // overruns are seen between buffers only
#else
constexpr int64_t kFirstChunkBytes = 1 << 20;
constexpr int64_t kChunkBytes = 64 << 20;
#endif
constexpr int64_t kAlignment = 64;
// Blocks of so much in all have no small first chunk: each of its pages would be a fault.
constexpr int64_t kLargeBytes = 8 << 20;

}  // namespace

Result<PackedCache::Block> PackedCache::Place(int64_t bytes) {
  if (!chunk_ || bytes > chunk_->size() - used_) {
    const int64_t wanted = chunk_ || is_large_ ? kChunkBytes : kFirstChunkBytes;
    FERRY_ASSIGN_OR_RETURN(tensor::Buffer chunk, tensor::Buffer::Allocate(std::max(wanted, bytes)));
    chunk_ = std::make_shared<const tensor::Buffer>(std::move(chunk));
    used_ = 0;
  }
  auto block = std::make_shared<const PackedBlock>(chunk_, chunk_->data() + used_, bytes);
  used_ = std::min(chunk_->size(), (used_ + bytes + kAlignment - 1) / kAlignment * kAlignment);
  return block;
}

Result<PackedCache::Block> PackedCache::Get(const void* weights, const std::string& how,
                                            int64_t bytes,
                                            const std::function<Status(float*)>& pack) {
  std::lock_guard lock(mutex_);
  Block& block = blocks_[{weights, how}];
  if (block) return block;
  FERRY_ASSIGN_OR_RETURN(Block placed, Place(bytes));
  FERRY_TRY(pack(reinterpret_cast<float*>(placed->data())));
  block = std::move(placed);
  return block;
}

void PackedCache::Expect(int64_t bytes) {
  std::lock_guard lock(mutex_);
  is_large_ = bytes >= kLargeBytes;
}

bool PackedCache::Has(const void* weights, const std::string& how) const {
  std::lock_guard lock(mutex_);
  const auto at = blocks_.find({weights, how});
  return at != blocks_.end() && at->second != nullptr;
}

int64_t PackedCache::bytes() const {
  std::lock_guard lock(mutex_);
  int64_t sum = 0;
  for (const auto& [key, block] : blocks_) sum += block ? block->size() : 0;
  return sum;
}

}  // namespace ferry::engine
