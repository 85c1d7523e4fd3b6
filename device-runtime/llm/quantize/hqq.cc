// Half-quadratic quantisation (Badri and Shaji, 2023): the sum of |error|^p is made small by turns.
// Errors get a part of their own, from a closed form that leaves small ones out; then scale and
// shift are fitted to what is left; and the price of that part rises.
#include <cmath>

#include "device-runtime/llm/quantize/fit.h"
#include "device-runtime/llm/quantize/lanes.h"

namespace ferry::llm {
namespace {

using kernels::PackedForm;

constexpr int kTurns = 20;
// In units of the first scale: the price of an error's own part, and how it rises.
constexpr double kFirstPrice = 1.5;
constexpr double kPriceGrowth = 1.2;

// The proximal step of |x|^p / price: 0 near 0, else a little nearer to it.
float Shrink(float x, float inverse_price) {
  const float magnitude = std::fabs(x);
  const float root = std::sqrt(std::sqrt(magnitude));
  const float left = magnitude - inverse_price / root;  // p - 1 = -1/4
  return left > 0 ? std::copysign(left, x) : 0;
}

// Sums of a least-squares fit to the weights without their errors' own parts.
FitSums Split(const PackedForm& form, const WeightGroup& group, const GroupFit& fit, float unit,
              float inverse_price) {
  const Coder coder(form.bits, fit.scale, fit.shift);
  FitSums sums;
  for (int64_t i = 0; i < group.count; i += 4) {
    const FourFloats w = LoadFour(group.weights + i);
    const FourFloats q = coder(w);
    for (int lane = 0; lane < 4; ++lane) {
      if (group.present[i + lane] == 0) continue;
      const float error = (w[lane] - (q[lane] * fit.scale + fit.shift)) / unit;
      const double kept = w[lane] - unit * Shrink(error, inverse_price);
      const double code = q[lane];
      sums.n += 1;
      sums.q += code;
      sums.qq += code * code;
      sums.w += kept;
      sums.wq += kept * code;
    }
  }
  return sums;
}

}  // namespace

GroupFit FitHqq(const PackedForm& form, const WeightGroup& group) {
  GroupFit fit = FitRtn(form, group);
  if (fit.scale == 0) return fit;
  const float unit = std::fabs(fit.scale);
  GroupFit best = fit;
  double best_error = PowerError(form, group, fit);
  double price = kFirstPrice;
  for (int turn = 0; turn < kTurns; ++turn, price *= kPriceGrowth) {
    fit = LeastSquares(form, Split(form, group, fit, unit, static_cast<float>(1 / price)));
    const double error = PowerError(form, group, fit);
    if (!(error < best_error)) continue;
    best = fit;
    best_error = error;
  }
  best.error = Measure(form, group, best).error;
  return best;
}

}  // namespace ferry::llm
