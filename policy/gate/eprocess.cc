#include "policy/gate/eprocess.h"

#include <algorithm>
#include <cmath>

namespace ferry::gate {
namespace {

constexpr double kLog2 = 0.6931471805599453;

double LogChoose(double n, double k) {
  return std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1);
}

// log P(X <= k), X binomial (n, p). Terms are added from the largest on, both ways, until they no
// longer count; 1e-17 is below the precision of a double.
double LogBinomialAtMost(int64_t n, int64_t k, double p) {
  constexpr double kNegligible = 1e-17;
  if (k >= n) return 0;
  const double odds = p / (1 - p);
  const auto mode = static_cast<int64_t>(std::floor(static_cast<double>(n + 1) * p));
  const int64_t top = std::clamp(mode, int64_t{0}, k);
  const double log_top = LogChoose(static_cast<double>(n), static_cast<double>(top)) +
                         static_cast<double>(top) * std::log(p) +
                         static_cast<double>(n - top) * std::log1p(-p);
  double sum = 1;
  double term = 1;
  for (int64_t j = top; j > 0 && term > kNegligible * sum; --j) {
    term *= static_cast<double>(j) / (static_cast<double>(n - j + 1) * odds);
    sum += term;
  }
  term = 1;
  for (int64_t j = top; j < k && term > kNegligible * sum; ++j) {
    term *= static_cast<double>(n - j) * odds / static_cast<double>(j + 1);
    sum += term;
  }
  return std::min(0.0, log_top + std::log(sum));
}

// log of (e^a + e^b) / 2, also where these are not finite.
double LogMean(double a, double b) {
  return std::max(a, b) + std::log1p(std::exp(-std::abs(a - b))) - kLog2;
}

// The average over p of density b (1-p)^(b-1) / (1-p0)^b on [p0, 1].
double LogBetaEValue(int64_t failed, int64_t healthy, double p0, int64_t b) {
  const auto k = static_cast<double>(failed);
  const auto m = static_cast<double>(healthy);
  const auto power = static_cast<double>(b);
  // Integral over [p0, 1] of p^k (1-p)^(m+b-1) = B(k+1, m+b) * P(Beta(k+1, m+b) > p0), and that
  // probability is P(Binomial(k+m+b, p0) <= k).
  const double log_beta =
      std::lgamma(k + 1) + std::lgamma(m + power) - std::lgamma(k + m + power + 1);
  const double log_tail = LogBinomialAtMost(failed + healthy + b, failed, p0);
  const double log_density = std::log(power) - power * std::log1p(-p0);
  return log_density + log_beta + log_tail - k * std::log(p0) - m * std::log1p(-p0);
}

}  // namespace

double LogEValue(int64_t failed, int64_t healthy, double p0) {
  return LogBetaEValue(failed, healthy, p0, 1);
}

double LogBroadEValue(int64_t failed, int64_t healthy, double p0) {
  constexpr double kTimes = 4;  // where the mean of the second half lies, in p0
  const auto b = std::max<int64_t>(1, std::llround(1 / (kTimes * p0)));
  return LogMean(LogEValue(failed, healthy, p0), LogBetaEValue(failed, healthy, p0, b));
}

bool EvidenceStops(int64_t failed, int64_t healthy, double p0, double alpha) {
  return LogEValue(failed, healthy, p0) >= -std::log(alpha);
}

double LogCohortEValue(const TwoCohorts& counts, double control_share) {
  const double of_bad = LogEValue(counts.bad, counts.control_bad, 1 - control_share);
  const double of_good = LogEValue(counts.control_good, counts.good, control_share);
  return of_bad + LogMean(0, of_good);
}

}  // namespace ferry::gate
