// Elements that lie where a file has them, which need not be where their type may be read. Only
// Number, Integer, raw bytes and copies work on such a tensor.
#pragma once

#include "device-runtime/tensor/tensor.h"

namespace ferry::tensor {

inline bool IsAligned(const Tensor& tensor) {
  return reinterpret_cast<uintptr_t>(tensor.raw()) % DTypeSize(tensor.dtype()) == 0;
}

// `tensor` itself, or a copy of it that IsAligned. kOutOfMemory.
inline Result<Tensor> Aligned(const Tensor& tensor,
                              std::shared_ptr<MemoryBudget> budget = nullptr) {
  if (IsAligned(tensor)) return tensor;
  return tensor.Clone(std::move(budget));
}

}  // namespace ferry::tensor
