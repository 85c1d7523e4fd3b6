// F(m x m, 3x3) for m = 2, 4, 6: tiles of the input are transformed to (m + 2)^2 points, each point
// is a product over channels, and the results are transformed back.
#include "device-runtime/kernels/conv/winograd.h"

#include <algorithm>
#include <atomic>

#include "device-runtime/kernels/conv/algorithms.h"
#include "device-runtime/kernels/elementwise/activate.h"
#include "device-runtime/kernels/gemm/gemm.h"
#include "device-runtime/kernels/gemm/kernels.h"
#include "device-runtime/kernels/parallel.h"
#include "device-runtime/kernels/winograd/kernels.h"

namespace ferry::kernels {
namespace {

// Floats of the pixel of zeros, whole cache lines.
int64_t ZerosSize(const ConvShape& s) {
  return (s.in_c + 15) / 16 * 16;
}

// Where a tile starts in the output.
template <int kOut>
struct TilePlace {
  TilePlace(const WinogradSplit<kOut>& split, int64_t tile)
      : n(tile / (split.across * split.down)),
        y(tile / split.across % split.down * kOut),
        x(tile % split.across * kOut) {}
  int64_t n, y, x;
};

// Output channels [first, first + count).
struct Channels {
  int64_t first, count;
};

template <int kOut>
class Runner {
  static constexpr int kIn = kOut + 2;
  static constexpr int kPoints = kIn * kIn;

 public:
  explicit Runner(const ConvRun& r)
      : r_(r),
        s_(r.shape),
        split_(r.shape, r.parallel.width()),
        width_(int64_t{r.table.gemm->vector} * FilledTiles(r.table, r.tiles).vectors),
        panels_((s_.out_c + width_ - 1) / width_),
        zeros_(r.workspace) {
    std::fill_n(zeros_, s_.in_c, 0.0f);
  }

  void Run() {
    const int64_t steps = kPoints * split_.count * s_.out_c * s_.in_c / 16 / split_.parts;
    ForPieces(r_.parallel, split_.parts, steps, [&](int64_t begin, int64_t end) {
      const int64_t slot = TakeSlot(begin * split_.slots / split_.parts);
      float* space = zeros_ + ZerosSize(s_) + slot * split_.slot_floats;
      for (int64_t part = begin; part < end; ++part) RunPart(part, space);
      taken_[slot].store(false, std::memory_order_release);
    });
  }

 private:
  // A workspace that nobody uses: `wish`, or the next, when another took a piece of its owner's.
  int64_t TakeSlot(int64_t wish) {
    int64_t slot = wish;
    while (taken_[slot].exchange(true, std::memory_order_acquire)) slot = (slot + 1) % split_.slots;
    return slot;
  }

  Channels ChannelsOf(int64_t part) const {
    if (!split_.by_channels) return {0, s_.out_c};
    const int64_t first = panels_ * part / split_.parts * width_;
    const int64_t end = std::min(s_.out_c, panels_ * (part + 1) / split_.parts * width_);
    return {first, end - first};
  }

  void RunPart(int64_t part, float* space) const {
    const Channels range = ChannelsOf(part);
    const int64_t end = split_.TileEndOf(part);
    const int64_t tiles = end - split_.TileOf(part);
    const int64_t blocks = (tiles + split_.block - 1) / split_.block;
    for (int64_t i = 0; i < blocks; ++i) {
      const int64_t first = end - tiles + tiles * i / blocks;
      RunBlock(first, end - tiles + tiles * (i + 1) / blocks - first, range, space);
    }
  }

  // space: [point][tile of the block][in_c], then [point][tile of the block][channel of the range].
  void RunBlock(int64_t first, int64_t count, const Channels& range, float* space) const {
    float* in = space;
    float* out = space + kPoints * count * s_.in_c;
    for (int64_t i = 0; i < count; ++i) TransformTile(first + i, count, in + i * s_.in_c);
    const size_t point_size = PackedBSize(r_.table, s_.in_c, s_.out_c);
    const GemmShape shape = {count, range.count, s_.in_c};
    const float* packed = r_.packed + range.first * s_.in_c;
    for (int64_t p = 0; p < kPoints; ++p, packed += point_size) {
      const MatrixView a = {in + p * count * s_.in_c, s_.in_c, 1};
      Gemm(r_.table, sys::SerialParallel(), shape, a, packed, {}, out + p * count * range.count,
           range.count, nullptr, r_.tiles);
    }
    for (int64_t i = 0; i < count; ++i) FinishTile(first + i, count, range, out + i * range.count);
  }

