#include "device-runtime/kernels/tiled/product.h"

#include <algorithm>
#include <cstring>

#include "device-runtime/kernels/parallel.h"

namespace ferry::kernels {
namespace {

// Blocks of rows whose A is laid out together, so that they share what is read of B.
constexpr int64_t kRowBlocks = 4;
// Parts of A's chunks of one such block, 2 KiB each: 256 KiB of a second-level cache of 2 MiB.
constexpr int64_t kSegmentParts = 32;
// Blocks of sums, of 4 KiB, that wait for the next segment of A: 256 KiB.
constexpr int64_t kWaitingSums = 64;
constexpr int64_t kTapsAtOnce = 32;  // pointers of the rows live on the stack
constexpr int64_t kRegisterRows = kTiledRows / 2;
// Rows of a unit where there are many, and units of a thread at most: enough to even out.
constexpr int64_t kUnitRows = 64;
constexpr int64_t kMostUnits = 4;

constexpr int32_t kZeros[kTiledColumns] = {};

// A and sums of a unit of work, on the stack of the thread that computes it.
struct Space {
  alignas(64) uint8_t a[kRowBlocks][kSegmentParts * kTiledStep];
  alignas(64) int32_t sums[kWaitingSums][kTiledRows * kTiledColumns];
  uint32_t infinite[kRowBlocks];  // rows of `a` with infinite numbers
};

// Rows and panels that one thread computes together.
struct Unit {
  int64_t row, rows, panel, panel_end;
};

class Runner {
 public:
  Runner(const KernelTable& table, const TiledProduct& p)
      : p_(p),
        form_(*p.form),
        kernels_(*table.tiled),
        chunks_(TiledChunks(form_, p.taps * p.tap_bytes)),
        column_bytes_(chunks_ * form_.parts * kTiledChunk),
        panels_((p.columns + kTiledColumns - 1) / kTiledColumns) {
    const int64_t most = kSegmentParts / form_.parts;
    const int64_t segments = std::max<int64_t>(1, (chunks_ + most - 1) / most);
    segment_ = (chunks_ + segments - 1) / segments;
  }

  void Run(sys::Parallel& parallel) {
    const Cut cut = CutFor(parallel.width());
    const int64_t rows = p_.rows / cut.heights + 1;
    const int64_t steps = rows * (panels_ / cut.widths + 1) * (chunks_ * form_.parts + 1) * 4;
    ForPieces(parallel, cut.heights * cut.widths, steps, [&](int64_t begin, int64_t end) {
      Space space;
      kernels_.begin();
      for (int64_t i = begin; i < end; ++i) RunUnit(UnitOf(cut, i), space);
      kernels_.end();
    });
  }

 private:
  // Parts of the rows, and of the columns for each.
  struct Cut {
    int64_t heights, widths;
  };

  // As gemm's products: a thread has rows, and all columns of them, where they are enough.
  Cut CutFor(int64_t threads) const {
    if (threads == 1) return {1, 1};
    if (SplitsRows(p_.rows, threads))
      return {threads * std::clamp<int64_t>(p_.rows / (kUnitRows * threads), 1, kMostUnits), 1};
    const int64_t heights = (p_.rows + kTiledRows - 1) / kTiledRows;
    return {heights, std::min(panels_, (threads + heights - 1) / heights)};
  }

  Unit UnitOf(const Cut& cut, int64_t i) const {
    const int64_t height = i / cut.widths, width = i % cut.widths;
    const int64_t all = (p_.rows + kRegisterRows - 1) / kRegisterRows;
    const int64_t row = all * height / cut.heights * kRegisterRows;
    const int64_t end = std::min(p_.rows, all * (height + 1) / cut.heights * kRegisterRows);
    return {row, end - row, panels_ * width / cut.widths, panels_ * (width + 1) / cut.widths};
  }

  void RunUnit(const Unit& unit, Space& space) const {
    constexpr int64_t kMostRows = kRowBlocks * kTiledRows;
    for (int64_t row = 0; row < unit.rows; row += kMostRows) {
      RunBlocks({unit.row + row, std::min(kMostRows, unit.rows - row), unit.panel, unit.panel_end},
                space);
    }
  }

  // At most kRowBlocks of rows.
  void RunBlocks(Unit unit, Space& space) const {
    const int64_t blocks = (unit.rows + kTiledRows - 1) / kTiledRows;
    const bool waits = segment_ < chunks_;
    const int64_t at_once = waits ? kWaitingSums / blocks : panels_;
    for (; unit.panel < unit.panel_end; unit.panel += at_once) {
      const int64_t last = std::min(unit.panel_end, unit.panel + at_once);
      int64_t from = 0;
      do {
        const int64_t to = std::min(chunks_, from + segment_);
        for (int64_t b = 0; b < blocks; ++b) Fill(unit, b, from, to, space);
        for (int64_t j = unit.panel; j < last; ++j) {
          for (int64_t b = 0; b < blocks; ++b) {
            int32_t* const sums = space.sums[waits ? (j - unit.panel) * blocks + b : 0];
            Sum(unit, b, from, to, j, space, sums);
            if (to == chunks_) Take(unit, b, j, sums);
          }
        }
        from = to;
      } while (from < chunks_);
    }
  }

