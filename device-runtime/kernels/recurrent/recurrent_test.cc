#include "device-runtime/kernels/recurrent/recurrent.h"

#include "device-runtime/kernels/testing/testing.h"

namespace ferry::kernels {
namespace {

using testing::CheckEverywhere;
using testing::Numbers;

double Sigmoid(double x) {
  return 1 / (1 + std::exp(-x));
}

// An LSTM in double, one number at a time.
std::vector<double> PlainLstm(const RecurrentShape& s, const std::vector<float>& x,
                              const std::vector<float>& r, const std::vector<int32_t>& lengths) {
  std::vector<double> all(static_cast<size_t>(s.steps * s.batch * s.hidden));
  for (int64_t n = 0; n < s.batch; ++n) {
    std::vector<double> h(static_cast<size_t>(s.hidden)), c(h);
    for (int64_t i = 0; i < lengths[n]; ++i) {
      const int64_t t = s.reverse ? lengths[n] - 1 - i : i;
      std::vector<double> gates(static_cast<size_t>(4 * s.hidden));
      for (int64_t row = 0; row < 4 * s.hidden; ++row) {
        gates[row] = static_cast<double>(x[(t * s.batch + n) * 4 * s.hidden + row]);
        for (int64_t k = 0; k < s.hidden; ++k) {
          gates[row] += static_cast<double>(r[row * s.hidden + k]) * h[k];
        }
      }
      for (int64_t k = 0; k < s.hidden; ++k) {
        const double in = Sigmoid(gates[k]), forget = Sigmoid(gates[2 * s.hidden + k]);
        c[k] = forget * c[k] + in * std::tanh(gates[3 * s.hidden + k]);
        h[k] = Sigmoid(gates[s.hidden + k]) * std::tanh(c[k]);
        all[(t * s.batch + n) * s.hidden + k] = h[k];
      }
    }
  }
  return all;
}

TEST(RecurrentTest, LongShortTermMemory) {
  Numbers numbers(97);
  for (int round = 0; round < 20; ++round) {
    RecurrentShape s;
    s.steps = numbers.Whole(1, 7);
    s.batch = numbers.Whole(1, 4);
    s.hidden = numbers.Whole(1, 40);
    if (round % 5 == 4) {  // enough for threads to share a step's product
      s.batch = 4;
      s.hidden = numbers.Whole(130, 150);
    }
    s.reverse = round % 2 == 1;
    s.activations[0].function = CellFunction::kSigmoid;
    const std::vector<float> x = numbers.Reals(s.steps * s.batch * 4 * s.hidden);
    const std::vector<float> r = numbers.Reals(4 * s.hidden * s.hidden, -0.3f, 0.3f);
    std::vector<int32_t> lengths;
    for (int64_t n = 0; n < s.batch; ++n) {
      lengths.push_back(static_cast<int32_t>(numbers.Whole(0, s.steps)));
    }
    CheckEverywhere(
        PlainLstm(s, x, r, lengths), 2e-6, [&](const KernelTable& table, auto& parallel) {
          std::vector<float> packed(PackedRecurrentSize(table, s));
          PackRecurrent(table, s, r.data(), packed.data());
          std::vector<float> room(RecurrentWorkspaceSize(s));
          testing::Output all(s.steps * s.batch * s.hidden);
          std::vector<float> h(static_cast<size_t>(s.batch * s.hidden)), c(h);
          const RecurrentInputs in = {x.data(), packed.data(), nullptr, lengths.data(),
                                      nullptr,  nullptr,       nullptr};
          EXPECT_TRUE(
              Recurrent(table, parallel, s, in, {all.data(), h.data(), c.data()}, room.data()));
          return all.Take();
        });
  }
}

TEST(RecurrentTest, RefusesLengthsOutside) {
  RecurrentShape s;
  s.steps = 2;
  s.batch = 1;
  for (int32_t length : {-1, 3}) {
    const RecurrentInputs in = {nullptr, nullptr, nullptr, &length, nullptr, nullptr, nullptr};
    EXPECT_FALSE(Recurrent(TableOf(RunningIsas().back()), sys::SerialParallel(), s, in,
                           {nullptr, nullptr, nullptr}, nullptr));
  }
}

}  // namespace
}  // namespace ferry::kernels
