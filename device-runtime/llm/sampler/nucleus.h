// Top-p (nucleus) selection without sorting all. Source: the rule after Holtzman et al., "The
// Curious Case of Neural Text Degeneration" (2020), cut as Hugging Face does.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "device-runtime/llm/sampler/row_kernels.h"

namespace ferry::llm {

// One thread at a time: keeps scratch memory.
class Nucleus {
 public:
  explicit Nucleus(const RowKernels& kernels) : kernels_(kernels) {}

  // The smallest set of the largest x (equal ones: the lowest index first; NaN never) whose
  // probability under softmax(x / temperature) reaches `p` (0 < p < 1), the one that crosses p
  // included; to `chosen`, indices ascending. Masses are summed to within 1e-5. The largest x is
  // finite, temperature > 0.
  void Choose(std::span<const float> x, float temperature, float p, std::vector<int32_t>* chosen);

 private:
  const RowKernels& kernels_;
  std::vector<float> masses_;
  std::vector<uint16_t> bin_of_;
  std::vector<double> bins_;  // masses
  std::vector<int32_t> border_;
};

}  // namespace ferry::llm
