// F(m x m, 3x3) for m = 2, 4, 6: tiles of the input are transformed to (m + 2)^2 points, each point
// is a product over channels, and the results are transformed back. Runs over blocks of tiles, so
// that both sides of the products stay in cache.
#include "device-runtime/kernels/winograd/kernels.h"

#include <algorithm>

#include "device-runtime/kernels/conv/algorithms.h"
#include "device-runtime/kernels/elementwise/activate.h"
#include "device-runtime/kernels/gemm/gemm.h"
#include "device-runtime/kernels/gemm/kernels.h"
#include "device-runtime/kernels/parallel.h"
#include "device-runtime/kernels/winograd/points.h"

namespace ferry::kernels {
namespace {

// Bytes of transformed tiles (both sides) of one block.
constexpr int64_t kBlockBytes = 768 * 1024;
// Fewer would read the weights too often for what they are used; a multiple of every tile height.
constexpr int64_t kMinBlockTiles = 24;

// Weights of one 3x3 kernel to points: G g G^T, in double precision.
template <int kOut>
void TransformWeights(const float* g, double* out) {
  static constexpr WinogradMatrices<kOut> kMatrices;
  constexpr int kIn = kOut + 2;
  const auto& m = kMatrices.g;
  for (int i = 0; i < kIn; ++i) {
    double half[3];
    for (int j = 0; j < 3; ++j) {
      half[j] = m[i][0] * static_cast<double>(g[j]) + m[i][1] * static_cast<double>(g[3 + j]) +
                m[i][2] * static_cast<double>(g[6 + j]);
    }
    for (int j = 0; j < kIn; ++j) {
      out[i * kIn + j] = half[0] * m[j][0] + half[1] * m[j][1] + half[2] * m[j][2];
    }
  }
}

// Floats of the pixel of zeros, whole cache lines.
int64_t ZerosSize(const ConvShape& s) {
  return (s.in_c + 15) / 16 * 16;
}

// How a convolution splits into tiles, and tiles into blocks.
template <int kOut>
struct Tiling {
  static constexpr int kPoints = (kOut + 2) * (kOut + 2);

  explicit Tiling(const ConvShape& s)
      : across((s.out_w + kOut - 1) / kOut),
        down((s.out_h + kOut - 1) / kOut),
        count(s.batch * across * down) {
    const int64_t tile_bytes = kPoints * (s.in_c + s.out_c) * 4;
    const int64_t most = std::max(kMinBlockTiles, kBlockBytes / std::max<int64_t>(1, tile_bytes));
    const int64_t blocks = std::max<int64_t>(1, (count + most - 1) / most);
    block = (count + blocks - 1) / blocks;
  }

  int64_t across, down;
  int64_t count;
  int64_t block;  // tiles of a block
};

// Where a tile starts in the output.
template <int kOut>
struct TilePlace {
  TilePlace(const Tiling<kOut>& tiling, int64_t tile)
      : n(tile / (tiling.across * tiling.down)),
        y(tile / tiling.across % tiling.down * kOut),
        x(tile % tiling.across * kOut) {}
  int64_t n, y, x;
};

template <int kOut>
class Runner {
  static constexpr int kIn = kOut + 2;
  static constexpr int kPoints = kIn * kIn;

 public:
  explicit Runner(const ConvRun& r) : r_(r), s_(r.shape), tiling_(r.shape) {
    zeros_ = r.workspace;
    in_ = zeros_ + ZerosSize(s_);
    out_ = in_ + kPoints * tiling_.block * s_.in_c;
    std::fill_n(zeros_, s_.in_c, 0.0f);
  }

  void Run() {
    for (int64_t first = 0; first < tiling_.count; first += tiling_.block) {
      RunBlock(first, std::min(tiling_.block, tiling_.count - first));
    }
  }

