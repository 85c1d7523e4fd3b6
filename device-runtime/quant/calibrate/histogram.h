// How often an activation has which value: bins over a range that grows by doubling, so that one
// pass over the data is enough.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace ferry::quant {

class Histogram {
 public:
  static constexpr int kBins = 8192;  // over [-reach, reach); even, so that zero is an edge

  // Adds values; false, and nothing more is added, when one is not finite.
  bool Add(std::span<const float> values);

  int64_t count() const { return count_; }  // of all values
  int64_t zeros() const { return zeros_; }  // of values that are exactly zero: in no bin
  // Of all values, zeros too; 0 and 0 while there are none.
  double low() const { return low_; }
  double high() const { return high_; }
  double reach() const { return reach_; }
  double width() const { return 2 * reach_ / kBins; }
  // Empty until the first value that is not zero.
  std::span<const int64_t> bins() const { return bins_; }
  // The middle of a bin.
  double Middle(int bin) const { return (bin + 0.5) * width() - reach_; }

 private:
  void Grow(double magnitude);

  std::vector<int64_t> bins_;
  double reach_ = 0;
  double low_ = 0, high_ = 0;
  int64_t count_ = 0, zeros_ = 0;
};

}  // namespace ferry::quant
