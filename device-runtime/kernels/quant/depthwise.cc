#include <algorithm>
#include <cstring>

#include "device-runtime/kernels/parallel.h"
#include "device-runtime/kernels/quant/product.h"

namespace ferry::kernels {
namespace {

constexpr int64_t kMaxDepthwiseTaps = 256;  // pointers of one pixel live on the stack
// Sums of some pixels and channels live on the stack until the epilogue takes them.
constexpr int64_t kPixels = 8;
constexpr int64_t kChannels = 256;

int64_t OutsideBytes(const ConvShape& s) {
  return (1 + (kPixels - 1) * s.stride_w) * s.in_c;
}

struct Arguments {
  const QuantKernels& kernels;
  const QuantConv& conv;
  const uint8_t* x;
  const int16_t* weights;
  const int32_t* start;
  const uint8_t* outside;
  const QuantEpilogue& epilogue;
  uint8_t* y;
};

int64_t Pairs(const ConvShape& s) {
  return (s.kernel_h * s.kernel_w + 1) / 2;
}

int64_t PairsSize(const ConvShape& s) {
  return QuantPadded(s.in_c) * 4 * (1 + Pairs(s));
}

// The taps of one output pixel, an even number (the weight of one too many is 0); what lies outside
// reads `outside`.
void Taps(const ConvShape& s, const uint8_t* image, const uint8_t* outside, int64_t oy, int64_t ox,
          const uint8_t** taps) {
  const uint8_t** const first = taps;
  const int64_t y = oy * s.stride_h - s.pad_top, x = ox * s.stride_w - s.pad_left;
  for (int64_t ky = 0; ky < s.kernel_h; ++ky) {
    const int64_t iy = y + ky * s.dilation_h;
    const uint8_t* line = image + iy * s.in_w * s.in_c;
    const bool row_inside = iy >= 0 && iy < s.in_h;
    for (int64_t kx = 0; kx < s.kernel_w; ++kx) {
      const int64_t ix = x + kx * s.dilation_w;
      *taps++ = row_inside && ix >= 0 && ix < s.in_w ? line + ix * s.in_c : outside;
    }
  }
  *taps = *first;
}

// Output columns [begin, end) whose windows lie wholly inside the input's width.
struct Inside {
  explicit Inside(const ConvShape& s) {
    const int64_t last = s.in_w - 1 - (s.kernel_w - 1) * s.dilation_w + s.pad_left;
    begin = std::min((s.pad_left + s.stride_w - 1) / s.stride_w, s.out_w);
    end = std::clamp(last < 0 ? 0 : last / s.stride_w + 1, begin, s.out_w);
  }
  int64_t begin, end;
};

// One output row, channels [first, first + channels).
void RunRow(const Arguments& a, const Inside& inside, int64_t row, int64_t first,
            int64_t channels) {
  const ConvShape& s = a.conv.shape;
  const QuantEpilogue& e = a.epilogue;
  alignas(64) int32_t sums[kPixels * kChannels];
  const uint8_t* taps[kMaxDepthwiseTaps + 1];
  QuantDepthwise t = {};
  t.in = taps;
  t.pairs = Pairs(s);
  t.channels = channels;
  t.pair_stride = 2 * QuantPadded(s.in_c);
  t.weight = a.weights + 2 * first;
  t.start = a.start + first;
  t.sums = sums;
  t.sums_stride = kChannels;
  const uint8_t* image = a.x + row / s.out_h * s.in_h * s.in_w * s.in_c + first;
  for (int64_t ox = 0; ox < s.out_w; ox += t.pixels) {
    const bool runs = ox >= inside.begin && ox < inside.end;
    t.pixels = runs ? std::min(kPixels, inside.end - ox) : 1;
    t.pixel_stride = s.stride_w * s.in_c;
    Taps(s, image, a.outside, row % s.out_h, ox, taps);
    a.kernels.depthwise[a.conv.x_signed](t);
    const int64_t at = (row * s.out_w + ox) * s.in_c + first;
    QuantFinish f = {};
    f.sums = sums;
    f.sums_stride = kChannels;
    f.rows = t.pixels;
    f.columns = channels;
    f.factor = e.factor == nullptr ? nullptr : e.factor + first;
    f.offset = e.offset == nullptr ? nullptr : e.offset + first;
    f.add = e.add == nullptr ? nullptr : e.add + at;
    f.y = a.y + at * QuantTypeBytes(e.type);
    f.y_stride = s.in_c;
    f.epilogue = &e;
    a.kernels.finish[static_cast<int>(e.type)](f);
  }
}

}  // namespace

bool IsQuantDepthwise(const ConvShape& s) {
  return s.groups == s.in_c && s.out_c == s.in_c && s.groups > 1 &&
         s.kernel_h * s.kernel_w < kMaxDepthwiseTaps;
}

// Sums of the weights, pairs of taps, interleaved lines where the set has them.
int64_t QuantDepthwiseSize(const KernelTable& table, const ConvShape& s) {
  return PairsSize(s) + (TakesQuantLines(table, s) ? QuantLinesSize(s) : 0);
}

void PackQuantDepthwise(const KernelTable& table, const ConvShape& s, const int8_t* weights,
                        uint8_t* packed) {
  const int64_t padded = QuantPadded(s.in_c), taps = s.kernel_h * s.kernel_w;
  std::memset(packed, 0, static_cast<size_t>(PairsSize(s)));
  auto* sums = reinterpret_cast<int32_t*>(packed);
  auto* pairs = reinterpret_cast<int16_t*>(packed + padded * 4);
  for (int64_t c = 0; c < s.in_c; ++c) {
    for (int64_t t = 0; t < taps; ++t) {
      sums[c] += weights[c * taps + t];
      pairs[(t / 2 * padded + c) * 2 + t % 2] = weights[c * taps + t];
    }
  }
  if (!TakesQuantLines(table, s)) return;
  PackQuantLines(s, weights, reinterpret_cast<int8_t*>(packed + PairsSize(s)));
}

// The sums' start, then what lies outside: as many pixels as are taken at once.
int64_t QuantDepthwiseWorkspace(const KernelTable& table, const ConvShape& s) {
  const int64_t lines = TakesQuantLines(table, s) ? QuantLinesWorkspace(s) : 0;
  return QuantPadded(s.in_c) * 4 + std::max(OutsideBytes(s), lines);
}

void RunQuantDepthwise(const KernelTable& table, sys::Parallel& parallel, const QuantConv& conv,
                       const uint8_t* x, const uint8_t* packed, const int32_t* bias,
                       const QuantEpilogue& epilogue, uint8_t* y, uint8_t* workspace) {
  const ConvShape& s = conv.shape;
  const int64_t padded = QuantPadded(s.in_c);
  auto* start = reinterpret_cast<int32_t*>(workspace);
  uint8_t* outside = workspace + padded * 4;
  const auto* sums = reinterpret_cast<const int32_t*>(packed);
  if (TakesQuantLines(table, s) && QuantTypeBytes(epilogue.type) == 1 && epilogue.add == nullptr) {
    StartSums(s.in_c, sums, conv.x_zero + (conv.x_signed ? 128 : 0), bias, start);
    RunQuantLines(table, parallel, conv, x, reinterpret_cast<const int8_t*>(packed + PairsSize(s)),
                  start, epilogue, y, outside);
    return;
  }
  std::memset(outside, conv.x_zero, static_cast<size_t>(OutsideBytes(s)));
  StartSums(s.in_c, sums, conv.x_zero, bias, start);
  const Arguments a = {
      *table.quant, conv,    x,        reinterpret_cast<const int16_t*>(packed + padded * 4),
      start,        outside, epilogue, y};
  const Inside inside(s);
  const int64_t steps = s.out_w * s.in_c * s.kernel_h * s.kernel_w / 16;
  ForPieces(parallel, s.batch * s.out_h, steps, [&](int64_t begin, int64_t end) {
    for (int64_t first = 0; first < s.in_c; first += kChannels) {
      const int64_t channels = std::min(kChannels, s.in_c - first);
      for (int64_t row = begin; row < end; ++row) RunRow(a, inside, row, first, channels);
    }
  });
}

}  // namespace ferry::kernels