 private:
  void RunBlock(int64_t first, int64_t count) {
    ForPieces(r_.parallel, count, 16 * s_.in_c, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) TransformTile(first + i, i, count);
    });
    const size_t point_size = PackedBSize(r_.table, s_.in_c, s_.out_c);
    const GemmShape shape = {count, s_.out_c, s_.in_c};
    const int64_t steps = count * s_.out_c * s_.in_c / 16;
    ForPieces(r_.parallel, kPoints, steps, [&](int64_t begin, int64_t end) {
      for (int64_t p = begin; p < end; ++p) {
        const MatrixView a = {in_ + p * count * s_.in_c, s_.in_c, 1};
        Gemm(r_.table, sys::SerialParallel(), shape, a,
             r_.packed + static_cast<size_t>(p) * point_size, {}, out_ + p * count * s_.out_c,
             s_.out_c, nullptr, r_.tiles);
      }
    });
    ForPieces(r_.parallel, count, 12 * s_.out_c, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) FinishTile(first + i, i, count);
    });
  }

  void TransformTile(int64_t tile, int64_t slot, int64_t count) const {
    const TilePlace<kOut> place(tiling_, tile);
    const float* pixels[kPoints];
    for (int i = 0; i < kPoints; ++i) {
      const int64_t y = place.y - s_.pad_top + i / kIn;
      const int64_t x = place.x - s_.pad_left + i % kIn;
      const bool inside = y >= 0 && y < s_.in_h && x >= 0 && x < s_.in_w;
      pixels[i] = inside ? r_.input + ((place.n * s_.in_h + y) * s_.in_w + x) * s_.in_c : zeros_;
    }
    r_.table.winograd->Of(kOut).input(pixels, s_.in_c, count * s_.in_c, in_ + slot * s_.in_c);
  }

  void FinishTile(int64_t tile, int64_t slot, int64_t count) const {
    const TilePlace<kOut> place(tiling_, tile);
    const Epilogue& e = r_.epilogue;
    float* out[kOut * kOut];
    const float* add[kOut * kOut];
    for (int i = 0; i < kOut * kOut; ++i) {
      const int64_t y = place.y + i / kOut;
      const int64_t x = place.x + i % kOut;
      const bool inside = y < s_.out_h && x < s_.out_w;
      const int64_t at = ((place.n * s_.out_h + y) * s_.out_w + x) * s_.out_c;
      out[i] = inside ? r_.output + at : nullptr;
      add[i] = inside && e.add != nullptr ? e.add + at : nullptr;
    }
    const bool clip = e.activation == Activation::kClip;
    WinogradOutputArgs t = {};
    t.in = out_ + slot * s_.out_c;
    t.point_stride = count * s_.out_c;
    t.channels = s_.out_c;
    t.bias = e.bias;
    t.add = e.add == nullptr ? nullptr : add;
    t.low = clip ? e.low : -std::numeric_limits<float>::infinity();
    t.high = clip ? e.high : std::numeric_limits<float>::infinity();
    t.out = out;
    r_.table.winograd->Of(kOut).output(t);
    if (clip || e.activation == Activation::kNone) return;
    for (float* pixel : out) {
      if (pixel != nullptr) Activate(r_.table, e, s_.out_c, pixel);
    }
  }

  const ConvRun& r_;
  const ConvShape& s_;
  const Tiling<kOut> tiling_;
  float* zeros_;
  float* in_;   // [point][tile of the block][in_c]
  float* out_;  // [point][tile of the block][out_c]
};

template <int kOut>
size_t PackedSize(const KernelTable& table, const ConvShape& s) {
  return Tiling<kOut>::kPoints * PackedBSize(table, s.in_c, s.out_c);
}

template <int kOut>
void Pack(const KernelTable& table, const ConvShape& s, const float* weights, float* packed,
          const Tiles& tiles) {
  constexpr int kPoints = Tiling<kOut>::kPoints;
  const int64_t vector = table.gemm->vector;
  const int64_t width = vector * FilledTiles(table, tiles).vectors;
  const size_t point_size = PackedBSize(table, s.in_c, s.out_c);
  std::fill_n(packed, kPoints * point_size, 0.0f);
  for (int64_t o = 0; o < s.out_c; ++o) {
    const int64_t column = o / width * width;
    const int64_t padded = (std::min(width, s.out_c - column) + vector - 1) / vector * vector;
    for (int64_t i = 0; i < s.in_c; ++i) {
      double points[kPoints];
      TransformWeights<kOut>(weights + (o * s.in_c + i) * 9, points);
      float* to = packed + column * s.in_c + i * padded + (o - column);
      for (int p = 0; p < kPoints; ++p) {
        to[static_cast<size_t>(p) * point_size] = static_cast<float>(points[p]);
      }
    }
  }
}

template <int kOut>
size_t WorkspaceSize(const KernelTable&, const ConvShape& s) {
  const Tiling<kOut> tiling(s);
  return static_cast<size_t>(ZerosSize(s) +
                             Tiling<kOut>::kPoints * tiling.block * (s.in_c + s.out_c));
}

bool Supports(const ConvShape& s) {
  return s.kernel_h == 3 && s.kernel_w == 3 && s.stride_h == 1 && s.stride_w == 1 &&
         s.dilation_h == 1 && s.dilation_w == 1 && s.groups == 1;
}

template <int kOut>
constexpr ConvMethod Method(const char* name, double error) {
  return {
      .name = name,
      .supports = Supports,
      .packed_size = PackedSize<kOut>,
      .pack = Pack<kOut>,
      .workspace_size = WorkspaceSize<kOut>,
      .run = [](const ConvRun& r) { Runner<kOut>(r).Run(); },
      .error = error,
      .has_tiles = true,
  };
}

}  // namespace

const ConvMethod kConvWinograd2 = Method<2>("winograd2", 2e-6);
const ConvMethod kConvWinograd4 = Method<4>("winograd4", 2e-5);
const ConvMethod kConvWinograd6 = Method<6>("winograd6", 4e-5);

}  // namespace ferry::kernels
