#include "device-runtime/kernels/linear/linear.h"

#include "device-runtime/kernels/testing/testing.h"
#include "device-runtime/tensor/dtype.h"

namespace ferry::kernels {
namespace {

using testing::Numbers;
using testing::Output;
using testing::SplitParallel;

// A random matrix in one stored form, and what its elements mean. The bytes are exactly as long as
// the matrix, so that sanitisers see reads past its end.
struct Stored {
  WeightMatrix matrix;
  std::vector<uint8_t> bytes;
  std::vector<float> scales;
  std::vector<float> values;  // without the scale
};

Stored Random(Numbers& numbers, WeightType type, int64_t rows, int64_t columns) {
  Stored w;
  const size_t count = static_cast<size_t>(rows * columns);
  const size_t size = static_cast<size_t>(WeightBytes(type));
  w.bytes.resize(count * size);
  for (size_t i = 0; i < count; ++i) {
    float value = numbers.Real(-1.0f, 1.0f);
    if (type == WeightType::kF32) {
      std::memcpy(&w.bytes[i * size], &value, size);
    } else if (type == WeightType::kBF16) {
      uint32_t bits;
      std::memcpy(&bits, &value, 4);
      const uint16_t upper = static_cast<uint16_t>(bits >> 16);
      std::memcpy(&w.bytes[i * size], &upper, size);
      bits = uint32_t{upper} << 16;
      std::memcpy(&value, &bits, 4);
    } else if (type == WeightType::kF16) {
      if (i % 7 == 0) value *= 1e-5f;  // less than the least normal half
      const uint16_t half = tensor::FloatToHalf(value);
      std::memcpy(&w.bytes[i * size], &half, size);
      value = tensor::HalfToFloat(half);
    } else {
      const auto whole = static_cast<int8_t>(numbers.Whole(-128, 127));
      std::memcpy(&w.bytes[i], &whole, size);
      value = static_cast<float>(whole);
    }
    w.values.push_back(value);
  }
  if (type == WeightType::kI8) w.scales = numbers.Reals(rows, 0.001f, 0.02f);
  w.matrix.type = type;
  w.matrix.rows = rows;
  w.matrix.columns = columns;
  w.matrix.data = w.bytes.data();
  w.matrix.scales = w.scales.empty() ? nullptr : w.scales.data();
  return w;
}

constexpr WeightType kLinearTypes[] = {WeightType::kF32, WeightType::kBF16, WeightType::kI8,
                                       WeightType::kF16};

double Scale(const Stored& w, int64_t row) {
  return w.scales.empty() ? 1.0 : static_cast<double>(w.scales[static_cast<size_t>(row)]);
}

TEST(LinearTest, AgreesWithTheNaiveProductOnRandomShapes) {
  Numbers numbers(71);
  for (int round = 0; round < 120; ++round) {
    const int64_t m = numbers.Whole(1, 20);
    const int64_t rows = numbers.Whole(1, 90);
    const int64_t columns = round % 9 == 8 ? numbers.Whole(500, 1600) : numbers.Whole(1, 150);
    const int64_t x_stride = columns + numbers.Whole(0, 5);
    const int64_t out_stride = rows + numbers.Whole(0, 5);
    const Stored w = Random(numbers, kLinearTypes[round % 4], rows, columns);
    std::vector<float> x = numbers.Reals(m * x_stride);
    x.resize(static_cast<size_t>((m - 1) * x_stride + columns));
    const std::vector<float> add = numbers.Reals(m * out_stride);
    const bool adds = round % 2 == 0;
    std::vector<double> expected;
    for (int64_t i = 0; i < m; ++i) {
      for (int64_t r = 0; r < rows; ++r) {
        double sum = 0;
        for (int64_t k = 0; k < columns; ++k) {
          sum += static_cast<double>(x[i * x_stride + k]) *
                 static_cast<double>(w.values[r * columns + k]);
        }
        sum *= Scale(w, r);
        expected.push_back(sum + (adds ? static_cast<double>(add[i * out_stride + r]) : 0.0));
      }
    }
    SCOPED_TRACE(::testing::Message()
                 << "round " << round << ": " << m << " x " << rows << " x " << columns);
    ASSERT_NO_FATAL_FAILURE(testing::CheckEverywhere(
        expected, 1e-5, [&](const KernelTable& table, sys::Parallel& parallel) {
          Output out(m * out_stride);
          Linear(table, parallel, w.matrix, x.data(), x_stride, m, adds ? add.data() : nullptr,
                 out.data(), out_stride);
          const std::vector<float> all = out.Take();
          std::vector<float> dense;
          for (int64_t i = 0; i < m; ++i) {
            const auto row = all.begin() + i * out_stride;
            dense.insert(dense.end(), row, row + rows);
            for (int64_t r = rows; r < out_stride; ++r) EXPECT_TRUE(std::isnan(row[r]));
          }
          return dense;
        }));
  }
}

// The language-model runtime stands on this: a row's bits are those it has alone.
TEST(LinearTest, RowsDoNotDependOnTheirNeighboursOrThreads) {
  Numbers numbers(72);
  constexpr int64_t kMost = 33;
  for (WeightType type : kLinearTypes) {
    for (const auto& [rows, columns] :
         {std::pair{67, 93}, std::pair{200, 64}, std::pair{31, 1100}}) {
      const Stored w = Random(numbers, type, rows, columns);
      const std::vector<float> x = numbers.Reals(kMost * columns);
      const std::vector<float> add = numbers.Reals(kMost * rows);
      for (Isa isa : RunningIsas()) {
        const KernelTable& table = TableOf(isa);
        std::vector<float> alone(static_cast<size_t>(kMost * rows));
        for (int64_t i = 0; i < kMost; ++i) {
          Linear(table, sys::SerialParallel(), w.matrix, x.data() + i * columns, columns, 1,
                 add.data() + i * rows, alone.data() + i * rows, rows);
        }
        for (int64_t m = 1; m <= kMost; ++m) {
          SCOPED_TRACE(::testing::Message() << IsaName(isa) << " " << m << " x " << rows << " x "
                                            << columns << " type " << static_cast<int>(type));
          const std::vector<float> expected(alone.begin(), alone.begin() + m * rows);
          for (int width = 1; width <= 3; ++width) {
            SplitParallel parallel(width);
            Output out(m * rows);
            Linear(table, parallel, w.matrix, x.data(), columns, m, add.data(), out.data(), rows);
            ASSERT_NO_FATAL_FAILURE(testing::ExpectSameBits(out.Take(), expected));
          }
        }
      }
    }
  }
}

// Nor on the rows of weights beside its own.
TEST(LinearTest, ColumnsOfTheResultDoNotDependOnTheirNeighbours) {
  Numbers numbers(73);
  const int64_t rows = 53;
  const int64_t columns = 77;
  for (WeightType type : kLinearTypes) {
    const Stored w = Random(numbers, type, rows, columns);
    for (Isa isa : RunningIsas()) {
      for (int64_t m : {1, 4, 8, 13}) {
        const std::vector<float> x = numbers.Reals(m * columns);
        Output out(m * rows);
        Linear(TableOf(isa), sys::SerialParallel(), w.matrix, x.data(), columns, m, nullptr,
               out.data(), rows);
        const std::vector<float> all = out.Take();
        for (int64_t r = 0; r < rows; ++r) {
          WeightMatrix one = w.matrix;
          one.rows = 1;
          one.data = w.bytes.data() + r * columns * WeightBytes(type);
          if (one.scales != nullptr) one.scales += r;
          Output single(m);
          Linear(TableOf(isa), sys::SerialParallel(), one, x.data(), columns, m, nullptr,
                 single.data(), 1);
          std::vector<float> expected;
          for (int64_t i = 0; i < m; ++i) expected.push_back(all[i * rows + r]);
          ASSERT_NO_FATAL_FAILURE(testing::ExpectSameBits(single.Take(), expected));
        }
      }
    }
  }
}

TEST(LinearTest, TheSummandMayBeTheResult) {
  Numbers numbers(74);
  for (WeightType type : kLinearTypes) {
    const Stored w = Random(numbers, type, 50, 40);
    const std::vector<float> x = numbers.Reals(9 * 40);
    const std::vector<float> add = numbers.Reals(9 * 50);
    for (Isa isa : RunningIsas()) {
      std::vector<float> apart(9 * 50);
      Linear(TableOf(isa), sys::SerialParallel(), w.matrix, x.data(), 40, 9, add.data(),
             apart.data(), 50);
      SplitParallel parallel(3);
      std::vector<float> same = add;
      Linear(TableOf(isa), parallel, w.matrix, x.data(), 40, 9, same.data(), same.data(), 50);
      ASSERT_NO_FATAL_FAILURE(testing::ExpectSameBits(same, apart));
    }
  }
}

TEST(LinearTest, EmptySizes) {
  Numbers numbers(75);
  const Stored w = Random(numbers, WeightType::kBF16, 5, 7);
  const std::vector<float> x = numbers.Reals(7);
  for (Isa isa : RunningIsas()) {
    Output nothing(0);
    Linear(TableOf(isa), sys::SerialParallel(), w.matrix, x.data(), 7, 0, nullptr, nothing.data(),
           5);
    EXPECT_TRUE(nothing.Take().empty());
    WeightMatrix narrow = w.matrix;
    narrow.columns = 0;
    Output zeros(5);  // the product of nothing is 0
    Linear(TableOf(isa), sys::SerialParallel(), narrow, x.data(), 0, 1, nullptr, zeros.data(), 5);
    EXPECT_EQ(zeros.Take(), std::vector<float>(5, 0.0f));
    WeightMatrix low = w.matrix;
    low.rows = 0;
    Linear(TableOf(isa), sys::SerialParallel(), low, x.data(), 7, 1, nullptr, nothing.data(), 0);
    EXPECT_TRUE(nothing.Take().empty());
  }
}

TEST(LinearTest, WidenRowGivesTheStoredValues) {
  Numbers numbers(76);
  for (WeightType type : kLinearTypes) {
    const Stored w = Random(numbers, type, 6, 19);
    for (int64_t row = 0; row < 6; ++row) {
      Output out(19);
      WidenRow(w.matrix, row, out.data());
      std::vector<float> expected;
      for (int64_t k = 0; k < 19; ++k) {
        const float value = w.values[static_cast<size_t>(row * 19 + k)];
        expected.push_back(w.scales.empty() ? value : w.scales[static_cast<size_t>(row)] * value);
      }
      ASSERT_NO_FATAL_FAILURE(testing::ExpectSameBits(out.Take(), expected));
    }
  }
}

}  // namespace
}  // namespace ferry::kernels
