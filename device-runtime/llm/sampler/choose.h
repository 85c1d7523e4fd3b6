// The largest of a row, its largest few, and the winner of the Gumbel race, all without looking
// closely at words that cannot win. NaN is never chosen; equal values go to the lowest index.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "device-runtime/llm/sampler/row_kernels.h"

namespace ferry::llm {

// One thread at a time: keeps scratch memory.
class Chooser {
 public:
  explicit Chooser(const RowKernels& kernels) : kernels_(kernels) {}

  // The index of the largest; 0 when all are NaN.
  int64_t Largest(std::span<const float> x);
  // The indices of the `count` largest (fewer when there are fewer numbers), the largest first.
  const std::vector<int32_t>& LargestFew(std::span<const float> x, int64_t count);
  // The index with the largest x[i] / temperature + GumbelOfWord(words[i]), in double precision.
  int64_t GumbelRace(std::span<const float> x, std::span<const uint32_t> words, float temperature);

 private:
  void Maxima(std::span<const float> x);

  const RowKernels& kernels_;
  std::vector<float> maxima_;  // a group each, the last one shorter
  std::vector<int32_t> few_;
};

}  // namespace ferry::llm
