// Pools, reductions and softmax: one kernel call each.
#include <algorithm>

#include "device-runtime/engine/prepare/prepare.h"
#include "device-runtime/kernels/pool/pool.h"
#include "device-runtime/kernels/quant/quant.h"
#include "device-runtime/kernels/reduce/any.h"
#include "device-runtime/kernels/reduce/reduce.h"
#include "device-runtime/kernels/softmax/softmax.h"

namespace ferry::engine {
namespace {

// ORDER: both list the same, but for the indices.
static_assert(static_cast<int>(ir::ReduceKind::kArgMax) == kernels::kReduceOpCount &&
              static_cast<int>(ir::ReduceKind::kMean) ==
                  static_cast<int>(kernels::ReduceOp::kMean) &&
              static_cast<int>(ir::ReduceKind::kProd) ==
                  static_cast<int>(kernels::ReduceOp::kProd) &&
              static_cast<int>(ir::ReduceKind::kL2) == static_cast<int>(kernels::ReduceOp::kL2));

Result<PreparedStep> PrepareBytesMaxPool(Preparer& p, const kernels::PoolShape& shape,
                                         bool is_signed, const ir::Step& step) {
  const int x = step.inputs[0], y = step.outputs[0];
  return PreparedStep{[=, &table = p.table()](const RunContext& c) {
                        kernels::QuantMaxPool(table, c.parallel, shape, is_signed, c.at[x],
                                              c.at[y]);
                        return OkStatus();
                      },
                      ""};
}

}  // namespace

kernels::PoolShape PoolShapeOf(const ir::PoolPrim& prim) {
  return {
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
}

Result<PreparedStep> PreparePool(Preparer& p, const ir::PoolPrim& prim, const ir::Step& step) {
  kernels::PoolShape shape = PoolShapeOf(prim);
  shape.in_stride = p.StrideOf(step.inputs[0]);
  shape.out_stride = p.StrideOf(step.outputs[0]);
  const DType dtype = p.program().buffers[step.outputs[0]].dtype;
  if (dtype != DType::kF32) return PrepareBytesMaxPool(p, shape, dtype == DType::kI8, step);
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

namespace {

PreparedStep ArgStep(DType dtype, const ir::ReducePrim& prim, const ir::Step& step) {
  using enum ir::ReduceKind;
  const bool largest = prim.kind == kArgMax || prim.kind == kArgMaxLast;
  const bool last = prim.kind == kArgMaxLast || prim.kind == kArgMinLast;
  const int x = step.inputs[0], y = step.outputs[0];
  return {[=, outer = prim.outer, size = prim.size, inner = prim.inner](const RunContext& c) {
            const bool done =
                kernels::ArgExtreme(c.parallel, dtype, largest, last, outer, size, inner, c.at[x],
                                    reinterpret_cast<int64_t*>(c.at[y]));
            return done ? OkStatus() : Status(Code::kInternal, "no index of this dtype");
          },
          ""};
}

}  // namespace

Result<PreparedStep> PrepareReduce(Preparer& p, const ir::ReducePrim& prim, const ir::Step& step) {
  const DType dtype = p.TypeOf(step.inputs[0]);
  if (ir::IsIndex(prim.kind)) return ArgStep(dtype, prim, step);
  const auto op = static_cast<kernels::ReduceOp>(prim.kind);
  const int x = step.inputs[0], y = step.outputs[0];
  return PreparedStep{
      [=, outer = prim.outer, size = prim.size, inner = prim.inner,
       &table = p.table()](const RunContext& c) {
        if (dtype == DType::kF32) {
          kernels::Reduce(table, c.parallel, op, outer, size, inner, c.floats(x), c.floats(y));
          return OkStatus();
        }
        const bool done =
            kernels::ReduceAny(c.parallel, dtype, op, outer, size, inner, c.at[x], c.at[y]);
        return done ? OkStatus() : Status(Code::kInternal, "no reduction of this dtype");
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
