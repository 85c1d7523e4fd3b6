#include "device-runtime/kernels/packed/packed.h"

#include "device-runtime/kernels/packed/pack.h"
#include "device-runtime/kernels/testing/testing.h"

namespace ferry::kernels {
namespace {

using testing::ExpectSameBits;
using testing::Numbers;
using testing::Output;
using testing::SplitParallel;

constexpr PackedScale kPackedScales[] = {PackedScale::kF16, PackedScale::kBF16, PackedScale::kF32};
constexpr PackedShift kPackedShifts[] = {PackedShift::kNone, PackedShift::kZero,
                                         PackedShift::kNumber};

// Memory of exactly `bytes` at the alignment that matrices have, so that sanitisers see reads past
// its end.
class AlignedBytes {
 public:
  explicit AlignedBytes(int64_t bytes)
      : data_(static_cast<uint8_t*>(::operator new(static_cast<size_t>(bytes), kAlign))) {}
  ~AlignedBytes() { ::operator delete(data_, kAlign); }
  AlignedBytes(const AlignedBytes&) = delete;
  AlignedBytes& operator=(const AlignedBytes&) = delete;
  uint8_t* data() const { return data_; }

 private:
  static constexpr std::align_val_t kAlign{static_cast<size_t>(kPackedAlignment)};
  uint8_t* data_;
};

struct PackedCase {
  PackedForm form;
  int64_t rows = 0;
  int64_t columns = 0;
  int64_t groups = 0;
  std::vector<int8_t> codes;
  std::vector<float> scales, shifts;
  std::vector<int8_t> zeros;
  std::shared_ptr<AlignedBytes> bytes;
  PackedMatrix matrix;

  double ShiftAt(int64_t row, int64_t group) const {
    const auto at = static_cast<size_t>(row * groups + group);
    if (form.shift == PackedShift::kNone) return 0;
    if (form.shift == PackedShift::kNumber) return static_cast<double>(shifts[at]);
    return -static_cast<double>(scales[at]) * zeros[at] * std::exp2(form.bits - 8);
  }
  double Value(int64_t row, int64_t k) const {
    const int64_t group = k / PackedGroupColumns(form.group, columns);
    return static_cast<double>(scales[static_cast<size_t>(row * groups + group)]) *
               codes[static_cast<size_t>(row * columns + k)] +
           ShiftAt(row, group);
  }
};

PackedCase PackRandom(Numbers& numbers, const PackedForm& form, int64_t rows, int64_t columns,
                      float largest_scale = 0.02f) {
  PackedCase w;
  w.form = form;
  w.rows = rows;
  w.columns = columns;
  w.groups = PackedGroups(form.group, columns);
  const int64_t half = int64_t{1} << (form.bits - 1);
  for (int64_t i = 0; i < rows * columns; ++i) {
    // Extremes often: that is where narrow sums would overflow.
    const bool extreme = numbers.Whole(0, 3) == 0;
    w.codes.push_back(static_cast<int8_t>(extreme ? numbers.Pick({-half, half - 1})
                                                  : numbers.Whole(-half, half - 1)));
  }
  for (int64_t i = 0; i < rows * w.groups; ++i) {
    w.scales.push_back(RoundPackedScale(form.scale, numbers.Real(-largest_scale, largest_scale)));
    w.shifts.push_back(RoundPackedScale(form.scale, numbers.Real(-largest_scale, largest_scale)));
    w.zeros.push_back(static_cast<int8_t>(numbers.Whole(-128, 127)));
  }
  w.bytes = std::make_shared<AlignedBytes>(PackedBytes(form, rows, columns));
  for (int64_t row = 0; row < rows; row += kPackedTileRows) {
    PackedSource source;
    source.rows = std::min(kPackedTileRows, rows - row);
    source.codes = w.codes.data() + row * columns;
    source.scales = w.scales.data() + row * w.groups;
    source.zeros = w.zeros.data() + row * w.groups;
    source.shifts = w.shifts.data() + row * w.groups;
    PackTile(form, columns, source,
             w.bytes->data() + row / kPackedTileRows * LayoutOfTile(form, columns).bytes);
  }
  w.matrix = {form, rows, columns, w.bytes->data()};
  return w;
}

struct RowsInBytes {
  std::shared_ptr<AlignedBytes> bytes;
  QuantizedRows rows;
};
RowsInBytes Quantized(const KernelTable& table, sys::Parallel& parallel,
                      const std::vector<float>& x, int64_t m, int64_t columns, int group,
                      ActivationScale scale) {
  RowsInBytes q;
  q.bytes = std::make_shared<AlignedBytes>(m * QuantizedRowBytes(group, columns));
  q.rows =
      QuantizeRows(table, parallel, x.data(), columns, m, columns, group, scale, q.bytes->data());
  return q;
}

float ScaleOfRow(const RowsInBytes& q, int64_t row, int64_t group) {
  const QuantizedRowLayout layout = LayoutOfQuantizedRow(q.rows.group, q.rows.columns);
  float scale;
  std::memcpy(&scale, q.bytes->data() + row * layout.bytes + layout.scales_at + group * 4, 4);
  return scale;
}
int CodeOfRow(const RowsInBytes& q, int64_t row, int64_t k) {
  const int64_t bytes = QuantizedRowBytes(q.rows.group, q.rows.columns);
  return static_cast<int8_t>(q.bytes->data()[row * bytes + k]);
}

// In float64, from the codes of both sides.
std::vector<double> NaiveProduct(const PackedCase& w, const RowsInBytes& q, int64_t m,
                                 const std::vector<float>& add) {
  std::vector<double> out;
  const int64_t each = PackedGroupColumns(w.form.group, w.columns);
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t r = 0; r < w.rows; ++r) {
      double sum =
          add.empty() ? 0.0 : static_cast<double>(add[static_cast<size_t>(i * w.rows + r)]);
      for (int64_t k = 0; k < w.columns; ++k) {
        sum += w.Value(r, k) * static_cast<double>(ScaleOfRow(q, i, k / each)) * CodeOfRow(q, i, k);
      }
      out.push_back(sum);
    }
  }
  return out;
}

