#include "device-runtime/llm/load/finite.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <vector>

namespace ferry::llm {
namespace {

using kernels::WeightType;

TEST(Finite, EveryPlaceAndEveryBitPattern) {
  const float bad[] = {
      std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity(),
      std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::signaling_NaN()};
  for (size_t length = 1; length < 20; ++length) {
    std::vector<float> numbers(length, -std::numeric_limits<float>::max());
    const auto count = static_cast<int64_t>(length);
    ASSERT_EQ(FirstNonFinite(WeightType::kF32, numbers.data(), count), -1);
    for (size_t at = 0; at < length; ++at) {
      for (float value : bad) {
        auto spoilt = numbers;
        spoilt[at] = value;
        spoilt[length - 1] = value;
        ASSERT_EQ(FirstNonFinite(WeightType::kF32, spoilt.data(), count), static_cast<int64_t>(at));
      }
    }
  }
}

TEST(Finite, EveryBFloat16) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    std::vector<uint16_t> numbers(7, 0xff7f);  // the lowest finite number
    numbers[5] = static_cast<uint16_t>(bits);
    numbers[2] = static_cast<uint16_t>(bits);
    const bool finite = (bits & 0x7f80) != 0x7f80;
    ASSERT_EQ(FirstNonFinite(WeightType::kBF16, numbers.data(), 7), finite ? -1 : 2) << bits;
  }
}

}  // namespace
}  // namespace ferry::llm
