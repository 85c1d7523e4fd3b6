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

// Any thread. ORDER: its lock is a leaf (packing runs under it: two sessions never pack one weight
// twice).
class PackedCache {
 public:
  using Block = std::shared_ptr<const tensor::Buffer>;
  // The block of `weights` packed as `how` says, `bytes` long; `pack` fills it the first time.
  Result<Block> Get(const void* weights, const std::string& how, int64_t bytes,
                    const std::function<void(float*)>& pack);
  int64_t bytes() const;

 private:
  mutable std::mutex mutex_;
  std::map<std::pair<const void*, std::string>, Block> blocks_;
};

}  // namespace ferry::engine