  void TransformTile(int64_t tile, int64_t count, float* to) const {
    const TilePlace<kOut> place(split_, tile);
    const float* pixels[kPoints];
    for (int i = 0; i < kPoints; ++i) {
      const int64_t y = place.y - s_.pad_top + i / kIn;
      const int64_t x = place.x - s_.pad_left + i % kIn;
      const bool inside = y >= 0 && y < s_.in_h && x >= 0 && x < s_.in_w;
      pixels[i] =
          inside ? r_.input + ((place.n * s_.in_h + y) * s_.in_w + x) * s_.in_step() : zeros_;
    }
    r_.table.winograd->Of(kOut).input(pixels, s_.in_c, count * s_.in_c, to);
  }

  // `points` of one tile, for the channels of `range`.
  void FinishTile(int64_t tile, int64_t count, const Channels& range, const float* points) const {
    const TilePlace<kOut> place(split_, tile);
    const Epilogue& e = r_.epilogue;
    float* out[kOut * kOut];
    const float* add[kOut * kOut];
    for (int i = 0; i < kOut * kOut; ++i) {
      const int64_t y = place.y + i / kOut;
      const int64_t x = place.x + i % kOut;
      const bool inside = y < s_.out_h && x < s_.out_w;
      const int64_t at = ((place.n * s_.out_h + y) * s_.out_w + x) * s_.out_step() + range.first;
      out[i] = inside ? r_.output + at : nullptr;
      add[i] = inside && e.add != nullptr ? e.add + at : nullptr;
    }
    const bool clip = e.activation == Activation::kClip;
    WinogradOutputArgs t = {};
    t.in = points;
    t.point_stride = count * range.count;
    t.channels = range.count;
    t.bias = e.bias == nullptr ? nullptr : e.bias + range.first;
    t.add = e.add == nullptr ? nullptr : add;
    t.low = clip ? e.low : -std::numeric_limits<float>::infinity();
    t.high = clip ? e.high : std::numeric_limits<float>::infinity();
    t.out = out;
    r_.table.winograd->Of(kOut).output(t);
    if (clip || e.activation == Activation::kNone) return;
    for (float* pixel : out) {
      if (pixel != nullptr) Activate(r_.table, e, range.count, pixel);
    }
  }

  const ConvRun& r_;
  const ConvShape& s_;
  const WinogradSplit<kOut> split_;
  const int64_t width_;   // of a panel of packed weights
  const int64_t panels_;  // of output channels
  float* zeros_;
  std::atomic<bool> taken_[kMaxWinogradSlots] = {};
};

template <int kOut>
size_t PackedSize(const KernelTable& table, const ConvShape& s) {
  return WinogradSplit<kOut>::kPoints * PackedBSize(table, s.in_c, s.out_c);
}

template <int kOut>
size_t WinogradWorkspaceSize(const KernelTable&, const ConvShape& s, int threads) {
  const WinogradSplit<kOut> split(s, threads);
  return static_cast<size_t>(ZerosSize(s) + split.slots * split.slot_floats);
}

bool WinogradSupports(const ConvShape& s) {
  return s.kernel_h == 3 && s.kernel_w == 3 && s.stride_h == 1 && s.stride_w == 1 &&
         s.dilation_h == 1 && s.dilation_w == 1 && s.groups == 1;
}

template <int kOut>
constexpr ConvMethod Method(const char* name, double error) {
  return {
      .name = name,
      .supports = WinogradSupports,
      .packed_size = PackedSize<kOut>,
      .pack = PackWinograd<kOut>,
      .workspace_size = WinogradWorkspaceSize<kOut>,
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
