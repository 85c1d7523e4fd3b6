#include <algorithm>

#include "device-runtime/kernels/elementwise/elementwise.h"
#include "device-runtime/kernels/elementwise/kernels.h"
#include "device-runtime/kernels/parallel.h"

namespace ferry::kernels {
namespace {

const BinaryFunctions& FunctionsOf(const BinaryTable& table, BinaryOp op) {
  switch (op) {
#define FERRY_BINARY(name) \
  case BinaryOp::k##name:  \
    return table.name;
#include "device-runtime/kernels/elementwise/binary.inc"
#undef FERRY_BINARY
  }
  return table.Add;
}

// Drops axes of size 1 and joins neighbours that both operands walk through evenly.
BinaryShape Joined(const BinaryShape& shape) {
  BinaryShape out;
  for (int i = 0; i < shape.rank; ++i) {
    if (shape.size[i] == 1) continue;
    const int last = out.rank - 1;
    if (last >= 0 && out.a_stride[last] == shape.a_stride[i] * shape.size[i] &&
        out.b_stride[last] == shape.b_stride[i] * shape.size[i]) {
      out.size[last] *= shape.size[i];
    } else {
      out.size[out.rank++] = shape.size[i];
    }
    out.a_stride[out.rank - 1] = shape.a_stride[i];
    out.b_stride[out.rank - 1] = shape.b_stride[i];
  }
  return out;
}

// One run along the innermost axis.
void RunRow(const BinaryFunctions& f, int64_t count, const float* a, int64_t a_stride,
            const float* b, int64_t b_stride, float* c) {
  if (a_stride == 1 && b_stride == 1) {
    f.both(count, a, b, c);
  } else if (a_stride == 1 && b_stride == 0) {
    f.scalar_b(count, a, b, c);
  } else if (a_stride == 0 && b_stride == 1) {
    f.scalar_a(count, a, b, c);
  } else {
    for (int64_t i = 0; i < count; ++i) f.both(1, a + i * a_stride, b + i * b_stride, c + i);
  }
}

// Rows [begin, end) of the outer axes of a joined shape of rank at least 1.
void RunRows(const BinaryFunctions& f, const BinaryShape& s, int64_t begin, int64_t end,
             const float* a, const float* b, float* c) {
  const int inner = s.rank - 1;
  int64_t index[kMaxBinaryRank] = {};
  int64_t rest = begin;
  for (int i = inner - 1; i >= 0; --i) {
    index[i] = rest % s.size[i];
    rest /= s.size[i];
    a += index[i] * s.a_stride[i];
    b += index[i] * s.b_stride[i];
  }
  for (int64_t row = begin; row < end; ++row) {
    RunRow(f, s.size[inner], a, s.a_stride[inner], b, s.b_stride[inner], c + row * s.size[inner]);
    for (int i = inner - 1; i >= 0; --i) {
      a += s.a_stride[i];
      b += s.b_stride[i];
      if (++index[i] < s.size[i]) break;
      a -= s.a_stride[i] * s.size[i];
      b -= s.b_stride[i] * s.size[i];
      index[i] = 0;
    }
  }
}

}  // namespace

const char* BinaryName(BinaryOp op) {
  switch (op) {
#define FERRY_BINARY(name) \
  case BinaryOp::k##name:  \
    return #name;
#include "device-runtime/kernels/elementwise/binary.inc"
#undef FERRY_BINARY
  }
  return "?";
}

bool BroadcastShape(int a_rank, const int64_t* a_dims, int b_rank, const int64_t* b_dims,
                    BinaryShape* shape) {
  const int rank = std::max(a_rank, b_rank);
  if (rank > kMaxBinaryRank) return false;
  *shape = {};
  shape->rank = rank;
  int64_t a_stride = 1;
  int64_t b_stride = 1;
  for (int i = rank - 1; i >= 0; --i) {
    const int ai = i - (rank - a_rank);
    const int bi = i - (rank - b_rank);
    const int64_t a = ai < 0 ? 1 : a_dims[ai];
    const int64_t b = bi < 0 ? 1 : b_dims[bi];
    if (a != b && a != 1 && b != 1) return false;
    shape->size[i] = a == 1 ? b : a;
    shape->a_stride[i] = a == 1 ? 0 : a_stride;
    shape->b_stride[i] = b == 1 ? 0 : b_stride;
    a_stride *= a;
    b_stride *= b;
  }
  return true;
}

void Binary(const KernelTable& table, sys::Parallel& parallel, BinaryOp op,
            const BinaryShape& shape, const float* a, const float* b, float* c) {
  for (int i = 0; i < shape.rank; ++i) {
    if (shape.size[i] == 0) return;
  }
  const BinaryFunctions& f = FunctionsOf(table.elementwise->binary, op);
  const BinaryShape s = Joined(shape);
  if (s.rank == 0) {
    f.both(1, a, b, c);
    return;
  }
  const int64_t inner = s.size[s.rank - 1];
  if (s.rank == 1) {
    ForPieces(parallel, inner, 1, [&](int64_t begin, int64_t end) {
      RunRow(f, end - begin, a + begin * s.a_stride[0], s.a_stride[0], b + begin * s.b_stride[0],
             s.b_stride[0], c + begin);
    });
    return;
  }
  int64_t rows = 1;
  for (int i = 0; i + 1 < s.rank; ++i) rows *= s.size[i];
  ForPieces(parallel, rows, inner,
            [&](int64_t begin, int64_t end) { RunRows(f, s, begin, end, a, b, c); });
}

}  // namespace ferry::kernels
