#include "device-runtime/quant/calibrate/histogram.h"

#include <algorithm>
#include <cmath>

namespace ferry::quant {

// Doubles the reach until `magnitude` is inside: pairs of bins, counted from zero, become one.
void Histogram::Grow(double magnitude) {
  if (bins_.empty()) {
    bins_.assign(kBins, 0);
    reach_ = std::max(magnitude, 1e-30) * 1.001;
    return;
  }
  while (magnitude >= reach_) {
    std::vector<int64_t> wider(kBins, 0);
    for (int i = 0; i < kBins; ++i) {
      wider[static_cast<size_t>(kBins / 4 + i / 2)] += bins_[static_cast<size_t>(i)];
    }
    bins_ = std::move(wider);
    reach_ *= 2;
  }
}

bool Histogram::Add(std::span<const float> values) {
  float low = 0, high = 0;
  bool is_finite = true;
  if (count_ == 0 && !values.empty()) low = high = values[0];
  for (float x : values) {
    is_finite = is_finite && std::isfinite(x);
    low = std::min(low, x);
    high = std::max(high, x);
  }
  if (!is_finite) return false;
  if (values.empty()) return true;
  low_ = count_ == 0 ? low : std::min<double>(low_, low);
  high_ = count_ == 0 ? high : std::max<double>(high_, high);
  count_ += static_cast<int64_t>(values.size());
  const double magnitude = std::max(std::fabs(low), std::fabs(high));
  if (magnitude > 0 && (bins_.empty() || magnitude >= reach_)) Grow(magnitude);
  const double per_value = kBins / (2 * std::max(reach_, 1e-38));
  for (float x : values) {
    if (x == 0) {
      ++zeros_;
      continue;
    }
    const auto bin = static_cast<int>((x + reach_) * per_value);
    ++bins_[static_cast<size_t>(std::clamp(bin, 0, kBins - 1))];
  }
  return true;
}

}  // namespace ferry::quant
