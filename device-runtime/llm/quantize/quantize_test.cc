#include "device-runtime/llm/quantize/quantize.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "device-runtime/kernels/packed/pack.h"
#include "device-runtime/llm/testing/shared.h"

namespace ferry::llm {
namespace {

using kernels::PackedForm;
using kernels::PackedMatrix;
using kernels::PackedScale;
using kernels::PackedShift;

constexpr QuantizeMethod kAllMethods[] = {QuantizeMethod::kRtn, QuantizeMethod::kHqq};

struct Weights {
  int64_t rows = 0;
  int64_t columns = 0;
  std::vector<float> values;
};

// Like trained weights: a normal law, and a few that stand out.
Weights RandomWeights(uint32_t seed, int64_t rows, int64_t columns) {
  std::mt19937 engine(seed);
  std::normal_distribution<float> normal(0, 0.02f);
  Weights w = {rows, columns, {}};
  for (int64_t i = 0; i < rows * columns; ++i) {
    const float value = normal(engine);
    w.values.push_back(engine() % 100 == 0 ? 4 * value : value);
  }
  return w;
}

struct Packed {
  PackedMatrix matrix;
  std::vector<uint8_t> bytes;
  QuantizeReport report;
};

Result<Packed> Quantize(const Weights& w, QuantizeMethod method, const PackedForm& form,
                        sys::Parallel& parallel = sys::SerialParallel()) {
  Packed packed;
  packed.bytes.resize(static_cast<size_t>(kernels::PackedBytes(form, w.rows, w.columns)));
  const auto read = [&](int64_t row, int64_t count, float* out) {
    std::copy_n(w.values.begin() + row * w.columns, count * w.columns, out);
    return Status();
  };
  FERRY_ASSIGN_OR_RETURN(
      packed.report, QuantizeMatrix(parallel, method, form, w.rows, w.columns, read, packed.bytes));
  packed.matrix = {form, w.rows, w.columns, packed.bytes.data()};
  return packed;
}

struct Errors {
  double squared = 0;
  double power = 0;  // of |error|^0.75
};
Errors ErrorsOf(const Weights& w, const PackedMatrix& matrix) {
  Errors errors;
  std::vector<float> row(static_cast<size_t>(w.columns));
  for (int64_t r = 0; r < w.rows; ++r) {
    kernels::WidenRow(matrix, r, row.data());
    for (int64_t k = 0; k < w.columns; ++k) {
      const double error = static_cast<double>(row[static_cast<size_t>(k)]) -
                           static_cast<double>(w.values[static_cast<size_t>(r * w.columns + k)]);
      errors.squared += error * error;
      errors.power += std::pow(std::fabs(error), 0.75);
    }
  }
  return errors;
}

// One scale a group from its largest weight, as plain rounding has it.
double PlainSquaredError(const Weights& w, int bits, int group) {
  double total = 0;
  for (int64_t r = 0; r < w.rows; ++r) {
    for (int64_t begin = 0; begin < w.columns; begin += group) {
      const int64_t end = std::min<int64_t>(begin + group, w.columns);
      const float* row = w.values.data() + r * w.columns;
      double largest = 0;
      for (int64_t k = begin; k < end; ++k) largest = std::max(largest, std::fabs(double{row[k]}));
      const double scale = largest / ((1 << (bits - 1)) - 1);
      for (int64_t k = begin; k < end; ++k) {
        const double error = row[k] - scale * std::nearbyint(row[k] / scale);
        total += error * error;
      }
    }
  }
  return total;
}

TEST(QuantizeTest, TheReportIsTheErrorOfTheStoredBytes) {
  const Weights w = RandomWeights(1, 21, 150);
  double norm = 0;
  for (float value : w.values) norm += double{value} * double{value};
  for (QuantizeMethod method : kAllMethods) {
    for (int bits : {2, 3, 4, 8}) {
      for (int group : {0, 32, 128}) {
        for (PackedScale scale : {PackedScale::kF16, PackedScale::kBF16, PackedScale::kF32}) {
          for (PackedShift shift : {PackedShift::kNone, PackedShift::kZero, PackedShift::kNumber}) {
            const auto packed = Quantize(w, method, {bits, group, scale, shift});
            ASSERT_TRUE(packed.ok()) << packed.status().ToString();
            const double error = ErrorsOf(w, packed->matrix).squared;
            EXPECT_NEAR(packed->report.squared_error, error, 1e-4 * error);
            EXPECT_NEAR(packed->report.squared_norm, norm, 1e-9 * norm);
          }
        }
      }
    }
  }
}

TEST(QuantizeTest, TheSearchBeatsPlainRoundingAndHqqThePowerOfErrors) {
  const Weights w = RandomWeights(2, 64, 320);
  for (int bits : {2, 3, 4}) {
    double last = std::numeric_limits<double>::infinity();
    for (PackedShift shift : {PackedShift::kNone, PackedShift::kZero}) {
      const PackedForm form = {bits, 32, PackedScale::kF16, shift};
      const auto rtn = Quantize(w, QuantizeMethod::kRtn, form);
      const auto hqq = Quantize(w, QuantizeMethod::kHqq, form);
      ASSERT_TRUE(rtn.ok() && hqq.ok());
      const Errors of_rtn = ErrorsOf(w, rtn->matrix);
      const Errors of_hqq = ErrorsOf(w, hqq->matrix);
      EXPECT_LT(of_rtn.squared, 0.85 * PlainSquaredError(w, bits, 32)) << bits;
      EXPECT_LT(of_hqq.power, 0.995 * of_rtn.power) << bits;
      EXPECT_LT(of_rtn.squared, last) << "a zero point of its own must not make it worse";
      last = of_rtn.squared;
    }
  }
}

TEST(QuantizeTest, TheSameBytesWhateverTheThreads) {
  const Weights w = RandomWeights(3, 100, 96);
  const auto pool = sys::StartThreadPool(3);
  for (QuantizeMethod method : kAllMethods) {
    const PackedForm form = {3, 32, PackedScale::kBF16, PackedShift::kZero};
    const auto one = Quantize(w, method, form);
    const auto three = Quantize(w, method, form, *pool);
    ASSERT_TRUE(one.ok() && three.ok());
    EXPECT_EQ(one->bytes, three->bytes);
    EXPECT_EQ(one->report.squared_error, three->report.squared_error);
  }
}

// What a form holds comes back as it was.
TEST(QuantizeTest, StoredValuesAreKeptExactly) {
  std::mt19937 engine(4);
  for (QuantizeMethod method : kAllMethods) {
    for (int bits : {2, 3, 4, 8}) {
      for (PackedShift shift : {PackedShift::kNone, PackedShift::kZero}) {
        Weights w = {16, 64, {}};
        const int half = 1 << (bits - 1);
        for (int64_t i = 0; i < 16 * 64; ++i) {
          // Each group has the lowest and the highest code.
          const int code = i % 32 == 0   ? -half
                           : i % 32 == 1 ? half - 1
                                         : static_cast<int>(engine() % (2u * half)) - half;
          const int zero = shift == PackedShift::kZero ? half / 2 : 0;
          w.values.push_back(0.125f * static_cast<float>(code - zero));
        }
        const auto packed = Quantize(w, method, {bits, 32, PackedScale::kF16, shift});
        ASSERT_TRUE(packed.ok()) << packed.status().ToString();
        EXPECT_EQ(packed->report.squared_error, 0) << bits << " " << static_cast<int>(shift);
        EXPECT_EQ(ErrorsOf(w, packed->matrix).squared, 0);
      }
    }
  }
}

TEST(QuantizeTest, HostileWeights) {
  const PackedForm form = {4, 32, PackedScale::kF16, PackedShift::kZero};
  for (QuantizeMethod method : kAllMethods) {
    Weights w = RandomWeights(5, 40, 40);
    std::fill_n(w.values.begin(), 40, 0.0f);         // a row of zeros
    std::fill_n(w.values.begin() + 40, 40, 1e-40f);  // subnormal
    std::fill_n(w.values.begin() + 80, 40, 0.5f);    // one value
    const auto fine = Quantize(w, method, form);
    ASSERT_TRUE(fine.ok()) << fine.status().ToString();
    std::vector<float> row(40);
    kernels::WidenRow(fine->matrix, 0, row.data());
    EXPECT_EQ(row, std::vector<float>(40, 0.0f));
    kernels::WidenRow(fine->matrix, 2, row.data());
    for (float value : row) EXPECT_NEAR(value, 0.5f, 1e-3f);

    w.values[17 * 40 + 5] = std::numeric_limits<float>::quiet_NaN();
    w.values[33 * 40 + 5] = std::numeric_limits<float>::infinity();
    const auto nan = Quantize(w, method, form);
    EXPECT_EQ(nan.code(), Code::kBadModel);
    EXPECT_NE(nan.status().message().find("row 17, column 5"), std::string::npos)
        << nan.status().ToString();

    w = RandomWeights(6, 16, 32);
    w.values[40] = -65536.0f;
    const auto large = Quantize(w, method, form);
    EXPECT_EQ(large.code(), Code::kBadModel);
    EXPECT_NE(large.status().message().find("row 1, column 8"), std::string::npos);
    w.values[40] = -65504.0f;
    const auto largest = Quantize(w, method, {2, 32, PackedScale::kF16, PackedShift::kNone});
    ASSERT_TRUE(largest.ok());
    EXPECT_LT(largest->report.squared_error, 0.01 * largest->report.squared_norm);
  }
}

TEST(QuantizeTest, WrongRequestsAndFailingReaders) {
  std::vector<uint8_t> out(10);
  const auto read = [](int64_t, int64_t, float*) {
    return Status::Of(Code::kCorruptContent, "no such row");
  };
  const auto run = [&](const PackedForm& form, int64_t columns) {
    return QuantizeMatrix(sys::SerialParallel(), QuantizeMethod::kRtn, form, 16, columns, read, out)
        .code();
  };
  EXPECT_EQ(run({5, 32, PackedScale::kF16, PackedShift::kNone}, 32), Code::kInvalidArgument);
  EXPECT_EQ(run({4, 32, PackedScale::kF16, PackedShift::kNone}, 0), Code::kInvalidArgument);
  EXPECT_EQ(run({4, 32, PackedScale::kF16, PackedShift::kNone}, 32), Code::kInvalidArgument);
  out.resize(320);
  EXPECT_EQ(run({4, 32, PackedScale::kF16, PackedShift::kNone}, 32), Code::kCorruptContent);
}

TEST(QuantizeTest, MethodsHaveNames) {
  for (QuantizeMethod method : kAllMethods) {
    EXPECT_EQ(QuantizeMethodFromName(QuantizeMethodName(method)).value(), method);
  }
  const auto unknown = QuantizeMethodFromName("awk");
  EXPECT_EQ(unknown.code(), Code::kInvalidArgument);
  EXPECT_NE(unknown.status().message().find("awq, hqq, rtn"), std::string::npos);
}

// Trained weights: errors of both methods, printed; the bounds are a little above them.
TEST(QuantizeTest, TrainedWeights) {
  FERRY_NEEDS_SHARED("lm-pair");
  const testing::Golden file(testing::SharedPath("lm-pair/draft/model.safetensors"));
  struct Bound {
    int bits;
    double relative;  // squared error over squared norm, with a zero point, by rtn
  };
  for (const Bound& bound : {Bound{8, 3e-5}, Bound{4, 0.0056}, Bound{3, 0.024}, Bound{2, 0.11}}) {
    const PackedForm form = {bound.bits, 32, PackedScale::kF16, PackedShift::kZero};
    Errors rtn_sum, hqq_sum;
    double norm = 0;
    for (const char* name :
         {"model.layers.0.mlp.down_proj.weight", "model.layers.1.self_attn.q_proj.weight",
          "model.layers.3.mlp.gate_proj.weight"}) {
      const auto stored = file.Get<uint16_t>(name);
      const auto* tensor = file.Find(name);
      ASSERT_NE(tensor, nullptr);
      Weights w = {tensor->shape[0], tensor->shape[1], {}};
      for (uint16_t bits : stored) {
        const uint32_t wide = uint32_t{bits} << 16;
        float value;
        std::memcpy(&value, &wide, sizeof value);
        w.values.push_back(value);
      }
      const auto rtn = Quantize(w, QuantizeMethod::kRtn, form);
      const auto hqq = Quantize(w, QuantizeMethod::kHqq, form);
      ASSERT_TRUE(rtn.ok() && hqq.ok());
      const Errors of_rtn = ErrorsOf(w, rtn->matrix), of_hqq = ErrorsOf(w, hqq->matrix);
      rtn_sum.squared += of_rtn.squared;
      rtn_sum.power += of_rtn.power;
      hqq_sum.squared += of_hqq.squared;
      hqq_sum.power += of_hqq.power;
      norm += rtn->report.squared_norm;
    }
    fmt::print(
        "{} bits: squared error rtn {:.6f}, hqq {:.6f}; power of errors rtn {:.1f}, hqq {:.1f}\n",
        bound.bits, rtn_sum.squared / norm, hqq_sum.squared / norm, rtn_sum.power, hqq_sum.power);
    EXPECT_LT(rtn_sum.squared / norm, bound.relative);
    EXPECT_LE(hqq_sum.power, rtn_sum.power);
    EXPECT_LT(hqq_sum.squared, 1.1 * rtn_sum.squared);
  }
}

}  // namespace
}  // namespace ferry::llm
