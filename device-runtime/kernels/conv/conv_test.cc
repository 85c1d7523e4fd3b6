#include "device-runtime/kernels/conv/conv.h"

#include "device-runtime/kernels/testing/testing.h"

namespace ferry::kernels {
namespace {

using testing::CheckEverywhere;
using testing::Numbers;
using testing::Output;

std::vector<double> NaiveConv(const ConvShape& s, const std::vector<float>& x,
                              const std::vector<float>& w, const Epilogue& e) {
  std::vector<double> y;
  const int64_t in = s.in_c / s.groups;
  for (int64_t n = 0; n < s.batch; ++n) {
    for (int64_t oy = 0; oy < s.out_h; ++oy) {
      for (int64_t ox = 0; ox < s.out_w; ++ox) {
        for (int64_t o = 0; o < s.out_c; ++o) {
          const int64_t first = o / (s.out_c / s.groups) * in;
          double sum = 0;
          for (int64_t k = 0; k < s.kernel_h * s.kernel_w; ++k) {
            const int64_t iy = oy * s.stride_h - s.pad_top + k / s.kernel_w * s.dilation_h;
            const int64_t ix = ox * s.stride_w - s.pad_left + k % s.kernel_w * s.dilation_w;
            if (iy < 0 || iy >= s.in_h || ix < 0 || ix >= s.in_w) continue;
            const float* pixel = &x[((n * s.in_h + iy) * s.in_w + ix) * s.in_c + first];
            const float* weight = &w[o * in * s.kernel_h * s.kernel_w + k];
            for (int64_t i = 0; i < in; ++i) {
              sum += static_cast<double>(pixel[i]) *
                     static_cast<double>(weight[i * s.kernel_h * s.kernel_w]);
            }
          }
          if (e.bias != nullptr) sum += static_cast<double>(e.bias[o]);
          if (e.add != nullptr) sum += static_cast<double>(e.add[y.size()]);
          if (e.activation == Activation::kClip) {
            sum = std::min(static_cast<double>(e.high), std::max(static_cast<double>(e.low), sum));
          } else if (e.activation == Activation::kSigmoid) {
            sum = 1 / (1 + std::exp(-sum));
          }
          y.push_back(sum);
        }
      }
    }
  }
  return y;
}

void Check(ConvAlgorithm algorithm, const ConvShape& s, int round) {
  SCOPED_TRACE(::testing::Message()
               << "round " << round << " " << ConvAlgorithmName(algorithm) << " " << s.batch << "x"
               << s.in_h << "x" << s.in_w << "x" << s.in_c << " -> " << s.out_h << "x" << s.out_w
               << "x" << s.out_c << " kernel " << s.kernel_h << "x" << s.kernel_w << " stride "
               << s.stride_h << "x" << s.stride_w << " dilation " << s.dilation_h << "x"
               << s.dilation_w << " pad " << s.pad_top << "," << s.pad_left << " groups "
               << s.groups);
  ASSERT_TRUE(ConvSupports(algorithm, s));
  Numbers numbers(static_cast<uint32_t>(round));
  const int64_t out_size = s.batch * s.out_h * s.out_w * s.out_c;
  const std::vector<float> x = numbers.Reals(s.batch * s.in_h * s.in_w * s.in_c);
  const std::vector<float> w = numbers.Reals(s.out_c * s.in_c / s.groups * s.kernel_h * s.kernel_w);
  const std::vector<float> bias = numbers.Reals(s.out_c);
  const std::vector<float> add = numbers.Reals(out_size);
  Epilogue e;
  if (round % 2 == 0) e.bias = bias.data();
  if (round % 3 == 0) e.add = add.data();
  if (round % 4 == 1) {
    e.activation = Activation::kClip;
    e.low = 0.0f;
    e.high = 6.0f;
  } else if (round % 4 == 2) {
    e.activation = Activation::kSigmoid;
  }
  // Residuals and activations make some outputs small beside the sums that errors follow.
  const double tolerance = 1e-5 + 4 * ConvError(algorithm);
  Tiles tiles;
  const auto run = [&](const KernelTable& table, sys::Parallel& parallel) {
    std::vector<float> packed(ConvPackedSize(table, algorithm, s));
    ConvPack(table, algorithm, s, w.data(), packed.data(), tiles);
    const int threads = parallel.width();
    Output workspace(static_cast<int64_t>(ConvWorkspaceSize(table, algorithm, s, threads)));
    Output y(out_size);
    Conv(table, parallel, algorithm, s, x.data(), packed.data(), e, y.data(), workspace.data(),
         tiles);
    workspace.Take();
    return y.Take();
  };
  CheckEverywhere(NaiveConv(s, x, w, e), tolerance, run);
  if (!ConvHasTiles(algorithm)) return;
  for (Isa isa : RunningIsas()) {
    tiles = {};
    const std::vector<float> expected = run(TableOf(isa), sys::SerialParallel());
    for (tiles.vectors = 1; tiles.vectors <= 4; ++tiles.vectors) {
      tiles.rows = round % 5;
      tiles.depth_block = 32 * (round % 3);
      tiles.block_bytes = 4096 * (round % 2);
      if (!TilesRun(TableOf(isa), tiles)) continue;
      SCOPED_TRACE(::testing::Message() << IsaName(isa) << " tiles of " << tiles.vectors);
      ASSERT_NO_FATAL_FAILURE(
          testing::ExpectSameBits(run(TableOf(isa), sys::SerialParallel()), expected));
    }
  }
}

// Pixels `stride` apart, NaN between them.
std::vector<float> Spread(const std::vector<float>& dense, int64_t channels, int64_t stride) {
  std::vector<float> spread(
      dense.size() / static_cast<size_t>(channels) * static_cast<size_t>(stride),
      std::numeric_limits<float>::quiet_NaN());
  for (size_t i = 0; i < dense.size(); ++i) {
    const size_t pixel = i / static_cast<size_t>(channels);
    spread[pixel * static_cast<size_t>(stride) + i % static_cast<size_t>(channels)] = dense[i];
  }
  return spread;
}

// Pixels that lie apart give the same bits, and nothing is written between them.
void CheckApart(ConvAlgorithm algorithm, ConvShape s, int round) {
  Numbers numbers(static_cast<uint32_t>(round));
  const std::vector<float> x = numbers.Reals(s.batch * s.in_h * s.in_w * s.in_c);
  const std::vector<float> w = numbers.Reals(s.out_c * s.in_c / s.groups * s.kernel_h * s.kernel_w);
  const std::vector<float> add = numbers.Reals(s.batch * s.out_h * s.out_w * s.out_c);
  const ConvShape dense = s;
  s.in_stride = round % 3 == 0 ? 0 : s.in_c + round % 7;
  s.out_stride = round % 3 == 1 ? 0 : s.out_c + round % 5;
  if (!ConvSupports(algorithm, s)) return;
  SCOPED_TRACE(::testing::Message() << "round " << round << " " << ConvAlgorithmName(algorithm));
  for (Isa isa : RunningIsas()) {
    const KernelTable& table = TableOf(isa);
    const auto run = [&](const ConvShape& shape, int width) {
      const std::vector<float> in = Spread(x, s.in_c, shape.in_step());
      const std::vector<float> residual = Spread(add, s.out_c, shape.out_step());
      Epilogue e;
      if (round % 2 == 0) e.add = residual.data();
      if (round % 5 < 2) e.activation = Activation::kSigmoid;
      std::vector<float> packed(ConvPackedSize(table, algorithm, shape));
      ConvPack(table, algorithm, shape, w.data(), packed.data());
      Output workspace(static_cast<int64_t>(ConvWorkspaceSize(table, algorithm, shape, width)));
      Output y(static_cast<int64_t>(residual.size()));
      testing::SplitParallel parallel(width);
      Conv(table, parallel, algorithm, shape, in.data(), packed.data(), e, y.data(),
           workspace.data());
      workspace.Take();
      return y.Take();
    };
    const std::vector<float> want = Spread(run(dense, 1), s.out_c, s.out_step());
    for (int width = 1; width <= 2; ++width) {
      const std::vector<float> got = run(s, width);
      ASSERT_EQ(got.size(), want.size());
      for (size_t i = 0; i < got.size(); ++i) {
        ASSERT_TRUE(std::isnan(want[i]) ? std::isnan(got[i]) : got[i] == want[i]) << i;
      }
    }
  }
}

// Every algorithm that takes the shape.
void CheckAll(const ConvShape& s, int round) {
  for (int i = 0; i < kConvAlgorithmCount; ++i) {
    const auto algorithm = static_cast<ConvAlgorithm>(i);
    if (!ConvSupports(algorithm, s)) continue;
    if (algorithm == ConvAlgorithm::kSplit && round % 4 != 0)
      continue;  // slow where it is emulated
    ASSERT_NO_FATAL_FAILURE(Check(algorithm, s, round));
    ASSERT_NO_FATAL_FAILURE(CheckApart(algorithm, s, round));
  }
}

// A random shape whose output size follows from its input, kernel and padding.
ConvShape RandomConvShape(Numbers& numbers) {
  ConvShape s;
  s.batch = numbers.Whole(1, 2);
  s.in_h = numbers.Whole(3, 13);
  s.in_w = numbers.Whole(3, 13);
  s.groups = numbers.Pick<int64_t>({1, 1, 1, 2, 3});
  s.in_c = s.groups * numbers.Whole(1, 24);
  s.out_c = s.groups * numbers.Whole(1, 24);
  s.kernel_h = numbers.Whole(1, 5);
  s.kernel_w = numbers.Whole(1, 5);
  s.stride_h = numbers.Whole(1, 3);
  s.stride_w = numbers.Whole(1, 3);
  s.dilation_h = numbers.Whole(1, 2);
  s.dilation_w = numbers.Whole(1, 3);
  s.pad_top = numbers.Whole(0, 3);
  s.pad_left = numbers.Whole(0, 3);
  return s;
}

// False when the kernel does not fit into the padded input.
bool SetOutput(Numbers& numbers, ConvShape& s) {
  const int64_t h = s.in_h + s.pad_top + numbers.Whole(0, 2) - (s.kernel_h - 1) * s.dilation_h - 1;
  const int64_t w = s.in_w + s.pad_left + numbers.Whole(0, 2) - (s.kernel_w - 1) * s.dilation_w - 1;
  s.out_h = h / s.stride_h + 1;
  s.out_w = w / s.stride_w + 1;
  return h >= 0 && w >= 0;
}

TEST(ConvTest, RandomShapes) {
  Numbers numbers(11);
  for (int round = 0; round < 80; ++round) {
    ConvShape s = RandomConvShape(numbers);
    if (!SetOutput(numbers, s)) continue;
    ASSERT_NO_FATAL_FAILURE(CheckAll(s, round));
  }
}

TEST(ConvTest, FewChannels) {
  Numbers numbers(12);
  for (int round = 0; round < 40; ++round) {
    ConvShape s = RandomConvShape(numbers);
    s.groups = 1;
    s.in_c = numbers.Whole(1, 4);
    s.dilation_w = 1;
    if (!SetOutput(numbers, s)) continue;
    ASSERT_NO_FATAL_FAILURE(CheckAll(s, round));
  }
}

TEST(ConvTest, DepthwiseWithAndWithoutMultiplier) {
  Numbers numbers(13);
  for (int round = 0; round < 60; ++round) {
    ConvShape s = RandomConvShape(numbers);
    s.in_c = s.groups = numbers.Whole(1, 50);
    s.out_c = s.in_c * numbers.Pick<int64_t>({1, 1, 2, 3});
    if (round % 2 == 0) {
      s.kernel_h = s.kernel_w = numbers.Pick<int64_t>({3, 5});
      s.in_w = numbers.Whole(10, 30);
    }
    if (!SetOutput(numbers, s)) continue;
    const auto special = s.out_c == s.in_c ? ConvAlgorithm::kDepthwise : ConvAlgorithm::kMultiplied;
    ASSERT_NO_FATAL_FAILURE(Check(special, s, round));
  }
}

TEST(ConvTest, PointwiseOnRandomShapes) {
  Numbers numbers(14);
  for (int round = 0; round < 20; ++round) {
    ConvShape s;
    s.batch = numbers.Whole(1, 3);
    s.in_h = s.out_h = numbers.Whole(1, 9);
    s.in_w = s.out_w = numbers.Whole(1, 9);
    s.in_c = numbers.Whole(1, 80);
    s.out_c = numbers.Whole(1, 80);
    ASSERT_NO_FATAL_FAILURE(Check(ConvAlgorithm::kPointwise, s, round));
    ASSERT_NO_FATAL_FAILURE(Check(ConvAlgorithm::kIndirect, s, round));
  }
}

ConvShape Random3x3(Numbers& numbers) {
  ConvShape s;
  s.batch = numbers.Whole(1, 2);
  s.in_h = numbers.Whole(1, 30);
  s.in_w = numbers.Whole(1, 30);
  s.in_c = numbers.Whole(1, 40);
  s.out_c = numbers.Whole(1, 40);
  s.kernel_h = s.kernel_w = 3;
  s.pad_top = numbers.Whole(0, 2);
  s.pad_left = numbers.Whole(0, 2);
  return s;
}

TEST(ConvTest, WinogradOnRandomShapes) {
  Numbers numbers(15);
  for (int round = 0; round < 30; ++round) {
    ConvShape s = Random3x3(numbers);
    if (!SetOutput(numbers, s)) continue;
    for (const auto algorithm :
         {ConvAlgorithm::kWinograd2, ConvAlgorithm::kWinograd4, ConvAlgorithm::kWinograd6}) {
      ASSERT_NO_FATAL_FAILURE(Check(algorithm, s, round));
      ASSERT_NO_FATAL_FAILURE(CheckApart(algorithm, s, round));
    }
  }
}

// Threads take output channels where tiles are few, tiles where they are many.
TEST(ConvTest, WinogradSplitsAlike) {
  ConvShape s;
  s.pad_top = s.pad_left = 1;
  s.kernel_h = s.kernel_w = 3;
  for (const auto& [size, in, out] :
       {std::array<int64_t, 3>{9, 40, 200}, {6, 260, 270}, {40, 5, 9}}) {
    s.in_h = s.in_w = s.out_h = s.out_w = size;
    s.in_c = in;
    s.out_c = out;
    for (const auto algorithm :
         {ConvAlgorithm::kWinograd2, ConvAlgorithm::kWinograd4, ConvAlgorithm::kWinograd6}) {
      for (int round = 0; round < 2; ++round) {
        ASSERT_NO_FATAL_FAILURE(Check(algorithm, s, round));
      }
    }
  }
}

// max|y - exact| / max|exact| of one run.
double ErrorOf(const KernelTable& table, ConvAlgorithm algorithm, const ConvShape& s,
               const std::vector<float>& x, const std::vector<float>& w,
               const std::vector<double>& exact) {
  std::vector<float> packed(ConvPackedSize(table, algorithm, s));
  ConvPack(table, algorithm, s, w.data(), packed.data());
  std::vector<float> workspace(ConvWorkspaceSize(table, algorithm, s, 1));
  std::vector<float> y(exact.size());
  Conv(table, sys::SerialParallel(), algorithm, s, x.data(), packed.data(), {}, y.data(),
       workspace.data());
  double largest = 0, error = 0;
  for (size_t i = 0; i < y.size(); ++i) {
    largest = std::max(largest, std::fabs(exact[i]));
    error = std::max(error, std::fabs(static_cast<double>(y[i]) - exact[i]));
  }
  return error / largest;
}

// The stated bounds hold with room for what these numbers do not show, and say something.
TEST(ConvTest, WinogradErrorsStayInsideTheirStatedBounds) {
  for (const auto algorithm :
       {ConvAlgorithm::kWinograd2, ConvAlgorithm::kWinograd4, ConvAlgorithm::kWinograd6}) {
    Numbers numbers(16);
    double worst = 0;
    for (int round = 0; round < 12; ++round) {
      ConvShape s = Random3x3(numbers);
      s.in_c = numbers.Pick<int64_t>({3, 32, 128, 300});
      s.batch = 1;
      s.pad_top = s.pad_left = 1;
      s.out_h = s.in_h;
      s.out_w = s.in_w;
      // Activations behind a ReLU are not centred: sums grow, and so may errors.
      const float low = round % 2 == 0 ? -1.0f : 0.0f;
      const std::vector<float> x = numbers.Reals(s.in_h * s.in_w * s.in_c, low);
      const std::vector<float> w = numbers.Reals(s.out_c * s.in_c * 9);
      const std::vector<double> exact = NaiveConv(s, x, w, {});
      for (Isa isa : RunningIsas()) {
        worst = std::max(worst, ErrorOf(TableOf(isa), algorithm, s, x, w, exact));
      }
    }
    std::cout << ConvAlgorithmName(algorithm) << ": " << worst << "\n";
    EXPECT_LE(worst, ConvError(algorithm)) << ConvAlgorithmName(algorithm);
    EXPECT_GE(worst, ConvError(algorithm) / 8) << ConvAlgorithmName(algorithm);
  }
}

TEST(ConvTest, ManyTapsOfManyChannels) {
#ifdef FERRY_SANITIZED
  constexpr int64_t kSize = 5;
#else
  constexpr int64_t kSize = 9;
#endif
  ConvShape s;
  s.in_h = s.in_w = s.out_h = s.out_w = kSize;
  s.in_c = 130;
  s.out_c = 40;
  s.kernel_h = s.kernel_w = 7;
  s.pad_top = s.pad_left = 3;
  ASSERT_NO_FATAL_FAILURE(CheckAll(s, 0));
  s.in_c = 600;  // a single tap is longer than a block of depth
  s.kernel_h = s.kernel_w = 3;
  s.pad_top = s.pad_left = 1;
  ASSERT_NO_FATAL_FAILURE(CheckAll(s, 3));
}

TEST(ConvTest, SupportsNamesWhatEachAlgorithmTakes) {
  ConvShape s;
  s.in_h = s.in_w = s.out_h = s.out_w = 8;
  s.in_c = s.out_c = 16;
  EXPECT_TRUE(ConvSupports(ConvAlgorithm::kPointwise, s));
  EXPECT_FALSE(ConvSupports(ConvAlgorithm::kDepthwise, s));
  EXPECT_FALSE(ConvSupports(ConvAlgorithm::kWinograd4, s));
  EXPECT_FALSE(ConvSupports(ConvAlgorithm::kIm2col, s));
  s.pad_left = 1;  // same size of output, shifted
  EXPECT_FALSE(ConvSupports(ConvAlgorithm::kPointwise, s));
  s.kernel_h = s.kernel_w = 3;
  EXPECT_TRUE(ConvSupports(ConvAlgorithm::kWinograd4, s));
  EXPECT_FALSE(ConvSupports(ConvAlgorithm::kStem, s));
  s.in_c = 3;
  EXPECT_TRUE(ConvSupports(ConvAlgorithm::kStem, s));
  s.pad_left = 1 << 22;  // each of as many windows would be copied
  s.out_w = 1 << 22;
  EXPECT_FALSE(ConvSupports(ConvAlgorithm::kStem, s));
  s.pad_left = 1;
  s.out_w = 8;
  s.in_c = 16;
  s.stride_w = 2;
  EXPECT_FALSE(ConvSupports(ConvAlgorithm::kWinograd4, s));
  s.groups = 16;
  EXPECT_TRUE(ConvSupports(ConvAlgorithm::kDepthwise, s));
  EXPECT_FALSE(ConvSupports(ConvAlgorithm::kMultiplied, s));
  s.kernel_h = 17;
  s.kernel_w = 16;  // more taps than one call takes
  EXPECT_FALSE(ConvSupports(ConvAlgorithm::kDepthwise, s));
  s.out_c = 32;
  EXPECT_FALSE(ConvSupports(ConvAlgorithm::kMultiplied, s));
  EXPECT_TRUE(ConvSupports(ConvAlgorithm::kIndirect, s));
  s.in_c = s.groups = 1 << 20;
  s.out_c = 1 << 21;
  s.kernel_w = 1;  // its repeated input would not fit
  EXPECT_FALSE(ConvSupports(ConvAlgorithm::kMultiplied, s));
}

}  // namespace
}  // namespace ferry::kernels
