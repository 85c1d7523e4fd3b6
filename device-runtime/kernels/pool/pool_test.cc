#include "device-runtime/kernels/pool/pool.h"

#include "device-runtime/kernels/testing/testing.h"

namespace ferry::kernels {
namespace {

using testing::Numbers;
using testing::Output;

std::vector<double> NaivePool(PoolKind kind, const PoolShape& s, const std::vector<float>& x) {
  std::vector<double> y;
  for (int64_t i = 0; i < s.batch * s.out_h * s.out_w; ++i) {
    const int64_t ox = i % s.out_w;
    const int64_t oy = i / s.out_w % s.out_h;
    const int64_t n = i / (s.out_w * s.out_h);
    for (int64_t c = 0; c < s.channels; ++c) {
      double max = -std::numeric_limits<double>::infinity();
      double sum = 0;
      int64_t inside = 0;
      int64_t padded = 0;
      for (int64_t k = 0; k < s.kernel_h * s.kernel_w; ++k) {
        const int64_t iy = oy * s.stride_h - s.pad_top + k / s.kernel_w * s.dilation_h;
        const int64_t ix = ox * s.stride_w - s.pad_left + k % s.kernel_w * s.dilation_w;
        if (iy < s.in_h + s.pad_bottom && ix < s.in_w + s.pad_right) ++padded;
        if (iy < 0 || iy >= s.in_h || ix < 0 || ix >= s.in_w) continue;
        const double v = static_cast<double>(x[((n * s.in_h + iy) * s.in_w + ix) * s.channels + c]);
        max = std::max(max, v);
        sum += v;
        ++inside;
      }
      const int64_t count = kind == PoolKind::kAverage ? inside : padded;
      y.push_back(kind == PoolKind::kMax ? max
                                         : (count == 0 ? 0 : sum / static_cast<double>(count)));
    }
  }
  return y;
}

TEST(PoolTest, AgreesWithTheNaivePoolOnRandomShapes) {
  Numbers numbers(31);
  for (int round = 0; round < 150; ++round) {
    PoolShape s;
    s.batch = numbers.Whole(1, 2);
    s.in_h = numbers.Whole(3, 14);
    s.in_w = numbers.Whole(3, 14);
    s.channels = numbers.Whole(1, 40);
    s.kernel_h = numbers.Whole(1, 4);
    s.kernel_w = numbers.Whole(1, 4);
    s.stride_h = numbers.Whole(1, 3);
    s.stride_w = numbers.Whole(1, 3);
    s.dilation_h = numbers.Whole(1, 2);
    s.dilation_w = numbers.Whole(1, 2);
    s.pad_top = numbers.Whole(0, s.kernel_h - 1);
    s.pad_left = numbers.Whole(0, s.kernel_w - 1);
    s.pad_bottom = numbers.Whole(0, s.kernel_h - 1);
    s.pad_right = numbers.Whole(0, s.kernel_w - 1);
    const int64_t h = s.in_h + s.pad_top + s.pad_bottom - (s.kernel_h - 1) * s.dilation_h - 1;
    const int64_t w = s.in_w + s.pad_left + s.pad_right - (s.kernel_w - 1) * s.dilation_w - 1;
    if (h < 0 || w < 0) continue;
    const int64_t up = round % 3 == 0 ? 1 : 0;  // as when the size is rounded up
    s.out_h = (h + up * (s.stride_h - 1)) / s.stride_h + 1;
    s.out_w = (w + up * (s.stride_w - 1)) / s.stride_w + 1;
    const PoolKind kind = static_cast<PoolKind>(round % 3);
    const std::vector<float> x = numbers.Reals(s.batch * s.in_h * s.in_w * s.channels);
    const std::vector<double> want = NaivePool(kind, s, x);
    if (std::isinf(*std::min_element(want.begin(), want.end()))) continue;
    SCOPED_TRACE(round);
    ASSERT_NO_FATAL_FAILURE(testing::CheckEverywhere(
        want, 1e-6, [&](const KernelTable& table, sys::Parallel& parallel) {
          Output y(static_cast<int64_t>(want.size()));
          Pool(table, parallel, kind, s, x.data(), y.data());
          return y.Take();
        }));
  }
}

// Pixels that lie apart: the same bits, and nothing written between them.
TEST(PoolTest, PixelsThatLieApart) {
  Numbers numbers(33);
  for (int round = 0; round < 40; ++round) {
    PoolShape s;
    s.in_h = s.in_w = round % 4 == 0 ? 3 : numbers.Whole(3, 9);
    s.kernel_h = s.kernel_w = 3;
    s.out_h = s.out_w = s.in_h - 2;
    s.channels = numbers.Whole(1, 40);
    const int64_t apart = s.channels + numbers.Whole(0, 9);
    const PoolKind kind = static_cast<PoolKind>(round % 3);
    const std::vector<float> x = numbers.Reals(s.in_h * s.in_w * apart);
    std::vector<float> dense;
    for (int64_t i = 0; i < s.in_h * s.in_w; ++i) {
      dense.insert(dense.end(), &x[i * apart], &x[i * apart] + s.channels);
    }
    SCOPED_TRACE(round);
    for (Isa isa : RunningIsas()) {
      const KernelTable& table = TableOf(isa);
      Output want(s.out_h * s.out_w * s.channels);
      Pool(table, sys::SerialParallel(), kind, s, dense.data(), want.data());
      const std::vector<float> expected = want.Take();
      PoolShape t = s;
      t.in_stride = apart;
      t.out_stride = s.channels + 3;
      Output y(s.out_h * s.out_w * t.out_stride);
      Pool(table, sys::SerialParallel(), kind, t, x.data(), y.data());
      const std::vector<float> got = y.Take();
      for (size_t i = 0; i < got.size(); ++i) {
        const int64_t pixel = static_cast<int64_t>(i) / t.out_stride;
        const int64_t channel = static_cast<int64_t>(i) % t.out_stride;
        if (channel >= s.channels) {
          ASSERT_TRUE(std::isnan(got[i]));
        } else {
          ASSERT_NEAR(got[i], expected[static_cast<size_t>(pixel * s.channels + channel)], 1e-6);
        }
      }
    }
  }
}

TEST(PoolTest, GlobalAndLargeWindows) {
  Numbers numbers(32);
  for (int64_t size : {1, 7, 11, 12, 20}) {
    PoolShape s;
    s.in_h = s.in_w = s.kernel_h = s.kernel_w = size;
    s.out_h = s.out_w = 1;
    s.channels = 37;
    for (PoolKind kind : {PoolKind::kMax, PoolKind::kAverage, PoolKind::kAverageWithPad}) {
      for (int64_t pad : {0, 1}) {
        s.pad_top = s.pad_left = pad;
        const std::vector<float> x = numbers.Reals(size * size * s.channels);
        if (size == 1 && pad == 1) continue;  // the window misses the input
        ASSERT_NO_FATAL_FAILURE(testing::CheckEverywhere(
            NaivePool(kind, s, x), 1e-5, [&](const KernelTable& table, sys::Parallel& parallel) {
              Output y(s.channels);
              Pool(table, parallel, kind, s, x.data(), y.data());
              return y.Take();
            }));
      }
    }
  }
}

TEST(PoolTest, WindowWithoutAnyInput) {
  PoolShape s;
  s.in_h = s.in_w = 1;
  s.out_h = s.out_w = 1;
  s.channels = 3;
  s.pad_top = 5;
  const float x[3] = {1, 2, 3};
  for (Isa isa : RunningIsas()) {
    float y[3];
    Pool(TableOf(isa), sys::SerialParallel(), PoolKind::kMax, s, x, y);
    EXPECT_EQ(y[0], -std::numeric_limits<float>::infinity());
    Pool(TableOf(isa), sys::SerialParallel(), PoolKind::kAverage, s, x, y);
    EXPECT_EQ(y[2], 0.0f);
  }
}

}  // namespace
}  // namespace ferry::kernels