  static int64_t RowsOf(const Unit& unit, int64_t block) {
    return std::min<int64_t>(kTiledRows, unit.rows - block * kTiledRows);
  }

  // Chunks [from, to) of the rows, whose taps follow one another; zeros behind the last. What lies
  // between a run and the next tap stays as it is: B has zeros there, and numbers of 8 bits, which
  // alone have such, are all finite.
  void Fill(const Unit& unit, int64_t block, int64_t from, int64_t to, Space& space) const {
    const int64_t row = unit.row + block * kTiledRows, rows = RowsOf(unit, block);
    uint8_t* const a = space.a[block];
    space.infinite[block] = p_.is_infinite ? ~uint32_t{0} : 0;
    const uint8_t* pointers[kTapsAtOnce * kTiledRows];
    const int64_t begin = from * form_.chunk_bytes, whole = p_.taps * p_.tap_bytes;
    const int64_t end = std::min(to * form_.chunk_bytes, whole);
    if (end < to * form_.chunk_bytes) {
      const int64_t last = (to - from - 1) * form_.parts * kTiledStep;
      std::memset(a + last, 0, static_cast<size_t>(form_.parts * kTiledStep));
    }
    for (int64_t tap = begin < end ? begin / p_.tap_bytes : p_.taps; tap * p_.tap_bytes < end;
         tap += kTapsAtOnce) {
      const int64_t taps = std::min(kTapsAtOnce, (end + p_.tap_bytes - 1) / p_.tap_bytes - tap);
      p_.source->Fill(row, static_cast<int>(rows), tap, taps, pointers);
      for (int64_t t = 0; t < taps; ++t) {
        const int64_t at = (tap + t) * p_.tap_bytes;
        const int64_t first = std::max(begin, at), last = std::min(end, at + p_.run_bytes);
        if (first >= last) continue;
        const uint8_t** own = pointers + t * rows;
        for (int64_t i = 0; first > at && i < rows; ++i) own[i] += first - at;
        form_.copy({own, rows, last - first, first - begin, p_.flip, a, &space.infinite[block]});
      }
    }
  }

  void Sum(const Unit& unit, int64_t block, int64_t from, int64_t to, int64_t panel,
           const Space& space, int32_t* sums) const {
    const int64_t column = panel * kTiledColumns, rows = RowsOf(unit, block);
    const uint32_t infinite = space.infinite[block];
    TiledBlock t;
    t.a = space.a[block];
    t.rows = rows;
    t.chunks = to - from;
    t.columns = p_.columns - column > kTiledColumns / 2 ? kTiledColumns : kTiledColumns / 2;
    t.b = static_cast<const uint8_t*>(p_.b) + column * column_bytes_ +
          from * form_.parts * kTiledChunk * t.columns;
    t.start = from > 0              ? nullptr
              : p_.start != nullptr ? static_cast<const int32_t*>(p_.start) + column
                                    : kZeros;
    t.sums = sums;
    if (infinite == 0) return form_.block(t);
    // What such rows had before, and their products by themselves.
    int32_t rest[kTiledRows * kTiledColumns];
    for (int64_t i = 0; i < kTiledRows * kTiledColumns; ++i)
      rest[i] =
          t.start == nullptr ? sums[i] : static_cast<const int32_t*>(t.start)[i % kTiledColumns];
    form_.block(t);
    for (int64_t i = 0; i < rows; ++i) {
      if ((infinite >> i & 1) != 0)
        std::copy_n(rest + i * kTiledColumns, t.columns, sums + i * kTiledColumns);
    }
    AddPlainRows(t, infinite);
  }

  void Take(const Unit& unit, int64_t block, int64_t panel, const int32_t* sums) const {
    const int64_t column = panel * kTiledColumns;
    p_.sink->Take(sums, unit.row + block * kTiledRows, RowsOf(unit, block), column,
                  std::min<int64_t>(kTiledColumns, p_.columns - column));
  }

  const TiledProduct& p_;
  const TiledForm& form_;
  const TiledKernels& kernels_;
  const int64_t chunks_;
  const int64_t column_bytes_;  // of B
  const int64_t panels_;
  int64_t segment_ = 0;  // chunks, of all segments but perhaps the last
};

}  // namespace

bool HasTiles(const KernelTable& table) {
  return table.tiled->is_native;
}

void RunTiledProduct(const KernelTable& table, sys::Parallel& parallel, const TiledProduct& p) {
  if (p.rows == 0 || p.columns == 0) return;
  Runner(table, p).Run(parallel);
}

}  // namespace ferry::kernels