std::vector<PackedForm> AllForms() {
  std::vector<PackedForm> forms;
  for (int bits : {2, 3, 4, 8}) {
    for (int group : {0, 32, 64, 128}) {
      for (PackedScale scale : kPackedScales) {
        for (PackedShift shift : kPackedShifts) forms.push_back({bits, group, scale, shift});
      }
    }
  }
  return forms;
}

::testing::Message NameOf(const PackedForm& form) {
  return ::testing::Message() << "bits " << form.bits << " group " << form.group << " scale "
                              << static_cast<int>(form.scale) << " shift "
                              << static_cast<int>(form.shift);
}

TEST(PackedTest, PackingAndReadingRoundTripExactly) {
  Numbers numbers(81);
  for (const PackedForm& form : AllForms()) {
    SCOPED_TRACE(NameOf(form));
    for (const auto& [rows, columns] : {std::pair{1, 1}, std::pair{19, 70}, std::pair{33, 257}}) {
      const PackedCase w = PackRandom(numbers, form, rows, columns);
      for (int64_t r = 0; r < rows; ++r) {
        Output wide(columns);
        WidenRow(w.matrix, r, wide.data());
        const std::vector<float> values = wide.Take();
        for (int64_t k = 0; k < columns; ++k) {
          ASSERT_EQ(PackedCode(w.matrix, r, k), w.codes[static_cast<size_t>(r * columns + k)]);
          const int64_t g = k / PackedGroupColumns(form.group, columns);
          const float expected = std::fma(
              static_cast<float>(w.codes[static_cast<size_t>(r * columns + k)]),
              w.scales[static_cast<size_t>(r * w.groups + g)], static_cast<float>(w.ShiftAt(r, g)));
          ASSERT_EQ(values[static_cast<size_t>(k)], expected);
        }
        for (int64_t g = 0; g < w.groups; ++g) {
          ASSERT_EQ(PackedScaleOf(w.matrix, r, g), w.scales[static_cast<size_t>(r * w.groups + g)]);
          ASSERT_EQ(PackedShiftOf(w.matrix, r, g), static_cast<float>(w.ShiftAt(r, g)));
        }
      }
    }
  }
}

