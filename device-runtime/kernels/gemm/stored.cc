#include "device-runtime/kernels/gemm/stored.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "device-runtime/kernels/elementwise/activate.h"
#include "device-runtime/kernels/gemm/kernels.h"
#include "device-runtime/kernels/parallel.h"
#include "device-runtime/kernels/quant/kernels.h"

namespace ferry::kernels {
namespace {

constexpr int64_t kRows = 128;                                 // of a widened stretch
constexpr int64_t kMaxWidth = int64_t{16} * kMaxPanelVectors;  // of a panel

// How panels lie: for each its scales and zero points [blocks][columns], then its elements.
struct Form {
  Form(const KernelTable& table, int64_t k, int64_t n, const StoredMatrix& b)
      : vector(table.gemm->vector),
        width(vector * FilledTiles(table, {}).vectors),
        blocks(b.blocks),
        depth(std::max<int64_t>(1, k / std::max<int64_t>(1, b.blocks))),
        nibbles(b.is_half && (b.blocks == 1 || depth % 2 == 0)),
        rows(nibbles ? (k + 1) / 2 : k),
        columns(n) {}

  int64_t Padded(int64_t column) const {
    return (std::min(width, columns - column) + vector - 1) / vector * vector;
  }
  // Bytes of the panels before a column; whole panels come first.
  int64_t Offset(int64_t column) const { return column * (blocks * 8 + rows); }

  int64_t vector, width;
  int64_t blocks, depth;  // rows of a block
  bool nibbles;
  int64_t rows;  // of bytes
  int64_t columns;
};

class StoredRunner {
 public:
  StoredRunner(const KernelTable& table, const GemmShape& shape, const StoredMatrix& b,
               const float* a, int64_t a_stride, const uint8_t* packed, const Epilogue& epilogue,
               float* c, int64_t c_stride)
      : table_(table),
        shape_(shape),
        form_(table, shape.k, shape.n, b),
        a_(a),
        a_stride_(a_stride),
        packed_(packed),
        e_(epilogue),
        c_(c),
        c_stride_(c_stride) {
    const int64_t most = FilledTiles(table, {}).rows;
    const int64_t tiles = (shape.m + most - 1) / most;
    tile_rows_ = (shape.m + tiles - 1) / tiles;
  }

  void Run(sys::Parallel& parallel) const {
    const int64_t panels = (shape_.n + form_.width - 1) / form_.width;
    const int64_t steps = (shape_.m + 4) * form_.width * std::max<int64_t>(1, shape_.k) / 16;
    ForPieces(parallel, panels, steps, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) RunPanel(i * form_.width);
    });
  }

 private:
  void RunPanel(int64_t column) const {
    alignas(64) float wide[kRows * kMaxWidth];
    const int64_t padded = form_.Padded(column);
    for (int64_t k = 0; k == 0 || k < shape_.k; k += kRows) {
      const int64_t depth = std::min(kRows, shape_.k - k);
      Widen(column, padded, k, depth, wide);
      for (int64_t row = 0; row < shape_.m; row += tile_rows_) {
        Multiply(column, padded, k, depth, row, wide);
      }
    }
    if (e_.activation == Activation::kNone || e_.activation == Activation::kClip) return;
    const int64_t columns = std::min(form_.width, shape_.n - column);
    ActivateRows(table_, e_, shape_.m, columns, c_stride_, c_ + column);
  }

  // Rows [k, k + depth) of a panel; k is even.
  void Widen(int64_t column, int64_t padded, int64_t k, int64_t depth, float* wide) const {
    const uint8_t* panel = packed_ + form_.Offset(column);
    const auto* scales = reinterpret_cast<const float*>(panel);
    const float* zeros = scales + form_.blocks * padded;
    const auto* bytes = reinterpret_cast<const uint8_t*>(zeros + form_.blocks * padded);
    for (int64_t i = k; i < k + depth;) {
      const int64_t block = i / form_.depth;
      const int64_t end = std::min(k + depth, (block + 1) * form_.depth);
      const int64_t at = form_.nibbles ? i / 2 : i;
      table_.quant->widen[form_.nibbles]({end - i, padded, bytes + at * padded,
                                          scales + block * padded, zeros + block * padded,
                                          wide + (i - k) * padded});
      i = end;
    }
  }

