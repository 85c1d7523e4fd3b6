#include "device-runtime/kernels/depthwise/kernels.h"

#include <algorithm>

#include "device-runtime/kernels/conv/algorithms.h"
#include "device-runtime/kernels/elementwise/activate.h"
#include "device-runtime/kernels/parallel.h"

namespace ferry::kernels {
namespace {

// Pixels of a row that are taken at once: the pointers of what their windows touch lie on the
// stack. Many wide networks have rows of multiples of 28.
constexpr int64_t kMaxPixels = 28;
constexpr int64_t kMaxPointers = 1024;
static_assert(kMaxPointers >= kMaxDepthwiseTaps);

// A piece of a row, so small that the pointers of all its windows fit. With a dilation it is every
// dilation_w-th pixel, whose windows share columns as those of neighbours do without.
struct Window {
  explicit Window(const ConvShape& s)
      : pixels(std::clamp<int64_t>((kMaxPointers / s.kernel_h - s.kernel_w) / s.stride_w + 1, 1,
                                   kMaxPixels)) {}
  static int64_t Columns(const ConvShape& s, int64_t count) {
    return (count - 1) * s.stride_w + s.kernel_w;
  }
  int64_t pixels;
};

class RowRunner {
 public:
  RowRunner(const ConvRun& r, const Window& window) : r_(r), s_(r.shape), window_(window) {
    const Epilogue& e = r.epilogue;
    const bool clip = e.activation == Activation::kClip;
    activates_ = !clip && e.activation != Activation::kNone;
    t_.run = s_.kernel_w;
    t_.step = s_.stride_w;
    t_.in = in_;
    t_.weight = weight_;
    t_.out_stride = s_.dilation_w * s_.out_step();
    t_.low = clip ? e.low : -std::numeric_limits<float>::infinity();
    t_.high = clip ? e.high : std::numeric_limits<float>::infinity();
  }

  // Channels [first, first + count) of a piece of one output row that begins at ox.
  void Run(int64_t row, int64_t ox, int64_t first, int64_t count) {
    const Epilogue& e = r_.epilogue;
    t_.channels = count;
    t_.bias = e.bias == nullptr ? nullptr : e.bias + first;
    t_.pixels = std::min(window_.pixels, (s_.out_w - ox + s_.dilation_w - 1) / s_.dilation_w);
    Point(row, ox, first);
    const int64_t at = (row * s_.out_w + ox) * s_.out_step() + first;
    t_.out = r_.output + at;
    t_.add = e.add == nullptr ? nullptr : e.add + at;
    r_.table.depthwise->run(t_);
    if (activates_) ActivateRows(r_.table, e, t_.pixels, count, t_.out_stride, t_.out);
  }

 private:
  // Where the columns of the kernel rows that lie inside the input are.
  void Point(int64_t row, int64_t ox, int64_t first) {
    const float* image = r_.input + row / s_.out_h * s_.in_h * s_.in_w * s_.in_step() + first;
    const int64_t top = row % s_.out_h * s_.stride_h - s_.pad_top;
    const int64_t left = ox * s_.stride_w - s_.pad_left;
    t_.rows = 0;
    t_.columns = Window::Columns(s_, t_.pixels);
    const float** in = in_;
    for (int64_t ky = 0; ky < s_.kernel_h; ++ky) {
      const int64_t y = top + ky * s_.dilation_h;
      if (y < 0 || y >= s_.in_h) continue;
      const float* line = image + y * s_.in_w * s_.in_step();
      PointRun(line, left, in);
      in += t_.columns;
      for (int64_t kx = 0; kx < s_.kernel_w; ++kx) {
        weight_[t_.rows * s_.kernel_w + kx] = r_.packed + (ky * s_.kernel_w + kx) * s_.in_c + first;
      }
      ++t_.rows;
    }
  }

  // The piece's columns of a line of the input, from `left` on; zeros where it has none.
  void PointRun(const float* line, int64_t left, const float** in) const {
    const int64_t apart = s_.dilation_w;
    const auto before = [&](int64_t x) {  // columns that lie before x
      return std::clamp<int64_t>((x - left + apart - 1) / apart, 0, t_.columns);
    };
    const int64_t begin = left < 0 ? before(0) : 0;
    const int64_t end = left < s_.in_w ? std::max(begin, before(s_.in_w)) : begin;
    std::fill(in, in + begin, r_.workspace);
    const float* at = line + (left + begin * apart) * s_.in_step();
    for (int64_t j = begin; j < end; ++j, at += apart * s_.in_step()) in[j] = at;
    std::fill(in + end, in + t_.columns, r_.workspace);
  }

  const ConvRun& r_;
  const ConvShape& s_;
  const Window& window_;
  bool activates_ = false;
  DepthwiseArgs t_ = {};
  const float* in_[kMaxPointers];
  const float* weight_[kMaxDepthwiseTaps];
};

// Channels of a piece that are taken through all rows before the next ones: the input lines of one
// output row then stay in the first-level cache (32 KiB on small cores) for the next. Whole cache
// lines, and enough of them that pointers are used often.
int64_t ChannelBlock(const ConvShape& s, const Window& window) {
  constexpr int64_t kBytes = 24 * 1024;
  constexpr int64_t kLine = 16;  // floats
  constexpr int64_t kLeast = 64;
  const int64_t columns = Window::Columns(s, std::min(window.pixels, s.out_w));
  const int64_t fit = std::max(kLeast, kBytes / (4 * s.kernel_h * columns) / kLine * kLine);
  const int64_t blocks = (s.in_c + fit - 1) / fit;
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

size_t DepthwiseWorkspaceSize(const ConvShape& s) {
  return static_cast<size_t>(s.in_c);
}

void RunDepthwise(const ConvRun& r) {
  const ConvShape& s = r.shape;
  std::fill_n(r.workspace, s.in_c, 0.0f);  // what the padding is
  const Window window(s);
  const int64_t block = ChannelBlock(s, window);
  const int64_t steps = s.out_w * s.in_c * s.kernel_h * s.kernel_w / 8;
  ForPieces(r.parallel, s.batch * s.out_h, steps, [&](int64_t begin, int64_t end) {
    RowRunner runner(r, window);
    for (int64_t first = 0; first < s.in_c; first += block) {
      const int64_t count = std::min(block, s.in_c - first);
      for (int64_t phase = 0; phase < std::min(s.dilation_w, s.out_w); ++phase) {
        for (int64_t ox = phase; ox < s.out_w; ox += window.pixels * s.dilation_w) {
          for (int64_t row = begin; row < end; ++row) runner.Run(row, ox, first, count);
        }
      }
    }
  });
}

const ConvMethod kConvDepthwise = {
    .name = "depthwise",
    .supports =
        [](const ConvShape& s) {
          return s.groups == s.in_c && s.out_c == s.in_c &&
                 s.kernel_h * s.kernel_w <= kMaxDepthwiseTaps;
        },
    .packed_size = [](const KernelTable&, const ConvShape& s) { return PackedDepthwiseSize(s); },
    .pack = [](const KernelTable&, const ConvShape& s, const float* weights, float* packed,
               const Tiles&) { PackDepthwise(s, weights, packed); },
    .workspace_size = [](const KernelTable&, const ConvShape& s,
                         int) { return DepthwiseWorkspaceSize(s); },
    .run = RunDepthwise,
};

}  // namespace ferry::kernels
