#include "device-runtime/kernels/rowwise/rowwise.h"

#include "device-runtime/kernels/testing/testing.h"

namespace ferry::kernels {
namespace {

using testing::CheckEverywhere;
using testing::Numbers;
using testing::Output;

constexpr int64_t kCounts[] = {1, 2, 7, 8, 15, 16, 17, 33, 48, 64, 100, 192, 512, 1000};

TEST(RowwiseTest, RmsNorm) {
  Numbers numbers(81);
  for (int64_t count : kCounts) {
    SCOPED_TRACE(count);
    const float size = numbers.Pick({1e-4f, 1.0f, 300.0f});
    const std::vector<float> x = numbers.Reals(count, -size, size);
    const std::vector<float> weight = numbers.Reals(count, 0.1f, 3.0f);
    const float eps = 1e-6f;
    double squares = 0;
    for (float v : x) squares += static_cast<double>(v) * static_cast<double>(v);
    const double norm = std::sqrt(squares / static_cast<double>(count) + static_cast<double>(eps));
    std::vector<double> expected;
    for (size_t i = 0; i < x.size(); ++i) {
      expected.push_back(static_cast<double>(x[i]) / norm * static_cast<double>(weight[i]));
    }
    ASSERT_NO_FATAL_FAILURE(
        CheckEverywhere(expected, 1e-6, [&](const KernelTable& table, sys::Parallel&) {
          Output out(count);
          RmsNorm(table, x.data(), weight.data(), eps, count, out.data());
          std::vector<float> same = x;
          RmsNorm(table, same.data(), weight.data(), eps, count, same.data());
          std::vector<float> apart = out.Take();
          testing::ExpectSameBits(same, apart);
          return apart;
        }));
  }
}

TEST(RowwiseTest, RmsNormOfZerosIsZero) {
  const std::vector<float> weight(20, 2.0f);
  for (Isa isa : RunningIsas()) {
    std::vector<float> x(20, 0.0f);
    RmsNorm(TableOf(isa), x.data(), weight.data(), 1e-6f, 20, x.data());
    EXPECT_EQ(x, std::vector<float>(20, 0.0f)) << IsaName(isa);
  }
}

TEST(RowwiseTest, RotateHalves) {
  Numbers numbers(82);
  for (int64_t half : {1, 3, 8, 16, 20, 24, 32, 64}) {
    SCOPED_TRACE(half);
    const std::vector<float> x = numbers.Reals(2 * half, -4.0f, 4.0f);
    std::vector<float> cos;
    std::vector<float> sin;
    for (int64_t i = 0; i < half; ++i) {
      const float angle = numbers.Real(-3.2f, 3.2f);
      cos.push_back(std::cos(angle));
      sin.push_back(std::sin(angle));
    }
    std::vector<double> expected(x.size());
    for (size_t i = 0; i < cos.size(); ++i) {
      const double a = static_cast<double>(x[i]);
      const double b = static_cast<double>(x[i + cos.size()]);
      const double c = static_cast<double>(cos[i]);
      const double s = static_cast<double>(sin[i]);
      expected[i] = a * c - b * s;
      expected[i + cos.size()] = b * c + a * s;
    }
    ASSERT_NO_FATAL_FAILURE(
        CheckEverywhere(expected, 1e-6, [&](const KernelTable& table, sys::Parallel&) {
          Output out(2 * half);
          std::copy(x.begin(), x.end(), out.data());
          RotateHalves(table, cos.data(), sin.data(), 2 * half, out.data());
          return out.Take();
        }));
  }
}

TEST(RowwiseTest, SiluTimes) {
  Numbers numbers(83);
  for (int64_t count : kCounts) {
    SCOPED_TRACE(count);
    const float size = numbers.Pick({1.0f, 20.0f, 200.0f});
    const std::vector<float> gate = numbers.Reals(count, -size, size);
    const std::vector<float> up = numbers.Reals(count, -2.0f, 2.0f);
    std::vector<double> expected;
    for (size_t i = 0; i < gate.size(); ++i) {
      const double g = static_cast<double>(gate[i]);
      expected.push_back(g / (1 + std::exp(-g)) * static_cast<double>(up[i]));
    }
    ASSERT_NO_FATAL_FAILURE(
        CheckEverywhere(expected, 1e-6, [&](const KernelTable& table, sys::Parallel&) {
          Output out(count);
          SiluTimes(table, gate.data(), up.data(), count, out.data());
          std::vector<float> onto_gate = gate;
          SiluTimes(table, onto_gate.data(), up.data(), count, onto_gate.data());
          std::vector<float> onto_up = up;
          SiluTimes(table, gate.data(), onto_up.data(), count, onto_up.data());
          std::vector<float> apart = out.Take();
          testing::ExpectSameBits(onto_gate, apart);
          testing::ExpectSameBits(onto_up, apart);
          return apart;
        }));
  }
}

}  // namespace
}  // namespace ferry::kernels