  void Multiply(int64_t column, int64_t padded, int64_t k, int64_t depth, int64_t row,
                const float* wide) const {
    const int64_t rows = std::min(tile_rows_, shape_.m - row);
    const float* pointers[kMaxTileRows];
    for (int64_t i = 0; i < rows; ++i) pointers[i] = a_ + (row + i) * a_stride_ + k;
    const bool clips = e_.activation == Activation::kClip;
    TileArgs t = {};
    t.a = pointers;
    t.taps = 1;
    t.depth = depth;
    t.b = wide;
    t.c = c_ + row * c_stride_ + column;
    t.c_stride = t.add_stride = c_stride_;
    t.columns = std::min(form_.width, shape_.n - column);
    t.accumulate = k > 0;
    t.finish = k + depth >= shape_.k;
    t.bias = e_.bias == nullptr ? nullptr : e_.bias + column;
    t.add = e_.add == nullptr ? nullptr : e_.add + row * c_stride_ + column;
    t.low = clips ? e_.low : -std::numeric_limits<float>::infinity();
    t.high = clips ? e_.high : std::numeric_limits<float>::infinity();
    table_.gemm->tile[padded / form_.vector][rows](t);
  }

  const KernelTable& table_;
  const GemmShape& shape_;
  const Form form_;
  const float* a_;
  const int64_t a_stride_;
  const uint8_t* packed_;
  const Epilogue& e_;
  float* c_;
  const int64_t c_stride_;
  int64_t tile_rows_ = 1;
};

}  // namespace

size_t StoredSize(const KernelTable& table, int64_t k, int64_t n, const StoredMatrix& b) {
  const Form form(table, k, n, b);
  const int64_t whole = n / form.width * form.width;
  const int64_t bytes = form.Offset(whole + (whole < n ? form.Padded(whole) : 0));
  return static_cast<size_t>((bytes + 3) / 4 * 4);
}

void PackStored(const KernelTable& table, int64_t k, int64_t n, const StoredMatrix& b,
                uint8_t* packed) {
  const Form form(table, k, n, b);
  // Bytes are kept signed, halves of bytes unsigned.
  const int32_t shift = form.nibbles ? (b.is_signed ? 8 : 0) : (b.is_signed ? 0 : -128);
  std::memset(packed, 0, StoredSize(table, k, n, b));
  for (int64_t column = 0; column < n; column += form.width) {
    const int64_t padded = form.Padded(column);
    auto* scales = reinterpret_cast<float*>(packed + form.Offset(column));
    float* zeros = scales + form.blocks * padded;
    auto* bytes = reinterpret_cast<uint8_t*>(zeros + form.blocks * padded);
    for (int64_t j = 0; j < std::min(form.width, n - column); ++j) {
      for (int64_t block = 0; block < form.blocks; ++block) {
        const int64_t from = block * n + column + j;
        scales[block * padded + j] = b.scale[from];
        zeros[block * padded + j] =
            (b.zero == nullptr ? 0.0f : b.zero[from]) + static_cast<float>(shift);
      }
      for (int64_t i = 0; i < k; ++i) {
        const uint8_t q = b.data[i * b.row_stride + (column + j) * b.column_stride];
        const int32_t moved = (b.is_signed ? static_cast<int8_t>(q) : q) + shift;
        if (form.nibbles) {
          bytes[i / 2 * padded + j] |= static_cast<uint8_t>((moved & 15) << (i % 2 * 4));
        } else {
          bytes[i * padded + j] = static_cast<uint8_t>(moved);
        }
      }
    }
  }
}

void GemmStored(const KernelTable& table, sys::Parallel& parallel, const GemmShape& shape,
                const StoredMatrix& b, const float* a, int64_t a_stride, const uint8_t* packed,
                const Epilogue& epilogue, float* c, int64_t c_stride) {
  if (shape.m == 0 || shape.n == 0) return;
  StoredRunner(table, shape, b, a, a_stride, packed, epilogue, c, c_stride).Run(parallel);
}

}  // namespace ferry::kernels
