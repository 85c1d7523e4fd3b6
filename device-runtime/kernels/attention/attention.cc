#include "device-runtime/kernels/attention/attention.h"

#include <algorithm>

#include "device-runtime/kernels/attention/kernels.h"
#include "device-runtime/kernels/parallel.h"

namespace ferry::kernels {
namespace {

// Rows that walk the pages together: what they add up stays in a first-level cache beside a pair
// of pages.
constexpr int64_t kSumBytes = 16 << 10;

struct Task {
  int64_t heads = 0;     // of one piece, of those that share a kv head
  int64_t pieces = 0;    // of a kv head
  int64_t row_step = 1;  // most rows of a piece
};

Task SplitTask(const AttentionShape& shape, int64_t count, int width) {
  const int64_t group = shape.heads / shape.kv_heads;
  Task task;
  // A few rows of few kv heads are split by head, so that all threads have some.
  task.pieces = std::clamp<int64_t>(width / (shape.kv_heads * count), 1, group);
  task.heads = std::min((group + task.pieces - 1) / task.pieces, kAttendStates);
  task.pieces = (group + task.heads - 1) / task.heads;
  const int64_t row_bytes = task.heads * ValueDim(shape) * 4;
  task.row_step =
      std::clamp<int64_t>(std::min(kSumBytes / row_bytes, kAttendStates / task.heads), 1, count);
  return task;
}

bool Follows(const AttentionRow& row, const AttentionRow& first, int64_t distance, int64_t growth,
             const AttentionShape& shape) {
  return row.pages == first.pages && row.layout == first.layout &&
         row.length == first.length + distance * growth &&
         row.query - first.query == distance * shape.heads * shape.head_dim &&
         row.out - first.out == distance * shape.heads * ValueDim(shape);
}

// Rows from `begin` on that one call may take: each sees one position more than that before it, or
// all see the same (*growth: 0).
int64_t RunOf(const AttentionShape& shape, const AttentionRow* rows, int64_t begin, int64_t end,
              int64_t* growth) {
  const bool alike = begin + 1 < end && rows[begin + 1].length == rows[begin].length;
  *growth = alike ? 0 : 1;
  int64_t run = 1;
  while (begin + run < end && Follows(rows[begin + run], rows[begin], run, *growth, shape)) ++run;
  return run;
}

void AttendRows(const KernelTable& table, const AttentionShape& shape, const Task& task,
                const AttentionRow* rows, int64_t count, int64_t piece) {
  const int64_t group = shape.heads / shape.kv_heads;
  const int64_t kv_head = piece / task.pieces;
  const int64_t first = piece % task.pieces * task.heads;
  const int64_t head = kv_head * group + first;
  for (int64_t at = 0; at < count;) {
    const AttentionRow& row = rows[at];
    AttendArgs args{};
    args.rows = RunOf(shape, rows, at, count, &args.growth);
    args.query = row.query + head * shape.head_dim;
    args.out = row.out + head * ValueDim(shape);
    args.query_stride = shape.heads * shape.head_dim;
    args.out_stride = shape.heads * ValueDim(shape);
    args.heads = std::min(task.heads, group - first);
    args.head_dim = shape.head_dim;
    args.value_dim = ValueDim(shape);
    args.scale = shape.scale;
    args.cap = shape.cap;
    args.slopes = shape.slopes == nullptr ? nullptr : shape.slopes + head;
    args.sinks = shape.sinks == nullptr ? nullptr : shape.sinks + head;
    args.window = shape.window;
    args.pages = row.pages;
    args.layout = row.layout;
    args.head = kv_head;
    args.length = row.length;
    table.attention->attend(args);
    at += args.rows;
  }
}

}  // namespace

void Attention(const KernelTable& table, sys::Parallel& parallel, const AttentionShape& shape,
               const AttentionRow* rows, int64_t count) {
  if (count <= 0) return;
  int64_t positions = 0;
  for (int64_t i = 0; i < count; ++i) {
    positions += shape.window > 0 ? std::min(shape.window, rows[i].length) : rows[i].length;
  }
  const Task task = SplitTask(shape, count, parallel.width());
  const int64_t blocks = (count + task.row_step - 1) / task.row_step;
  const int64_t steps = positions / count * task.row_step * task.heads * shape.head_dim / 4;
  // Rows of one kv head follow one another: those of one sequence read the same pages.
  ForPieces(parallel, shape.kv_heads * task.pieces * blocks, steps,
            [&](int64_t begin, int64_t end) {
              for (int64_t i = begin; i < end; ++i) {
                const int64_t first = i % blocks * task.row_step;
                AttendRows(table, shape, task, rows + first, std::min(task.row_step, count - first),
                           i / blocks);
              }
            });
}

}  // namespace ferry::kernels
