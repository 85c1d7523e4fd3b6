// Every kernel on bytes against plain loops, bit for bit, on every instruction set.
#include "device-runtime/kernels/quant/quant.h"
#include "device-runtime/kernels/quant/product.h"

#include "device-runtime/kernels/testing/testing.h"

namespace ferry::kernels {
namespace {

using testing::Numbers;
using testing::SplitParallel;

using Bytes = std::vector<uint8_t>;

Bytes RandomBytes(Numbers& numbers, int64_t count) {
  Bytes v(static_cast<size_t>(count));
  for (uint8_t& x : v) x = static_cast<uint8_t>(numbers.Whole(0, 255));
  return v;
}

int32_t At(const uint8_t* data, int64_t i, bool is_signed) {
  return is_signed ? static_cast<int8_t>(data[i]) : data[i];
}

float Clip(float x, float low, float high) {
  return std::min(high, std::max(low, x));
}

// What the header says of one sum.
void Put(const QuantEpilogue& e, int64_t column, int64_t at, int64_t sum, void* y) {
  const auto whole = static_cast<int32_t>(static_cast<uint32_t>(sum));
  if (e.type == QuantType::kI32) {
    static_cast<int32_t*>(y)[at] = whole;
    return;
  }
  float r = std::fma(static_cast<float>(whole), e.factor[column],
                     e.offset == nullptr ? 0.0f : e.offset[column]);
  if (e.add != nullptr) {
    if (e.rounds_first) r = std::nearbyint(Clip(r, e.first_low, e.first_high));
    const auto add = static_cast<float>(At(e.add, at, e.add_signed));
    r = std::fma(add - e.add_zero, e.add_factor, r * e.first_factor);
  }
  r = Clip(r, e.low, e.high);
  if (e.type == QuantType::kF32) {
    static_cast<float*>(y)[at] = r;
  } else {
    const int32_t q = static_cast<int32_t>(std::nearbyint(r)) + e.zero;
    ASSERT_GE(q, e.type == QuantType::kI8 ? -128 : 0);
    ASSERT_LE(q, e.type == QuantType::kI8 ? 127 : 255);
    static_cast<uint8_t*>(y)[at] = static_cast<uint8_t>(q);
  }
}

Bytes NaiveConv(const QuantConv& conv, const uint8_t* x, const int8_t* w, const int32_t* bias,
                const QuantEpilogue& e) {
  const ConvShape& s = conv.shape;
  Bytes y(static_cast<size_t>(s.batch * s.out_h * s.out_w * s.out_c * QuantTypeBytes(e.type)));
  const int64_t in = s.in_c / s.groups, out = s.out_c / s.groups;
  for (int64_t at = 0; at < s.batch * s.out_h * s.out_w * s.out_c; ++at) {
    const int64_t oc = at % s.out_c, ox = at / s.out_c % s.out_w;
    const int64_t oy = at / s.out_c / s.out_w % s.out_h, n = at / s.out_c / s.out_w / s.out_h;
    int64_t sum = bias == nullptr ? 0 : bias[oc];
    for (int64_t i = 0; i < in * s.kernel_h * s.kernel_w; ++i) {
      const int64_t kx = i % s.kernel_w, ky = i / s.kernel_w % s.kernel_h;
      const int64_t ic = i / s.kernel_w / s.kernel_h + oc / out * in;
      const int64_t iy = oy * s.stride_h - s.pad_top + ky * s.dilation_h;
      const int64_t ix = ox * s.stride_w - s.pad_left + kx * s.dilation_w;
      if (iy < 0 || iy >= s.in_h || ix < 0 || ix >= s.in_w) continue;
      const int64_t from = ((n * s.in_h + iy) * s.in_w + ix) * s.in_c + ic;
      sum += int64_t{At(x, from, conv.x_signed) - conv.x_zero} *
             w[oc * in * s.kernel_h * s.kernel_w + i];
    }
    Put(e, oc, at, sum, y.data());
  }
  return y;
}

// Those of all instruction sets, and one of AVX-512 that computes what tile registers do where
// there are none.
std::vector<KernelTable> AllTables() {
  static const TiledKernels tiles = [] {
    TiledKernels all = *TableOf(Isa::kReference).tiled;
    all.is_native = true;
    return all;
  }();
  std::vector<KernelTable> tables;
  for (const Isa isa : RunningIsas()) {
    tables.push_back(TableOf(isa));
    if (isa != Isa::kAvx512 && isa != Isa::kVnni) continue;
    tables.push_back(TableOf(isa));
    tables.back().tiled = &tiles;
  }
  return tables;
}

// run(table, parallel, y) for every instruction set and 1 to 3 pieces; nothing past y is written.
template <typename Run>
void CheckBytes(const Bytes& expected, const Run& run) {
  for (const KernelTable& table : AllTables()) {
    for (int width = 1; width <= 3; ++width) {
      SCOPED_TRACE(::testing::Message() << IsaName(table.isa) << " in " << width
                                        << (HasTiles(table) ? " with tiles" : ""));
      SplitParallel parallel(width);
      Bytes y(expected.size() + 64, 0xa5);
      run(table, parallel, y.data());
      for (size_t i = 0; i < expected.size(); ++i) ASSERT_EQ(y[i], expected[i]) << "byte " << i;
      for (size_t i = expected.size(); i < y.size(); ++i) ASSERT_EQ(y[i], 0xa5) << "past the end";
    }
  }
}

struct Setting {
  QuantConv conv;
  QuantEpilogue e;
  std::vector<float> factor, offset;
  std::vector<int32_t> bias;
  Bytes x, add;
  std::vector<int8_t> w;
};

void FillEpilogue(Numbers& numbers, int round, int64_t elements, int64_t columns, Setting& t) {
  QuantEpilogue& e = t.e;
  e.type = static_cast<QuantType>(round % 4);
  t.factor = numbers.Reals(columns, 0.0001f, 0.02f);
  t.offset = numbers.Reals(columns, -20.0f, 20.0f);
  e.factor = t.factor.data();
  if (round % 3 == 1) e.offset = t.offset.data();
  e.zero = e.type == QuantType::kU8 ? 17 : e.type == QuantType::kI8 ? -3 : 0;
  if (e.type == QuantType::kU8) e.low = -17, e.high = 238;
  if (e.type == QuantType::kI8) e.low = -125, e.high = 130;
  if (e.type == QuantType::kF32 && round % 8 == 2) e.low = -1.5f, e.high = 6;
  if (round % 6 == 3 && e.type != QuantType::kF32) e.low += 20, e.high -= 31;
  if (round % 11 == 5) t.factor[0] = 3e8f, t.factor.back() = -3e8f;  // past 32 bits
  if (e.type == QuantType::kI32 || round % 5 > 1) return;
  t.add = RandomBytes(numbers, elements);
  e.add = t.add.data();
  e.add_signed = round % 2 == 0;
  e.add_zero = 5;
  e.add_factor = 0.37f;
  e.rounds_first = round % 5 == 1;
  e.first_low = -100;
  e.first_high = 90;
  e.first_factor = e.rounds_first ? 1.13f : 1.0f;
}

void CheckConv(Numbers& numbers, int round, ConvShape s) {
  Setting t;
  t.conv = {s, round % 2 == 1, static_cast<int32_t>(numbers.Whole(0, 127))};
  t.x = RandomBytes(numbers, s.batch * s.in_h * s.in_w * s.in_c);
  t.w.resize(static_cast<size_t>(s.out_c * s.in_c / s.groups * s.kernel_h * s.kernel_w));
  // Every third round as trained ones are: few are large.
  const int64_t most = round % 3 == 2 ? 40 : 127;
  for (int8_t& w : t.w) w = static_cast<int8_t>(numbers.Whole(-1 - most, most));
  for (int8_t& w : t.w)
    if (most < 127 && numbers.Whole(0, 60) == 0) w = static_cast<int8_t>(numbers.Whole(-128, 127));
  t.bias.resize(static_cast<size_t>(s.out_c));
  for (int32_t& b : t.bias) b = static_cast<int32_t>(numbers.Whole(-5000, 5000));
  FillEpilogue(numbers, round, s.batch * s.out_h * s.out_w * s.out_c, s.out_c, t);
  const int32_t* bias = round % 7 == 0 ? nullptr : t.bias.data();
  SCOPED_TRACE(::testing::Message()
               << "round " << round << ": " << s.in_h << "x" << s.in_w << "x" << s.in_c << " to "
               << s.out_c << " kernel " << s.kernel_h << "x" << s.kernel_w << " groups " << s.groups
               << " " << QuantConvName(s));
  const Bytes expected = NaiveConv(t.conv, t.x.data(), t.w.data(), bias, t.e);
  CheckBytes(expected, [&](const KernelTable& table, sys::Parallel& parallel, uint8_t* y) {
    const Bytes x = t.x;  // of its very size, so that tools see reads past the end
    if (QuantWinogradRuns(table, s, t.w.data()) && round % 2 == 0) {
      std::vector<uint32_t> packed(QuantWinogradPackedSize(table, s) / 4);
      auto* bytes = reinterpret_cast<uint8_t*>(packed.data());
      QuantWinogradPack(table, s, t.w.data(), bytes);
      std::vector<uint32_t> workspace(QuantWinogradWorkspace(table, s) / 4 + 1);
      RunQuantWinograd(table, parallel, t.conv, x.data(), bytes, bias, t.e, y,
                       reinterpret_cast<uint8_t*>(workspace.data()));
      return;
    }
    std::vector<uint32_t> packed(QuantPackedSize(table, s) / 4);
    auto* bytes = reinterpret_cast<uint8_t*>(packed.data());
    QuantPack(table, s, t.w.data(), bytes);
    std::vector<uint32_t> workspace(QuantWorkspaceSize(table, s) / 4 + 1);
    RunQuantConv(table, parallel, t.conv, x.data(), bytes, bias, t.e, y,
                 reinterpret_cast<uint8_t*>(workspace.data()));
  });
}

ConvShape RandomConv(Numbers& numbers, int round) {
  ConvShape s;
  s.batch = numbers.Whole(1, 2);
  s.kernel_h = numbers.Whole(1, 4);
  s.kernel_w = numbers.Whole(1, 4);
  s.stride_h = numbers.Whole(1, 2);
  s.stride_w = numbers.Whole(1, 2);
  s.dilation_h = numbers.Whole(1, 2);
  s.dilation_w = round % 3 == 0 ? 2 : 1;
  s.pad_top = numbers.Whole(0, s.kernel_h);
  s.pad_left = numbers.Whole(0, s.kernel_w);
  s.in_h = numbers.Whole(1, 9);
  s.in_w = numbers.Whole(1, 9);
  const int64_t high = s.in_h + 2 * s.pad_top - (s.kernel_h - 1) * s.dilation_h;
  const int64_t wide = s.in_w + 2 * s.pad_left - (s.kernel_w - 1) * s.dilation_w;
  s.out_h = high < 1 ? 1 : (high - 1) / s.stride_h + 1;
  s.out_w = wide < 1 ? 1 : (wide - 1) / s.stride_w + 1;
  if (round % 4 == 0) {  // depthwise
    s.in_c = s.out_c = s.groups = numbers.Whole(2, 70);
  } else {
    s.groups = round % 4 == 1 ? numbers.Whole(1, 3) : 1;
    s.in_c = s.groups * numbers.Whole(1, round % 4 == 2 ? 5 : 40);
    s.out_c = s.groups * numbers.Whole(1, 70);
  }
  return s;
}

TEST(QuantConv, EqualsPlainLoops) {
  Numbers numbers(11);
  for (int round = 0; round < 160; ++round) {
    ASSERT_NO_FATAL_FAILURE(CheckConv(numbers, round, RandomConv(numbers, round)));
  }
}

TEST(QuantConv, ProductsOfManyRowsAndColumns) {
  Numbers numbers(12);
  int round = 0;
  for (int64_t m : {1, 12, 13, 61}) {
    for (int64_t k : {1, 3, 4, 58, 130}) {
      ConvShape s;
      s.in_h = s.out_h = m;
      s.in_w = s.out_w = 1;
      s.in_c = k;
      s.out_c = 67;
      ASSERT_NO_FATAL_FAILURE(CheckConv(numbers, round++, s));
    }
  }
}

TEST(QuantConv, MoreTapsThanPointersFitTheStack) {
  Numbers numbers(13);
  ConvShape s;
  s.in_h = s.in_w = s.kernel_h = s.kernel_w = 17;
  s.out_h = s.out_w = 1;
  s.in_c = 18;
  s.out_c = 5;
  for (int round = 0; round < 4; ++round) {
    ASSERT_NO_FATAL_FAILURE(CheckConv(numbers, round, s));
  }
  s.in_c = s.out_c = s.groups = 18;  // 289 taps: as groups of one channel
  ASSERT_NO_FATAL_FAILURE(CheckConv(numbers, 4, s));
}

TEST(QuantConv, WinogradIsExact) {
  Numbers numbers(19);
  for (int round = 0; round < 40; round += 2) {
    ConvShape s;
    s.batch = numbers.Whole(1, 2);
    s.kernel_h = s.kernel_w = 3;
    s.pad_top = numbers.Whole(0, 2);
    s.pad_left = numbers.Whole(0, 2);
    s.in_h = numbers.Whole(1, 12);
    s.in_w = numbers.Whole(1, 12);
    s.out_h = std::max<int64_t>(1, s.in_h + 2 * s.pad_top - 2);
    s.out_w = std::max<int64_t>(1, s.in_w + 2 * s.pad_left - 2);
    s.in_c = round < 4 ? 1 : numbers.Whole(1, 70);
    s.out_c = numbers.Whole(1, 130);
    ASSERT_NO_FATAL_FAILURE(CheckConv(numbers, round, s));
  }
}

// Sums at the edge of what a 64th can be taken of, and the first that are past it.
TEST(QuantConv, WinogradHoldsTheLargestSums) {
  const KernelTable& table = TableOf(Isa::kReference);
  ConvShape s;
  s.kernel_h = s.kernel_w = 3;
  s.in_h = s.in_w = s.out_h = s.out_w = 5;
  s.pad_top = s.pad_left = 1;
  s.in_c = 116;
  s.out_c = 2;
  const auto each = static_cast<size_t>(s.in_c * 9);
  std::vector<int8_t> w(2 * each);
  for (size_t i = 0; i < 1033; ++i) {  // magnitudes of 2^17 - 1 in all
    w[i] = i < 1032 ? 127 : 7;
    w[each + i] = static_cast<int8_t>(-w[i]);
  }
  EXPECT_TRUE(QuantWinogradRuns(table, s, w.data()));
  w.back() = 1;
  EXPECT_FALSE(QuantWinogradRuns(table, s, w.data()));
  w.back() = 0;
  const Bytes x(static_cast<size_t>(s.in_h * s.in_w * s.in_c), 255);
  QuantEpilogue e;
  e.type = QuantType::kI32;
  const QuantConv conv = {s, false, 0};
  const Bytes expected = NaiveConv(conv, x.data(), w.data(), nullptr, e);
  CheckBytes(expected, [&](const KernelTable& isa, sys::Parallel& parallel, uint8_t* y) {
    if (!QuantWinogradRuns(isa, s, w.data())) {  // a set without it
      std::ranges::copy(expected, y);
      return;
    }
    std::vector<uint32_t> packed(QuantWinogradPackedSize(isa, s) / 4);
    auto* bytes = reinterpret_cast<uint8_t*>(packed.data());
    QuantWinogradPack(isa, s, w.data(), bytes);
    std::vector<uint32_t> workspace(QuantWinogradWorkspace(isa, s) / 4 + 1);
    RunQuantWinograd(isa, parallel, conv, x.data(), bytes, nullptr, e, y,
                     reinterpret_cast<uint8_t*>(workspace.data()));
  });
}

TEST(QuantConv, DepthwiseOfManyChannelsAndLines) {
  Numbers numbers(18);
  int round = 0;
  for (int64_t kernel : {2, 3, 5, 7, 8, 9}) {
    for (int64_t channels : {5, 24, 64, 100, 144, 200}) {
      ConvShape s;
      s.kernel_h = s.kernel_w = kernel;
      s.stride_h = s.stride_w = numbers.Whole(1, 3);
      s.pad_top = s.pad_left = numbers.Whole(0, kernel);
      s.in_h = numbers.Whole(1, 6);
      s.out_h = numbers.Whole(1, 5);
      s.in_w = numbers.Whole(1, 12);
      s.out_w = round % 5 == 0 ? 70 : numbers.Whole(1, 11);
      s.in_c = s.out_c = s.groups = channels;
      ASSERT_NO_FATAL_FAILURE(CheckConv(numbers, round++, s));
    }
  }
}

Bytes SumsOf(const KernelTable& table, sys::Parallel& parallel, const QuantConv& conv,
             const Bytes& x, const std::vector<int8_t>& w) {
  const ConvShape& s = conv.shape;
  std::vector<uint32_t> packed(QuantPackedSize(table, s) / 4);
  auto* bytes = reinterpret_cast<uint8_t*>(packed.data());
  QuantPack(table, s, w.data(), bytes);
  std::vector<uint32_t> workspace(QuantWorkspaceSize(table, s) / 4 + 1);
  QuantEpilogue e;
  e.type = QuantType::kI32;
  Bytes y(static_cast<size_t>(s.batch * s.out_h * s.out_w * s.out_c * 4));
  RunQuantConv(table, parallel, conv, x.data(), bytes, nullptr, e, y.data(),
               reinterpret_cast<uint8_t*>(workspace.data()));
  return y;
}

// The largest products there are, at which vpmaddubsw would saturate and which sums must hold.
TEST(QuantConv, ExtremesAreExact) {
  ConvShape s;
  s.in_h = s.out_h = 3;
  s.in_w = s.out_w = 1;
  s.in_c = 4096;
  s.out_c = 33;
  for (bool is_signed : {false, true}) {
    for (int8_t weight : {int8_t{-128}, int8_t{127}}) {
      const uint8_t largest = is_signed ? 0x7f : 0xff;
      const Bytes x(static_cast<size_t>(3 * s.in_c), largest);
      const std::vector<int8_t> w(static_cast<size_t>(s.in_c * s.out_c), weight);
      QuantEpilogue e;
      e.type = QuantType::kI32;
      const QuantConv conv = {s, is_signed, is_signed ? -128 : 0};
      const Bytes expected = NaiveConv(conv, x.data(), w.data(), nullptr, e);
      CheckBytes(expected, [&](const KernelTable& table, sys::Parallel& parallel, uint8_t* y) {
        std::ranges::copy(SumsOf(table, parallel, conv, x, w), y);
      });
    }
  }
}

// Pairs of weights whose products pass 16 bits, from none to more than a bounded panel may have,
// alone and side by side, at the largest elements.
TEST(QuantConv, LargePairsAmongSmallWeightsAreExact) {
  QuantEpilogue e;
  e.type = QuantType::kI32;
  for (const int64_t kernel : {1, 3}) {
    for (const int64_t every : {1000, 64, 17, 7, 3, 1}) {
      for (const bool is_signed : {false, true}) {
        ConvShape s;
        s.kernel_h = s.kernel_w = kernel;
        s.in_h = s.in_w = kernel;
        s.in_h += 6;
        s.out_h = 7;
        s.out_w = 1;
        s.in_c = 70;
        s.out_c = 21;
        const QuantConv conv = {s, is_signed, is_signed ? -128 : 0};
        const Bytes x(static_cast<size_t>(s.in_h * s.in_w * s.in_c), is_signed ? 0x7f : 0xff);
        std::vector<int8_t> w(static_cast<size_t>(s.out_c * s.in_c * kernel * kernel), 3);
        for (size_t i = 0; i < w.size(); ++i) {
          const bool large = static_cast<int64_t>(i) / (6 * kernel * kernel) % every == every - 1;
          if (large) w[i] = i % 5 == 0 ? int8_t{-128} : i % 7 < 5 ? int8_t{127} : int8_t{-127};
        }
        const Bytes expected = NaiveConv(conv, x.data(), w.data(), nullptr, e);
        for (const KernelTable& table : AllTables()) {
          SplitParallel parallel(2);
          EXPECT_EQ(SumsOf(table, parallel, conv, x, w), expected)
              << IsaName(table.isa) << ", one in " << every << " kernel " << kernel;
        }
      }
    }
  }
}

// So that the test above and the networks meet both forms: what trained weights look like is
// bounded, what fills the whole range is not.
TEST(QuantConv, PanelsAreBoundedWhereFewPairsAreLarge) {
  if (!IsaRuns(Isa::kAvx2)) GTEST_SKIP() << "no set with bounded tiles runs here";
  const KernelTable& table = TableOf(Isa::kAvx2);
  constexpr int64_t kColumns = 16, kDepth = 512;
  const auto further = [&](int64_t large_of_1000) {
    Numbers numbers(20);
    std::vector<int8_t> w(kColumns * kDepth);
    for (int8_t& x : w)
      x = static_cast<int8_t>(numbers.Whole(0, 999) < large_of_1000 ? 120 : numbers.Whole(-40, 40));
    std::vector<int32_t> panels(static_cast<size_t>(QuantPanelsSize(table, kColumns, 1, kDepth)) /
                                4);
    QuantProduct p;
    p.columns = kColumns;
    p.depth = kDepth;
    p.panels = reinterpret_cast<int8_t*>(panels.data());
    PackPanels(table, kColumns, 1, kDepth, w.data(), reinterpret_cast<int8_t*>(panels.data()));
    return QuantFurtherParts(table, p).Of(0).count;
  };
  EXPECT_EQ(further(0), 0);
  EXPECT_GT(further(3), 0);
  EXPECT_EQ(further(1000), -1);
}

PoolShape RandomPool(Numbers& numbers) {
  PoolShape s;
  s.batch = numbers.Whole(1, 2);
  s.in_h = numbers.Whole(1, 12);
  s.in_w = numbers.Whole(1, 12);
  s.channels = numbers.Whole(1, 300);
  s.kernel_h = numbers.Whole(1, 11);
  s.kernel_w = numbers.Whole(1, 4);
  s.stride_h = numbers.Whole(1, 3);
  s.dilation_w = numbers.Whole(1, 2);
  s.pad_top = numbers.Whole(0, s.kernel_h);
  s.pad_left = numbers.Whole(0, 3);
  s.pad_bottom = numbers.Whole(0, 2);
  s.pad_right = numbers.Whole(0, 2);
  s.out_h = numbers.Whole(1, 4);
  s.out_w = numbers.Whole(1, 6);
  return s;
}

// f(flat index of the input) for each position inside the window of output element `at`; returns
// how many count with padding.
template <typename F>
int64_t ForWindow(const PoolShape& s, int64_t at, const F& f) {
  const int64_t c = at % s.channels, ox = at / s.channels % s.out_w;
  const int64_t oy = at / s.channels / s.out_w % s.out_h, n = at / s.channels / s.out_w / s.out_h;
  int64_t counted = 0;
  for (int64_t ky = 0; ky < s.kernel_h; ++ky) {
    for (int64_t kx = 0; kx < s.kernel_w; ++kx) {
      const int64_t y = oy * s.stride_h - s.pad_top + ky * s.dilation_h;
      const int64_t x = ox * s.stride_w - s.pad_left + kx * s.dilation_w;
      if (y < s.in_h + s.pad_bottom && x < s.in_w + s.pad_right) ++counted;
      if (y < 0 || y >= s.in_h || x < 0 || x >= s.in_w) continue;
      f(((n * s.in_h + y) * s.in_w + x) * s.channels + c);
    }
  }
  return counted;
}

TEST(QuantPool, EqualsPlainLoops) {
  Numbers numbers(14);
  for (int round = 0; round < 60; ++round) {
    const PoolShape s = RandomPool(numbers);
    const bool is_signed = round % 2 == 1, padding = round % 3 == 0;
    const Bytes x = RandomBytes(numbers, s.batch * s.in_h * s.in_w * s.channels);
    const int64_t outputs = s.batch * s.out_h * s.out_w * s.channels;
    const int32_t zero = is_signed ? -7 : 9;
    Setting t;
    FillEpilogue(numbers, round, outputs, s.channels, t);
    t.e.add = nullptr;
    t.e.offset = nullptr;
    Bytes largest(static_cast<size_t>(outputs));
    Bytes mean(static_cast<size_t>(outputs * QuantTypeBytes(t.e.type)));
    for (int64_t at = 0; at < outputs; ++at) {
      int32_t max = is_signed ? -128 : 0;
      int64_t sum = 0, inside = 0;
      const int64_t counted = ForWindow(s, at, [&](int64_t from) {
        max = std::max(max, At(x.data(), from, is_signed));
        sum += At(x.data(), from, is_signed) - zero;
        ++inside;
      });
      largest[static_cast<size_t>(at)] = static_cast<uint8_t>(max);
      const int64_t count = padding ? counted : inside;
      t.factor.assign(static_cast<size_t>(s.channels),
                      count == 0 ? 0.0f : 0.8f / static_cast<float>(count));
      t.e.factor = t.factor.data();
      Put(t.e, at % s.channels, at, sum, mean.data());
    }
    SCOPED_TRACE(round);
    ASSERT_NO_FATAL_FAILURE(
        CheckBytes(largest, [&](const KernelTable& table, sys::Parallel& p, uint8_t* y) {
          QuantMaxPool(table, p, s, is_signed, x.data(), y);
        }));
    ASSERT_NO_FATAL_FAILURE(
        CheckBytes(mean, [&](const KernelTable& table, sys::Parallel& p, uint8_t* y) {
          QuantAveragePool(table, p, s, padding, is_signed, zero, 0.8f, t.e, x.data(), y);
        }));
  }
}

TEST(QuantizeBytes, EqualsPlainLoops) {
  Numbers numbers(16);
  for (int64_t channels = 1; channels <= kMaxInterleaved; ++channels) {
    for (int64_t plane : {1, 17, 1024, 2500}) {
      const bool is_signed = plane % 2 == 1;
      const int32_t zero = is_signed ? -5 : 120;
      std::vector<float> x = numbers.Reals(2 * channels * plane, -4.0f, 4.0f);
      x[0] = 1e30f;
      x.back() = -1e30f;
      Bytes expected(x.size());
      for (size_t i = 0; i < x.size(); ++i) {
        const float q = std::nearbyint(x[i] / 0.02f) + static_cast<float>(zero);
        const auto whole =
            static_cast<int32_t>(Clip(q, is_signed ? -128.0f : 0.0f, is_signed ? 127.0f : 255.0f));
        const auto at = static_cast<int64_t>(i);
        const int64_t n = at / channels / plane, c = at / plane % channels, p = at % plane;
        expected[static_cast<size_t>((n * plane + p) * channels + c)] = static_cast<uint8_t>(whole);
      }
      ASSERT_NO_FATAL_FAILURE(
          CheckBytes(expected, [&](const KernelTable& table, sys::Parallel& parallel, uint8_t* y) {
            QuantizeBytes(table, parallel, 2, channels, plane, 0.02f, zero, is_signed, x.data(), y);
          }));
    }
  }
}

TEST(QuantBinary, EqualsPlainLoops) {
  Numbers numbers(17);
  for (int round = 0; round < 24; ++round) {
    QuantBinaryShape s;
    s.outer = numbers.Whole(1, 3);
    s.repeat = round % 3 == 0 ? 1 : numbers.Whole(1, 9);
    s.inner = numbers.Whole(1, 90);
    s.multiplies = round % 2 == 0;
    s.a_signed = round % 4 < 2;
    s.b_signed = round % 8 < 4;
    s.a_zero = 3;
    s.b_zero = 100;
    s.a_factor = s.multiplies ? 0.01f : 0.7f;
    s.b_factor = 0.35f;
    s.zero = 20;
    s.low = -20;
    s.high = 200;
    const Bytes a = RandomBytes(numbers, s.outer * s.repeat * s.inner);
    const Bytes b = RandomBytes(numbers, s.outer * s.inner);
    Bytes expected;
    for (int64_t i = 0; i < static_cast<int64_t>(a.size()); ++i) {
      const int64_t other = i / s.inner / s.repeat * s.inner + i % s.inner;
      const float x = static_cast<float>(At(a.data(), i, s.a_signed)) - s.a_zero;
      const float w = static_cast<float>(At(b.data(), other, s.b_signed)) - s.b_zero;
      const float r = s.multiplies ? x * w * s.a_factor : std::fma(w, s.b_factor, x * s.a_factor);
      const float steps = std::nearbyint(Clip(r, s.low, s.high));
      expected.push_back(static_cast<uint8_t>(static_cast<int32_t>(steps) + s.zero));
    }
    SCOPED_TRACE(round);
    ASSERT_NO_FATAL_FAILURE(
        CheckBytes(expected, [&](const KernelTable& table, sys::Parallel& parallel, uint8_t* y) {
          QuantBinary(table, parallel, s, a.data(), b.data(), y);
        }));
  }
}

TEST(MapBytes, LooksUp) {
  Numbers numbers(15);
  const Bytes table = RandomBytes(numbers, 256);
  for (int64_t count : {0, 1, 7, 8, 1000, 5000}) {
    const Bytes x = RandomBytes(numbers, count);
    Bytes expected;
    for (uint8_t i : x) expected.push_back(table[i]);
    ASSERT_NO_FATAL_FAILURE(
        CheckBytes(expected, [&](const KernelTable& isa, sys::Parallel& parallel, uint8_t* y) {
          MapBytes(isa, parallel, count, table.data(), x.data(), y);
        }));
  }
}

}  // namespace
}  // namespace ferry::kernels