// The stored bytes are a file format.
TEST(PackedTest, GoldenBytesOfEachWidth) {
  int8_t codes[16 * 32];
  float scales[16];
  for (int64_t row = 0; row < 16; ++row) {
    scales[row] = static_cast<float>(row + 1);
    for (int64_t k = 0; k < 32; ++k) codes[row * 32 + k] = static_cast<int8_t>((row + k) % 4 - 2);
  }
  PackedSource source;
  source.rows = 16;
  source.codes = codes;
  source.scales = scales;
  struct Golden {
    int bits;
    int64_t bytes;
    // Of the codes: what row 1 has at columns 0 to 3 of the first vector, and of the last one.
    std::vector<int> first, last;
  };
  const Golden goldens[] = {
      {2, 192, {0x55, 0xaa, 0xff, 0x00}, {0x55, 0xaa, 0xff, 0x00}},
      {3, 256, {0xff, 0x00, 0x55, 0xaa}, {0x00, 0xff, 0xff, 0x00}},
      {4, 320, {0x77, 0x88, 0x99, 0x66}, {0x77, 0x88, 0x99, 0x66}},
      {8, 576, {0x7f, 0x80, 0x81, 0x7e}, {0x7f, 0x80, 0x81, 0x7e}},
  };
  for (const Golden& golden : goldens) {
    SCOPED_TRACE(golden.bits);
    const PackedForm form = {golden.bits, 32, PackedScale::kF16, PackedShift::kNone};
    ASSERT_EQ(PackedBytes(form, 16, 32), golden.bytes);
    const AlignedBytes tile(golden.bytes);
    PackTile(form, 32, source, tile.data());
    EXPECT_EQ(tile.data()[2], 0x00);  // row 1: 2.0 in half precision
    EXPECT_EQ(tile.data()[3], 0x40);
    for (int i = 32; i < 64; ++i) EXPECT_EQ(tile.data()[i], 0);
    for (int i = 0; i < 4; ++i) {
      EXPECT_EQ(tile.data()[64 + 4 + i], golden.first[static_cast<size_t>(i)]) << i;
      EXPECT_EQ(tile.data()[golden.bytes - 64 + 4 + i], golden.last[static_cast<size_t>(i)]) << i;
    }
  }
}

TEST(PackedTest, FormsThatAreNone) {
  EXPECT_TRUE(IsPackedForm({4, 32, PackedScale::kF16, PackedShift::kNone}, 1));
  EXPECT_TRUE(IsPackedForm({8, 0, PackedScale::kF32, PackedShift::kNumber}, kMaxPackedColumns));
  EXPECT_FALSE(IsPackedForm({5, 32, PackedScale::kF16, PackedShift::kNone}, 64));
  EXPECT_FALSE(IsPackedForm({4, 48, PackedScale::kF16, PackedShift::kNone}, 64));
  EXPECT_FALSE(IsPackedForm({4, -32, PackedScale::kF16, PackedShift::kNone}, 64));
  EXPECT_FALSE(IsPackedForm({4, 32, static_cast<PackedScale>(0), PackedShift::kNone}, 64));
  EXPECT_FALSE(IsPackedForm({4, 32, PackedScale::kF16, static_cast<PackedShift>(3)}, 64));
  EXPECT_FALSE(IsPackedForm({4, 32, PackedScale::kF16, PackedShift::kNone}, 0));
  EXPECT_FALSE(IsPackedForm({4, 0, PackedScale::kF16, PackedShift::kNone}, kMaxPackedColumns + 1));
}

