// Winograd's F(4x4, 3x3) (Lavin and Gray, arXiv 1509.09308) in whole numbers: the same sums, bit
// for bit, from 36 products for 16 outputs instead of 144.
// Points 0, 1, -1, 2, -2 and infinity. B^T is whole, and 16 bits hold B^T d B of any bytes. G's
// rows are whole but for a divisor each, (4, -6, -6, 24, 24, 1): without them 16 bits hold G g G^T
// too, and every result is 24 * 24 = 64 * 9 times too large once A^T's columns are multiplied by
// what the divisors leave of 24. All that is done modulo 2^32, where a ninth exists; a 64th is
// exact when the sum itself has 26 bits, which the weights of a channel say beforehand.
#include <algorithm>
#include <cstring>

#include "device-runtime/kernels/parallel.h"
#include "device-runtime/kernels/quant/product.h"

namespace ferry::kernels {
namespace {

constexpr int kPoints = 36;
constexpr int64_t kOut = 4;
// Bytes of both sides of the products of one block of tiles: they stay in the second-level cache.
constexpr int64_t kWinogradBlockBytes = 512 * 1024;
constexpr int64_t kMinBlock = 24;
// Largest weights of the points, in bytes: eight times those of the kernel. 256 to 256 channels, on
// 14 x 14 pixels, take 0.65 ms so with AVX2 and 1.5 as a product; more come from memory.
constexpr int64_t kMaxPointBytes = 5 * 1024 * 1024;
constexpr int64_t kChunk = 64;  // channels of sums on the stack
// Threads that share a block: each takes tiles through all three steps, so that what one step
// leaves in its cache the next one finds there.
constexpr int64_t kMaxLanes = 8;
constexpr int64_t kLine = 64;  // bytes of a cache line

int64_t Up(int64_t n, int64_t step) {
  return (n + step - 1) / step * step;
}

// Sizes of a convolution on one instruction set.
struct Sizes {
  Sizes(const QuantWinograd& w, const ConvShape& s)
      : depth(Up(s.in_c, w.shorts)),
        pairs((s.in_c + 1) / 2),
        columns(Up(s.out_c, w.panel)),
        across((s.out_w + kOut - 1) / kOut),
        down((s.out_h + kOut - 1) / kOut),
        tiles(s.batch * across * down) {
    const int64_t most =
        std::max(kMinBlock, kWinogradBlockBytes / (kPoints * (depth * 2 + columns * 4)));
    block = std::min(tiles, most / w.max_rows * w.max_rows);
  }
  // Bytes from point to point of `count` tiles: an odd number of cache lines, so that 36 of them do
  // not fall on few sets of the first-level cache.
  static int64_t Step(int64_t bytes) { return ((bytes + kLine - 1) / kLine | 1) * kLine; }
  int64_t PointStep(int64_t count) const { return Step(count * depth * 2); }
  int64_t ProductStep(int64_t count) const { return Step(count * columns * 4); }
  // Of `count` tiles.
  int64_t LaneBytes(int64_t count) const {
    return kPoints * (PointStep(count) + ProductStep(count));
  }
  int64_t PointWeights() const { return pairs * 2 * columns; }  // elements

  int64_t depth, pairs, columns;
  int64_t across, down, tiles;
  int64_t block;  // tiles of a block
};

// The six points of three weights that lie `step` apart.
void PointsOfThree(const int16_t* g, int step, int16_t (&out)[6]) {
  const int sum = g[0] + g[2 * step], far = g[0] + 4 * g[2 * step], middle = g[step];
  const int points[6] = {g[0],       sum + middle, sum - middle, far + 2 * middle, far - 2 * middle,
                         g[2 * step]};
  for (int i = 0; i < 6; ++i) out[i] = static_cast<int16_t>(points[i]);
}

void WeightPoints(const int8_t* g, int16_t (&out)[kPoints]) {
  const int16_t wide[9] = {g[0], g[1], g[2], g[3], g[4], g[5], g[6], g[7], g[8]};
  int16_t half[18], points[6];  // half: [point][x]
  for (int x = 0; x < 3; ++x) {
    PointsOfThree(wide + x, 3, points);
    for (int p = 0; p < 6; ++p) half[3 * p + x] = points[p];
  }
  for (int p = 0; p < 6; ++p) {
    PointsOfThree(half + 3 * p, 1, points);
    std::copy_n(points, 6, out + 6 * p);
  }
}

class WinogradRunner {
 public:
  WinogradRunner(const KernelTable& table, sys::Parallel& parallel, const QuantConv& conv,
                 const uint8_t* x, const int16_t* weights, const QuantEpilogue& epilogue,
                 uint8_t* y, uint8_t* workspace)
      : kernels_(*table.quant),
        w_(*table.quant->winograd),
        s_(conv.shape),
        conv_(conv),
        parallel_(parallel),
        x_(x),
        weights_(weights),
        e_(epilogue),
        y_(y),
        sizes_(w_, s_) {
    start_ = reinterpret_cast<int32_t*>(workspace);
    outside_ = workspace + sizes_.columns * 4;
    lanes_at_ = outside_ + Up(s_.in_c, kLine);
  }

