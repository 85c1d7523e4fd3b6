#include "policy/gate/alpha.h"

#include <algorithm>
#include <map>

namespace ferry::gate {
namespace {

// A fleet has few operating systems, classes and versions at a time: three kinds of slices, and
// three slices of each, get even shares, large enough that two of two failed devices of such a
// slice stop the release by the usual settings (evidence 2343). What comes after them shares what
// is left by 1/(k(k+1)), which sums to 1.
constexpr double kAllShare = 0.44;
constexpr size_t kEvenKinds = 3;
constexpr double kKindShare = 0.17;
constexpr double kOtherKindsShare = 0.05;
constexpr size_t kEvenSlices = 3;
constexpr double kSliceShare = 0.3;  // of its kind
constexpr double kOtherSlicesShare = 0.1;
static_assert(kAllShare + kEvenKinds * kKindShare + kOtherKindsShare < 1.0001);
static_assert(kEvenSlices * kSliceShare + kOtherSlicesShare < 1.0001);

// Most faults are there from the first device on.
constexpr double kWholeReleaseShare = 0.875;

// The k-th (from 0) term of a series that sums to 1.
double Tail(size_t k) {
  const auto n = static_cast<double>(k);
  return 1 / ((n + 1) * (n + 2));
}

double Spend(size_t k, size_t even, double even_share, double rest) {
  return k < even ? even_share : rest * Tail(k - even);
}

}  // namespace

std::vector<SliceShare> SliceShares(const Input& input) {
  std::map<std::string, int64_t> first;
  for (const StageCohort& cohort : input.stages)
    for (const SliceCounts& counts : cohort.slices) {
      auto [at, fresh] = first.emplace(counts.slice, counts.first_seen);
      if (!fresh) at->second = std::min(at->second, counts.first_seen);
    }
  first.erase(kAllSlice);
  std::vector<std::pair<int64_t, std::string>> order;
  for (const auto& [slice, seen] : first) order.emplace_back(seen, slice);
  std::sort(order.begin(), order.end());
  if (order.size() >= kMaxSlices) order.resize(kMaxSlices - 1);

  std::vector<SliceShare> out = {{kAllSlice, kAllShare}};
  std::map<std::string, std::pair<size_t, size_t>> kinds;  // kind -> its rank, slices so far
  for (const auto& [seen, slice] : order) {
    const std::string kind = slice.substr(0, slice.find('='));
    auto& [rank, count] = kinds.try_emplace(kind, kinds.size(), 0).first->second;
    out.push_back({slice, Spend(rank, kEvenKinds, kKindShare, kOtherKindsShare) *
                              Spend(count, kEvenSlices, kSliceShare, kOtherSlicesShare)});
    ++count;
  }
  return out;
}

double SequenceShare(size_t k) {
  return Spend(k, 1, kWholeReleaseShare, 1 - kWholeReleaseShare);
}

double FailureAlpha(const Settings& settings) {
  return settings.metrics.empty() ? settings.alpha : settings.alpha / 2;
}

double MetricAlpha(const Settings& settings) {
  return settings.alpha / 2 / static_cast<double>(std::max<size_t>(1, settings.metrics.size()));
}

}  // namespace ferry::gate