TEST(PackedTest, QuantizedRowsAreNearestAndAlikeOnEverySet) {
  Numbers numbers(82);
  for (int64_t columns : {1, 31, 32, 33, 100, 515}) {
    for (int group : {0, 32, 64, 128}) {
      for (ActivationScale mode : {ActivationScale::kRow, ActivationScale::kGroup}) {
        constexpr int64_t kRows = 5;
        std::vector<float> x = numbers.Reals(kRows * columns);
        const QuantizedRowLayout layout = LayoutOfQuantizedRow(group, columns);
        const RowsInBytes expected = Quantized(TableOf(Isa::kReference), sys::SerialParallel(), x,
                                               kRows, columns, group, mode);
        const int64_t each = PackedGroupColumns(group, columns);
        for (int64_t i = 0; i < kRows; ++i) {
          for (int64_t g = 0; g < layout.groups; ++g) {
            float largest = 0;
            const bool whole = mode == ActivationScale::kRow;
            for (int64_t k = whole ? 0 : g * each; k < columns && (whole || k < (g + 1) * each);
                 ++k) {
              largest = std::max(largest, std::fabs(x[static_cast<size_t>(i * columns + k)]));
            }
            ASSERT_EQ(ScaleOfRow(expected, i, g), largest / 127.0f);
          }
          for (int64_t k = 0; k < layout.groups * each; ++k) {
            if (k >= columns) {
              ASSERT_EQ(CodeOfRow(expected, i, k), 0);
              continue;
            }
            const double steps = static_cast<double>(x[static_cast<size_t>(i * columns + k)]) /
                                 static_cast<double>(ScaleOfRow(expected, i, k / each));
            ASSERT_LE(std::fabs(steps - CodeOfRow(expected, i, k)), 0.50001);
          }
        }
        for (Isa isa : RunningIsas()) {
          SCOPED_TRACE(::testing::Message() << IsaName(isa) << " columns " << columns << " group "
                                            << group << " mode " << static_cast<int>(mode));
          SplitParallel parallel(3);
          const RowsInBytes q = Quantized(TableOf(isa), parallel, x, kRows, columns, group, mode);
          for (int64_t i = 0; i < kRows; ++i) {  // not the padding behind the last number
            const int64_t used = layout.negative_at + layout.groups * 4;
            ASSERT_EQ(
                std::memcmp(q.bytes->data() + i * layout.bytes,
                            expected.bytes->data() + i * layout.bytes, static_cast<size_t>(used)),
                0);
          }
        }
      }
    }
  }
}

// Products of `form` on every instruction set, pieces and number of rows, beside float64.
void CheckProducts(Numbers& numbers, const PackedForm& form, int64_t rows, int64_t columns,
                   ActivationScale mode, const std::vector<int64_t>& counts) {
  SCOPED_TRACE(NameOf(form) << " rows " << rows << " columns " << columns << " mode "
                            << static_cast<int>(mode));
  const PackedCase w = PackRandom(numbers, form, rows, columns);
  for (int64_t m : counts) {
    SCOPED_TRACE(m);
    std::vector<float> x = numbers.Reals(m * columns);
    // Runs of the largest magnitude make the largest sums.
    if (numbers.Whole(0, 1) == 0) {
      for (float& value : x) value = value < 0 ? -1.0f : 1.0f;
    }
    const bool adds = numbers.Whole(0, 1) == 0;
    const std::vector<float> add = adds ? numbers.Reals(m * rows) : std::vector<float>();
    const int64_t out_stride = rows + 3;
    std::vector<float> first;
    for (Isa isa : RunningIsas()) {
      for (int width = 1; width <= 3; ++width) {
        SCOPED_TRACE(::testing::Message() << IsaName(isa) << " pieces " << width);
        SplitParallel parallel(width);
        const RowsInBytes q = Quantized(TableOf(isa), parallel, x, m, columns, form.group, mode);
        Output out(m * out_stride);
        std::vector<float> summand(static_cast<size_t>(m * out_stride));
        for (int64_t i = 0; adds && i < m; ++i) {
          std::copy_n(add.begin() + i * rows, rows, summand.begin() + i * out_stride);
        }
        PackedLinear(TableOf(isa), parallel, w.matrix, q.rows, m, adds ? summand.data() : nullptr,
                     out.data(), out_stride);
        const std::vector<float> strided = out.Take();
        std::vector<float> dense;
        for (int64_t i = 0; i < m; ++i) {
          const auto row = strided.begin() + i * out_stride;
          dense.insert(dense.end(), row, row + rows);
          for (int64_t r = rows; r < out_stride; ++r) ASSERT_TRUE(std::isnan(row[r]));
        }
        if (first.empty()) {
          first = dense;
          ASSERT_NO_FATAL_FAILURE(testing::ExpectClose(dense, NaiveProduct(w, q, m, add), 1e-5));
        }
        ASSERT_NO_FATAL_FAILURE(ExpectSameBits(dense, first));
      }
    }
  }
}

