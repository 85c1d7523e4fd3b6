// Convolutions of bytes as products.
#include <algorithm>
#include <cstring>
#include <vector>

#include "device-runtime/kernels/conv/window_pointers.h"
#include "device-runtime/kernels/parallel.h"
#include "device-runtime/kernels/quant/product.h"

namespace ferry::kernels {
namespace {

class DenseRows final : public QuantRows {
 public:
  DenseRows(const uint8_t* data, int64_t stride) : data_(data), stride_(stride) {}
  void Fill(int64_t first, int count, int64_t, int64_t, const uint8_t** pointers) const override {
    for (int i = 0; i < count; ++i) pointers[i] = data_ + (first + i) * stride_;
  }

 private:
  const uint8_t* data_;
  int64_t stride_;
};

// Each tap of a row is the run of channels at one input position, or `outside`.
class WindowRows final : public QuantRows {
 public:
  WindowRows(const ConvShape& s, const uint8_t* input, const uint8_t* outside)
      : pointers_(s, input, outside) {}
  void Fill(int64_t first, int count, int64_t first_tap, int64_t taps,
            const uint8_t** pointers) const override {
    pointers_.Fill(first, count, first_tap, taps, pointers);
  }

 private:
  const WindowPointers<uint8_t> pointers_;
};

// The part of the padded plane that the windows touch.
struct Padded {
  explicit Padded(const ConvShape& s)
      : height((s.out_h - 1) * s.stride_h + (s.kernel_h - 1) * s.dilation_h + 1),
        width((s.out_w - 1) * s.stride_w + s.kernel_w) {}
  // A last group of products reads past its run: what is there has weights of 0.
  int64_t Size(const ConvShape& s) const {
    return s.batch * height * width * s.in_c + kMaxQuantGroup;
  }
  int64_t height, width;
};

// Each tap is a whole kernel row of a padded copy.
class LineRows final : public QuantRows {
 public:
  LineRows(const ConvShape& s, const Padded& padded, const uint8_t* input)
      : s_(s), padded_(padded), input_(input) {}

  void Fill(int64_t first, int count, int64_t first_tap, int64_t taps,
            const uint8_t** pointers) const override {
    const int64_t line = padded_.width * s_.in_c;
    const int64_t step = s_.dilation_h * line;
    OutputPosition at(s_, first);
    for (int i = 0; i < count; ++i, at.Next()) {
      const uint8_t* tap = input_ + (at.n * padded_.height + at.y * s_.stride_h) * line +
                           at.x * s_.stride_w * s_.in_c + first_tap * step;
      for (int64_t t = 0; t < taps; ++t, tap += step) pointers[t * count + i] = tap;
    }
  }

