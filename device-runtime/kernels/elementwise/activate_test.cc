#include "device-runtime/kernels/elementwise/activate.h"

#include "device-runtime/kernels/testing/testing.h"

namespace ferry::kernels {
namespace {

using testing::Numbers;
using testing::Output;

struct Row {
  Activation activation;
  const char* name;
  double error;
};
constexpr Row kRows[] = {
#define FERRY_ACTIVATION(name, error) {Activation::k##name, #name, error},
#include "device-runtime/kernels/elementwise/activations.inc"
#undef FERRY_ACTIVATION
};

Epilogue Of(Activation activation) {
  return {.activation = activation, .low = 0.17f, .high = 0.55f};
}

double Exact(const Epilogue& e, double x) {
  const double low = static_cast<double>(e.low), high = static_cast<double>(e.high);
  switch (e.activation) {
    case Activation::kNone:
      return x;
    case Activation::kClip:
      return std::min(high, std::max(low, x));
    case Activation::kGelu:
      return x * 0.5 * (1 + std::erf(x / std::sqrt(2.0)));
    case Activation::kHardSigmoid:
      return std::max(0.0, std::min(1.0, low * x + high));
    case Activation::kHardSwish:
      return x * std::max(0.0, std::min(1.0, x / 6 + 0.5));
    case Activation::kLeakyRelu:
      return x < 0 ? low * x : x;
    case Activation::kSigmoid:
      return 1 / (1 + std::exp(-x));
    case Activation::kSilu:
      return x / (1 + std::exp(-x));
    case Activation::kTanh:
      return std::tanh(x);
  }
  return 0;
}

// Dense in the bits, from the smallest normal number to past every threshold.
std::vector<float> Samples(Numbers& numbers) {
  std::vector<float> x = numbers.Reals(3000, -12.0f, 12.0f);
  for (int i = 0; i < 3000; ++i)
    x.push_back(std::ldexp(numbers.Real(-2.0f, 2.0f), static_cast<int>(numbers.Whole(-30, 7))));
  for (float v : {0.0f, 0.5f, -0.5f, 2.5f, -2.5f, 3.0f, -3.0f, 80.0f, -80.0f, 200.0f, -200.0f})
    x.push_back(v);
  return x;
}

TEST(ActivateTest, StaysWithinTheErrorOfTheList) {
  Numbers numbers(21);
  for (const Row& row : kRows) {
    const std::vector<float> x = Samples(numbers);
    const Epilogue epilogue = Of(row.activation);
    for (Isa isa : RunningIsas()) {
      std::vector<float> y = x;
      Activate(TableOf(isa), epilogue, static_cast<int64_t>(y.size()), y.data());
      double worst = 0;
      float at = 0;
      for (size_t i = 0; i < x.size(); ++i) {
        const double want = Exact(epilogue, static_cast<double>(x[i]));
        const double error =
            std::fabs(static_cast<double>(y[i]) - want) / std::max(1.0, std::fabs(want));
        if (!(error <= worst)) {
          worst = error;
          at = x[i];
        }
      }
      EXPECT_LE(worst, row.error) << row.name << " " << IsaName(isa) << " at " << at;
    }
  }
}

TEST(ActivateTest, EveryLengthAndNothingBehind) {
  Numbers numbers(22);
  for (int64_t count = 0; count < 70; ++count) {
    const std::vector<float> x = numbers.Reals(count, -4.0f, 4.0f);
    const Epilogue epilogue = Of(Activation::kSigmoid);
    std::vector<double> want;
    for (float v : x) want.push_back(Exact(epilogue, static_cast<double>(v)));
    for (Isa isa : RunningIsas()) {
      SCOPED_TRACE(IsaName(isa));
      Output y(count);
      std::copy(x.begin(), x.end(), y.data());
      Activate(TableOf(isa), epilogue, count, y.data());
      ASSERT_NO_FATAL_FAILURE(testing::ExpectClose(y.Take(), want, 1e-6));
    }
  }
}

TEST(ActivateTest, EdgesAndNotANumber) {
  const float infinity = std::numeric_limits<float>::infinity();
  for (Isa isa : RunningIsas()) {
    for (const Row& row : kRows) {
      float x[] = {std::numeric_limits<float>::quiet_NaN(), 1.0f};
      Activate(TableOf(isa), Of(row.activation), 2, x);
      EXPECT_TRUE(std::isnan(x[0]) && !std::isnan(x[1])) << row.name << " " << IsaName(isa);
    }
    float sigmoid[] = {infinity, -infinity, 200.0f, -200.0f};
    Activate(TableOf(isa), Of(Activation::kSigmoid), 4, sigmoid);
    EXPECT_EQ(sigmoid[0], 1.0f);
    EXPECT_EQ(sigmoid[1], 0.0f);
    EXPECT_EQ(sigmoid[2], 1.0f);
    EXPECT_EQ(sigmoid[3], 0.0f) << IsaName(isa);
    float same[] = {-infinity, 7.0f};
    Activate(TableOf(isa), Of(Activation::kNone), 2, same);
    EXPECT_EQ(same[0], -infinity);
    EXPECT_EQ(same[1], 7.0f);
  }
}

}  // namespace
}  // namespace ferry::kernels
