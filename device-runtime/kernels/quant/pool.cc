#include <algorithm>
#include <cstring>

#include "device-runtime/kernels/parallel.h"
#include "device-runtime/kernels/quant/kernels.h"
#include "device-runtime/kernels/quant/quant.h"

namespace ferry::kernels {
namespace {

constexpr int64_t kMaxPoolTaps = 64;    // pointers of a part of one window live on the stack
constexpr int64_t kPoolChannels = 256;  // sums too

struct Span {
  int64_t begin, end;
};

// Kernel positions k with 0 <= start + k * dilation < size.
Span InsideWindow(int64_t start, int64_t kernel, int64_t dilation, int64_t size) {
  const int64_t begin = start >= 0 ? 0 : std::min(kernel, (-start + dilation - 1) / dilation);
  const int64_t end = start >= size ? 0 : std::min(kernel, (size - 1 - start) / dilation + 1);
  return {begin, std::max(begin, end)};
}

// The input positions of output pixel `i` of channels from `first` on, in parts: f(count, taps).
template <typename F>
void ForParts(const PoolShape& s, const uint8_t* x, int64_t i, int64_t first, const F& f) {
  const int64_t ox = i % s.out_w, oy = i / s.out_w % s.out_h, n = i / (s.out_w * s.out_h);
  const int64_t y0 = oy * s.stride_h - s.pad_top, x0 = ox * s.stride_w - s.pad_left;
  const Span rows = InsideWindow(y0, s.kernel_h, s.dilation_h, s.in_h);
  const Span columns = InsideWindow(x0, s.kernel_w, s.dilation_w, s.in_w);
  const uint8_t* image = x + n * s.in_h * s.in_w * s.channels + first;
  const uint8_t* taps[kMaxPoolTaps];
  int64_t count = 0;
  for (int64_t ky = rows.begin; ky < rows.end; ++ky) {
    const uint8_t* line = image + (y0 + ky * s.dilation_h) * s.in_w * s.channels;
    for (int64_t kx = columns.begin; kx < columns.end; ++kx) {
      if (count == kMaxPoolTaps) {
        f(count, taps);
        count = 0;
      }
      taps[count++] = line + (x0 + kx * s.dilation_w) * s.channels;
    }
  }
  if (count > 0) f(count, taps);
}

int64_t WithPadding(int64_t start, int64_t kernel, int64_t dilation, int64_t limit) {
  return start >= limit ? 0 : std::min(kernel, (limit - 1 - start) / dilation + 1);
}

// Positions of output pixel `i` that count for the mean.
int64_t CountOf(const PoolShape& s, bool counts_padding, int64_t i) {
  const int64_t y = i / s.out_w % s.out_h * s.stride_h - s.pad_top;
  const int64_t x = i % s.out_w * s.stride_w - s.pad_left;
  if (counts_padding) {
    return WithPadding(y, s.kernel_h, s.dilation_h, s.in_h + s.pad_bottom) *
           WithPadding(x, s.kernel_w, s.dilation_w, s.in_w + s.pad_right);
  }
  const Span rows = InsideWindow(y, s.kernel_h, s.dilation_h, s.in_h);
  const Span columns = InsideWindow(x, s.kernel_w, s.dilation_w, s.in_w);
  return (rows.end - rows.begin) * (columns.end - columns.begin);
}

}  // namespace

void QuantMaxPool(const KernelTable& table, sys::Parallel& parallel, const PoolShape& s,
                  bool is_signed, const uint8_t* x, uint8_t* y) {
  const auto max_of = table.quant->max_of[is_signed];
  const int64_t steps = s.channels * s.kernel_h * s.kernel_w / 32 + 16;
  ForPieces(parallel, s.batch * s.out_h * s.out_w, steps, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      uint8_t* out = y + i * s.channels;
      bool started = false;
      ForParts(s, x, i, 0, [&](int64_t count, const uint8_t* const* taps) {
        if (!started) {
          max_of(count, taps, s.channels, out);
        } else {  // with what earlier parts of the window gave
          const uint8_t* both[2] = {out, nullptr};
          for (int64_t t = 0; t < count; ++t) {
            both[1] = taps[t];
            max_of(2, both, s.channels, out);
          }
        }
        started = true;
      });
      if (!started) std::memset(out, is_signed ? 0x80 : 0, static_cast<size_t>(s.channels));
    }
  });
}

void QuantAveragePool(const KernelTable& table, sys::Parallel& parallel, const PoolShape& s,
                      bool counts_padding, bool x_signed, int32_t x_zero, float factor,
                      const QuantEpilogue& epilogue, const uint8_t* x, void* y) {
  const int64_t blocks = (s.channels + kPoolChannels - 1) / kPoolChannels;
  const int64_t steps = std::min(kPoolChannels, s.channels) * s.kernel_h * s.kernel_w / 16 + 16;
  const auto one = [&](int64_t i, int64_t first) {
    alignas(64) int32_t sums[kPoolChannels];
    float factors[kPoolChannels];
    const int64_t channels = std::min(kPoolChannels, s.channels - first);
    int64_t inside = 0;
    std::fill_n(sums, kPoolChannels, 0);
    ForParts(s, x, i, first, [&](int64_t count, const uint8_t* const* taps) {
      table.quant->sum_of[x_signed](count, taps, channels, sums);
      inside += count;
    });
    for (int64_t c = 0; c < channels; ++c) {
      sums[c] = static_cast<int32_t>(static_cast<uint32_t>(sums[c]) -
                                     static_cast<uint32_t>(inside) * static_cast<uint32_t>(x_zero));
    }
    const int64_t count = CountOf(s, counts_padding, i);
    std::fill_n(factors, channels, count == 0 ? 0.0f : factor / static_cast<float>(count));
    QuantFinish f = {};
    f.sums = sums;
    f.sums_stride = kPoolChannels;
    f.rows = 1;
    f.columns = channels;
    f.factor = factors;
    f.y = static_cast<uint8_t*>(y) + (i * s.channels + first) * QuantTypeBytes(epilogue.type);
    f.y_stride = s.channels;
    f.epilogue = &epilogue;
    table.quant->finish[static_cast<int>(epilogue.type)](f);
  };
  ForPieces(parallel, s.batch * s.out_h * s.out_w * blocks, steps, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) one(i / blocks, i % blocks * kPoolChannels);
  });
}

}  // namespace ferry::kernels