TEST(PackedTest, ProductsAreThoseOfFloat64AndAlikeOnEverySet) {
  Numbers numbers(83);
  for (const PackedForm& form : AllForms()) {
    const auto mode = numbers.Pick({ActivationScale::kRow, ActivationScale::kGroup});
    const int64_t rows = numbers.Pick<int64_t>({1, 16, 21, 40});
    const int64_t columns = numbers.Pick<int64_t>({1, 33, 64, 100, 257});
    CheckProducts(numbers, form, rows, columns, mode, {1, 5});
  }
}

// Products at once and products through a gate are those of one after another, bit by bit.
TEST(PackedTest, SeveralAtOnceAndGated) {
  Numbers numbers(85);
  for (int bits : {2, 3, 4, 8}) {
    const PackedForm form{.bits = bits, .group = numbers.Pick({0, 32, 64, 128})};
    const int64_t columns = numbers.Pick<int64_t>({64, 100, 257});
    const PackedCase a = PackRandom(numbers, form, numbers.Pick<int64_t>({16, 48, 53}), columns);
    const PackedCase b = PackRandom(numbers, form, a.rows, columns);
    const PackedCase c = PackRandom(numbers, {.bits = 4, .group = form.group}, 21, columns);
    for (int64_t m : {1, 3, 9, 40, 150}) {
      SCOPED_TRACE(NameOf(form) << " rows " << a.rows << " of " << m);
      const std::vector<float> x = numbers.Reals(m * columns);
      for (Isa isa : RunningIsas()) {
        const KernelTable& table = TableOf(isa);
        SplitParallel parallel(3);
        const RowsInBytes q =
            Quantized(table, parallel, x, m, columns, form.group, ActivationScale::kGroup);
        Output pa(m * a.rows), pb(m * a.rows), pc(m * 21), ta(m * a.rows), tb(m * a.rows),
            tc(m * 21), gated(m * (a.rows + 5));
        const auto alone = [&](const PackedCase& w, Output& out) {
          PackedLinear(table, parallel, w.matrix, q.rows, m, nullptr, out.data(), w.rows);
        };
        alone(a, pa);
        alone(b, pb);
        alone(c, pc);
        const PackedProduct all[] = {{&a.matrix, nullptr, ta.data(), a.rows},
                                     {&c.matrix, nullptr, tc.data(), 21},
                                     {&b.matrix, nullptr, tb.data(), a.rows}};
        PackedLinears(table, parallel, all, q.rows, m);
        const float shift = 0.5f;
        const Gating gating{[](const void* context, int64_t count, const float* up, float* gate) {
                              const float by = *static_cast<const float*>(context);
                              for (int64_t i = 0; i < count; ++i) gate[i] = (gate[i] + by) * up[i];
                            },
                            &shift};
        PackedGated(table, parallel, a.matrix, b.matrix, q.rows, m, gating, gated.data(),
                    a.rows + 5);
        const std::vector<float> gates = pa.Take(), ups = pb.Take(), wide = gated.Take();
        for (int64_t i = 0; i < m; ++i) {
          for (int64_t r = 0; r < a.rows + 5; ++r) {
            const float found = wide[static_cast<size_t>(i * (a.rows + 5) + r)];
            if (r >= a.rows) {
              ASSERT_TRUE(std::isnan(found));
              continue;
            }
            const auto at = static_cast<size_t>(i * a.rows + r);
            ASSERT_EQ(found, (gates[at] + shift) * ups[at]) << i << " " << r;
          }
        }
        ASSERT_NO_FATAL_FAILURE(ExpectSameBits(ta.Take(), gates));
        ASSERT_NO_FATAL_FAILURE(ExpectSameBits(tb.Take(), ups));
        ASSERT_NO_FATAL_FAILURE(ExpectSameBits(tc.Take(), pc.Take()));
      }
    }
  }
}

