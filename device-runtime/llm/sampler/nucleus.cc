#include "device-runtime/llm/sampler/nucleus.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ferry::llm {

namespace {

// Bins of the distance to the largest, in units of the temperature: never a larger x in a later
// bin. The last one holds all the rest.
constexpr int kBinsPerUnit = 32;
constexpr int kBins = kBinsPerUnit * 32;

struct Row {
  std::span<const float> x;
  float largest, temperature;

  bool Before(int32_t a, int32_t b) const {
    const float xa = x[static_cast<size_t>(a)], xb = x[static_cast<size_t>(b)];
    return xa != xb ? xa > xb : a < b;
  }
};

void BinsOf(const Row& row, std::vector<uint16_t>* bins) {
  const float scale = kBinsPerUnit / std::max(row.temperature, 1e-30f);  // finite
  bins->resize(row.x.size());
  for (size_t i = 0; i < row.x.size(); ++i) {
    const float bin = (row.largest - row.x[i]) * scale;
    (*bins)[i] = static_cast<uint16_t>(bin < kBins - 1 ? static_cast<int>(bin) : kBins - 1);
  }
}

void MassesOf(const RowKernels& kernels, const Row& row, std::vector<float>* masses) {
  const size_t whole = row.x.size() / kGroupTokens * kGroupTokens;
  masses->resize(whole + kGroupTokens);
  kernels.masses(row.x.data(), row.largest, row.temperature,
                 static_cast<int64_t>(whole / kGroupTokens), masses->data());
  float rest[kGroupTokens];
  std::fill_n(rest, kGroupTokens, std::numeric_limits<float>::quiet_NaN());
  std::copy(row.x.begin() + static_cast<ptrdiff_t>(whole), row.x.end(), rest);
  kernels.masses(rest, row.largest, row.temperature, 1, masses->data() + whole);
}

}  // namespace

void Nucleus::Choose(std::span<const float> x, float temperature, float p,
                     std::vector<int32_t>* chosen) {
  Row row{x, -std::numeric_limits<float>::infinity(), temperature};
  for (float value : x) row.largest = value > row.largest ? value : row.largest;
  MassesOf(kernels_, row, &masses_);
  BinsOf(row, &bin_of_);
  bins_.assign(kBins, 0);
  for (size_t i = 0; i < x.size(); ++i) bins_[bin_of_[i]] += masses_[i];
  double total = 0;
  for (double mass : bins_) total += mass;
  const double wanted = static_cast<double>(p) * total;
  // The bin in which the mass crosses p; all before it is in.
  int crossing = 0;
  double mass = 0;
  while (crossing < kBins - 1 && mass + bins_[static_cast<size_t>(crossing)] < wanted) {
    mass += bins_[static_cast<size_t>(crossing++)];
  }
  border_.clear();
  chosen->clear();
  for (size_t i = 0; i < x.size(); ++i) {
    if (bin_of_[i] > crossing || std::isnan(x[i])) continue;
    (bin_of_[i] < crossing ? *chosen : border_).push_back(static_cast<int32_t>(i));
  }
  std::sort(border_.begin(), border_.end(), [&](int32_t a, int32_t b) { return row.Before(a, b); });
  size_t in = 0;
  while (in < border_.size() && mass < wanted) mass += masses_[static_cast<size_t>(border_[in++])];
  std::sort(border_.begin(), border_.begin() + static_cast<ptrdiff_t>(in));
  const auto before = static_cast<ptrdiff_t>(chosen->size());
  chosen->insert(chosen->end(), border_.begin(), border_.begin() + static_cast<ptrdiff_t>(in));
  std::inplace_merge(chosen->begin(), chosen->begin() + before, chosen->end());
}

}  // namespace ferry::llm
