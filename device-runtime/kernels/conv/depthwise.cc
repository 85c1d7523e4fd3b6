#include "device-runtime/kernels/depthwise/kernels.h"

#include <algorithm>

#include "device-runtime/kernels/conv/algorithms.h"
#include "device-runtime/kernels/elementwise/activate.h"
#include "device-runtime/kernels/parallel.h"

namespace ferry::kernels {
namespace {

// Output columns [begin, end) whose windows lie wholly inside the input's width.
struct Inside {
  int64_t begin, end;
};

Inside InsideColumns(const ConvShape& s) {
  const int64_t reach = (s.kernel_w - 1) * s.dilation_w;
  const int64_t begin = (s.pad_left + s.stride_w - 1) / s.stride_w;
  const int64_t last = s.in_w - 1 - reach + s.pad_left;  // largest ox * stride_w
  const int64_t end = last < 0 ? 0 : last / s.stride_w + 1;
  const int64_t first = std::min(begin, s.out_w);
  return {first, std::clamp(end, first, s.out_w)};
}

// Fills the pointers of the taps that lie inside for output column ox; returns how many.
int64_t Taps(const ConvShape& s, const float* image, const float* packed, int64_t oy, int64_t ox,
             const float** in, const float** weight) {
  int64_t taps = 0;
  for (int64_t ky = 0; ky < s.kernel_h; ++ky) {
    const int64_t y = oy * s.stride_h - s.pad_top + ky * s.dilation_h;
    if (y < 0 || y >= s.in_h) continue;
    for (int64_t kx = 0; kx < s.kernel_w; ++kx) {
      const int64_t x = ox * s.stride_w - s.pad_left + kx * s.dilation_w;
      if (x < 0 || x >= s.in_w) continue;
      in[taps] = image + (y * s.in_w + x) * s.in_c;
      weight[taps++] = packed + (ky * s.kernel_w + kx) * s.in_c;
    }
  }
  return taps;
}

// Channels [first, first + count) of one output row.
void RunRow(const ConvRun& r, const Inside& inside, int64_t row, int64_t first, int64_t count) {
  const ConvShape& s = r.shape;
  const float* in[kMaxDepthwiseTaps];
  const float* weight[kMaxDepthwiseTaps];
  const float* image = r.input + row / s.out_h * s.in_h * s.in_w * s.in_c + first;
  const bool clip = r.epilogue.activation == Activation::kClip;
  DepthwiseArgs t = {};
  t.in = in;
  t.weight = weight;
  t.tap_stride = s.dilation_w * s.in_c;
  t.pixel_stride = s.stride_w * s.in_c;
  t.channels = count;
  t.out_stride = s.in_c;
  t.bias = r.epilogue.bias == nullptr ? nullptr : r.epilogue.bias + first;
  t.low = clip ? r.epilogue.low : -std::numeric_limits<float>::infinity();
  t.high = clip ? r.epilogue.high : std::numeric_limits<float>::infinity();
  float* out = r.output + row * s.out_w * s.in_c + first;
  for (int64_t ox = 0; ox < s.out_w; ox += t.pixels) {
    const bool whole = ox == inside.begin && inside.end > inside.begin;
    t.pixels = whole ? inside.end - inside.begin : 1;
    t.run = whole ? s.kernel_w : 1;
    t.taps = Taps(s, image, r.packed + first, row % s.out_h, ox, in, weight);
    t.out = out + ox * s.in_c;
    t.add = r.epilogue.add == nullptr ? nullptr
                                      : r.epilogue.add + (row * s.out_w + ox) * s.in_c + first;
    r.table.depthwise->run(t);
  }
  if (clip || r.epilogue.activation == Activation::kNone) return;
  for (int64_t ox = 0; ox < s.out_w; ++ox) {
    Activate(r.table, r.epilogue, count, out + ox * s.in_c);
  }
}

// Channels that are taken through all rows before the next ones: the input lines of one output row
// then stay in the first-level cache (32 KiB on small cores) for the next. Whole cache lines.
int64_t ChannelBlock(const ConvShape& s) {
  constexpr int64_t kBytes = 24 * 1024;
  constexpr int64_t kLine = 16;  // floats
  // An input without columns still has outputs when it is padded.
  const int64_t fit = kBytes / (4 * s.kernel_h * std::max<int64_t>(1, s.in_w)) / kLine * kLine;
  const int64_t blocks = (s.in_c + std::max(fit, kLine) - 1) / std::max(fit, kLine);
  return ((s.in_c + blocks - 1) / blocks + kLine - 1) / kLine * kLine;
}

}  // namespace

size_t PackedDepthwiseSize(const ConvShape& s) {
  return static_cast<size_t>(s.kernel_h * s.kernel_w * s.in_c);
}

void PackDepthwise(const ConvShape& s, const float* weights, float* packed) {
  const int64_t taps = s.kernel_h * s.kernel_w;
  for (int64_t t = 0; t < taps; ++t) {
    for (int64_t c = 0; c < s.in_c; ++c) packed[t * s.in_c + c] = weights[c * taps + t];
  }
}

void RunDepthwise(const ConvRun& r) {
  const ConvShape& s = r.shape;
  const Inside inside = InsideColumns(s);
  const int64_t block = ChannelBlock(s);
  const int64_t steps = s.out_w * s.in_c * s.kernel_h * s.kernel_w / 8;
  ForPieces(r.parallel, s.batch * s.out_h, steps, [&](int64_t begin, int64_t end) {
    for (int64_t first = 0; first < s.in_c; first += block) {
      const int64_t count = std::min(block, s.in_c - first);
      for (int64_t row = begin; row < end; ++row) RunRow(r, inside, row, first, count);
    }
  });
}

}  // namespace ferry::kernels
