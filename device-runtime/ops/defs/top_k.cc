// TopK (ONNX): the k greatest or least elements of an axis, in order (also when none is asked for),
// with their indices; of equal ones those of lower index first.
#include <algorithm>
#include <numeric>

#include "device-runtime/ops/lower_context.h"
#include "device-runtime/ops/op.h"
#include "device-runtime/ops/shared/numbers/order.h"
#include "device-runtime/ops/shared/places/index.h"

namespace ferry::ops {
namespace {

Result<int64_t> CountOf(const NodeContext& c) {
  if (!c.HasInput(1)) {
    FERRY_ASSIGN_OR_RETURN(const int64_t k, c.Int("k", -1));
    return k;
  }
  FERRY_ASSIGN_OR_RETURN(auto k, c.IntsInput(1, "k"));
  if (k->size() != 1) return Status(Code::kShapeMismatch, "k must be one number");
  return (*k)[0];
}

Status InferTopK(InferContext& c) {
  FERRY_TRY(CheckKinds(c, 0, Kinds::Number));
  const Shape& x = c.InputShape(0);
  FERRY_ASSIGN_OR_RETURN(const int axis, c.Axis(-1, x.rank()));
  FERRY_ASSIGN_OR_RETURN(const int64_t k, CountOf(c));
  if (k < 0 || k > x[axis]) {
    return Status::Of(Code::kShapeMismatch, "the top {} of axis {} of {}", k, axis, x.ToString());
  }
  std::vector<int64_t> dims(x.dims().begin(), x.dims().end());
  dims[static_cast<size_t>(axis)] = k;
  FERRY_ASSIGN_OR_RETURN(const Shape shape, Shape::Make(dims));
  c.SetOutput(0, c.Input(0).dtype, shape);
  c.SetOutput(1, DType::kI64, shape);
  return OkStatus();
}

Status ReferenceTopK(ReferenceContext& c) {
  const Tensor& x = c.In(0);
  const int rank = x.shape().rank();
  FERRY_ASSIGN_OR_RETURN(const int axis, c.Axis(-1, rank));
  FERRY_ASSIGN_OR_RETURN(const int64_t k, CountOf(c));
  FERRY_ASSIGN_OR_RETURN(const int64_t largest, c.Int("largest", 1));
  const int64_t size = x.shape()[axis];
  const int64_t inner = x.shape().Product(axis + 1, rank);
  FERRY_ASSIGN_OR_RETURN(Tensor scratch, Tensor::Allocate(DType::kI64, {size}));
  const std::span<int64_t> indices = scratch.mutable_data<int64_t>();
  for (int64_t row = 0; row < x.shape().Product(0, axis) * inner; ++row) {
    const int64_t from = row / inner * size * inner + row % inner;
    const int64_t to = row / inner * k * inner + row % inner;
    std::iota(indices.begin(), indices.end(), 0);
    std::ranges::partial_sort(indices, indices.begin() + k, [&](int64_t a, int64_t b) {
      const int order = Order(x, from + a * inner, x, from + b * inner);
      if (order == 0) return a < b;
      return largest != 0 ? order > 0 : order < 0;
    });
    for (int64_t i = 0; i < k; ++i) {
      const int64_t index = indices[static_cast<size_t>(i)];
      if (c.HasOutput(0)) CopyElement(x, from + index * inner, c.Out(0), to + i * inner);
      if (c.HasOutput(1)) c.Out(1).SetInteger(to + i * inner, index);
    }
  }
  return OkStatus();
}

Status LowerTopK(LowerContext& c) {
  const Shape& x = c.InputShape(0);
  FERRY_ASSIGN_OR_RETURN(const int axis, c.Axis(-1, x.rank()));
  FERRY_ASSIGN_OR_RETURN(const int64_t k, CountOf(c));
  FERRY_ASSIGN_OR_RETURN(const int64_t largest, c.Int("largest", 1));
  c.ComputeInFloat();
  const BufferId in = c.In(0);
  const ir::SortPrim prim{x.Product(0, axis), x[axis], x.Product(axis + 1, x.rank()), k,
                          largest != 0};
  const BufferId values = c.Out(0);
  // The indices are made also where nobody reads them.
  const BufferId indices = c.HasOutput(1) ? c.Out(1) : c.Temporary(DType::kI64, c.OutputShape(0));
  c.EmitMany(prim, {in}, {values, indices});
  return OkStatus();
}

}  // namespace

extern const Op kTopKOp;
const Op kTopKOp = {"TopK", 1, 2, 1, 2, InferTopK, ReferenceTopK, LowerTopK};

}  // namespace ferry::ops
