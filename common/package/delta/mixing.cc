#include "common/package/delta/mixing.h"

#include <algorithm>

namespace ferry::package::delta {
namespace {

constexpr int kStep = 128;  // between the entries of kLogistic
constexpr int kEntries = 2 * (kMaxStretch + 1) / kStep + 1;
// 65536 / (1 + e^-x) for x from -12 to 12 in steps of 1/2.
constexpr std::array<int, kEntries> kLogistic = {
    0,     1,     1,     2,     3,     5,     8,     13,    22,    36,    60,    98,    162,
    267,   438,   720,   1179,  1921,  3108,  4971,  7812,  11955, 17625, 24743, 32768, 40793,
    47911, 53581, 57724, 60565, 62428, 63615, 64357, 64816, 65098, 65269, 65374, 65438, 65476,
    65500, 65514, 65523, 65528, 65531, 65533, 65534, 65535, 65535, 65535};

// The counters learn as 1 / (times seen + 1.5), at the slowest as kSlowest.
constexpr uint32_t kSlowest = 400;
constexpr int kLearnShift = 20;
constexpr int64_t kLearnRate = 5;

struct Tables {
  std::array<int16_t, 4096> stretch;  // of the probability's upper 12 bits
  std::array<uint32_t, 1024> rate;    // 65536 / (n + 1.5)

  Tables() {
    int at = -kMaxStretch;
    for (int i = 0; i < 4096; ++i) {
      while (at < kMaxStretch && static_cast<int>(Squash(at)) < i * 16 + 8) ++at;
      stretch[static_cast<size_t>(i)] = static_cast<int16_t>(at);
    }
    for (uint32_t n = 0; n < 1024; ++n) rate[n] = 131072 / (2 * n + 3);
  }
};

const Tables& MixingTables() {
  static const Tables tables;
  return tables;
}

}  // namespace

uint32_t Squash(int stretched) {
  const int at = std::clamp(stretched, -kMaxStretch, kMaxStretch) + kMaxStretch + 1;
  const auto entry = static_cast<size_t>(at / kStep);
  const int part = at % kStep;
  const int value = (kLogistic[entry] * (kStep - part) + kLogistic[entry + 1] * part) / kStep;
  return static_cast<uint32_t>(std::clamp(value, 1, 65535));
}

int Stretch(uint32_t probability) {
  return MixingTables().stretch[probability >> 4];
}

uint32_t Mixer::Predict(unsigned set, Counter* const* counters, unsigned count) {
  static const Tables& tables = MixingTables();
  count_ = count;
  set_ = &weights_[set * kInputs];
  int64_t sum = 0;
  for (unsigned i = 0; i < count; ++i) {
    counters_[i] = counters[i];
    inputs_[i] = tables.stretch[*counters[i] >> 20];
    sum += int64_t{inputs_[i]} * set_[i];
  }
  probability_ =
      Squash(static_cast<int>(std::clamp<int64_t>(sum >> 16, -kMaxStretch, kMaxStretch)));
  return probability_;
}

void Mixer::Learn(uint32_t bit) {
  static const Tables& tables = MixingTables();
  const int64_t error = (static_cast<int64_t>(bit) << 16) - probability_;
  for (unsigned i = 0; i < count_; ++i) {
    const int64_t step =
        (inputs_[i] * error * kLearnRate + (1 << (kLearnShift - 1))) >> kLearnShift;
    set_[i] = static_cast<int32_t>(std::clamp<int64_t>(set_[i] + step, -(1 << 20), 1 << 20));
    Counter& counter = *counters_[i];
    const uint32_t seen = counter & 1023, p = counter >> 10;
    const int64_t goal = bit != 0 ? (1 << 22) - 1 : 0;
    const auto moved = static_cast<uint32_t>(p + (((goal - int64_t{p}) * tables.rate[seen]) >> 16));
    counter = moved << 10 | (seen < kSlowest ? seen + 1 : seen);
  }
}

}  // namespace ferry::package::delta
