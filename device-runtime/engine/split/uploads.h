// Constants on devices: once a model, shared by its sessions.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <tuple>

#include "device-runtime/backend/backend.h"

namespace ferry::engine {

// A model's. Any thread. ORDER: its lock is a leaf (uploads run under it: two sessions never bring
// up one constant twice).
class UploadCache {
 public:
  using Memory = backends::Uploads::Memory;
  Result<Memory> Get(const backends::Backend& backend, const tensor::Tensor& constant,
                     const std::string& form, const std::function<Result<Memory>()>& upload);
  int64_t bytes() const;  // of all, as their backends say

 private:
  // Backend, first byte and length of the constant, form.
  using Key = std::tuple<const backends::Backend*, const uint8_t*, int64_t, std::string>;
  mutable std::mutex mutex_;
  std::map<Key, Memory> uploaded_;
};

}  // namespace ferry::engine
