// Integers without their zero points, and back: what the integer products share.
#pragma once

#include "device-runtime/ops/expand.h"

namespace ferry::ops {

// x as i32 less its zero point (kNoValue: none), which `dims` reshape so that it broadcasts to x;
// empty dims: one number.
ir::ValueId Centred(ExpandContext& c, ir::ValueId x, ir::ValueId zero_point,
                    std::span<const int64_t> dims);

// round(x * factor) + zero point, saturated to `dtype`: x is i32, factor broadcasts to it, the zero
// point is one number or broadcasts (kNoValue: 0).
ir::ValueId Requantized(ExpandContext& c, ir::ValueId x, ir::ValueId factor, ir::ValueId zero_point,
                        DType dtype);

// a_scale * b_scale / y_scale in the type of the scales.
ir::ValueId FactorOf(ExpandContext& c, ir::ValueId a_scale, ir::ValueId b_scale,
                     ir::ValueId y_scale);

}  // namespace ferry::ops