TEST(PackedTest, ProductsOfManyRows) {
  Numbers numbers(84);
  for (int bits : {2, 3, 4, 8}) {
    for (int group : {0, 32, 64, 128}) {
      const auto shift = numbers.Pick({PackedShift::kNone, PackedShift::kZero});
      const auto mode = numbers.Pick({ActivationScale::kRow, ActivationScale::kGroup});
      CheckProducts(numbers, {bits, group, PackedScale::kF16, shift}, 53, 150, mode,
                    {2, 3, 8, 17, 64, 133});
    }
  }
}

// The largest codes times the largest activations of one sign, in the longest rows.
TEST(PackedTest, LargestSumsAreExact) {
  for (int bits : {2, 3, 4, 8}) {
    for (int group : {0, 128}) {
      for (int sign : {-1, 1}) {
        const int64_t columns = group == 0 ? kMaxPackedColumns : 512;
        PackedForm form = {bits, group, PackedScale::kF32, PackedShift::kNone};
        const int half = 1 << (bits - 1);
        const std::vector<int8_t> codes(static_cast<size_t>(columns),
                                        static_cast<int8_t>(sign < 0 ? -half : half - 1));
        const std::vector<float> scales(static_cast<size_t>(PackedGroups(group, columns)), 1.0f);
        PackedSource source;
        source.rows = 1;
        source.codes = codes.data();
        source.scales = scales.data();
        const AlignedBytes tile(PackedBytes(form, 1, columns));
        PackTile(form, columns, source, tile.data());
        const std::vector<float> x(static_cast<size_t>(columns) * 2, 127.0f);
        for (Isa isa : RunningIsas()) {
          SCOPED_TRACE(NameOf(form) << " " << IsaName(isa) << " sign " << sign);
          const RowsInBytes q = Quantized(TableOf(isa), sys::SerialParallel(), x, 2, columns, group,
                                          ActivationScale::kRow);
          float out[2];
          PackedLinear(TableOf(isa), sys::SerialParallel(), {form, 1, columns, tile.data()}, q.rows,
                       2, nullptr, out, 1);
          const double expected = 127.0 * codes[0] * static_cast<double>(columns);
          EXPECT_EQ(out[0], static_cast<float>(expected));
          EXPECT_EQ(out[1], out[0]);
        }
      }
    }
  }
}

TEST(PackedTest, ExactProductsAreThoseOfFloat64AndAlikeOnEverySet) {
  Numbers numbers(85);
  for (const PackedForm& form : AllForms()) {
    const int64_t rows = numbers.Pick<int64_t>({1, 16, 21, 40});
    const int64_t columns = numbers.Pick<int64_t>({1, 35, 64, 102, 257});
    const int64_t m = numbers.Pick<int64_t>({1, 2, 7, 70});
    SCOPED_TRACE(NameOf(form) << " " << m << " x " << rows << " x " << columns);
    const PackedCase w = PackRandom(numbers, form, rows, columns);
    const std::vector<float> x = numbers.Reals(m * columns);
    const std::vector<float> add = numbers.Reals(m * rows);
    std::vector<double> expected;
    for (int64_t i = 0; i < m; ++i) {
      for (int64_t r = 0; r < rows; ++r) {
        auto sum = static_cast<double>(add[static_cast<size_t>(i * rows + r)]);
        for (int64_t k = 0; k < columns; ++k) {
          sum += w.Value(r, k) * static_cast<double>(x[static_cast<size_t>(i * columns + k)]);
        }
        expected.push_back(sum);
      }
    }
    std::vector<float> reference;
    const auto run = [&](const KernelTable& table, sys::Parallel& parallel) {
      Output out(m * rows);
      PackedLinearExact(table, parallel, w.matrix, x.data(), columns, m, add.data(), out.data(),
                        rows);
      std::vector<float> result = out.Take();
      if (reference.empty()) reference = result;
      ExpectSameBits(result, reference);
      return result;
    };
    ASSERT_NO_FATAL_FAILURE(testing::CheckEverywhere(expected, 1e-5, run));
  }
}

