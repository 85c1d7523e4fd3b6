// What ConvInteger and QLinearConv share.
#pragma once

#include "device-runtime/ops/expand.h"

namespace ferry::ops {

// The dims of a list that runs along one axis of a tensor of `rank`; none for one number.
std::vector<int64_t> AlongAxis(const Shape& list, int axis, int rank);

// The convolution of inputs x and w less their zero points (-1 or left out: 0), in i32, with the
// node's own window and groups; bias is i32 or kNoValue.
ir::ValueId IntegerConv(ExpandContext& c, int x, int w, int x_zero, int w_zero, ir::ValueId bias);

}  // namespace ferry::ops
