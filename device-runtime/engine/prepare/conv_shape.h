// From the primitive to the kernels' shape.
#pragma once

#include "device-runtime/ir/program.h"
#include "device-runtime/kernels/conv/conv.h"

namespace ferry::engine {

inline kernels::ConvShape ConvShapeOf(const ir::ConvPrim& prim) {
  return {
      .batch = prim.batch,
      .in_h = prim.in_h,
      .in_w = prim.in_w,
      .in_c = prim.in_c,
      .out_h = prim.out_h,
      .out_w = prim.out_w,
      .out_c = prim.out_c,
      .kernel_h = prim.kernel_h,
      .kernel_w = prim.kernel_w,
      .stride_h = prim.stride_h,
      .stride_w = prim.stride_w,
      .dilation_h = prim.dilation_h,
      .dilation_w = prim.dilation_w,
      .pad_top = prim.pad_top,
      .pad_left = prim.pad_left,
      .groups = prim.groups,
  };
}

}  // namespace ferry::engine
