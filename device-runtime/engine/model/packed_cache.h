// Weights in the kernels' own layouts, made once for a model and shared by its sessions.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "common/base/status.h"
#include "device-runtime/tensor/buffer.h"

namespace ferry::engine {

// Bytes that lie beside others in one buffer, which they keep alive.
class PackedBlock {
 public:
  PackedBlock(std::shared_ptr<const tensor::Buffer> buffer, uint8_t* data, int64_t size)
      : buffer_(std::move(buffer)), data_(data), size_(size) {}
  uint8_t* data() const { return data_; }
  int64_t size() const { return size_; }

 private:
  std::shared_ptr<const tensor::Buffer> buffer_;
  uint8_t* data_;
  int64_t size_;
};

// Any thread. ORDER: its lock is a leaf (packing runs under it: two sessions never pack one weight
// twice).
class PackedCache {
 public:
  using Block = std::shared_ptr<const PackedBlock>;
  // The block of `weights` packed as `how` says, `bytes` long and aligned to 64; `pack` fills it
  // the first time. kOutOfMemory, or what `pack` says.
  Result<Block> Get(const void* weights, const std::string& how, int64_t bytes,
                    const std::function<Status(float*)>& pack);
  // About how many bytes of blocks there will be: many are put into large pages at once. Before the
  // first Get.
  void Expect(int64_t bytes);
  bool Has(const void* weights, const std::string& how) const;
  int64_t bytes() const;  // of all blocks

 private:
  Result<Block> Place(int64_t bytes);

  mutable std::mutex mutex_;
  std::map<std::pair<const void*, std::string>, Block> blocks_;
  // Blocks lie one behind the other, so that large pages hold them: few faults when they are
  // packed, few address translations when they are read.
  std::shared_ptr<const tensor::Buffer> chunk_;
  int64_t used_ = 0;  // of chunk_
  bool is_large_ = false;
};

}  // namespace ferry::engine