TEST(PackedTest, RowsDoNotDependOnTheirNeighbours) {
  Numbers numbers(86);
  constexpr int64_t kMost = 70;
  constexpr int64_t kRows = 37;
  constexpr int64_t kColumns = 160;
  for (int bits : {2, 3, 4, 8}) {
    for (int group : {0, 32}) {
      const PackedCase w = PackRandom(
          numbers, {bits, group, PackedScale::kBF16, PackedShift::kZero}, kRows, kColumns);
      const std::vector<float> x = numbers.Reals(kMost * kColumns);
      for (Isa isa : RunningIsas()) {
        SCOPED_TRACE(NameOf(w.form) << " " << IsaName(isa));
        const KernelTable& table = TableOf(isa);
        const RowsInBytes q = Quantized(table, sys::SerialParallel(), x, kMost, kColumns, group,
                                        ActivationScale::kGroup);
        const int64_t bytes = QuantizedRowBytes(group, kColumns);
        std::vector<float> alone(kMost * kRows);
        std::vector<float> alone_exact(kMost * kRows);
        for (int64_t i = 0; i < kMost; ++i) {
          QuantizedRows row = q.rows;
          row.data = q.bytes->data() + i * bytes;
          PackedLinear(table, sys::SerialParallel(), w.matrix, row, 1, nullptr,
                       alone.data() + i * kRows, kRows);
          PackedLinearExact(table, sys::SerialParallel(), w.matrix, x.data() + i * kColumns,
                            kColumns, 1, nullptr, alone_exact.data() + i * kRows, kRows);
        }
        for (int64_t m : {2, 3, 4, 5, 6, 7, 8, 9, 15, 31, 64, 65, 70}) {
          Output out(m * kRows);
          PackedLinear(table, sys::SerialParallel(), w.matrix, q.rows, m, nullptr, out.data(),
                       kRows);
          ASSERT_NO_FATAL_FAILURE(
              ExpectSameBits(out.Take(), {alone.begin(), alone.begin() + m * kRows}));
          Output exact(m * kRows);
          PackedLinearExact(table, sys::SerialParallel(), w.matrix, x.data(), kColumns, m, nullptr,
                            exact.data(), kRows);
          ASSERT_NO_FATAL_FAILURE(
              ExpectSameBits(exact.Take(), {alone_exact.begin(), alone_exact.begin() + m * kRows}));
        }
      }
    }
  }
}

TEST(PackedTest, TheSummandMayBeTheResult) {
  Numbers numbers(87);
  const PackedCase w = PackRandom(numbers, {4, 32, PackedScale::kF16, PackedShift::kNone}, 50, 64);
  const std::vector<float> x = numbers.Reals(9 * 64);
  const std::vector<float> add = numbers.Reals(9 * 50);
  for (Isa isa : RunningIsas()) {
    const RowsInBytes q =
        Quantized(TableOf(isa), sys::SerialParallel(), x, 9, 64, 32, ActivationScale::kGroup);
    std::vector<float> apart(9 * 50);
    PackedLinear(TableOf(isa), sys::SerialParallel(), w.matrix, q.rows, 9, add.data(), apart.data(),
                 50);
    std::vector<float> same = add;
    PackedLinear(TableOf(isa), sys::SerialParallel(), w.matrix, q.rows, 9, same.data(), same.data(),
                 50);
    ASSERT_NO_FATAL_FAILURE(ExpectSameBits(same, apart));
  }
}

