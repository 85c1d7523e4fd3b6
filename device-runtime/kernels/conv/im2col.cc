// Windows copied to the rows of a matrix, block by block, then a plain product: long rows where the
// channels of a group are too few for one run each.
#include <algorithm>
#include <cstring>

#include "device-runtime/kernels/conv/algorithms.h"
#include "device-runtime/kernels/gemm/gemm.h"
#include "device-runtime/kernels/parallel.h"

namespace ferry::kernels {
namespace {

// Of one block: it stays in the second-level cache between the copy and the product.
constexpr int64_t kColumnBytes = 256 * 1024;
constexpr int64_t kMinBlockRows = 48;
constexpr int64_t kMaxDepth = 1 << 16;

int64_t DepthOf(const ConvShape& s) {
  return s.in_c / s.groups * s.kernel_h * s.kernel_w;
}

// The window of output pixel `row` for the channels from `first` on.
void CopyWindow(const ConvShape& s, const float* input, int64_t first, int64_t row, float* to) {
  const int64_t channels = s.in_c / s.groups;
  const int64_t left = row % s.out_w * s.stride_w - s.pad_left;
  const int64_t top = row / s.out_w % s.out_h * s.stride_h - s.pad_top;
  const float* image = input + row / (s.out_w * s.out_h) * s.in_h * s.in_w * s.in_step() + first;
  for (int64_t ky = 0; ky < s.kernel_h; ++ky) {
    const int64_t y = top + ky * s.dilation_h;
    for (int64_t kx = 0; kx < s.kernel_w; ++kx, to += channels) {
      const int64_t x = left + kx * s.dilation_w;
      if (y < 0 || y >= s.in_h || x < 0 || x >= s.in_w) {
        std::fill_n(to, channels, 0.0f);
      } else {
        std::copy_n(image + (y * s.in_w + x) * s.in_step(), channels, to);
      }
    }
  }
}

}  // namespace

int64_t Im2colBlockRows(const ConvShape& s) {
  const int64_t fit = kColumnBytes / 4 / std::max<int64_t>(1, DepthOf(s));
  return std::min(std::max(fit, kMinBlockRows), s.batch * s.out_h * s.out_w);
}

namespace {

bool Im2colSupports(const ConvShape& s) {
  const double depth = static_cast<double>(s.in_c / s.groups) * static_cast<double>(s.kernel_h) *
                       static_cast<double>(s.kernel_w);
  return s.kernel_h * s.kernel_w > 1 && depth > 0 && depth <= static_cast<double>(kMaxDepth);
}

size_t Im2colWorkspaceSize(const KernelTable&, const ConvShape& s, int) {
  return static_cast<size_t>(Im2colBlockRows(s) * DepthOf(s));
}

void RunIm2col(const ConvRun& r) {
  const ConvShape& s = r.shape;
  const int64_t depth = DepthOf(s);
  const int64_t rows = s.batch * s.out_h * s.out_w;
  const int64_t block = Im2colBlockRows(s);
  const int64_t channels = s.in_c / s.groups;
  const int64_t columns = s.out_c / s.groups;
  const size_t group_size = PackedBSize(r.table, depth, columns);
  for (int64_t first = 0; first < rows; first += block) {
    const int64_t count = std::min(block, rows - first);
    for (int64_t g = 0; g < s.groups; ++g) {
      ForPieces(r.parallel, count, depth / 2, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          CopyWindow(s, r.input, g * channels, first + i, r.workspace + i * depth);
        }
      });
      Epilogue e = r.epilogue;
      const int64_t at = first * s.out_step() + g * columns;
      if (e.bias != nullptr) e.bias += g * columns;
      if (e.add != nullptr) e.add += at;
      Gemm(r.table, r.parallel, {count, columns, depth}, {r.workspace, depth, 1},
           r.packed + static_cast<size_t>(g) * group_size, e, r.output + at, s.out_step(), nullptr,
           r.tiles);
    }
  }
}

}  // namespace

const ConvMethod kConvIm2col = {
    .name = "im2col",
    .supports = Im2colSupports,
    .packed_size = PackedProductSize,
    .pack = PackProduct,
    .workspace_size = Im2colWorkspaceSize,
    .run = RunIm2col,
    .has_tiles = true,
};

}  // namespace ferry::kernels
