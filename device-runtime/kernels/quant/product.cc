#include "device-runtime/kernels/quant/product.h"

#include <algorithm>

#include "device-runtime/kernels/parallel.h"

namespace ferry::kernels {
namespace {

// Bytes of one block of B, which stays in the second-level cache.
constexpr int64_t kBlockBytes = 192 * 1024;
constexpr int64_t kMaxProductTaps = 64;  // pointers of a tile live on the stack

class Runner {
 public:
  Runner(const KernelTable& table, const QuantProduct& p)
      : p_(p),
        kernels_(*table.quant),
        further_(table, p),
        width_(kernels_.PanelWidth()),
        panel_depth_(QuantPanelDepth(table, p.taps, p.depth)) {
    tiles_ = (p.rows + kernels_.max_rows - 1) / kernels_.max_rows;
    tile_rows_ = (p.rows + tiles_ - 1) / tiles_;
    tiles_ = (p.rows + tile_rows_ - 1) / tile_rows_;
    panels_ = (p.columns + width_ - 1) / width_;
    tap_depth_ = (p.depth + kernels_.group - 1) / kernels_.group * kernels_.group;
    const int64_t panel_bytes = panel_depth_ * width_;
    block_panels_ =
        std::clamp<int64_t>(kBlockBytes / std::max<int64_t>(1, panel_bytes), 1, panels_);
  }

  void Run(sys::Parallel& parallel) const {
    const int64_t blocks = (panels_ + block_panels_ - 1) / block_panels_;
    const int64_t steps =
        tile_rows_ * block_panels_ * width_ * (16 + std::max<int64_t>(1, p_.taps * p_.depth)) / 64;
    ForPieces(parallel, blocks * tiles_, steps, [&](int64_t begin, int64_t end) {
      while (begin < end) {
        const int64_t block = begin / tiles_;
        const int64_t first = begin - block * tiles_;
        const int64_t last = std::min(tiles_, first + (end - begin));
        const int64_t panel = block * block_panels_;
        for (int64_t i = first; i < last; ++i) {
          RunTile(panel, std::min(panels_, panel + block_panels_), i);
        }
        begin += last - first;
      }
    });
  }

 private:
  void RunTile(int64_t panel, int64_t panel_end, int64_t tile) const {
    const int64_t row = tile * tile_rows_;
    const int count = static_cast<int>(std::min(tile_rows_, p_.rows - row));
    const uint8_t* pointers[kMaxProductTaps * kMaxQuantRows];
    alignas(64) int32_t sums[kMaxQuantRows * kMaxQuantWidth];
    const bool at_once = p_.taps <= kMaxProductTaps;
    if (at_once) p_.source->Fill(row, count, 0, p_.taps, pointers);
    QuantTile t = {};
    t.a = pointers;
    t.depth = p_.depth;
    t.sums = sums;
    for (int64_t j = panel; j < panel_end; ++j) {
      const int64_t column = j * width_;
      const int64_t columns = std::min(width_, p_.columns - column);
      const int64_t vectors = (columns + kernels_.vector - 1) / kernels_.vector;
      const int64_t tap_bytes = tap_depth_ * vectors * kernels_.vector;
      t.b = p_.panels + column * panel_depth_;
      t.start = p_.start + column;
      t.further = further_.Of(j);
      const auto& tiles = t.further.count < 0 ? kernels_.tile : kernels_.bounded->tile;
      for (int64_t tap = 0; tap == 0 || tap < p_.taps; tap += kMaxProductTaps) {
        t.taps = std::min(kMaxProductTaps, p_.taps - tap);
        if (!at_once) p_.source->Fill(row, count, tap, t.taps, pointers);
        tiles[p_.is_signed][vectors][count](t);
        t.b += t.taps * tap_bytes;
        t.start = nullptr;
      }
      FinishQuantSums(kernels_, p_, sums, row, count, column, columns);
    }
  }

  const QuantProduct& p_;
  const QuantKernels& kernels_;
  const QuantFurtherParts further_;
  const int64_t width_;
  const int64_t panel_depth_;  // bytes of a column
  int64_t tiles_ = 0;          // of rows
  int64_t tile_rows_ = 0;      // of every tile but perhaps the last
  int64_t panels_ = 0;         // of columns
  int64_t block_panels_ = 1;   // panels of one block of B
  int64_t tap_depth_ = 0;      // of whole groups of products
};

}  // namespace

void FinishQuantSums(const QuantKernels& kernels, const QuantProduct& p, const int32_t* sums,
                     int64_t row, int64_t rows, int64_t column, int64_t columns) {
  const QuantEpilogue& e = p.epilogue;
  const int64_t at = row * p.y_stride + column;
  QuantFinish f = {};
  f.sums = sums;
  f.sums_stride = kMaxQuantWidth;
  f.rows = rows;
  f.columns = columns;
  f.factor = e.factor == nullptr ? nullptr : e.factor + column;
  f.offset = e.offset == nullptr ? nullptr : e.offset + column;
  f.add = e.add == nullptr ? nullptr : e.add + at;
  f.y = p.y + at * QuantTypeBytes(e.type);
  f.y_stride = p.y_stride;
  f.epilogue = &e;
  kernels.finish[static_cast<int>(e.type)](f);
}

void RunQuantProduct(const KernelTable& table, sys::Parallel& parallel, const QuantProduct& p) {
  if (p.rows == 0 || p.columns == 0) return;
  if (TakesTiles(table, p)) return RunQuantTiled(table, parallel, p);
  Runner(table, p).Run(parallel);
}

}  // namespace ferry::kernels
