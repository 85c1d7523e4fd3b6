#include "device-runtime/kernels/attention/attention.h"

#include <algorithm>

#include "device-runtime/kernels/attention/kernels.h"
#include "device-runtime/kernels/parallel.h"

namespace ferry::kernels {

void Attention(const KernelTable& table, sys::Parallel& parallel, const AttentionShape& shape,
               const AttentionRow* rows, int64_t count) {
  if (count <= 0) return;
  int64_t positions = 0;
  for (int64_t i = 0; i < count; ++i) {
    positions += shape.window > 0 ? std::min(shape.window, rows[i].length) : rows[i].length;
  }
  const int64_t group = shape.heads / shape.kv_heads;
  const int64_t value_dim = ValueDim(shape);
  const int64_t key_floats = kPagePositions * shape.head_dim;
  const int64_t value_floats = kPagePositions * value_dim;
  const int64_t steps = positions / count * group * shape.head_dim / 4;
  // Rows of one kv head follow one another: those of one sequence read the same pages.
  ForPieces(parallel, shape.kv_heads * count, steps, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t kv_head = i / count;
      const AttentionRow& row = rows[i % count];
      AttendArgs args;
      args.query = row.query + kv_head * group * shape.head_dim;
      args.out = row.out + kv_head * group * value_dim;
      args.heads = group;
      args.head_dim = shape.head_dim;
      args.value_dim = value_dim;
      args.value_stride = shape.shared ? shape.head_dim : value_dim;
      args.scale = shape.scale;
      args.cap = shape.cap;
      args.slopes = shape.slopes == nullptr ? nullptr : shape.slopes + kv_head * group;
      args.sinks = shape.sinks == nullptr ? nullptr : shape.sinks + kv_head * group;
      args.pages = row.pages;
      args.keys = kv_head * key_floats;
      args.values = shape.shared ? args.keys : shape.kv_heads * key_floats + kv_head * value_floats;
      args.first = shape.window > 0 ? std::max<int64_t>(0, row.length - shape.window) : 0;
      args.length = row.length;
      table.attention->attend(args);
    }
  });
}

}  // namespace ferry::kernels
