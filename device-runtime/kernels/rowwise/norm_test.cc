#include "device-runtime/kernels/rowwise/norm.h"

#include "device-runtime/kernels/testing/testing.h"

namespace ferry::kernels {
namespace {

using testing::CheckEverywhere;
using testing::Numbers;

TEST(NormTest, AgreesWithTheFormula) {
  Numbers numbers(95);
  for (int64_t size : {1, 2, 7, 8, 9, 15, 16, 17, 31, 33, 48, 64, 96, 100, 197, 768}) {
    for (bool centered : {false, true}) {
      SCOPED_TRACE(size);
      const int64_t rows = numbers.Whole(1, 5);
      const float far = numbers.Pick({0.0f, 5.0f});
      const float epsilon = numbers.Pick({1e-5f, 0.1f});
      const auto x = numbers.Reals(rows * size, far - 2.0f, far + 2.0f);
      const auto scale = numbers.Reals(numbers.Pick({0, 1}) * size, 0.5f, 2.0f);
      const auto bias = numbers.Reals(numbers.Pick({0, 1}) * size);
      std::vector<double> expected;
      for (int64_t row = 0; row < rows; ++row) {
        auto at = [&](int64_t i) {
          return static_cast<double>(x[static_cast<size_t>(row * size + i)]);
        };
        double mean = 0, squares = 0;
        for (int64_t i = 0; centered && i < size; ++i) mean += at(i) / static_cast<double>(size);
        for (int64_t i = 0; i < size; ++i) squares += (at(i) - mean) * (at(i) - mean);
        const double deviation =
            std::sqrt(squares / static_cast<double>(size) + static_cast<double>(epsilon));
        for (int64_t i = 0; i < size; ++i) {
          const auto k = static_cast<size_t>(i);
          double y = (at(i) - mean) / deviation;
          if (!scale.empty()) y *= static_cast<double>(scale[k]);
          if (!bias.empty()) y += static_cast<double>(bias[k]);
          expected.push_back(y);
        }
      }
      ASSERT_NO_FATAL_FAILURE(
          CheckEverywhere(expected, 5e-6, [&](const KernelTable& table, sys::Parallel& parallel) {
            testing::Output out(rows * size);
            const float* factor = scale.empty() ? nullptr : scale.data();
            const float* addend = bias.empty() ? nullptr : bias.data();
            Norm(table, parallel, rows, size, centered, epsilon, x.data(), factor, addend,
                 out.data());
            std::vector<float> same = x;
            Norm(table, parallel, rows, size, centered, epsilon, same.data(), factor, addend,
                 same.data());
            std::vector<float> apart = out.Take();
            testing::ExpectSameBits(same, apart);
            return apart;
          }));
    }
  }
}

TEST(NormTest, EmptyRows) {
  Norm(TableOf(Isa::kReference), sys::SerialParallel(), 3, 0, true, 1e-5f, nullptr, nullptr,
       nullptr, nullptr);
}

}  // namespace
}  // namespace ferry::kernels
