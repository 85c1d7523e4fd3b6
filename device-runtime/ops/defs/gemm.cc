// Gemm (ONNX): y = alpha * A * B + beta * C, A and B optionally transposed, C broadcast; and, when
// a pass fused it, an activation.
#include "device-runtime/ops/defs/index.h"
#include "device-runtime/ops/defs/post.h"
#include "device-runtime/ops/lower_context.h"
#include "device-runtime/ops/op.h"

namespace ferry::ops {
namespace {

struct Plan {
  int64_t m, n, k;
  int64_t a_row, a_column, b_row, b_column;
  float alpha, beta;
  ir::PostOp post;
};

Result<Plan> PlanOf(const NodeContext& c) {
  const Shape& a = c.InputShape(0);
  const Shape& b = c.InputShape(1);
  if (a.rank() != 2 || b.rank() != 2) {
    return Status::Of(Code::kShapeMismatch, "{} and {} are not matrices", a.ToString(),
                      b.ToString());
  }
  for (int i = 0; i < c.input_count(); ++i) {
    if (c.HasInput(i) && c.Input(i).dtype != DType::kF32) {
      return Status(Code::kUnsupported, "only f32 is supported");
    }
  }
  Plan p;
  FERRY_ASSIGN_OR_RETURN(p.alpha, c.Float("alpha", 1));
  FERRY_ASSIGN_OR_RETURN(p.beta, c.Float("beta", 1));
  FERRY_ASSIGN_OR_RETURN(p.post, PostOf(c));
  FERRY_ASSIGN_OR_RETURN(int64_t trans_a, c.Int("transA", 0));
  FERRY_ASSIGN_OR_RETURN(int64_t trans_b, c.Int("transB", 0));
  p.m = a[trans_a ? 1 : 0];
  p.k = a[trans_a ? 0 : 1];
  p.n = b[trans_b ? 0 : 1];
  p.a_row = trans_a ? 1 : a[1];
  p.a_column = trans_a ? a[1] : 1;
  p.b_row = trans_b ? 1 : b[1];
  p.b_column = trans_b ? b[1] : 1;
  if (b[trans_b ? 1 : 0] != p.k) {
    return Status::Of(Code::kShapeMismatch, "{} times {} does not fit", a.ToString(), b.ToString());
  }
  return p;
}

Status InferGemm(InferContext& c) {
  FERRY_ASSIGN_OR_RETURN(Plan p, PlanOf(c));
  FERRY_ASSIGN_OR_RETURN(Shape shape, Shape::Make(std::vector<int64_t>{p.m, p.n}));
  if (c.HasInput(2)) {
    auto together = tensor::BroadcastShapes(c.InputShape(2), shape);
    if (!together.ok() || *together != shape) {
      return Status::Of(Code::kShapeMismatch, "C is {} for a product of {}",
                        c.InputShape(2).ToString(), shape.ToString());
    }
  }
  c.SetOutput(0, DType::kF32, shape);
  return OkStatus();
}

Status ReferenceGemm(ReferenceContext& c) {
  FERRY_ASSIGN_OR_RETURN(Plan p, PlanOf(c));
  const float* a = c.In(0).data<float>().data();
  const float* b = c.In(1).data<float>().data();
  for (int64_t i = 0; i < p.m * p.n; ++i) {
    double sum = 0;
    for (int64_t k = 0; k < p.k; ++k) {
      sum += static_cast<double>(a[i / p.n * p.a_row + k * p.a_column]) *
             b[k * p.b_row + i % p.n * p.b_column];
    }
    sum *= p.alpha;
    if (c.HasInput(2)) {
      sum += p.beta * c.In(2).Number(BroadcastIndex(c.InputShape(2), c.Out(0).shape())(i));
    }
    c.Out(0).SetNumber(i, ApplyPost(p.post, sum));
  }
  return OkStatus();
}

// C as a bias of columns, as a full addend, or neither.
Status LowerGemm(LowerContext& c) {
  FERRY_ASSIGN_OR_RETURN(Plan p, PlanOf(c));
  const bool has_c = c.HasInput(2) && p.beta != 0;
  const bool is_bias = has_c && c.InputShape(2).elements() == p.n && c.InputShape(2).rank() > 0 &&
                       c.InputShape(2)[c.InputShape(2).rank() - 1] == p.n;
  const bool is_full = has_c && !is_bias && c.InputShape(2) == c.OutputShape(0);
  if (p.alpha != 1 || (has_c && p.beta != 1) || (has_c && !is_bias && !is_full)) {
    c.EmitCall();
    return OkStatus();
  }
  ir::MatMulPrim prim{p.m, p.n, p.k, p.a_row, p.a_column, p.b_row, p.b_column, {0}, {0}, p.post};
  const BufferId a = c.In(0);
  const BufferId b = c.In(1);
  const BufferId bias = is_bias ? c.In(2) : -1;
  const BufferId add = is_full ? c.In(2) : -1;
  c.Emit(std::move(prim), {a, b, bias, add}, c.Out(0));
  return OkStatus();
}

}  // namespace

extern const Op kGemmOp;
const Op kGemmOp = {"Gemm", 2, 3, 1, 1, InferGemm, ReferenceGemm, LowerGemm};

}  // namespace ferry::ops
