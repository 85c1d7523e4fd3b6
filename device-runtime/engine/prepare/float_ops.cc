// Pools, element-wise functions, reductions and softmax: one kernel call each.
#include <algorithm>

#include "device-runtime/engine/prepare/prepare.h"
#include "device-runtime/kernels/elementwise/elementwise.h"
#include "device-runtime/kernels/pool/pool.h"
#include "device-runtime/kernels/reduce/reduce.h"
#include "device-runtime/kernels/softmax/softmax.h"

namespace ferry::engine {
namespace {

constexpr std::string_view kUnaryNames[] = {
#define FERRY_UNARY(name, error) #name,
#include "device-runtime/kernels/elementwise/unary.inc"
#undef FERRY_UNARY
};
constexpr std::string_view kBinaryNames[] = {
#define FERRY_BINARY(name) #name,
#include "device-runtime/kernels/elementwise/binary.inc"
#undef FERRY_BINARY
};
constexpr std::string_view kReduceNames[] = {"Sum",  "Mean",      "Max", "Min",
                                             "Prod", "SumSquare", "L1",  "L2"};
static_assert(std::size(kReduceNames) == kernels::kReduceOpCount);

// The position of `name`, which is the kernels' enumerator.
template <typename Enum, size_t N>
Result<Enum> Find(const std::string_view (&names)[N], std::string_view name) {
  const auto* at = std::ranges::find(names, name);
  if (at == std::end(names)) return Status::Of(Code::kInternal, "no kernel '{}'", name);
  return static_cast<Enum>(at - names);
}

}  // namespace

Result<PreparedStep> PreparePool(Preparer& p, const ir::PoolPrim& prim, const ir::Step& step) {
  const kernels::PoolShape shape = {
      .batch = prim.batch,
      .in_h = prim.in_h,
      .in_w = prim.in_w,
      .channels = prim.channels,
      .out_h = prim.out_h,
      .out_w = prim.out_w,
      .kernel_h = prim.kernel_h,
      .kernel_w = prim.kernel_w,
      .stride_h = prim.stride_h,
      .stride_w = prim.stride_w,
      .dilation_h = prim.dilation_h,
      .dilation_w = prim.dilation_w,
      .pad_top = prim.pad_top,
      .pad_left = prim.pad_left,
      .pad_bottom = prim.pad_bottom,
      .pad_right = prim.pad_right,
  };
  const auto kind = prim.kind == ir::PoolKind::kMax       ? kernels::PoolKind::kMax
                    : prim.kind == ir::PoolKind::kAverage ? kernels::PoolKind::kAverage
                                                          : kernels::PoolKind::kAverageWithPad;
  const int x = step.inputs[0], y = step.outputs[0];
  return PreparedStep{[=, &table = p.table()](const RunContext& c) {
                        kernels::Pool(table, c.parallel, kind, shape, c.floats(x), c.floats(y));
                        return OkStatus();
                      },
                      ""};
}

Result<PreparedStep> PrepareUnary(Preparer& p, const ir::UnaryPrim& prim, const ir::Step& step) {
  FERRY_ASSIGN_OR_RETURN(auto op, Find<kernels::UnaryOp>(kUnaryNames, prim.op));
  const int x = step.inputs[0], y = step.outputs[0];
  return PreparedStep{[=, alpha = prim.alpha, beta = prim.beta, count = prim.count,
                       &table = p.table()](const RunContext& c) {
                        kernels::Unary(table, c.parallel, op, alpha, beta, count, c.floats(x),
                                       c.floats(y));
                        return OkStatus();
                      },
                      ""};
}

Result<PreparedStep> PrepareBinary(Preparer& p, const ir::BinaryPrim& prim, const ir::Step& step) {
  FERRY_ASSIGN_OR_RETURN(auto op, Find<kernels::BinaryOp>(kBinaryNames, prim.op));
  kernels::BinaryShape shape;
  shape.rank = prim.rank;
  std::ranges::copy(prim.size, shape.size);
  std::ranges::copy(prim.a_stride, shape.a_stride);
  std::ranges::copy(prim.b_stride, shape.b_stride);
  const int a = step.inputs[0], b = step.inputs[1], y = step.outputs[0];
  return PreparedStep{[=, &table = p.table()](const RunContext& c) {
                        kernels::Binary(table, c.parallel, op, shape, c.floats(a), c.floats(b),
                                        c.floats(y));
                        return OkStatus();
                      },
                      ""};
}

Result<PreparedStep> PrepareReduce(Preparer& p, const ir::ReducePrim& prim, const ir::Step& step) {
  FERRY_ASSIGN_OR_RETURN(auto op, Find<kernels::ReduceOp>(kReduceNames, prim.op));
  const int x = step.inputs[0], y = step.outputs[0];
  return PreparedStep{[=, outer = prim.outer, size = prim.size, inner = prim.inner,
                       &table = p.table()](const RunContext& c) {
                        kernels::Reduce(table, c.parallel, op, outer, size, inner, c.floats(x),
                                        c.floats(y));
                        return OkStatus();
                      },
                      ""};
}

Result<PreparedStep> PrepareSoftmax(Preparer& p, const ir::SoftmaxPrim& prim,
                                    const ir::Step& step) {
  const int x = step.inputs[0], y = step.outputs[0];
  return PreparedStep{[=, &table = p.table()](const RunContext& c) {
                        kernels::Softmax(table, c.parallel, prim.outer, prim.size, prim.inner,
                                         prim.logarithm, c.floats(x), c.floats(y));
                        return OkStatus();
                      },
                      ""};
}

}  // namespace ferry::engine
