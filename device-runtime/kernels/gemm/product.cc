#include "device-runtime/kernels/gemm/product.h"

#include <algorithm>

#include "device-runtime/kernels/elementwise/activate.h"
#include "device-runtime/kernels/gemm/kernels.h"

namespace ferry::kernels {
namespace {

constexpr int64_t kMaxTaps = 64;  // pointers of a tile live on the stack
// Rows of a part for which B is read once more from behind the second-level cache.
constexpr int64_t kLeastPartRows = 64;
constexpr int64_t kMostParts = 4;  // of a thread: enough to even out

// A part of the sum: taps [tap, tap + taps), of each the floats [begin, begin + depth).
struct Segment {
  int64_t tap, taps, begin, depth;
};

class ProductRunner {
 public:
  ProductRunner(const KernelTable& table, const Product& p)
      : p_(p),
        table_(table),
        kernels_(*table.gemm),
        cut_(FilledTiles(table, p.tiles)),
        width_(int64_t{kernels_.vector} * cut_.vectors) {
    tiles_ = (p.rows + cut_.rows - 1) / cut_.rows;
    tile_rows_ = tiles_ == 0 ? 1 : (p.rows + tiles_ - 1) / tiles_;
    tiles_ = (p.rows + tile_rows_ - 1) / tile_rows_;
    panels_ = (p.columns + width_ - 1) / width_;
    // A single tile reads B once, in order: no use for blocks of depth.
    const int64_t limit = tiles_ == 1 ? p.depth : cut_.depth_block;
    if (p.depth > limit) {
      const int64_t parts = (p.depth + limit - 1) / limit;
      segment_depth_ = (p.depth + parts - 1) / parts;
      segment_taps_ = 1;
    } else {
      segment_depth_ = p.depth;
      const int64_t most = tiles_ == 1 ? p.taps : cut_.depth_block / std::max<int64_t>(1, p.depth);
      segment_taps_ = std::clamp<int64_t>(most, 1, std::min(kMaxTaps, p.taps));
    }
    const int64_t panel_bytes = segment_taps_ * segment_depth_ * width_ * 4;
    const int64_t fit = std::max<int64_t>(1, cut_.block_bytes / std::max<int64_t>(1, panel_bytes));
    blocks_ = std::max<int64_t>(1, (panels_ + fit - 1) / fit);
  }

  void Run(sys::Parallel& parallel) {
    const int64_t threads = parallel.width();
    const int64_t depth = std::max<int64_t>(1, p_.taps * p_.depth);
    const int64_t row_steps = p_.columns * depth / 16 + 1;
    if (SplitsRows(p_.rows, threads)) {
      const int64_t parts = std::min(tiles_, threads * PartsOfThread(threads));
      const int64_t part_steps = p_.rows * row_steps / parts;
      ForPieces(parallel, parts, part_steps, [&](int64_t begin, int64_t end) {
        RunRows(tiles_ * begin / parts, tiles_ * end / parts);
      });
      return;
    }
    // Columns to threads, so that each reads a part of B of its own.
    blocks_ = std::min(panels_, (blocks_ + threads - 1) / threads * threads);
    const int64_t steps = tile_rows_ * row_steps / blocks_;
    ForPieces(parallel, blocks_ * tiles_, steps, [&](int64_t begin, int64_t end) {
      while (begin < end) {
        const int64_t block = begin / tiles_;
        const int64_t first = begin - block * tiles_;
        const int64_t last = std::min(tiles_, first + (end - begin));
        RunBlock(PanelOf(block), PanelOf(block + 1), first, last);
        begin += last - first;
      }
    });
  }

 private:
  // Where a block of columns begins; all have as many panels or one more.
  int64_t PanelOf(int64_t block) const { return panels_ * block / blocks_; }

  // Each part reads all of B: where that does not stay in the second-level cache, parts are large.
  int64_t PartsOfThread(int64_t threads) const {
    const int64_t b_bytes = p_.taps * p_.depth * panels_ * width_ * 4;
    const int64_t least = b_bytes <= cut_.block_bytes ? kLeastThreadRows : kLeastPartRows;
    return std::clamp<int64_t>(p_.rows / (least * threads), 1, kMostParts);
  }

