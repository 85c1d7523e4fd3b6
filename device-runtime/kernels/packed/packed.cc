#include "device-runtime/kernels/packed/packed.h"

#include <algorithm>

#include "device-runtime/kernels/packed/kernels.h"
#include "device-runtime/kernels/parallel.h"
#include "device-runtime/kernels/tiled/kernels.h"

namespace ferry::kernels {
namespace {

// Rows of x that stay in a core's second cache while all its tiles meet them.
constexpr int64_t kRowsBytes = 192 * 1024;

// Groups that `many` unpacks at once.
constexpr int64_t kMaxUnpackedColumns = 128;

int WidthOf(int bits) {
  return bits == 8 ? 3 : bits - 2;
}

// What a tile has whatever meets it.
template <typename Strip>
Strip StripOf(const PackedMatrix& w, const PackedTileLayout& layout, int64_t tile, float* out,
              const float* add, int64_t out_stride) {
  Strip s = {};
  s.scales = static_cast<const uint8_t*>(w.data) + tile * layout.bytes;
  s.shifts = w.form.shift == PackedShift::kNone ? nullptr : s.scales + layout.shifts_at;
  s.codes = s.scales + layout.codes_at;
  s.groups = layout.groups;
  s.group_chunks = layout.group_chunks;
  s.chunk_bytes = layout.chunk_bytes;
  s.tile_bytes = layout.bytes;
  s.bits = w.form.bits;
  s.scale = w.form.scale;
  s.shift = w.form.shift;
  s.rows = std::min(kPackedTileRows, w.rows - tile * kPackedTileRows);
  s.out = out + tile * kPackedTileRows;
  s.add = add == nullptr ? nullptr : add + tile * kPackedTileRows;
  s.out_stride = out_stride;
  return s;
}

template <typename Strip>
void Advance(Strip* s, int64_t rows) {
  s->x += rows * s->x_stride;
  s->out += rows * s->out_stride;
  if (s->add != nullptr) s->add += rows * s->out_stride;
}

// Rows of x in blocks of nearly equal size.
template <typename Run>
void ForBlocks(PackedStrip s, int64_t m, int64_t most, const Run& run) {
  for (int64_t blocks = (m + most - 1) / most; blocks > 0; --blocks) {
    s.m = (m + blocks - 1) / blocks;
    run(s);
    s.cold = false;
    Advance(&s, s.m);
    m -= s.m;
  }
}

// The functions for codes of these bits.
const PackedKernels& KernelsFor(const KernelTable& table, int bits) {
  const PackedKernels& own = *table.packed;
  return own.few[WidthOf(bits)][1] == nullptr ? *own.others : own;
}
// Those that do not go by bits.
const PackedKernels& KernelsForRows(const KernelTable& table) {
  return table.packed->exact == nullptr ? *table.packed->others : *table.packed;
}

// How a set takes rows of x at a tile.
struct Way {
  PackedFunction run = nullptr;  // null: `few`, by their number
  int64_t most = 0;              // rows of x at once
  int64_t tiles = 1;             // at once
};

// For m rows of x; `left`: whole tiles from this one on.
Way WayOf(const KernelTable& table, int bits, int64_t group_chunks, int64_t m, int64_t left) {
  const PackedKernels& kernels = KernelsFor(table, bits);
  const int width = WidthOf(bits);
  if (m > kernels.max_few) {
    const PackedFunction wide = table.tiled->packed[width];
    if (group_chunks > 1 && wide != nullptr) return {wide, kMaxPackedMany, 1};
    if (group_chunks * kPackedChunk <= kMaxUnpackedColumns) {
      const PackedFunction pair = kernels.many_pair[width];
      if (pair != nullptr && left > 1) return {pair, kMaxPackedMany, 2};
      if (kernels.many[width] != nullptr) return {kernels.many[width], kMaxPackedMany, 1};
    }
  }
  return {nullptr, kernels.max_few, 1};
}

void RunWay(const KernelTable& table, const Way& way, const PackedStrip& s, int64_t m) {
  if (way.run != nullptr) return ForBlocks(s, m, way.most, way.run);
  const auto& few = KernelsFor(table, s.bits).few[WidthOf(s.bits)];
  ForBlocks(s, m, way.most, [&](const PackedStrip& block) { few[block.m](block); });
}

// What rows of x have whatever they meet.
struct RowsOfX {
  explicit RowsOfX(const QuantizedRows& x)
      : rows(x), layout(LayoutOfQuantizedRow(x.group, x.columns)) {}
  // Rows that are multiplied with all tiles before the next ones are.
  int64_t block() const { return std::clamp<int64_t>(kRowsBytes / layout.bytes, 16, kMostRows); }
  void Put(PackedStrip* s) const {
    s->cold = true;
    s->group_scales = rows.scale == ActivationScale::kGroup;
    s->x = static_cast<const uint8_t*>(rows.data);
    s->x_stride = layout.bytes;
    s->pairs_at = layout.pairs_at;
    s->scales_at = layout.scales_at;
    s->sums_at = layout.sums_at;
    s->negative_at = layout.negative_at;
  }

