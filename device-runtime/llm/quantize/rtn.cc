// Round to nearest, with a search of the scale.
#include <algorithm>
#include <cmath>

#include "device-runtime/llm/quantize/fit.h"

namespace ferry::llm {
namespace {

using kernels::PackedForm;
using kernels::PackedShift;

// How many codes more than there are the largest weight would need: what is beyond saturates, what
// is within gets finer steps.
constexpr double kFirstExtra = -1;
constexpr double kLastExtra = 2.5;
constexpr double kExtraStep = 0.5;
// Fits to the codes of the best scale, and codes of that fit again.
constexpr int kRefinements = 3;

struct Best {
  GroupFit fit;
  FitSums sums;
  bool found = false;

  void Try(const PackedForm& form, const WeightGroup& group, const GroupFit& candidate) {
    const FitSums candidate_sums = Measure(form, group, candidate);
    if (found && !(candidate_sums.error < sums.error)) return;
    fit = candidate;
    fit.error = candidate_sums.error;
    sums = candidate_sums;
    found = true;
  }
};

}  // namespace

GroupFit FitRtn(const PackedForm& form, const WeightGroup& group) {
  auto [low, high] = RangeOf(group);
  if (form.shift == PackedShift::kZero) {  // the zero point is one of the codes, or between two
    low = std::min(low, 0.0f);
    high = std::max(high, 0.0f);
  }
  const double half = 1 << (form.bits - 1);
  Best best;
  best.Try(form, group, Representable(form, 0, (low + high) / 2));
  for (double extra = kFirstExtra; extra <= kLastExtra; extra += kExtraStep) {
    if (form.shift == PackedShift::kNone) {
      // There is one code more below zero than above: the largest weight gets it.
      const double largest = -low > high ? low : high;
      best.Try(form, group, Representable(form, -largest / (half + extra), 0));
    } else {
      const double scale = (high - low) / (2 * half - 1 + extra);
      best.Try(form, group, Representable(form, scale, (low + high) / 2 + scale / 2));
    }
  }
  for (int i = 0; i < kRefinements; ++i) {
    const double before = best.sums.error;
    best.Try(form, group, LeastSquares(form, best.sums));
    if (!(best.sums.error < before)) break;
  }
  return best.fit;
}

}  // namespace ferry::llm