// What numbers at the edge of float32 and of the scales' types come to.
TEST(PackedTest, HostileNumbers) {
  Numbers numbers(88);
  constexpr int64_t kColumns = 96;
  constexpr int64_t kRows = 20;
  const float infinity = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (ActivationScale mode : {ActivationScale::kRow, ActivationScale::kGroup}) {
    for (PackedScale scale : kPackedScales) {
      const PackedForm form = {4, 32, scale, PackedShift::kZero};
      // Of half precision 1e-7 is subnormal.
      for (float largest : {1e-7f, 6e4f}) {
        const PackedCase w = PackRandom(numbers, form, kRows, kColumns, largest);
        std::vector<float> x = numbers.Reals(7 * kColumns);
        std::fill_n(x.begin(), kColumns, 0.0f);                   // row 0
        x[kColumns + 40] = nan;                                   // row 1
        x[2 * kColumns + 1] = -infinity;                          // row 2
        std::fill_n(x.begin() + 3 * kColumns, kColumns, 1e-40f);  // row 3: subnormal
        x[4 * kColumns + 5] = -3.4e38f;                           // row 4
        x[5 * kColumns + 5] = 1e-30f;                             // row 5: below what is told apart
        std::fill_n(x.begin() + 6 * kColumns, kColumns, -0.0f);
        std::vector<float> first;
        for (Isa isa : RunningIsas()) {
          SCOPED_TRACE(NameOf(form) << " " << IsaName(isa) << " mode " << static_cast<int>(mode));
          const RowsInBytes q =
              Quantized(TableOf(isa), sys::SerialParallel(), x, 7, kColumns, 32, mode);
          Output out(7 * kRows);
          PackedLinear(TableOf(isa), sys::SerialParallel(), w.matrix, q.rows, 7, nullptr,
                       out.data(), kRows);
          const std::vector<float> result = out.Take();
          for (int64_t r = 0; r < kRows; ++r) {
            const auto at = [&](int64_t row) {
              return result[static_cast<size_t>(row * kRows + r)];
            };
            ASSERT_EQ(at(0), 0.0f);
            ASSERT_TRUE(std::isnan(at(1)));
            ASSERT_TRUE(std::isnan(at(2)));
            ASSERT_EQ(at(3), 0.0f);
            ASSERT_EQ(at(6), 0.0f);
            ASSERT_FALSE(std::isnan(at(5)));
          }
          // The bits of a NaN are the processor's own.
          std::vector<float> numbers_only = result;
          std::fill_n(numbers_only.begin() + kRows, 2 * kRows, 0.0f);
          if (first.empty()) first = numbers_only;
          ASSERT_NO_FATAL_FAILURE(ExpectSameBits(numbers_only, first));
        }
      }
    }
  }
}

TEST(PackedTest, EmptySizes) {
  Numbers numbers(89);
  const PackedCase w = PackRandom(numbers, {4, 32, PackedScale::kF16, PackedShift::kNone}, 5, 7);
  const std::vector<float> x = numbers.Reals(7);
  for (Isa isa : RunningIsas()) {
    const RowsInBytes q =
        Quantized(TableOf(isa), sys::SerialParallel(), x, 1, 7, 32, ActivationScale::kRow);
    Output nothing(0);
    PackedLinear(TableOf(isa), sys::SerialParallel(), w.matrix, q.rows, 0, nullptr, nothing.data(),
                 5);
    PackedMatrix low = w.matrix;
    low.rows = 0;
    PackedLinear(TableOf(isa), sys::SerialParallel(), low, q.rows, 1, nullptr, nothing.data(), 0);
    EXPECT_TRUE(nothing.Take().empty());
  }
}

}  // namespace
}  // namespace ferry::kernels
