// A product cut into blocks of tile registers: C = finish(A * B), A numbers behind pointers. What
// the numbers are only their form knows.
#pragma once

#include <cstdint>

#include "common/sys/executor.h"
#include "device-runtime/kernels/table.h"
#include "device-runtime/kernels/tiled/kernels.h"

namespace ferry::kernels {

// As gemm's RowSource, of bytes: pointers[t * count + i] = the run of row first + i and tap
// first_tap + t. Called from several threads at once.
class ByteRows {
 public:
  virtual void Fill(int64_t first, int count, int64_t first_tap, int64_t taps,
                    const uint8_t** pointers) const = 0;

 protected:
  ~ByteRows() = default;
};

// What becomes of the sums of a block: kTiledColumns apart, of four bytes each. Called from several
// threads at once.
class TiledSink {
 public:
  virtual void Take(const void* sums, int64_t row, int64_t rows, int64_t column,
                    int64_t columns) const = 0;

 protected:
  ~TiledSink() = default;
};

struct TiledProduct {
  int64_t rows = 0;
  int64_t columns = 0;
  int64_t taps = 1;
  int64_t run_bytes = 0;  // of a row and tap of A
  int64_t tap_bytes = 0;  // that a tap takes in B, counted as A's: a multiple of 4
  uint8_t flip = 0;       // bits of A's bytes that are turned
  const ByteRows* source = nullptr;
  // Panels of 32 columns, the last of 32 or 16, as TiledBlock::b; zero where no row or column is.
  const void* b = nullptr;
  const void* start = nullptr;  // of all sums, one for each column, padded; null: zeros
  const TiledForm* form = nullptr;
  bool is_infinite = false;  // B has infinite numbers, of float32
  const TiledSink* sink = nullptr;
};

// Chunks of rows of so many bytes.
constexpr int64_t TiledChunks(const TiledForm& form, int64_t bytes) {
  return (bytes + form.chunk_bytes - 1) / form.chunk_bytes;
}
// Columns of B with those of its last panel.
constexpr int64_t TiledPadded(int64_t columns) {
  return (columns + kTiledColumns / 2 - 1) / (kTiledColumns / 2) * (kTiledColumns / 2);
}
// Bytes of one column of B.
constexpr int64_t TiledColumnBytes(const TiledForm& form, int64_t bytes) {
  return TiledChunks(form, bytes) * form.parts * kTiledChunk;
}
// Whether the table's processor has tile registers; all tables compute with them.
bool HasTiles(const KernelTable& table);

// Sums of a row depend neither on the rows beside it nor on threads.
void RunTiledProduct(const KernelTable& table, sys::Parallel& parallel, const TiledProduct& p);

}  // namespace ferry::kernels
