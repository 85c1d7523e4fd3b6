// Shape (ONNX): the extents of axes [start, end) as i64. Known before the run, so it never is one.
#include <algorithm>

#include "device-runtime/ops/lower_context.h"
#include "device-runtime/ops/op.h"

namespace ferry::ops {
namespace {

Result<Tensor> DimsOf(const NodeContext& c) {
  const Shape& x = c.InputShape(0);
  FERRY_ASSIGN_OR_RETURN(int64_t start, c.Int("start", 0));
  FERRY_ASSIGN_OR_RETURN(int64_t end, c.Int("end", x.rank()));
  auto clamp = [&](int64_t v) {
    return std::clamp<int64_t>(v < 0 ? v + x.rank() : v, 0, x.rank());
  };
  const int64_t first = clamp(start);
  const int64_t count = std::max<int64_t>(0, clamp(end) - first);
  FERRY_ASSIGN_OR_RETURN(Tensor dims, Tensor::Allocate(DType::kI64, {count}));
  for (int64_t i = 0; i < count; ++i) {
    dims.mutable_data<int64_t>()[static_cast<size_t>(i)] = x[static_cast<int>(first + i)];
  }
  return dims;
}

Status InferShape(InferContext& c) {
  FERRY_ASSIGN_OR_RETURN(Tensor dims, DimsOf(c));
  c.SetOutput(0, DType::kI64, dims.shape());
  c.outputs[0].constant = std::move(dims);
  return OkStatus();
}

Status ReferenceShape(ReferenceContext& c) {
  FERRY_ASSIGN_OR_RETURN(int64_t start, c.Int("start", 0));
  const int64_t rank = c.InputShape(0).rank();
  const int64_t first = std::clamp<int64_t>(start < 0 ? start + rank : start, 0, rank);
  for (int64_t i = 0; i < c.Out(0).elements(); ++i) {
    c.Out(0).SetNumber(i, static_cast<double>(c.InputShape(0)[static_cast<int>(first + i)]));
  }
  return OkStatus();
}

Status LowerShape(LowerContext& c) {
  FERRY_ASSIGN_OR_RETURN(Tensor dims, DimsOf(c));
  c.Alias(0, c.Constant(std::move(dims)));
  return OkStatus();
}

}  // namespace

extern const Op kShapeOp;
const Op kShapeOp = {"Shape", 1, 1, 1, 1, InferShape, ReferenceShape, LowerShape};

}  // namespace ferry::ops
