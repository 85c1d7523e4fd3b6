// Pooling of float32 over NHWC activations.
#pragma once

#include <cstdint>

#include "common/sys/executor.h"
#include "device-runtime/kernels/table.h"

namespace ferry::kernels {

enum class PoolKind {
  kMax,
  kAverage,         // mean over the positions that lie inside the input
  kAverageWithPad,  // mean over the window; padded positions count as zeros
};

// Input [batch, in_h, in_w, channels], output [batch, out_h, out_w, channels], NHWC; pixels may lie
// further apart than their channels. A global pool is a kernel of the input's size.
struct PoolShape {
  int64_t batch = 1;
  int64_t in_h = 0, in_w = 0, channels = 0;
  int64_t out_h = 0, out_w = 0;
  int64_t kernel_h = 1, kernel_w = 1;
  int64_t stride_h = 1, stride_w = 1;
  int64_t dilation_h = 1, dilation_w = 1;
  int64_t pad_top = 0, pad_left = 0;
  // For kAverageWithPad: padding below and to the right; positions beyond it do not count (they
  // arise when the output size was rounded up).
  int64_t pad_bottom = 0, pad_right = 0;
  // Floats from one pixel to the next; 0: as many as channels.
  int64_t in_stride = 0, out_stride = 0;

  int64_t in_step() const { return in_stride == 0 ? channels : in_stride; }
  int64_t out_step() const { return out_stride == 0 ? channels : out_stride; }
};

// A window without any position inside gives -infinity (kMax) or 0. Sums run over kernel rows, then
// columns, in order.
void Pool(const KernelTable& table, sys::Parallel& parallel, PoolKind kind, const PoolShape& shape,
          const float* input, float* output);

}  // namespace ferry::kernels
