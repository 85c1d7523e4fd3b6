// What a product or a convolution does to its result before it is stored.
#pragma once

#include <limits>

namespace ferry::kernels {

enum class Activation {
  kNone,         // x
  kClip,         // min(high, max(low, x)); Relu is low 0, high infinity; Relu6 is low 0, high 6
  kHardSigmoid,  // max(0, min(1, x * low + high))
  kHardSwish,    // x * max(0, min(1, x / 6 + 1/2))
  kLeakyRelu,    // x < 0 ? x * low : x
  kSigmoid,      // 1 / (1 + exp(-x))
  kSilu,         // x * sigmoid(x)
  kTanh,
  kGelu,  // x * (1 + erf(x / sqrt(2))) / 2
};

// y = activation(product + bias + add).
struct Epilogue {
  const float* bias = nullptr;  // one per output column (channel), or none
  const float* add = nullptr;   // laid out like the output (a residual connection), or none
  Activation activation = Activation::kNone;
  float low = -std::numeric_limits<float>::infinity();  // kClip's low; kHardSigmoid's and
                                                        // kLeakyRelu's alpha
  float high = std::numeric_limits<float>::infinity();  // kClip's high; kHardSigmoid's beta
};

}  // namespace ferry::kernels