  static constexpr int64_t kMostRows = 128;
  const QuantizedRows& rows;
  const QuantizedRowLayout layout;
};

// Tiles [begin, end) of one product times m rows of x.
void RunTiles(const KernelTable& table, const PackedProduct& p, const RowsOfX& x, int64_t m,
              int64_t begin, int64_t end) {
  const PackedTileLayout layout = LayoutOfTile(p.w->form, p.w->columns);
  const int64_t whole = std::min(end, p.w->rows / kPackedTileRows);
  const int64_t block = x.block();
  for (int64_t first = 0; first < m; first += block) {
    const int64_t rows = std::min(block, m - first);
    for (int64_t tile = begin; tile < end;) {
      auto s = StripOf<PackedStrip>(*p.w, layout, tile, p.out, p.add, p.out_stride);
      x.Put(&s);
      Advance(&s, first);
      const Way way = WayOf(table, s.bits, s.group_chunks, rows, whole - tile);
      RunWay(table, way, s, rows);
      tile += way.tiles;
    }
  }
}

// Few rows wait for memory, more for multiplications.
int64_t StepsOfTile(int64_t columns, int64_t m) {
  return kPackedTileRows * columns * std::max<int64_t>(2, m) / 8;
}

}  // namespace

QuantizedRows QuantizeRows(const KernelTable& table, sys::Parallel& parallel, const float* x,
                           int64_t x_stride, int64_t m, int64_t columns, int group,
                           ActivationScale scale, void* to) {
  const QuantizedRowLayout layout = LayoutOfQuantizedRow(group, columns);
  ForPieces(parallel, m, columns / 4, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      auto* row = static_cast<uint8_t*>(to) + i * layout.bytes;
      QuantizeRowTask t;
      t.x = x + i * x_stride;
      t.columns = columns;
      t.groups = layout.groups;
      t.group_chunks = layout.group_chunks;
      t.group_scales = scale == ActivationScale::kGroup;
      t.codes = reinterpret_cast<int8_t*>(row);
      t.pairs = reinterpret_cast<int32_t*>(row + layout.pairs_at);
      t.scales = reinterpret_cast<float*>(row + layout.scales_at);
      t.sums = reinterpret_cast<float*>(row + layout.sums_at);
      t.negative = reinterpret_cast<int32_t*>(row + layout.negative_at);
      KernelsForRows(table).quantize(t);
    }
  });
  return {to, columns, group, scale};
}

void PackedLinear(const KernelTable& table, sys::Parallel& parallel, const PackedMatrix& w,
                  const QuantizedRows& x, int64_t m, const float* add, float* out,
                  int64_t out_stride) {
  const PackedProduct one{&w, add, out, out_stride};
  PackedLinears(table, parallel, {&one, 1}, x, m);
}

