#include "device-runtime/engine/model/packed_cache.h"

namespace ferry::engine {

Result<PackedCache::Block> PackedCache::Get(const void* weights, const std::string& how,
                                            int64_t bytes,
                                            const std::function<void(float*)>& pack) {
  std::lock_guard lock(mutex_);
  Block& block = blocks_[{weights, how}];
  if (block) return block;
  FERRY_ASSIGN_OR_RETURN(tensor::Buffer buffer, tensor::Buffer::Allocate(bytes));
  pack(reinterpret_cast<float*>(buffer.data()));
  block = std::make_shared<const tensor::Buffer>(std::move(buffer));
  return block;
}

int64_t PackedCache::bytes() const {
  std::lock_guard lock(mutex_);
  int64_t sum = 0;
  for (const auto& [key, block] : blocks_) sum += block ? block->size() : 0;
  return sum;
}

}  // namespace ferry::engine
