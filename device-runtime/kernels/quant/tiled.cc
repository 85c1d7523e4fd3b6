// Products of bytes over tile registers: the panels and epilogues are those of other tiles.
#include "device-runtime/kernels/quant/product.h"

namespace ferry::kernels {
namespace {

static_assert(kTiledColumns == kMaxQuantWidth);

// With fewer rows most of a register would be empty.
constexpr int64_t kLeastRows = 8;
// To lay out shorter runs costs more than what so few columns save (the first layers of networks).
constexpr int64_t kLeastRun = 32;
constexpr int64_t kManyColumns = 128;

class Sink final : public TiledSink {
 public:
  Sink(const QuantKernels& kernels, const QuantProduct& p) : kernels_(kernels), p_(p) {}
  void Take(const void* sums, int64_t row, int64_t rows, int64_t column,
            int64_t columns) const override {
    FinishQuantSums(kernels_, p_, static_cast<const int32_t*>(sums), row, rows, column, columns);
  }

 private:
  const QuantKernels& kernels_;
  const QuantProduct& p_;
};

}  // namespace

bool TakesTiles(const KernelTable& table, const QuantProduct& p) {
  return HasTiles(table) && p.rows >= kLeastRows &&
         (p.depth >= kLeastRun || p.columns > kManyColumns);
}

void RunQuantTiled(const KernelTable& table, sys::Parallel& parallel, const QuantProduct& p) {
  const QuantKernels& kernels = *table.quant;
  const Sink sink(kernels, p);
  TiledProduct t;
  t.rows = p.rows;
  t.columns = p.columns;
  t.taps = p.taps;
  t.run_bytes = p.depth;
  t.tap_bytes = (p.depth + kernels.group - 1) / kernels.group * kernels.group;
  t.flip = static_cast<uint8_t>(kernels.shift[p.is_signed]);
  t.source = p.source;
  t.b = p.panels;
  t.start = p.start;
  t.form = &table.tiled->bytes;
  t.sink = &sink;
  RunTiledProduct(table, parallel, t);
}

}  // namespace ferry::kernels