void PackedLinears(const KernelTable& table, sys::Parallel& parallel,
                   std::span<const PackedProduct> products, const QuantizedRows& x, int64_t m) {
  if (m <= 0) return;
  const RowsOfX rows(x);
  int64_t tiles = 0;
  for (const PackedProduct& p : products) tiles += PackedTiles(p.w->rows);
  ForPieces(parallel, tiles, StepsOfTile(x.columns, m), [&](int64_t begin, int64_t end) {
    for (const PackedProduct& p : products) {
      const int64_t own = PackedTiles(p.w->rows);
      if (begin < own && end > 0) {
        RunTiles(table, p, rows, m, std::max<int64_t>(begin, 0), std::min(end, own));
      }
      begin -= own;
      end -= own;
    }
  });
}

void PackedGated(const KernelTable& table, sys::Parallel& parallel, const PackedMatrix& gate,
                 const PackedMatrix& up, const QuantizedRows& x, int64_t m, const Gating& gating,
                 float* out, int64_t out_stride) {
  if (m <= 0) return;
  const RowsOfX from(x);
  const PackedTileLayout layout = LayoutOfTile(gate.form, gate.columns);
  const int64_t steps = 2 * StepsOfTile(x.columns, m);
  ForPieces(parallel, PackedTiles(gate.rows), steps, [&](int64_t begin, int64_t end) {
    constexpr int64_t kNumbers = RowsOfX::kMostRows * 2 * kPackedTileRows;
    alignas(64) float gates[kNumbers] = {};
    alignas(64) float ups[kNumbers] = {};
    const int64_t whole = std::min(end, gate.rows / kPackedTileRows);
    for (int64_t first = 0; first < m; first += from.block()) {
      const int64_t rows = std::min(from.block(), m - first);
      for (int64_t tile = begin; tile < end;) {
        auto s = StripOf<PackedStrip>(gate, layout, tile, out, nullptr, out_stride);
        from.Put(&s);
        Advance(&s, first);
        float* const to = s.out;
        const Way way = WayOf(table, s.bits, s.group_chunks, rows, whole - tile);
        const int64_t width = way.tiles * kPackedTileRows;
        const int64_t written = way.tiles == 1 ? s.rows : width;
        s.out_stride = width;
        s.out = gates;
        RunWay(table, way, s, rows);
        const auto of_up = StripOf<PackedStrip>(up, layout, tile, ups, nullptr, width);
        s.scales = of_up.scales;
        s.shifts = of_up.shifts;
        s.codes = of_up.codes;
        s.out = ups;
        RunWay(table, way, s, rows);
        gating.run(gating.context, rows * width, ups, gates);
        for (int64_t i = 0; i < rows; ++i) {
          std::copy_n(gates + i * width, written, to + i * out_stride);
        }
        tile += way.tiles;
      }
    }
  });
}

void PackedLinearExact(const KernelTable& table, sys::Parallel& parallel, const PackedMatrix& w,
                       const float* x, int64_t x_stride, int64_t m, const float* add, float* out,
                       int64_t out_stride) {
  if (m <= 0) return;
  const PackedTileLayout layout = LayoutOfTile(w.form, w.columns);
  const int64_t steps = kPackedTileRows * w.columns * std::max<int64_t>(4, m) / 4;
  ForPieces(parallel, PackedTiles(w.rows), steps, [&](int64_t begin, int64_t end) {
    for (int64_t first = 0; first < m; first += kMaxPackedMany) {
      for (int64_t tile = begin; tile < end; ++tile) {
        auto s = StripOf<PackedExactStrip>(w, layout, tile, out, add, out_stride);
        s.columns = w.columns;
        s.x = x;
        s.x_stride = x_stride;
        s.m = std::min<int64_t>(kMaxPackedMany, m - first);
        Advance(&s, first);
        KernelsForRows(table).exact(s);
      }
    }
  });
}

}  // namespace ferry::kernels