  // All columns of tiles [tile, tile_end).
  void RunRows(int64_t tile, int64_t tile_end) const {
    for (int64_t block = 0; block < blocks_; ++block) {
      RunBlock(PanelOf(block), PanelOf(block + 1), tile, tile_end);
    }
  }

  // Panels [panel, panel_end) of tiles [tile, tile_end).
  void RunBlock(int64_t panel, int64_t panel_end, int64_t tile, int64_t tile_end) const {
    Segment s = {0, 0, 0, segment_depth_};
    do {
      s.taps = std::min(segment_taps_, p_.taps - s.tap);
      s.depth = std::min(segment_depth_, p_.depth - s.begin);
      const bool finish = s.tap + s.taps >= p_.taps && s.begin + s.depth >= p_.depth;
      for (int64_t i = tile; i < tile_end; ++i) RunTile(s, finish, panel, panel_end, i);
      s.begin += s.depth;
      if (s.begin >= p_.depth) {
        s.begin = 0;
        s.tap += s.taps;
      }
    } while (s.tap < p_.taps);
  }

  void RunTile(const Segment& s, bool finish, int64_t panel, int64_t panel_end,
               int64_t tile) const {
    const int64_t row = tile * tile_rows_;
    const int count = static_cast<int>(std::min(tile_rows_, p_.rows - row));
    const float* pointers[kMaxTaps * kMaxTileRows];
    p_.source->Fill(row, count, s.tap, s.taps, pointers);
    if (s.begin > 0) {
      for (int64_t i = 0; i < s.taps * count; ++i) pointers[i] += s.begin;
    }
    const Epilogue& e = p_.epilogue;
    TileArgs t = {};
    t.a = pointers;
    t.taps = s.taps;
    t.depth = s.depth;
    t.c_stride = t.add_stride = p_.c_stride;
    t.accumulate = s.tap > 0 || s.begin > 0;
    t.finish = finish;
    const bool clip = e.activation == Activation::kClip;
    t.low = clip ? e.low : -std::numeric_limits<float>::infinity();
    t.high = clip ? e.high : std::numeric_limits<float>::infinity();
    for (int64_t j = panel; j < panel_end; ++j) {
      const int64_t column = j * width_;
      t.columns = std::min(width_, p_.columns - column);
      const int64_t vectors = (t.columns + kernels_.vector - 1) / kernels_.vector;
      t.b = p_.packed_b + column * p_.taps * p_.depth +
            (s.tap * p_.depth + s.begin) * vectors * kernels_.vector;
      t.c = p_.c + row * p_.c_stride + column;
      t.bias = e.bias == nullptr ? nullptr : e.bias + column;
      t.add = e.add == nullptr ? nullptr : e.add + row * p_.c_stride + column;
      kernels_.tile[vectors][count](t);
    }
    if (finish && !clip && e.activation != Activation::kNone) {
      const int64_t column = panel * width_;
      const int64_t columns = std::min(p_.columns, panel_end * width_) - column;
      ActivateRows(table_, e, count, columns, p_.c_stride, p_.c + row * p_.c_stride + column);
    }
  }

  const Product& p_;
  const KernelTable& table_;
  const GemmKernels& kernels_;
  const Tiles cut_;
  const int64_t width_;
  int64_t tiles_ = 0;      // of rows
  int64_t tile_rows_ = 0;  // of every tile but perhaps the last; even, so that none is tiny
  int64_t panels_ = 0;     // of columns
  int64_t blocks_ = 1;     // of panels
  int64_t segment_taps_ = 1;
  int64_t segment_depth_ = 0;
};

}  // namespace

void RunProduct(const KernelTable& table, sys::Parallel& parallel, const Product& product) {
  if (product.rows == 0 || product.columns == 0) return;
  ProductRunner(table, product).Run(parallel);
}

}  // namespace ferry::kernels
