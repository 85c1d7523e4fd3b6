#include "device-runtime/kernels/pool/pool.h"

#include <algorithm>
#include <limits>

#include "device-runtime/kernels/parallel.h"
#include "device-runtime/kernels/pool/kernels.h"
#include "device-runtime/kernels/reduce/reduce.h"

namespace ferry::kernels {
namespace {

// Pointers of one window live on the stack; larger windows are taken in parts.
constexpr int64_t kMaxTaps = 128;

// The window of one output pixel, clipped to the input.
struct Window {
  int64_t y_begin, y_end, x_begin, x_end;  // steps of dilation from y, x
  int64_t y, x;                            // of the first kernel position, perhaps outside
};

// Kernel positions k in [begin, end) with 0 <= start + k * dilation < size.
void ClipAxis(int64_t start, int64_t kernel, int64_t dilation, int64_t size, int64_t* begin,
              int64_t* end) {
  *begin = start >= 0 ? 0 : std::min(kernel, (-start + dilation - 1) / dilation);
  *end = start >= size ? 0 : std::min(kernel, (size - 1 - start) / dilation + 1);
  *end = std::max(*begin, *end);
}

// Kernel positions that count for kAverageWithPad: inside the input or its padding.
int64_t CountWithPad(int64_t start, int64_t kernel, int64_t dilation, int64_t limit) {
  return start >= limit ? 0 : std::min(kernel, (limit - 1 - start) / dilation + 1);
}

class Runner {
 public:
  Runner(const PoolKernels& kernels, PoolKind kind, const PoolShape& s, const float* input,
         float* output)
      : kernels_(kernels), kind_(kind), s_(s), input_(input), output_(output) {}

  void Row(int64_t row) const {
    const float* image = input_ + row / s_.out_h * s_.in_h * s_.in_w * s_.in_step();
    const int64_t oy = row % s_.out_h;
    for (int64_t ox = 0; ox < s_.out_w; ++ox) {
      Window w;
      w.y = oy * s_.stride_h - s_.pad_top;
      w.x = ox * s_.stride_w - s_.pad_left;
      ClipAxis(w.y, s_.kernel_h, s_.dilation_h, s_.in_h, &w.y_begin, &w.y_end);
      ClipAxis(w.x, s_.kernel_w, s_.dilation_w, s_.in_w, &w.x_begin, &w.x_end);
      Pixel(image, w, output_ + (row * s_.out_w + ox) * s_.out_step());
    }
  }

 private:
  float Scale(const Window& w) const {
    int64_t count = (w.y_end - w.y_begin) * (w.x_end - w.x_begin);
    if (kind_ == PoolKind::kAverageWithPad) {
      count = CountWithPad(w.y, s_.kernel_h, s_.dilation_h, s_.in_h + s_.pad_bottom) *
              CountWithPad(w.x, s_.kernel_w, s_.dilation_w, s_.in_w + s_.pad_right);
    }
    return count == 0 ? 0.0f : 1.0f / static_cast<float>(count);
  }

  void Pixel(const float* image, const Window& w, float* out) const {
    const bool max = kind_ == PoolKind::kMax;
    const float* taps[kMaxTaps + 1];
    int64_t count = 0;
    bool started = false;  // earlier parts of the window lie in out
    const auto flush = [&](float scale) {
      if (started) {  // their result goes first, so that the order of the sum stays
        std::copy_backward(taps, taps + count, taps + count + 1);
        taps[0] = out;
        ++count;
      }
      if (max) {
        kernels_.max_of(count, taps, s_.channels, out);
      } else {
        kernels_.sum_of(count, taps, s_.channels, scale, out);
      }
      count = 0;
      started = true;
    };
    for (int64_t ky = w.y_begin; ky < w.y_end; ++ky) {
      const float* line = image + (w.y + ky * s_.dilation_h) * s_.in_w * s_.in_step();
      for (int64_t kx = w.x_begin; kx < w.x_end; ++kx) {
        if (count == kMaxTaps) flush(1.0f);
        taps[count++] = line + (w.x + kx * s_.dilation_w) * s_.in_step();
      }
    }
    if (max && count == 0 && !started) {
      std::fill_n(out, s_.channels, -std::numeric_limits<float>::infinity());
    } else {
      flush(max ? 1.0f : Scale(w));
    }
  }

  const PoolKernels& kernels_;
  const PoolKind kind_;
  const PoolShape& s_;
  const float* input_;
  float* output_;
};

// One window that is the whole input.
bool IsGlobalMean(PoolKind kind, const PoolShape& s) {
  return kind != PoolKind::kMax && s.out_h == 1 && s.out_w == 1 && s.kernel_h == s.in_h &&
         s.kernel_w == s.in_w && s.pad_top == 0 && s.pad_left == 0 && s.dilation_h == 1 &&
         s.dilation_w == 1 && s.in_step() == s.channels && s.out_step() == s.channels;
}

}  // namespace

void Pool(const KernelTable& table, sys::Parallel& parallel, PoolKind kind, const PoolShape& s,
          const float* input, float* output) {
  if (s.batch == 0 || s.out_h == 0 || s.out_w == 0 || s.channels == 0) return;
  if (IsGlobalMean(kind, s)) {
    Reduce(table, parallel, ReduceOp::kMean, s.batch, s.in_h * s.in_w, s.channels, input, output);
    return;
  }
  const Runner runner(*table.pool, kind, s, input, output);
  const int64_t steps = s.out_w * s.channels * s.kernel_h * s.kernel_w / 8;
  ForPieces(parallel, s.batch * s.out_h, steps, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) runner.Row(row);
  });
}

}  // namespace ferry::kernels
