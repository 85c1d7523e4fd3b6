// Det (ONNX): determinants of the matrices [..,m,m].
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

// The determinant of the m rows of `a`, which it overwrites. Rotations of two rows, whose
// determinant is 1, bring the matrix to triangular form; there it is the product of the diagonal.
// No row is exchanged so that nothing depends on pivots.
double Determinant(double* a, int64_t m) {
  for (int64_t column = 0; column < m; ++column) {
    double* upper = a + column * m;
    for (int64_t row = column + 1; row < m; ++row) {
      double* lower = a + row * m;
      const double length = std::hypot(upper[column], lower[column]);
      if (length == 0) continue;
      const double cosine = upper[column] / length, sine = lower[column] / length;
      for (int64_t k = column; k < m; ++k) {
        const double from_upper = upper[k], from_lower = lower[k];
        upper[k] = cosine * from_upper + sine * from_lower;
        lower[k] = cosine * from_lower - sine * from_upper;
      }
    }
  }
  double product = 1;
  for (int64_t i = 0; i < m; ++i) product *= a[i * m + i];
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
