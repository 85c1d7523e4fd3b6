// Gemm (ONNX): y = alpha * A * B + beta * C, A and B optionally transposed, C broadcast; and, when
// a pass fused it, an activation.
#include "device-runtime/ops/lower_context.h"
#include "device-runtime/ops/map_builder.h"
#include "device-runtime/ops/op.h"
#include "device-runtime/ops/shared/numbers/dtypes.h"
#include "device-runtime/ops/shared/parts/post.h"
#include "device-runtime/ops/shared/places/index.h"

namespace ferry::ops {
namespace {

struct GemmPlan {
  int64_t m, n, k;
  int64_t a_row, a_column, b_row, b_column;
  float alpha, beta;
  ir::PostOp post;
};

Result<GemmPlan> GemmPlanOf(const NodeContext& c) {
  const Shape& a = c.InputShape(0);
  const Shape& b = c.InputShape(1);
  if (a.rank() != 2 || b.rank() != 2) {
    return Status::Of(Code::kShapeMismatch, "{} and {} are not matrices", a.ToString(),
                      b.ToString());
  }
  const DType dtype = c.Input(0).dtype;
  for (int i = 0; i < c.input_count(); ++i) {
    if (c.HasInput(i) &&
        (c.Input(i).dtype != dtype || (!IsWideFloat(dtype) && !IsWideInteger(dtype)))) {
      return Status::Of(Code::kUnsupported, "a product of {} with {}", tensor::DTypeName(dtype),
                        tensor::DTypeName(c.Input(i).dtype));
    }
  }
  GemmPlan p;
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
  FERRY_ASSIGN_OR_RETURN(GemmPlan p, GemmPlanOf(c));
  FERRY_ASSIGN_OR_RETURN(Shape shape, Shape::Make(std::vector<int64_t>{p.m, p.n}));
  if (c.HasInput(2)) {
    auto together = tensor::BroadcastShapes(c.InputShape(2), shape);
    if (!together.ok() || *together != shape) {
      return Status::Of(Code::kShapeMismatch, "C is {} for a product of {}",
                        c.InputShape(2).ToString(), shape.ToString());
    }
  }
  c.SetOutput(0, c.Input(0).dtype, shape);
  return OkStatus();
}

// Integers, all factors 1: they wrap, as products of two matrices do.
Status ReferenceIntegers(ReferenceContext& c, const GemmPlan& p) {
  for (int64_t i = 0; i < p.m * p.n; ++i) {
    uint64_t sum = 0;
    for (int64_t k = 0; k < p.k; ++k) {
      sum += static_cast<uint64_t>(c.In(0).Integer(i / p.n * p.a_row + k * p.a_column)) *
             static_cast<uint64_t>(c.In(1).Integer(k * p.b_row + i % p.n * p.b_column));
    }
    if (c.HasInput(2)) {
      const BroadcastIndex at(c.InputShape(2), c.Out(0).shape());
      sum += static_cast<uint64_t>(c.In(2).Integer(at(i)));
    }
    c.Out(0).SetInteger(i, static_cast<int64_t>(sum));
  }
  return OkStatus();
}

Status ReferenceGemm(ReferenceContext& c) {
  FERRY_ASSIGN_OR_RETURN(GemmPlan p, GemmPlanOf(c));
  if (IsWideInteger(c.Input(0).dtype) && p.alpha == 1 && p.beta == 1 &&
      p.post.activation == ir::Activation::kNone) {
    return ReferenceIntegers(c, p);
  }
  FERRY_ASSIGN_OR_RETURN(Tensor a_doubles, ToDoubles(c.In(0)));
  FERRY_ASSIGN_OR_RETURN(Tensor b_doubles, ToDoubles(c.In(1)));
  const double* a = a_doubles.data<double>().data();
  const double* b = b_doubles.data<double>().data();
  for (int64_t i = 0; i < p.m * p.n; ++i) {
    double sum = 0;
    for (int64_t k = 0; k < p.k; ++k) {
      sum += a[i / p.n * p.a_row + k * p.a_column] * b[k * p.b_row + i % p.n * p.b_column];
    }
    sum *= p.alpha;
    if (c.HasInput(2) && p.beta != 0) {
      sum += p.beta * c.In(2).Number(BroadcastIndex(c.InputShape(2), c.Out(0).shape())(i));
    }
    c.Out(0).SetNumber(i, ApplyPost(p.post, sum));
  }
  return OkStatus();
}

// Factors other than 1, C of any shape: the product, then a map.
Status LowerScaled(LowerContext& c, const GemmPlan& p, bool has_c) {
  const Shape& out = c.OutputShape(0);
  const DType dtype = c.OutType(0);
  ir::MatMulPrim prim{p.m, p.n, p.k, p.a_row, p.a_column, p.b_row, p.b_column, {0}, {0}, {}};
  const BufferId a = c.In(0);
  const BufferId b = c.In(1);
  const BufferId addend = has_c ? c.In(2) : -1;
  const BufferId product = c.Temporary(dtype, out);
  c.Emit(std::move(prim), {a, b, -1, -1}, product);
  MapBuilder map(c, out, Layout::kPlain);
  // Integers with factors go through doubles.
  const bool is_exact = p.alpha == 1 && p.beta == 1 && p.post.activation == ir::Activation::kNone;
  const bool widens = !is_exact && !tensor::IsFloat(dtype);
  const auto number = [&](BufferId id, const Shape& shape, float factor) {
    auto x = map.Buffer(id, dtype, shape);
    if (widens) x = map.Convert(x, ir::MapType::kF64);
    return factor == 1 ? x : map.Call("Mul", x, map.Number(x, static_cast<double>(factor)));
  };
  auto y = number(product, out, p.alpha);
  if (has_c) y = map.Call("Add", y, number(addend, c.InputShape(2), p.beta));
  FERRY_ASSIGN_OR_RETURN(y, PostForm(map, p.post, y));
  map.Output(0, map.Narrow(y, dtype));
  map.Emit();
  return OkStatus();
}

// C as a bias of columns, as a full addend, or neither.
Status LowerGemm(LowerContext& c) {
  FERRY_ASSIGN_OR_RETURN(GemmPlan p, GemmPlanOf(c));
  const bool has_c = c.HasInput(2) && p.beta != 0;
  const bool is_bias = has_c && c.InputShape(2).elements() == p.n && c.InputShape(2).rank() > 0 &&
                       c.InputShape(2)[c.InputShape(2).rank() - 1] == p.n;
  const bool is_full = has_c && !is_bias && c.InputShape(2) == c.OutputShape(0);
  const bool direct = p.alpha == 1 && (!has_c || (p.beta == 1 && (is_bias || is_full)));
  c.ComputeInFloat();
  if (!direct || (c.OutType(0) != DType::kF32 && p.post.activation != ir::Activation::kNone)) {
    return LowerScaled(c, p, has_c);
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