 private:
  const ConvShape& s_;
  const Padded& padded_;
  const uint8_t* input_;
};

// Below this many channels whole kernel rows of a padded copy are taken, as gemm's convolutions do.
constexpr int64_t kFewChannels = 16;
// Largest padded copy, in bytes: padding can make any small input large.
constexpr double kMaxPadded = 1ll << 32;

bool IsPointwise(const ConvShape& s) {
  return s.kernel_h == 1 && s.kernel_w == 1 && s.stride_h == 1 && s.stride_w == 1 &&
         s.pad_top == 0 && s.pad_left == 0 && s.groups == 1 && s.in_h == s.out_h &&
         s.in_w == s.out_w;
}

bool TakesLines(const ConvShape& s) {
  if (s.groups != 1 || s.dilation_w != 1 || s.kernel_w == 1 || s.in_c >= kFewChannels ||
      s.out_h == 0 || s.out_w == 0) {
    return false;
  }
  const Padded padded(s);
  return static_cast<double>(s.batch * s.in_c) * static_cast<double>(padded.height) *
             static_cast<double>(padded.width) <=
         kMaxPadded;
}

// Taps and depth of the rows of one group.
struct Run {
  explicit Run(const ConvShape& s) : taps(s.kernel_h * s.kernel_w), depth(s.in_c / s.groups) {
    if (!IsQuantDepthwise(s) && TakesLines(s)) {
      taps = s.kernel_h;
      depth = s.kernel_w * s.in_c;
    }
  }
  int64_t taps, depth;
};

// A group's weight sums, then its panels.
int64_t GroupSize(const KernelTable& table, const ConvShape& s) {
  const Run run(s);
  const int64_t columns = s.out_c / s.groups;
  return QuantPadded(columns) * 4 + QuantPanelsSize(table, columns, run.taps, run.depth);
}

int64_t Aligned(int64_t bytes) {
  return (bytes + 63) / 64 * 64;
}

// One input line of the padded copy.
void PadLine(const ConvShape& s, const Padded& padded, const uint8_t* image, int64_t y,
             uint8_t zero, uint8_t* to) {
  const int64_t line = padded.width * s.in_c;
  const int64_t from = y - s.pad_top;
  if (from < 0 || from >= s.in_h) {
    std::memset(to, zero, static_cast<size_t>(line));
    return;
  }
  const int64_t before = std::min(s.pad_left, padded.width) * s.in_c;
  const int64_t inside = std::clamp<int64_t>(padded.width - s.pad_left, 0, s.in_w) * s.in_c;
  std::memset(to, zero, static_cast<size_t>(before));
  if (inside > 0) {
    std::memcpy(to + before, image + from * s.in_w * s.in_c, static_cast<size_t>(inside));
  }
  std::memset(to + before + inside, zero, static_cast<size_t>(line - before - inside));
}

void PadInput(sys::Parallel& parallel, const ConvShape& s, const Padded& padded,
              const uint8_t* input, uint8_t zero, uint8_t* to) {
  const int64_t line = padded.width * s.in_c;
  ForPieces(parallel, s.batch * padded.height, line / 16 + 4, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const uint8_t* image = input + i / padded.height * s.in_h * s.in_w * s.in_c;
      PadLine(s, padded, image, i % padded.height, zero, to + i * line);
    }
  });
}

}  // namespace

const char* QuantConvName(const ConvShape& s) {
  if (IsQuantDepthwise(s)) return "depthwise";
  if (IsPointwise(s)) return "pointwise";
  return TakesLines(s) ? "lines" : "indirect";
}

size_t QuantPackedSize(const KernelTable& table, const ConvShape& s) {
  if (IsQuantDepthwise(s)) return static_cast<size_t>(QuantDepthwiseSize(table, s));
  return static_cast<size_t>(s.groups * GroupSize(table, s));
}

void QuantPack(const KernelTable& table, const ConvShape& s, const int8_t* weights,
               uint8_t* packed) {
  if (IsQuantDepthwise(s)) return PackQuantDepthwise(table, s, weights, packed);
  const Run run(s);
  const int64_t columns = s.out_c / s.groups, taps = s.kernel_h * s.kernel_w;
  const int64_t each = s.in_c / s.groups * taps;
  std::vector<int8_t> line;
  for (int64_t g = 0; g < s.groups; ++g) {
    auto* sums = reinterpret_cast<int32_t*>(packed);
    std::fill_n(sums, QuantPadded(columns), 0);
    for (int64_t c = 0; c < columns; ++c) {
      for (int64_t i = 0; i < each; ++i) sums[c] += weights[c * each + i];
    }
    const int8_t* from = weights;
    if (run.taps != taps) {  // [c][channel][ky][kx] to [c][kx][channel][ky]
      line.resize(static_cast<size_t>(columns * each));
      for (int64_t i = 0; i < columns * each; ++i) {
        const int64_t kx = i % s.kernel_w, ky = i / s.kernel_w % s.kernel_h;
        const int64_t channel = i / taps % s.in_c, c = i / each;
        const int64_t at = ((c * s.kernel_w + kx) * s.in_c + channel) * s.kernel_h + ky;
        line[static_cast<size_t>(at)] = weights[i];
      }
      from = line.data();
    }
    PackPanels(table, columns, run.taps, run.depth, from,
               reinterpret_cast<int8_t*>(packed + QuantPadded(columns) * 4));
    weights += columns * each;
    packed += GroupSize(table, s);
  }
}

