#include "device-runtime/ops/shared/numbers/dtypes.h"

namespace ferry::ops {

using tensor::DType;
using tensor::Tensor;

Result<Tensor> ToDoubles(const Tensor& from) {
  if (from.dtype() == DType::kF64) return from;
  FERRY_ASSIGN_OR_RETURN(Tensor to, Tensor::Allocate(DType::kF64, from.shape()));
  double* out = to.mutable_data<double>().data();
  if (from.dtype() == DType::kF32) {
    for (float value : from.data<float>()) *out++ = value;
  } else {
    for (int64_t i = 0; i < from.elements(); ++i) *out++ = from.Number(i);
  }
  return to;
}

Result<Tensor> ToIntegers(const Tensor& from) {
  if (from.dtype() == DType::kI64) return from;
  FERRY_ASSIGN_OR_RETURN(Tensor to, Tensor::Allocate(DType::kI64, from.shape()));
  int64_t* out = to.mutable_data<int64_t>().data();
  for (int64_t i = 0; i < from.elements(); ++i) *out++ = from.Integer(i);
  return to;
}

}  // namespace ferry::ops
