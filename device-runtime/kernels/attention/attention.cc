#include "device-runtime/kernels/attention/attention.h"

#include <algorithm>

#include "device-runtime/kernels/attention/kernels.h"
#include "device-runtime/kernels/parallel.h"

namespace ferry::kernels {

void Attention(const KernelTable& table, sys::Parallel& parallel, const AttentionShape& shape,
               const AttentionRow* rows, int64_t count) {
  if (count <= 0) return;
  int64_t positions = 0;
  for (int64_t i = 0; i < count; ++i) positions += rows[i].length;
  const int64_t group = shape.heads / shape.kv_heads;
  const int64_t head_floats = kPagePositions * shape.head_dim;
  const int64_t steps = positions / count * group * shape.head_dim / 4;
  // Rows of one kv head follow one another: those of one sequence read the same pages.
  ForPieces(parallel, shape.kv_heads * count, steps, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t kv_head = i / count;
      const AttentionRow& row = rows[i % count];
      AttendArgs args;
      args.query = row.query + kv_head * group * shape.head_dim;
      args.out = row.out + kv_head * group * shape.head_dim;
      args.heads = group;
      args.head_dim = shape.head_dim;
      args.scale = shape.scale;
      args.pages = row.pages;
      args.keys = kv_head * head_floats;
      args.values = (shape.kv_heads + kv_head) * head_floats;
      args.length = row.length;
      table.attention->attend(args);
    }
  });
}

}  // namespace ferry::kernels
