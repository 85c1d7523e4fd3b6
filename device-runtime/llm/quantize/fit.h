// A group of weights, what codes make of it, and the numbers that a form can hold.
#pragma once

#include <cstdint>

#include "device-runtime/kernels/packed/layout.h"

namespace ferry::llm {

// Of |error|^p that hqq makes small.
inline constexpr float kErrorPower = 0.75f;

// `count` weights, a multiple of kPackedChunk; `present` is 1, or 0 for padding behind the last
// column, which counts for nothing.
struct WeightGroup {
  const float* weights;
  const float* present;
  int64_t count;
};

// Values are scale * code + shift, codes the nearest.
struct GroupFit {
  float scale = 0;
  float shift = 0;
  int8_t zero = 0;   // for PackedShift::kZero
  double error = 0;  // squared, where a method returns it
};

// What nearest codes under a fit come to: the squared error, and the sums of a least-squares fit.
struct FitSums {
  double error = 0;
  double n = 0, q = 0, qq = 0, w = 0, wq = 0;  // of 1, code, code^2, weight, weight * code
};

// The smallest and the largest weight.
struct WeightRange {
  float low = 0;
  float high = 0;
};
WeightRange RangeOf(const WeightGroup& group);

// The nearest fit that the form holds.
GroupFit Representable(const kernels::PackedForm& form, double scale, double shift);
// The least-squares fit to the codes that `sums` stand for.
GroupFit LeastSquares(const kernels::PackedForm& form, const FitSums& sums);

FitSums Measure(const kernels::PackedForm& form, const WeightGroup& group, const GroupFit& fit);
// Of |error|^kErrorPower.
double PowerError(const kernels::PackedForm& form, const WeightGroup& group, const GroupFit& fit);
// The nearest codes.
void WriteCodes(const kernels::PackedForm& form, const WeightGroup& group, const GroupFit& fit,
                int8_t* codes);

#define FERRY_QUANTIZER(Name, name) \
  GroupFit Fit##Name(const kernels::PackedForm& form, const WeightGroup& group);
#include "device-runtime/llm/quantize/methods.inc"
#undef FERRY_QUANTIZER

}  // namespace ferry::llm