  void Run(const int32_t* bias) {
    std::fill_n(start_, sizes_.columns, 0);
    if (bias != nullptr) std::copy_n(bias, s_.out_c, start_);
    std::memset(outside_, conv_.x_zero, static_cast<size_t>(s_.in_c));
    const int64_t lanes = std::min({int64_t{parallel_.width()}, kMaxLanes, sizes_.block});
    const int64_t block = sizes_.block / lanes;
    const int64_t steps = sizes_.tiles * sizes_.columns * sizes_.pairs * 4 / lanes;
    ForPieces(parallel_, lanes, steps, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        uint8_t* at = lanes_at_ + i * sizes_.LaneBytes(block);
        const int64_t last = sizes_.tiles * (i + 1) / lanes;
        for (int64_t first = sizes_.tiles * i / lanes; first < last; first += block) {
          RunBlock(first, std::min(block, last - first), at);
        }
      }
    });
  }

 private:
  // The transformed tiles of a block: [point][tile][channel], [point][tile][column].
  struct Lane {
    int16_t* points;
    int64_t point_step;
    int32_t* products;
    int64_t product_step;
  };

  void RunBlock(int64_t first, int64_t count, uint8_t* at) const {
    const int64_t points = sizes_.PointStep(count), products = sizes_.ProductStep(count);
    const Lane lane = {reinterpret_cast<int16_t*>(at), points / 2,
                       reinterpret_cast<int32_t*>(at + kPoints * points), products / 4};
    for (int64_t i = 0; i < count; ++i) MakePoints(first + i, i, lane);
    for (int64_t p = 0; p < kPoints; ++p) Multiply(p, count, lane);
    for (int64_t i = 0; i < count; ++i) MakePixels(first + i, i, lane);
  }

  void MakePoints(int64_t tile, int64_t slot, const Lane& lane) const {
    const int64_t y0 = tile / sizes_.across % sizes_.down * kOut - s_.pad_top;
    const int64_t x0 = tile % sizes_.across * kOut - s_.pad_left;
    const int64_t n = tile / (sizes_.across * sizes_.down);
    const uint8_t* pixels[kPoints];
    for (int i = 0; i < kPoints; ++i) {
      const int64_t y = y0 + i / 6, x = x0 + i % 6;
      const bool inside = y >= 0 && y < s_.in_h && x >= 0 && x < s_.in_w;
      pixels[i] = inside ? x_ + ((n * s_.in_h + y) * s_.in_w + x) * s_.in_c : outside_;
    }
    w_.points[conv_.x_signed](
        {pixels, s_.in_c, conv_.x_zero, lane.point_step, lane.points + slot * sizes_.depth});
  }

  void Multiply(int64_t point, int64_t count, const Lane& lane) const {
    const int16_t* a = lane.points + point * lane.point_step;
    const int16_t* b = weights_ + point * sizes_.PointWeights();
    int32_t* c = lane.products + point * lane.product_step;
    const int64_t tiles = (count + w_.max_rows - 1) / w_.max_rows;
    const int64_t rows = (count + tiles - 1) / tiles;
    for (int64_t row = 0; row < count; row += rows) {
      const int64_t some = std::min(rows, count - row);
      for (int64_t column = 0; column < sizes_.columns; column += w_.panel) {
        w_.tile[some]({a + row * sizes_.depth, sizes_.depth, sizes_.pairs,
                       b + column * sizes_.pairs * 2, c + row * sizes_.columns + column,
                       sizes_.columns});
      }
    }
  }

  void MakePixels(int64_t tile, int64_t slot, const Lane& lane) const {
    const int64_t y = tile / sizes_.across % sizes_.down * kOut, x = tile % sizes_.across * kOut;
    const int64_t n = tile / (sizes_.across * sizes_.down);
    alignas(64) int32_t sums[kOut * kOut * kChunk];
    for (int64_t c = 0; c < s_.out_c; c += kChunk) {
      const int64_t channels = std::min(kChunk, s_.out_c - c);
      w_.pixels({lane.products + slot * sizes_.columns + c, lane.product_step,
                 std::min(kChunk, sizes_.columns - c), start_ + c, sums, kChunk});
      for (int64_t line = 0; line < std::min(kOut, s_.out_h - y); ++line) {
        const int64_t at = ((n * s_.out_h + y + line) * s_.out_w + x) * s_.out_c + c;
        Finish(sums + line * kOut * kChunk, std::min(kOut, s_.out_w - x), c, channels, at);
      }
    }
  }

  void Finish(const int32_t* sums, int64_t pixels, int64_t c, int64_t channels, int64_t at) const {
    QuantFinish f = {};
    f.sums = sums;
    f.sums_stride = kChunk;
    f.rows = pixels;
    f.columns = channels;
    f.factor = e_.factor == nullptr ? nullptr : e_.factor + c;
    f.offset = e_.offset == nullptr ? nullptr : e_.offset + c;
    f.add = e_.add == nullptr ? nullptr : e_.add + at;
    f.y = y_ + at * QuantTypeBytes(e_.type);
    f.y_stride = s_.out_c;
    f.epilogue = &e_;
    kernels_.finish[static_cast<int>(e_.type)](f);
  }

