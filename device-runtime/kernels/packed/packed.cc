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

// Two tiles times m rows of x where the set has that, else one; returns how many. `left`: whole
// tiles from this one on.
int64_t RunTiles(const KernelTable& table, const PackedStrip& s, int64_t m, int64_t left) {
  const PackedKernels& kernels = *table.packed;
  const int width = WidthOf(s.bits);
  const PackedFunction wide = table.tiled->packed[width];
  if (m > kernels.max_few && s.group_chunks > 1 && wide != nullptr) {
    ForBlocks(s, m, kMaxPackedMany, wide);
    return 1;
  }
  const bool unpacks = m > kernels.max_few && s.group_chunks * kPackedChunk <= kMaxUnpackedColumns;
  const PackedFunction pair = kernels.many_pair[width];
  if (unpacks && pair != nullptr && left > 1) {
    ForBlocks(s, m, kMaxPackedMany, pair);
    return 2;
  }
  const PackedFunction many = kernels.many[width];
  if (unpacks && many != nullptr) {
    ForBlocks(s, m, kMaxPackedMany, many);
  } else {
    ForBlocks(s, m, kernels.max_few,
              [&](const PackedStrip& block) { kernels.few[width][block.m](block); });
  }
  return 1;
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
      table.packed->quantize(t);
    }
  });
  return {to, columns, group, scale};
}

void PackedLinear(const KernelTable& table, sys::Parallel& parallel, const PackedMatrix& w,
                  const QuantizedRows& x, int64_t m, const float* add, float* out,
                  int64_t out_stride) {
  if (m <= 0) return;
  const PackedTileLayout layout = LayoutOfTile(w.form, w.columns);
  const QuantizedRowLayout row = LayoutOfQuantizedRow(x.group, x.columns);
  const int64_t block = std::clamp<int64_t>(kRowsBytes / row.bytes, 16, 128);
  // Few rows wait for memory, more for multiplications.
  const int64_t steps = kPackedTileRows * w.columns * std::max<int64_t>(2, m) / 8;
  ForPieces(parallel, PackedTiles(w.rows), steps, [&](int64_t begin, int64_t end) {
    const int64_t whole = std::min(end, w.rows / kPackedTileRows);
    for (int64_t first = 0; first < m; first += block) {
      for (int64_t tile = begin; tile < end;) {
        auto s = StripOf<PackedStrip>(w, layout, tile, out, add, out_stride);
        s.cold = true;
        s.group_scales = x.scale == ActivationScale::kGroup;
        s.x = static_cast<const uint8_t*>(x.data);
        s.x_stride = row.bytes;
        s.pairs_at = row.pairs_at;
        s.scales_at = row.scales_at;
        s.sums_at = row.sums_at;
        s.negative_at = row.negative_at;
        Advance(&s, first);
        tile += RunTiles(table, s, std::min(block, m - first), whole - tile);
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
        table.packed->exact(s);
      }
    }
  });
}

}  // namespace ferry::kernels
