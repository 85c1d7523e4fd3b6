#include "device-runtime/ops/shared/reductions/arg_extreme.h"

#include "device-runtime/ops/lower_context.h"
#include "device-runtime/ops/shared/numbers/order.h"

namespace ferry::ops {
namespace {

bool IsNanAt(const Tensor& x, int64_t i) {
  return tensor::IsFloat(x.dtype()) && std::isnan(x.Number(i));
}

}  // namespace

Status InferArgExtreme(InferContext& c) {
  FERRY_TRY(CheckKinds(c, 0, Kinds::NumberOrBool));
  const Shape& x = c.InputShape(0);
  FERRY_ASSIGN_OR_RETURN(const int axis, c.Axis(0, x.rank()));
  FERRY_ASSIGN_OR_RETURN(const int64_t keep, c.Int("keepdims", 1));
  std::vector<int64_t> dims(x.dims().begin(), x.dims().end());
  if (keep != 0) {
    dims[static_cast<size_t>(axis)] = 1;
  } else {
    dims.erase(dims.begin() + axis);
  }
  FERRY_ASSIGN_OR_RETURN(const Shape shape, Shape::Make(dims));
  if (x[axis] == 0 && shape.elements() > 0) {
    return Status::Of(Code::kShapeMismatch, "axis {} of {} has no element", axis, x.ToString());
  }
  c.SetOutput(0, DType::kI64, shape);
  return OkStatus();
}

Status ReferenceArgExtreme(ReferenceContext& c) {
  const Tensor& x = c.In(0);
  const int rank = x.shape().rank();
  FERRY_ASSIGN_OR_RETURN(const int axis, c.Axis(0, rank));
  FERRY_ASSIGN_OR_RETURN(const int64_t last, c.Int("select_last_index", 0));
  const int sign = c.node().op == "ArgMax" ? 1 : -1;
  const int64_t size = x.shape()[axis];
  const int64_t inner = x.shape().Product(axis + 1, rank);
  for (int64_t row = 0; row < c.Out(0).elements(); ++row) {
    const int64_t from = row / inner * size * inner + row % inner;
    int64_t best = 0;
    for (int64_t i = 1; i < size; ++i) {
      const int64_t at = from + i * inner;
      const int64_t best_at = from + best * inner;
      int order = sign * Order(x, at, x, best_at);
      if (order != 0 && sign < 0 && (IsNanAt(x, at) || IsNanAt(x, best_at))) order = -order;
      if (order > 0 || (order == 0 && last != 0)) best = i;
    }
    c.Out(0).SetInteger(row, best);
  }
  return OkStatus();
}

Status LowerArgExtreme(LowerContext& c) {
  const Shape& x = c.InputShape(0);
  FERRY_ASSIGN_OR_RETURN(const int axis, c.Axis(0, x.rank()));
  FERRY_ASSIGN_OR_RETURN(const int64_t last, c.Int("select_last_index", 0));
  c.ComputeInFloat();
  const BufferId in = c.In(0);
  using enum ir::ReduceKind;
  const bool most = c.node().op == "ArgMax";
  const ir::ReduceKind kind =
      last != 0 ? (most ? kArgMaxLast : kArgMinLast) : (most ? kArgMax : kArgMin);
  c.Emit(ir::ReducePrim{kind, x.Product(0, axis), x[axis], x.Product(axis + 1, x.rank())}, {in},
         c.Out(0));
  return OkStatus();
}

}  // namespace ferry::ops