  const QuantKernels& kernels_;
  const QuantWinograd& w_;
  const ConvShape& s_;
  const QuantConv& conv_;
  sys::Parallel& parallel_;
  const uint8_t* x_;
  const int16_t* weights_;
  const QuantEpilogue& e_;
  uint8_t* y_;
  const Sizes sizes_;
  int32_t* start_;
  uint8_t* outside_;  // a pixel
  uint8_t* lanes_at_;
};

}  // namespace

bool QuantWinogradRuns(const KernelTable& table, const ConvShape& s, const int8_t* weights) {
  if (table.quant->winograd == nullptr || s.kernel_h != 3 || s.kernel_w != 3 || s.stride_h != 1 ||
      s.stride_w != 1 || s.dilation_h != 1 || s.dilation_w != 1 || s.groups != 1 || s.in_c == 0) {
    return false;
  }
  // (x - zero) has 9 bits with its sign.
  constexpr int64_t kMaxSum = (int64_t{1} << 25) / 256;
  const int64_t each = s.in_c * 9;
  for (int64_t c = 0; c < s.out_c; ++c) {
    int64_t sum = 0;
    for (int64_t i = 0; i < each; ++i) sum += std::abs(int{weights[c * each + i]});
    if (sum >= kMaxSum) return false;
  }
  return true;
}

bool QuantWinogradPays(const KernelTable& table, const ConvShape& s) {
  if (HasTiles(table)) return false;  // eight products of bytes in the time of one of 16 bits
  if (table.quant->winograd == nullptr) return false;
  const QuantWinograd& w = *table.quant->winograd;
  const Sizes sizes(w, s);
  if (kPoints * sizes.PointWeights() * 2 > kMaxPointBytes) return false;
  // In vectors of 16-bit products. A vector of points costs about 200 steps, one of pixels 280.
  const auto lanes = static_cast<double>(w.shorts);
  const double tiles = static_cast<double>(sizes.tiles);
  const double products = 2.0 * kPoints * static_cast<double>(sizes.pairs * sizes.columns) / lanes;
  const double around = static_cast<double>(sizes.depth) / lanes * 200 +
                        static_cast<double>(sizes.columns) / (lanes / 2) * 280;
  const double direct = static_cast<double>(s.batch * s.out_h * s.out_w) * 9 *
                        static_cast<double>(s.in_c * sizes.columns) / (lanes * w.bytes);
  return tiles * (products + around) < 0.9 * direct;
}

size_t QuantWinogradPackedSize(const KernelTable& table, const ConvShape& s) {
  return static_cast<size_t>(kPoints * Sizes(*table.quant->winograd, s).PointWeights() * 2);
}

void QuantWinogradPack(const KernelTable& table, const ConvShape& s, const int8_t* weights,
                       uint8_t* packed) {
  const QuantWinograd& w = *table.quant->winograd;
  const Sizes sizes(w, s);
  std::memset(packed, 0, QuantWinogradPackedSize(table, s));
  auto* to = reinterpret_cast<int16_t*>(packed);
  // In the order of what is written, a cache line of each point at a time.
  for (int64_t panel = 0; panel < s.out_c; panel += w.panel) {
    const int64_t end = std::min(s.out_c, panel + w.panel);
    for (int64_t pair = 0; pair < sizes.pairs; ++pair) {
      for (int64_t c = panel; c < end; ++c) {
        for (int64_t k = 2 * pair; k < std::min(s.in_c, 2 * pair + 2); ++k) {
          int16_t points[kPoints];
          WeightPoints(weights + (c * s.in_c + k) * 9, points);
          const int64_t at = panel * sizes.pairs * 2 + (pair * w.panel + c - panel) * 2 + k % 2;
          for (int p = 0; p < kPoints; ++p) to[p * sizes.PointWeights() + at] = points[p];
        }
      }
    }
  }
}

size_t QuantWinogradWorkspace(const KernelTable& table, const ConvShape& s) {
  const Sizes sizes(*table.quant->winograd, s);
  // Lanes share the block; each rounds up its steps.
  const int64_t rounding = kMaxLanes * kPoints * 2 * 2 * kLine;
  return static_cast<size_t>(sizes.columns * 4 + Up(s.in_c, kLine) + rounding +
                             sizes.LaneBytes(sizes.block));
}

void RunQuantWinograd(const KernelTable& table, sys::Parallel& parallel, const QuantConv& conv,
                      const uint8_t* x, const uint8_t* packed, const int32_t* bias,
                      const QuantEpilogue& epilogue, void* y, uint8_t* workspace) {
  const ConvShape& s = conv.shape;
  if (s.batch == 0 || s.out_h == 0 || s.out_w == 0 || s.out_c == 0) return;
  WinogradRunner(table, parallel, conv, x, reinterpret_cast<const int16_t*>(packed), epilogue,
                 static_cast<uint8_t*>(y), workspace)
      .Run(bias);
}

}  // namespace ferry::kernels
