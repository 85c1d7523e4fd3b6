// Pools over any number of axes, of any numbers.
#pragma once

#include <array>

#include "common/sys/executor.h"
#include "device-runtime/tensor/dtype.h"
#include "device-runtime/tensor/shape.h"

namespace ferry::kernels {

enum class WindowKind { kMax, kAverage, kAverageWithPad, kNorm };

// x is [planes, in...], y [planes, out...].
struct WindowShape {
  WindowKind kind = WindowKind::kMax;
  double p = 2;            // kNorm: (sum |x|^p)^(1/p)
  bool by_column = false;  // places count with the first axis running fastest
  int axes = 0;
  int64_t planes = 0;
  std::array<int64_t, tensor::kMaxRank> in{}, out{}, kernel{}, stride{}, dilation{}, pad_begin{},
      pad_end{};
};

// Numbers of WithNumber, summed in double. kMax: NaN never wins against a number, of nothing it is
// -infinity (the dtype's lowest); `places` (null: not asked for) is where each value lies in all of
// x, 0 of its plane for none. kAverage divides by the elements inside, kAverageWithPad also by
// those in the padding; of none it is 0. False for other dtypes.
[[nodiscard]] bool PoolWindows(sys::Parallel& parallel, tensor::DType dtype,
                               const WindowShape& shape, const void* x, void* y, int64_t* places);

}  // namespace ferry::kernels
