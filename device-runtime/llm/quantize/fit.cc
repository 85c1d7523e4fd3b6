#include "device-runtime/llm/quantize/fit.h"

#include <algorithm>
#include <cmath>

#include "device-runtime/kernels/packed/pack.h"
#include "device-runtime/llm/quantize/lanes.h"

namespace ferry::llm {

using kernels::PackedForm;
using kernels::PackedShift;

WeightRange RangeOf(const WeightGroup& group) {
  WeightRange range;
  bool first = true;
  for (int64_t i = 0; i < group.count; ++i) {
    if (group.present[i] == 0) continue;
    const float w = group.weights[i];
    range.low = first ? w : std::min(range.low, w);
    range.high = first ? w : std::max(range.high, w);
    first = false;
  }
  return range;
}

GroupFit Representable(const PackedForm& form, double scale, double shift) {
  GroupFit fit;
  fit.scale = kernels::RoundPackedScale(form.scale, static_cast<float>(scale));
  if (form.shift == PackedShift::kNumber) {
    fit.shift = kernels::RoundPackedScale(form.scale, static_cast<float>(shift));
  } else if (form.shift == PackedShift::kZero && fit.scale != 0) {
    const double unit = std::ldexp(1.0, form.bits - 8);
    const double zero = std::nearbyint(-shift / (static_cast<double>(fit.scale) * unit));
    fit.zero = static_cast<int8_t>(std::clamp(zero, -128.0, 127.0));
    fit.shift = fit.scale * (static_cast<float>(fit.zero) * static_cast<float>(-unit));
  }
  return fit;
}

GroupFit LeastSquares(const PackedForm& form, const FitSums& sums) {
  if (form.shift == PackedShift::kNone) {
    return Representable(form, sums.qq > 0 ? sums.wq / sums.qq : 0, 0);
  }
  const double spread = sums.n * sums.qq - sums.q * sums.q;
  if (spread <= 0) return Representable(form, 0, sums.n > 0 ? sums.w / sums.n : 0);
  const double scale = (sums.n * sums.wq - sums.q * sums.w) / spread;
  return Representable(form, scale, (sums.w - scale * sums.q) / sums.n);
}

FitSums Measure(const PackedForm& form, const WeightGroup& group, const GroupFit& fit) {
  const Coder coder(form.bits, fit.scale, fit.shift);
  FitSums total;
  for (int64_t chunk = 0; chunk < group.count; chunk += kernels::kPackedChunk) {
    FourFloats error = {}, n = {}, sum_q = {}, qq = {}, sum_w = {}, wq = {};
    for (int64_t i = chunk; i < chunk + kernels::kPackedChunk; i += 4) {
      const FourFloats w = LoadFour(group.weights + i);
      const FourFloats present = LoadFour(group.present + i);
      const FourFloats q = coder(w) * present;
      const FourFloats difference = (w - (q * fit.scale + fit.shift)) * present;
      error += difference * difference;
      n += present;
      sum_q += q;
      qq += q * q;
      sum_w += w * present;
      wq += w * q;
    }
    total.error += SumFour(error);
    total.n += SumFour(n);
    total.q += SumFour(sum_q);
    total.qq += SumFour(qq);
    total.w += SumFour(sum_w);
    total.wq += SumFour(wq);
  }
  return total;
}

double PowerError(const PackedForm& form, const WeightGroup& group, const GroupFit& fit) {
  const Coder coder(form.bits, fit.scale, fit.shift);
  double total = 0;
  for (int64_t i = 0; i < group.count; i += 4) {
    const FourFloats w = LoadFour(group.weights + i);
    const FourFloats value = coder(w) * fit.scale + fit.shift;
    for (int lane = 0; lane < 4; ++lane) {
      if (group.present[i + lane] == 0) continue;
      const float root = std::sqrt(std::fabs(w[lane] - value[lane]));
      total += static_cast<double>(root * std::sqrt(root));
    }
  }
  return total;
}

void WriteCodes(const PackedForm& form, const WeightGroup& group, const GroupFit& fit,
                int8_t* codes) {
  const Coder coder(form.bits, fit.scale, fit.shift);
  for (int64_t i = 0; i < group.count; i += 4) {
    const FourFloats q = coder(LoadFour(group.weights + i));
    for (int lane = 0; lane < 4; ++lane) codes[i + lane] = static_cast<int8_t>(q[lane]);
  }
}

}  // namespace ferry::llm
