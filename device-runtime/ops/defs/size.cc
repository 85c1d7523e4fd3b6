// Size (ONNX): the number of elements as an i64 scalar.
#include "device-runtime/ops/lower_context.h"
#include "device-runtime/ops/op.h"

namespace ferry::ops {
namespace {

Status InferSize(InferContext& c) {
  FERRY_ASSIGN_OR_RETURN(Tensor count, Tensor::Allocate(DType::kI64, {}));
  count.mutable_data<int64_t>()[0] = c.InputShape(0).elements();
  c.SetOutput(0, DType::kI64, {});
  c.outputs[0].constant = std::move(count);
  return OkStatus();
}

Status ReferenceSize(ReferenceContext& c) {
  c.Out(0).mutable_data<int64_t>()[0] = c.InputShape(0).elements();
  return OkStatus();
}

Status LowerSize(LowerContext& c) {
  FERRY_ASSIGN_OR_RETURN(Tensor count, Tensor::Allocate(DType::kI64, {}));
  count.mutable_data<int64_t>()[0] = c.InputShape(0).elements();
  c.Alias(0, c.Constant(std::move(count)));
  return OkStatus();
}

}  // namespace

extern const Op kSizeOp;
const Op kSizeOp = {"Size", 1, 1, 1, 1, InferSize, ReferenceSize, LowerSize};

}  // namespace ferry::ops
