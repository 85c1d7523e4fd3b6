// RowNorm (own): what layer and RMS normalisation of float32 are made of. Over the axes from `axis`
// on: y = (x - mean) / sqrt(mean((x - mean)^2) + epsilon) * scale + bias; without `centered` the
// mean counts as 0. scale and bias, each optional, have one number for each of those axes'
// elements.
#include <cmath>

#include "device-runtime/ops/lower_context.h"
#include "device-runtime/ops/op.h"

namespace ferry::ops {
namespace {

Result<ir::NormPrim> PrimOf(const NodeContext& c) {
  const Shape& x = c.InputShape(0);
  FERRY_ASSIGN_OR_RETURN(const int axis, c.Axis(-1, x.rank()));
  FERRY_ASSIGN_OR_RETURN(const int64_t centered, c.Int("centered", 1));
  FERRY_ASSIGN_OR_RETURN(const float epsilon, c.Float("epsilon", 1e-5f));
  const ir::NormPrim prim = {x.Product(0, axis), x.Product(axis, x.rank()), epsilon, centered != 0};
  for (int i = 0; i < c.input_count(); ++i) {
    if (!c.HasInput(i)) continue;
    if (c.Input(i).dtype != DType::kF32) {
      return Status::Of(Code::kUnsupported, "input {} is {}", i,
                        tensor::DTypeName(c.Input(i).dtype));
    }
    if (i > 0 && c.InputShape(i).elements() != prim.size) {
      return Status::Of(Code::kShapeMismatch, "input {} is {} for rows of {}", i,
                        c.InputShape(i).ToString(), prim.size);
    }
  }
  return prim;
}

Status InferRowNorm(InferContext& c) {
  FERRY_TRY(PrimOf(c).status());
  c.SetOutput(0, DType::kF32, c.InputShape(0));
  return OkStatus();
}

Status ReferenceRowNorm(ReferenceContext& c) {
  FERRY_ASSIGN_OR_RETURN(const ir::NormPrim p, PrimOf(c));
  for (int64_t begin = 0; begin < p.outer * p.size; begin += p.size) {
    double mean = 0, squares = 0;
    for (int64_t i = 0; p.centered && i < p.size; ++i) mean += c.In(0).Number(begin + i);
    mean /= static_cast<double>(p.size);
    for (int64_t i = 0; i < p.size; ++i) {
      const double part = c.In(0).Number(begin + i) - mean;
      squares += part * part;
    }
    const double deviation =
        std::sqrt(squares / static_cast<double>(p.size) + static_cast<double>(p.epsilon));
    for (int64_t i = 0; i < p.size; ++i) {
      double y = (c.In(0).Number(begin + i) - mean) / deviation;
      if (c.HasInput(1)) y *= c.In(1).Number(i);
      if (c.HasInput(2)) y += c.In(2).Number(i);
      c.Out(0).SetNumber(begin + i, y);
    }
  }
  return OkStatus();
}

// A channels-last value of one trailing axis has its rows elsewhere: the plain form.
Status LowerRowNorm(LowerContext& c) {
  FERRY_ASSIGN_OR_RETURN(const ir::NormPrim prim, PrimOf(c));
  const BufferId x = c.In(0);
  const BufferId scale = c.HasInput(1) ? c.In(1) : -1;
  const BufferId bias = c.HasInput(2) ? c.In(2) : -1;
  c.Emit(prim, {x, scale, bias}, c.Out(0));
  return OkStatus();
}

}  // namespace

extern const Op kRowNormOp;
const Op kRowNormOp = {"RowNorm", 1, 3, 1, 1, InferRowNorm, ReferenceRowNorm, LowerRowNorm};

}  // namespace ferry::ops
