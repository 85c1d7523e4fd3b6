#include "device-runtime/quant/calibrate/calibrate.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace ferry::quant {
namespace {

constexpr int kKlBins = 2048;   // over the magnitudes
constexpr int kMseSteps = 100;  // of a range, at each end

Range MinMax(const Histogram& h) {
  return {std::min(h.low(), 0.0), std::max(h.high(), 0.0)};
}

Range Percentile(const Histogram& h, double percentile) {
  const Range all = MinMax(h);
  const double spare = static_cast<double>(h.count()) * (1 - percentile / 100);
  const auto bins = h.bins();
  Range out = all;
  double seen = 0;
  for (int i = 0; i < Histogram::kBins / 2; ++i) {
    seen += static_cast<double>(bins[static_cast<size_t>(i)]);
    if (seen <= spare) continue;
    out.low = std::max(all.low, h.Middle(i) - h.width() / 2);
    break;
  }
  if (seen <= spare) out.low = 0;
  seen = 0;
  for (int i = Histogram::kBins - 1; i >= Histogram::kBins / 2; --i) {
    seen += static_cast<double>(bins[static_cast<size_t>(i)]);
    if (seen <= spare) continue;
    out.high = std::min(all.high, h.Middle(i) + h.width() / 2);
    break;
  }
  if (seen <= spare) out.high = 0;
  return out;
}

// The divergence of the first `kept` bins, with all that is above in the last of them, from the
// same bins in `levels` steps.
double Divergence(const std::vector<double>& bins, size_t kept, size_t levels, double outliers) {
  double divergence = 0, total = outliers, quantized_total = 0;
  for (size_t i = 0; i < kept; ++i) total += bins[i];
  std::vector<double> q(kept, 0.0);
  for (size_t level = 0; level < levels; ++level) {
    const size_t begin = level * kept / levels, end = (level + 1) * kept / levels;
    double sum = 0;
    size_t filled = 0;
    for (size_t i = begin; i < end; ++i) {
      sum += bins[i];
      filled += bins[i] > 0;
    }
    for (size_t i = begin; i < end; ++i) {
      if (bins[i] > 0) q[i] = sum / static_cast<double>(filled);
    }
    quantized_total += sum;
  }
  if (total <= 0 || quantized_total <= 0) return HUGE_VAL;
  for (size_t i = 0; i < kept; ++i) {
    const double p = (bins[i] + (i + 1 == kept ? outliers : 0)) / total;
    if (p <= 0) continue;
    // An empty last bin that takes the outliers: as if it held one value.
    const double share = (q[i] > 0 ? q[i] : 1.0) / quantized_total;
    divergence += p * std::log(p / share);
  }
  return divergence;
}

Range Kl(const Histogram& h) {
  const Range all = MinMax(h);
  const bool one_sided = all.low == 0 || all.high == 0;
  const double largest = std::max(-all.low, all.high);
  const size_t levels = one_sided ? 256 : 128;
  std::vector<double> bins(kKlBins, 0.0);
  for (int i = 0; i < Histogram::kBins; ++i) {
    const double at = std::fabs(h.Middle(i)) / largest * kKlBins;
    const auto bin = static_cast<size_t>(std::clamp<double>(at, 0, kKlBins - 1));
    bins[bin] += static_cast<double>(h.bins()[static_cast<size_t>(i)]);
  }
  double outliers = 0, least = HUGE_VAL;
  size_t best = kKlBins;
  for (size_t kept = kKlBins; kept >= levels; --kept) {
    const double divergence = Divergence(bins, kept, levels, outliers);
    if (divergence < least) {
      least = divergence;
      best = kept;
    }
    outliers += bins[kept - 1];
  }
  const double limit = largest * static_cast<double>(best) / kKlBins;
  return {std::max(all.low, -limit), std::min(all.high, limit)};
}

// Sums over bins, so that the error of a clip is found at once.
class Moments {
 public:
  explicit Moments(const Histogram& h) : h_(h), sums_(Histogram::kBins + 1) {
    for (int i = 0; i < Histogram::kBins; ++i) {
      const auto n = static_cast<double>(h.bins()[static_cast<size_t>(i)]);
      const double x = h.Middle(i);
      const Sums& before = sums_[static_cast<size_t>(i)];
      sums_[static_cast<size_t>(i) + 1] = {before.n + n, before.x + n * x, before.xx + n * x * x};
    }
  }
  // Sum of (x - limit)^2 of values below (above) the limit.
  double Below(double limit) const { return Squared(sums_[Bin(limit)], limit); }
  double Above(double limit) const {
    const Sums& to = sums_.back();
    const Sums& from = sums_[Bin(limit)];
    return Squared({to.n - from.n, to.x - from.x, to.xx - from.xx}, limit);
  }
  double CountInside(double low, double high) const {
    return sums_[Bin(high)].n - sums_[Bin(low)].n;
  }

 private:
  struct Sums {
    double n = 0, x = 0, xx = 0;
  };
  static double Squared(const Sums& s, double limit) {
    return std::max(0.0, s.xx - 2 * limit * s.x + limit * limit * s.n);
  }
  size_t Bin(double x) const {
    const double at = std::nearbyint((x + h_.reach()) / h_.width());
    return static_cast<size_t>(std::clamp<double>(at, 0, Histogram::kBins));
  }

  const Histogram& h_;
  std::vector<Sums> sums_;
};

Range Mse(const Histogram& h) {
  const Range all = MinMax(h);
  const Moments moments(h);
  Range best = all;
  double least = HUGE_VAL;
  for (int i = kMseSteps; i >= (all.low < 0 ? 1 : kMseSteps); --i) {
    for (int j = kMseSteps; j >= (all.high > 0 ? 1 : kMseSteps); --j) {
      const Range r{all.low * i / kMseSteps, all.high * j / kMseSteps};
      const double scale = (r.high - r.low) / 255;
      const double error = moments.Below(r.low) + moments.Above(r.high) +
                           moments.CountInside(r.low, r.high) * scale * scale / 12;
      if (error >= least) continue;
      least = error;
      best = r;
    }
  }
  return best;
}

}  // namespace

Range ChooseRange(const Histogram& histogram, Calibration how, double percentile) {
  if (histogram.bins().empty()) return {};  // zeros at most
  switch (how) {
    case Calibration::kPercentile:
      return Percentile(histogram, percentile);
    case Calibration::kKl:
      return Kl(histogram);
    case Calibration::kMse:
      return Mse(histogram);
    default:
      return MinMax(histogram);
  }
}

}  // namespace ferry::quant
