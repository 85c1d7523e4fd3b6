// Whether a value agrees with the expected one, as ONNX's backend suite judges.
#pragma once

#include "device-runtime/tensor/value.h"

namespace ferry::conformance {

struct Tolerance {
  double relative = 1e-3;
  double absolute = 1e-7;
};

// Kinds, dtypes and shapes are equal; floats differ by at most absolute + relative * |want| (two
// NaNs agree, as do equal infinities), all else is equal; sequences element by element. The error
// says what differs first, and how much of it.
Status CheckValue(const tensor::Value& got, const tensor::Value& want, Tolerance tolerance = {});

}  // namespace ferry::conformance
