// Element-wise functions of float32: unary, and binary with broadcasting. The lists of functions
// are unary.inc and binary.inc.
#pragma once

#include <cstdint>

#include "common/sys/executor.h"
#include "device-runtime/kernels/table.h"

namespace ferry::kernels {

#define FERRY_UNARY(name, error) k##name,
enum class UnaryOp {
#include "device-runtime/kernels/elementwise/unary.inc"
};
#undef FERRY_UNARY

#define FERRY_BINARY(name) k##name,
enum class BinaryOp {
#include "device-runtime/kernels/elementwise/binary.inc"
};
#undef FERRY_BINARY

const char* UnaryName(UnaryOp op);
const char* BinaryName(BinaryOp op);

// y[i] = op(x[i]) for `count` dense floats; y may be x.
void Unary(const KernelTable& table, sys::Parallel& parallel, UnaryOp op, float alpha, float beta,
           int64_t count, const float* x, float* y);

inline constexpr int kMaxBinaryRank = 8;

// A dense output of `size`, outermost first; an operand's stride (in floats) is 0 along the axes it
// is broadcast along. rank may be 0: one element.
struct BinaryShape {
  int rank = 0;
  int64_t size[kMaxBinaryRank] = {};
  int64_t a_stride[kMaxBinaryRank] = {};
  int64_t b_stride[kMaxBinaryRank] = {};
};

// NumPy's broadcasting: fills a shape from the dims of two dense operands (ranks up to
// kMaxBinaryRank). False when they do not broadcast or a rank is too large.
bool BroadcastShape(int a_rank, const int64_t* a_dims, int b_rank, const int64_t* b_dims,
                    BinaryShape* shape);

// c may be a or b when that operand is not broadcast.
void Binary(const KernelTable& table, sys::Parallel& parallel, BinaryOp op,
            const BinaryShape& shape, const float* a, const float* b, float* c);

}  // namespace ferry::kernels
