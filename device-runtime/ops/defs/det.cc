// Det (ONNX): determinants of the matrices [..,m,m], by elimination with row exchanges in double.
#include <cmath>

#include "device-runtime/ops/lower_context.h"
#include "device-runtime/ops/op.h"
#include "device-runtime/ops/shared/numbers/dtypes.h"

namespace ferry::ops {
namespace {

Status InferDet(InferContext& c) {
  const Shape& x = c.InputShape(0);
  const int rank = x.rank();
  if (rank < 2 || x[rank - 1] != x[rank - 2]) {
    return Status::Of(Code::kShapeMismatch, "{} holds no square matrices", x.ToString());
  }
  if (!IsWideFloat(c.Input(0).dtype)) {
    return Status::Of(Code::kUnsupported, "determinants of {}",
                      tensor::DTypeName(c.Input(0).dtype));
  }
  FERRY_ASSIGN_OR_RETURN(Shape shape, Shape::Make(x.dims().first(static_cast<size_t>(rank - 2))));
  c.SetOutput(0, c.Input(0).dtype, shape);
  return OkStatus();
}

// Overwrites the m rows of `a`.
double Determinant(double* a, int64_t m) {
  double product = 1;
  for (int64_t i = 0; i < m; ++i) {
    int64_t pivot = i;
    for (int64_t row = i + 1; row < m; ++row) {
      if (std::abs(a[row * m + i]) > std::abs(a[pivot * m + i])) pivot = row;
    }
    if (a[pivot * m + i] == 0) return 0;
    if (pivot != i) {
      product = -product;
      for (int64_t k = 0; k < m; ++k) std::swap(a[i * m + k], a[pivot * m + k]);
    }
    product *= a[i * m + i];
    for (int64_t row = i + 1; row < m; ++row) {
      const double factor = a[row * m + i] / a[i * m + i];
      for (int64_t k = i; k < m; ++k) a[row * m + k] -= factor * a[i * m + k];
    }
  }
  return product;
}

Status ReferenceDet(ReferenceContext& c) {
  if (c.Out(0).elements() == 0) return OkStatus();
  const int64_t m = c.InputShape(0)[c.InputShape(0).rank() - 1];
  FERRY_ASSIGN_OR_RETURN(Tensor matrix, Tensor::Allocate(DType::kF64, {m, m}));
  double* a = matrix.mutable_data<double>().data();
  for (int64_t i = 0; i < c.Out(0).elements(); ++i) {
    for (int64_t k = 0; k < m * m; ++k) a[k] = c.In(0).Number(i * m * m + k);
    c.Out(0).SetNumber(i, Determinant(a, m));
  }
  return OkStatus();
}

Status LowerDet(LowerContext& c) {
  c.ComputeInFloat();
  const int64_t size = c.InputShape(0)[c.InputShape(0).rank() - 1];
  const BufferId x = c.In(0);
  c.Emit(ir::DeterminantPrim{c.OutputShape(0).elements(), size}, {x}, c.Out(0));
  return OkStatus();
}

}  // namespace

extern const Op kDetOp;
const Op kDetOp = {"Det", 1, 1, 1, 1, InferDet, ReferenceDet, LowerDet};

}  // namespace ferry::ops
