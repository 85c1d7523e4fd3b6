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

  int Bin(size_t i) const {
    const float gap = (largest - x[i]) / temperature * kBinsPerUnit;
    return gap < kBins - 1 ? static_cast<int>(gap) : kBins - 1;
  }
  bool Before(int32_t a, int32_t b) const {
    const float xa = x[static_cast<size_t>(a)], xb = x[static_cast<size_t>(b)];
    return xa != xb ? xa > xb : a < b;
  }
};

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
  bins_.assign(kBins, 0);
  for (size_t i = 0; i < x.size(); ++i) bins_[static_cast<size_t>(row.Bin(i))] += masses_[i];
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
  for (size_t i = 0; i < x.size(); ++i) {
    if (row.Bin(i) == crossing && !std::isnan(x[i])) border_.push_back(static_cast<int32_t>(i));
  }
  std::sort(border_.begin(), border_.end(), [&](int32_t a, int32_t b) { return row.Before(a, b); });
  int32_t last = border_.back();
  for (int32_t index : border_) {
    mass += masses_[static_cast<size_t>(index)];
    if (mass < wanted) continue;
    last = index;
    break;
  }
  chosen->clear();
  for (size_t i = 0; i < x.size(); ++i) {
    if (std::isnan(x[i])) continue;
    const auto index = static_cast<int32_t>(i);
    const int bin = row.Bin(i);
    if (bin < crossing || (bin == crossing && !row.Before(last, index))) chosen->push_back(index);
  }
}

}  // namespace ferry::llm
