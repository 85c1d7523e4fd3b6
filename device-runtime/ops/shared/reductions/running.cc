#include "device-runtime/ops/shared/reductions/running.h"

#include "device-runtime/ops/lower_context.h"
#include "device-runtime/ops/shared/numbers/exact.h"

namespace ferry::ops {

Status InferRunning(InferContext& c) {
  FERRY_TRY(CheckKinds(c, 0, Kinds::Number));
  FERRY_TRY(CheckOneInteger(c, 1));
  FERRY_TRY(c.KnownInput(1).status());
  c.SetOutput(0, c.Input(0).dtype, c.InputShape(0));
  return OkStatus();
}

Status ReferenceRunning(ReferenceContext& c) {
  const Tensor& x = c.In(0);
  const int rank = x.shape().rank();
  FERRY_ASSIGN_OR_RETURN(const int axis, tensor::NormalizeAxis(c.In(1).Integer(0), rank));
  FERRY_ASSIGN_OR_RETURN(const int64_t exclusive, c.Int("exclusive", 0));
  FERRY_ASSIGN_OR_RETURN(const int64_t reverse, c.Int("reverse", 0));
  const bool product = c.node().op == "CumProd";
  const int64_t size = x.shape()[axis];
  const int64_t inner = x.shape().Product(axis + 1, rank);
  WithExact(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    for (int64_t row = 0; row < x.shape().Product(0, axis) * inner; ++row) {
      const int64_t from = row / inner * size * inner + row % inner;
      T total = product ? T{1} : T{};
      for (int64_t i = 0; i < size; ++i) {
        const int64_t at = from + (reverse != 0 ? size - 1 - i : i) * inner;
        const T before = total;
        total = product ? Times(total, Get<T>(x, at)) : Plus(total, Get<T>(x, at));
        Put<T>(c.Out(0), at, exclusive != 0 ? before : total);
      }
    }
  });
  return OkStatus();
}

Status LowerRunning(LowerContext& c) {
  const Shape& x = c.InputShape(0);
  FERRY_ASSIGN_OR_RETURN(const Tensor* given, c.KnownInput(1));
  FERRY_ASSIGN_OR_RETURN(const int axis, tensor::NormalizeAxis(given->Integer(0), x.rank()));
  FERRY_ASSIGN_OR_RETURN(const int64_t exclusive, c.Int("exclusive", 0));
  FERRY_ASSIGN_OR_RETURN(const int64_t reverse, c.Int("reverse", 0));
  c.ComputeInFloat();
  const BufferId in = c.In(0);
  c.Emit(ir::ScanPrim{c.node().op == "CumProd", exclusive != 0, reverse != 0, x.Product(0, axis),
                      x[axis], x.Product(axis + 1, x.rank())},
         {in}, c.Out(0));
  return OkStatus();
}

}  // namespace ferry::ops