size_t QuantWorkspaceSize(const KernelTable& table, const ConvShape& s) {
  if (IsQuantDepthwise(s)) return static_cast<size_t>(QuantDepthwiseWorkspace(table, s));
  const int64_t start = QuantPadded(s.out_c / s.groups) * 4;
  if (IsPointwise(s)) return static_cast<size_t>(start);
  const int64_t rows = TakesLines(s) ? Padded(s).Size(s) : s.in_c / s.groups;
  return static_cast<size_t>(Aligned(start) + rows);
}

void RunQuantConv(const KernelTable& table, sys::Parallel& parallel, const QuantConv& conv,
                  const uint8_t* x, const uint8_t* packed, const int32_t* bias,
                  const QuantEpilogue& epilogue, void* y, uint8_t* workspace) {
  const ConvShape& s = conv.shape;
  if (s.batch == 0 || s.out_h == 0 || s.out_w == 0 || s.out_c == 0) return;
  auto* bytes = static_cast<uint8_t*>(y);
  if (IsQuantDepthwise(s)) {
    RunQuantDepthwise(table, parallel, conv, x, packed, bias, epilogue, bytes, workspace);
    return;
  }
  const Run run(s);
  const int64_t columns = s.out_c / s.groups;
  auto* start = reinterpret_cast<int32_t*>(workspace);
  uint8_t* rows = workspace + Aligned(QuantPadded(columns) * 4);
  const auto zero = static_cast<uint8_t>(conv.x_zero);
  QuantProduct p;
  p.rows = s.batch * s.out_h * s.out_w;
  p.columns = columns;
  p.taps = run.taps;
  p.depth = run.depth;
  p.is_signed = conv.x_signed;
  p.start = start;
  p.y_stride = s.out_c;
  const bool pointwise = IsPointwise(s), lines = !pointwise && TakesLines(s);
  const Padded padded(s);
  if (lines) {
    PadInput(parallel, s, padded, x, zero, rows);
    std::memset(rows + padded.Size(s) - kMaxQuantGroup, 0, kMaxQuantGroup);
    const int64_t group = table.quant->group;
    p.depth = (run.depth + group - 1) / group * group;
  }
  if (!pointwise && !lines) std::memset(rows, zero, static_cast<size_t>(run.depth));
  for (int64_t g = 0; g < s.groups; ++g) {
    const DenseRows dense(x, s.in_c);
    const LineRows line_rows(s, padded, rows);
    const WindowRows windows(s, x + g * run.depth, rows);
    p.source = pointwise ? static_cast<const QuantRows*>(&dense)
               : lines   ? static_cast<const QuantRows*>(&line_rows)
                         : &windows;
    const int64_t shift = g * columns;
    StartSums(columns, reinterpret_cast<const int32_t*>(packed),
              conv.x_zero + table.quant->shift[conv.x_signed],
              bias == nullptr ? nullptr : bias + shift, start);
    p.panels = reinterpret_cast<const int8_t*>(packed + QuantPadded(columns) * 4);
    p.y = bytes + shift * QuantTypeBytes(epilogue.type);
    p.epilogue = epilogue;
    if (epilogue.factor != nullptr) p.epilogue.factor += shift;
    if (epilogue.offset != nullptr) p.epilogue.offset += shift;
    if (epilogue.add != nullptr) p.epilogue.add += shift;
    RunQuantProduct(table, parallel, p);
    packed += GroupSize(table, s);
  }
}

}  // namespace ferry::kernels
