#include "policy/gate/eprocess.h"

#include <algorithm>
#include <cmath>

namespace ferry::gate {
namespace {

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

}  // namespace

double LogEValue(int64_t failed, int64_t healthy, double p0) {
  const auto k = static_cast<double>(failed);
  const auto m = static_cast<double>(healthy);
  // Integral over [p0, 1] of p^k (1-p)^m = B(k+1, m+1) * P(Beta(k+1, m+1) > p0), and that
  // probability is P(Binomial(k+m+1, p0) <= k).
  const double log_beta = std::lgamma(k + 1) + std::lgamma(m + 1) - std::lgamma(k + m + 2);
  const double log_tail = LogBinomialAtMost(failed + healthy + 1, failed, p0);
  return log_beta + log_tail - std::log1p(-p0) - k * std::log(p0) - m * std::log1p(-p0);
}

bool EvidenceStops(int64_t failed, int64_t healthy, double p0, double alpha) {
  return LogEValue(failed, healthy, p0) >= -std::log(alpha);
}

}  // namespace ferry::gate
