// Compress (ONNX): the slices of an axis (or the elements) where a condition holds.
#include <cstring>

#include "device-runtime/ops/evaluate.h"
#include "device-runtime/ops/op.h"
#include "device-runtime/ops/shared/places/index.h"

namespace ferry::ops {
namespace {

Status EvaluateCompress(EvaluateContext& c) {
  FERRY_ASSIGN_OR_RETURN(Tensor x, c.TensorIn(0));
  FERRY_ASSIGN_OR_RETURN(const Tensor condition, c.TensorIn(1));
  if (!c.Has("axis")) {
    FERRY_ASSIGN_OR_RETURN(x, x.Reshaped({x.elements()}));
  }
  FERRY_ASSIGN_OR_RETURN(const int axis, c.Axis(0, x.shape().rank()));
  const int64_t extent = x.shape()[axis];
  if (condition.dtype() != DType::kBool || condition.shape().rank() != 1 ||
      condition.elements() > extent) {
    return Status::Of(Code::kShapeMismatch, "condition {} for an extent of {}",
                      condition.TypeText(), extent);
  }
  int64_t kept = 0;
  for (int64_t i = 0; i < condition.elements(); ++i) kept += condition.Integer(i) != 0 ? 1 : 0;
  std::vector<int64_t> dims(x.shape().dims().begin(), x.shape().dims().end());
  dims[static_cast<size_t>(axis)] = kept;
  FERRY_ASSIGN_OR_RETURN(const Shape shape, Shape::Make(dims));
  FERRY_ASSIGN_OR_RETURN(Tensor y, c.Allocate(x.dtype(), shape));
  const auto bytes =
      static_cast<size_t>(shape.Product(axis + 1, shape.rank())) * tensor::DTypeSize(x.dtype());
  const uint8_t* from = x.raw();
  uint8_t* to = y.mutable_raw();
  for (int64_t outer = 0; bytes > 0 && outer < x.shape().Product(0, axis); ++outer) {
    for (int64_t slice = 0; slice < extent; ++slice, from += bytes) {
      if (slice >= condition.elements() || condition.Integer(slice) == 0) continue;
      std::memcpy(to, from, bytes);
      to += bytes;
    }
  }
  if (x.dtype() == DType::kString) {
    FERRY_ASSIGN_OR_RETURN(y, y.Clone(c.budget()));  // texts of its own
  }
  c.SetOutput(0, std::move(y));
  return OkStatus();
}

}  // namespace

extern const Op kCompressOp;
const Op kCompressOp = {.name = "Compress",
                        .min_inputs = 2,
                        .max_inputs = 2,
                        .min_outputs = 1,
                        .max_outputs = 1,
                        .evaluate = EvaluateCompress};

}  // namespace ferry::ops
