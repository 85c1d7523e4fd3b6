#include "device-runtime/llm/arch/blocks/adapted.h"

#include <algorithm>

namespace ferry::llm {
namespace {

kernels::WeightMatrix RowsFrom(const kernels::WeightMatrix& w, int64_t first, int64_t rows) {
  kernels::WeightMatrix part = w;
  part.rows = rows;
  part.data =
      static_cast<const uint8_t*>(w.data) + first * w.columns * kernels::WeightBytes(w.type);
  return part;
}

// run(first, count, adapters) for rows one behind another that have the same.
template <typename Run>
void ForAdapted(const Rows& rows, const Run& run) {
  for (int64_t row = 0; row < rows.count;) {
    const AdapterSet* adapters = rows.AdaptersOf(row);
    int64_t count = 1;
    while (row + count < rows.count && count < kLowRankRows &&
           rows.AdaptersOf(row + count) == adapters) {
      ++count;
    }
    if (adapters != nullptr) run(row, count, *adapters);
    row += count;
  }
}

}  // namespace

void AddAdapters(const Rows& rows, const MatrixPart& part, const float* x, int64_t x_stride,
                 float* out, int64_t out_stride) {
  float* const low = rows.pass.workspace.low;
  ForAdapted(rows, [&](int64_t first, int64_t count, const AdapterSet& adapters) {
    for (const AdapterSet::Part& one : adapters.parts()) {
      const LowRank* change = one.adapter->Of(part.tensor);
      if (change == nullptr) continue;
      const int64_t rank = change->rank();
      kernels::Linear(rows.table, rows.pass.parallel, change->a, x + first * x_stride, x_stride,
                      count, nullptr, low, rank);
      const float scale = one.scale * change->scale;
      for (int64_t i = 0; i < count * rank; ++i) low[i] *= scale;
      float* to = out + first * out_stride;
      kernels::Linear(rows.table, rows.pass.parallel, RowsFrom(change->b, part.first, part.count),
                      low, rank, count, to, to, out_stride);
    }
  });
}

void AddTransposedAdapters(const Rows& rows, const MatrixPart& part, const float* x,
                           int64_t x_stride, float* out, int64_t out_stride) {
  float low[kMaxAdapterRank];
  float weights[std::max(kMaxAdapterRank, kMaxLatentRank)];
  ForAdapted(rows, [&](int64_t first, int64_t count, const AdapterSet& adapters) {
    for (const AdapterSet::Part& one : adapters.parts()) {
      const LowRank* change = one.adapter->Of(part.tensor);
      if (change == nullptr) continue;
      const int64_t rank = change->rank();
      const float scale = one.scale * change->scale;
      for (int64_t row = first; row < first + count; ++row) {
        std::fill_n(low, rank, 0.0f);
        for (int64_t d = 0; d < part.count; ++d) {
          kernels::WidenRow(change->b, part.first + d, weights);
          const float by = x[row * x_stride + d];
          for (int64_t j = 0; j < rank; ++j) low[j] += by * weights[j];
        }
        float* const to = out + row * out_stride;
        for (int64_t j = 0; j < rank; ++j) {
          kernels::WidenRow(change->a, j, weights);
          const float by = scale * low[j];
          for (int64_t i = 0; i < change->a.columns; ++i) to[i] += by * weights[i];
        }
      }
    }
  });
}

}  // namespace ferry::llm
