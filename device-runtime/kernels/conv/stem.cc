// Convolutions of few channels (an image's): a run of channels per pixel is too short for the loop
// around it, so that a product's rows take a whole kernel row of neighbouring pixels at once, in
// place. Only windows that reach over the left or right edge are copied, beside zeros.
#include <algorithm>
#include <cstring>

#include "device-runtime/kernels/conv/algorithms.h"
#include "device-runtime/kernels/conv/window_pointers.h"
#include "device-runtime/kernels/gemm/product.h"

namespace ferry::kernels {
namespace {

constexpr int64_t kFewChannels = 16;
// Of copied windows. Padding can make any small input large, and sizes must not overflow.
constexpr double kMaxStemFloats = 1 << 24;

// Output columns whose windows reach over an edge: [0, left) and [right, out_w).
struct Edges {
  explicit Edges(const ConvShape& s)
      : run(s.kernel_w * s.in_c),
        left(std::clamp<int64_t>((s.pad_left + s.stride_w - 1) / s.stride_w, 0, s.out_w)) {
    const int64_t last = s.in_w - s.kernel_w + s.pad_left;  // the largest that fits, times stride
    const int64_t fit = last < 0 ? 0 : last / s.stride_w + 1;
    right = std::max(left, std::min(s.out_w, fit));
    count = left + s.out_w - right;
  }
  // The place of output column ox among the copied ones, or -1.
  int64_t Slot(int64_t ox) const {
    if (ox < left) return ox;
    return ox >= right ? left + ox - right : -1;
  }

  int64_t run;  // floats of one window's line
  int64_t left;
  int64_t right;
  int64_t count;
};

class LineRows final : public RowSource {
 public:
  // copies: a line of zeros, then [image][input row][slot] lines.
  LineRows(const ConvShape& s, const Edges& edges, const float* input, const float* copies)
      : s_(s), edges_(edges), input_(input), copies_(copies) {}

  void Fill(int64_t first, int count, int64_t first_tap, int64_t taps,
            const float** pointers) const override {
    OutputPosition at(s_, first);
    for (int64_t i = 0; i < count;) {
      const Run run = RunAt(at);
      const int64_t pixels = std::min(count - i, run.end - at.x);
      int64_t y = at.y * s_.stride_h - s_.pad_top + first_tap * s_.dilation_h;
      for (int64_t t = 0; t < taps; ++t, y += s_.dilation_h) {
        const bool is_outside = y < 0 || y >= s_.in_h;
        const float* const line = is_outside ? copies_ : run.first + y * run.line;
        const int64_t pixel = is_outside ? 0 : run.pixel;
        const float** const to = pointers + t * count + i;
        for (int64_t k = 0; k < pixels; ++k) to[k] = line + k * pixel;
      }
      i += pixels;
      at.Skip(pixels);
    }
  }

 private:
  // Output pixels [at.x, end) of a line, whose windows lie evenly: that of the first on input line
  // 0, and the floats between those of neighbouring pixels and of neighbouring lines.
  struct Run {
    const float* first;
    int64_t pixel, line, end;
  };

  Run RunAt(const OutputPosition& at) const {
    const int64_t slot = edges_.Slot(at.x);
    if (slot < 0) {
      const int64_t line = s_.in_w * s_.in_c, x = at.x * s_.stride_w - s_.pad_left;
      return {input_ + at.n * s_.in_h * line + x * s_.in_c, s_.stride_w * s_.in_c, line,
              edges_.right};
    }
    const int64_t line = edges_.count * edges_.run;
    return {copies_ + edges_.run + at.n * s_.in_h * line + slot * edges_.run, edges_.run, line,
            at.x < edges_.left ? edges_.left : s_.out_w};
  }

  const ConvShape& s_;
  const Edges& edges_;
  const float* input_;
  const float* copies_;
};

// The window of output column ox on one input line, zeros where it is outside.
void CopyWindow(const ConvShape& s, const float* line, int64_t ox, float* to) {
  const int64_t x = ox * s.stride_w - s.pad_left;
  const int64_t begin = std::clamp<int64_t>(-x, 0, s.kernel_w);
  const int64_t end = std::clamp<int64_t>(s.in_w - x, begin, s.kernel_w);
  std::fill_n(to, begin * s.in_c, 0.0f);
  if (end > begin) {
    std::memcpy(to + begin * s.in_c, line + (x + begin) * s.in_c,
                static_cast<size_t>((end - begin) * s.in_c) * sizeof(float));
  }
  std::fill_n(to + end * s.in_c, (s.kernel_w - end) * s.in_c, 0.0f);
}

bool StemSupports(const ConvShape& s) {
  if (s.groups != 1 || s.dilation_w != 1 || s.kernel_w == 1 || s.in_c >= kFewChannels ||
      s.in_step() != s.in_c || s.out_h == 0 || s.out_w == 0) {
    return false;
  }
  const Edges edges(s);
  return static_cast<double>(s.batch * s.in_h + 1) * static_cast<double>(edges.count + 1) *
             static_cast<double>(edges.run) <=
         kMaxStemFloats;
}

size_t StemWorkspaceSize(const KernelTable&, const ConvShape& s, int) {
  const Edges edges(s);
  return static_cast<size_t>((1 + s.batch * s.in_h * edges.count) * edges.run);
}

void RunStem(const ConvRun& r) {
  const ConvShape& s = r.shape;
  const Edges edges(s);
  float* zeros = r.workspace;
  std::fill_n(zeros, edges.run, 0.0f);
  for (int64_t line = 0; line < s.batch * s.in_h; ++line) {
    float* to = zeros + (1 + line * edges.count) * edges.run;
    for (int64_t ox = 0; ox < s.out_w; ++ox) {
      if (ox == edges.left) ox = edges.right;
      if (ox >= s.out_w) break;
      CopyWindow(s, r.input + line * s.in_w * s.in_c, ox, to);
      to += edges.run;
    }
  }
  const LineRows rows(s, edges, r.input, zeros);
  Product p;
  p.rows = s.batch * s.out_h * s.out_w;
  p.columns = s.out_c;
  p.taps = s.kernel_h;
  p.depth = edges.run;
  p.source = &rows;
  p.packed_b = r.packed;
  p.c = r.output;
  p.c_stride = s.out_step();
  p.epilogue = r.epilogue;
  p.tiles = r.tiles;
  RunProduct(r.table, r.parallel, p);
}

}  // namespace

const ConvMethod kConvStem = {
    .name = "stem",
    .supports = StemSupports,
    .packed_size = PackedProductSize,
    .pack = PackProduct,
    .workspace_size = StemWorkspaceSize,
    .run = RunStem,
    .has_tiles = true,
};

}  // namespace ferry::kernels
