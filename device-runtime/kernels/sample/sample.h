// Reading tensors between their elements. Source: ONNX operators GridSample and DeformConv.
#pragma once

#include <array>

#include "common/sys/executor.h"
#include "device-runtime/tensor/dtype.h"
#include "device-runtime/tensor/shape.h"

namespace ferry::kernels {

enum class SampleMode { kNearest, kLinear, kCubic };
enum class SamplePadding { kZeros, kBorder, kReflection };

// x [batch, channels, in...] at places [batch, points, axes] -> y [batch, channels, points]. A
// normalized place goes from -1 to 1 (to the ends' centres with `align`, else to their edges) and
// names the last axis first; others count elements and name the first axis first.
struct SampleShape {
  SampleMode mode = SampleMode::kLinear;
  SamplePadding padding = SamplePadding::kZeros;
  bool normalized = true, align = false;
  int axes = 0;
  int64_t batch = 0, channels = 0, points = 0;
  std::array<int64_t, tensor::kMaxRank> in{};
};

// x and y are f32 or f64, the places too (of a dtype of their own). The cubic kernel has a = -0.75.
// False for other dtypes.
[[nodiscard]] bool Sample(sys::Parallel& parallel, tensor::DType dtype, tensor::DType place_dtype,
                          const SampleShape& shape, const void* x, const void* places, void* y);

}  // namespace ferry::kernels
