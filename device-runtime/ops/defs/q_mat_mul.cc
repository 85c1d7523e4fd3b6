// QMatMul (Ferry's own): rows x [.., k] of u8 or i8 times i8 weights [n, k] (a row for each output
// column) in exact sums; see quant_sum.h.
#include "device-runtime/ops/lower_context.h"
#include "device-runtime/ops/shared/numbers/quant_sum.h"

namespace ferry::ops {
namespace {

struct QMatMulPlan {
  QuantSum sum;
  int64_t m, n, k;
  Shape out;
};

Result<QMatMulPlan> QMatMulPlanOf(const NodeContext& c) {
  QMatMulPlan p;
  const Shape& x = c.InputShape(kX);
  const Shape& w = c.InputShape(kW);
  FERRY_ASSIGN_OR_RETURN(p.sum, QuantSumOf(c));
  if (x.rank() < 1 || w.rank() != 2 || x[x.rank() - 1] != w[1]) {
    return Status::Of(Code::kShapeMismatch, "input {} and weights {}", x.ToString(), w.ToString());
  }
  p.n = w[0];
  p.k = w[1];
  p.m = x.Product(0, x.rank() - 1);
  std::vector<int64_t> dims(x.dims().begin(), x.dims().end());
  dims.back() = p.n;
  FERRY_ASSIGN_OR_RETURN(p.out, Shape::Make(dims));
  FERRY_TRY(CheckQuantInputs(c, p.sum, p.n, p.out));
  return p;
}

Status InferQMatMul(InferContext& c) {
  FERRY_ASSIGN_OR_RETURN(QMatMulPlan p, QMatMulPlanOf(c));
  c.SetOutput(0, p.sum.dtype, p.out);
  return OkStatus();
}

Status ReferenceQMatMul(ReferenceContext& c) {
  FERRY_ASSIGN_OR_RETURN(QMatMulPlan p, QMatMulPlanOf(c));
  const int32_t zero = XZero(c, p.sum);
  for (int64_t at = 0; at < p.m * p.n; ++at) {
    const int64_t row = at / p.n, column = at % p.n;
    int64_t sum = 0;
    for (int64_t i = 0; i < p.k; ++i) {
      sum += (c.In(kX).Integer(row * p.k + i) - zero) * c.In(kW).Integer(column * p.k + i);
    }
    PutQuantSum(c, p.sum, sum, column, at);
  }
  return OkStatus();
}

Status LowerQMatMul(LowerContext& c) {
  FERRY_ASSIGN_OR_RETURN(QMatMulPlan p, QMatMulPlanOf(c));
  ir::QuantConvPrim prim;
  prim.conv = {1, p.m, 1, p.k, p.m, 1, p.n, 1, 1, 1, 1, 1, 1, 0, 0, 1, {}};
  prim.x_zero = p.sum.x_zero;
  prim.post = p.sum.post;
  std::vector<BufferId> inputs;
  for (int i = 0; i < kQuantInputs; ++i) inputs.push_back(c.HasInput(i) ? c.In(i) : -1);
  c.Emit(std::move(prim), std::move(inputs), c.Out(0));
  return OkStatus();
}

}  // namespace

extern const Op kQMatMulOp;
const Op kQMatMulOp = {"QMatMul",        2,           kQuantInputs, 1, 1, InferQMatMul,
                       ReferenceQMatMul, LowerQMatMul};

}  // namespace ferry::ops
