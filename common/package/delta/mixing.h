// Probabilities of bits: adaptive counters whose opinions are weighed. Integers only, so that every
// machine comes to the same. Source: M. Mahoney, "Adaptive Weighing of Context Models for Lossless
// Data Compression", 2005 (logistic mixing). Private to common/package.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace ferry::package::delta {

// ln(p / (1 - p)) in 256ths, and back. Probabilities are 16-bit.
inline constexpr int kMaxStretch = 3071;
int Stretch(uint32_t probability);
uint32_t Squash(int stretched);

// How often a bit was set in one context: 22 bits of probability over 10 of a count.
using Counter = uint32_t;
inline constexpr Counter kFreshCounter = Counter{1} << 31;

// A bit's probability as several counters see it. One thread at a time.
class Mixer {
 public:
  static constexpr unsigned kInputs = 8;  // at most, with the constant one
  explicit Mixer(unsigned sets) : weights_(sets * kInputs, kWeight) {}

  // `counters` stay where they are until Learn. Returns 1 to 65535.
  uint32_t Predict(unsigned set, Counter* const* counters, unsigned count);
  void Learn(uint32_t bit);

 private:
  static constexpr int32_t kWeight = 22000;  // 65536 is 1
  std::vector<int32_t> weights_;
  std::array<Counter*, kInputs> counters_{};
  std::array<int, kInputs> inputs_{};
  unsigned count_ = 0;
  int32_t* set_ = nullptr;
  uint32_t probability_ = 0;
};

}  // namespace ferry::package::delta
