// MatMul (ONNX, as numpy.matmul): batches broadcast, vectors are rows on the left and columns on
// the right. Passes give it, in f32, a bias of columns (input 2), an addend of the output's shape
// (input 3) and an activation.
#include <type_traits>

#include "device-runtime/ops/lower_context.h"
#include "device-runtime/ops/op.h"
#include "device-runtime/ops/shared/numbers/dtypes.h"
#include "device-runtime/ops/shared/parts/post.h"
#include "device-runtime/ops/shared/places/index.h"

namespace ferry::ops {
namespace {

inline constexpr int64_t kMaxProducts = 1 << 20;  // of one batched product

struct MatMulPlan {
  int64_t m, n, k;
  Shape batch;             // of the output
  Shape a_batch, b_batch;  // of the operands
  Shape out;
  ir::PostOp post;
};

std::vector<int64_t> Dims(const Shape& s) {
  return {s.dims().begin(), s.dims().end()};
}

constexpr int kBias = 2;
constexpr int kAddend = 3;

// What passes added.
Status CheckFused(const NodeContext& c, MatMulPlan& p) {
  FERRY_ASSIGN_OR_RETURN(p.post, PostOf(c));
  const bool fused =
      c.HasInput(kBias) || c.HasInput(kAddend) || p.post.activation != ir::Activation::kNone;
  if (!fused) return OkStatus();
  bool fits = c.Input(0).dtype == DType::kF32;
  for (int i = kBias; i <= kAddend; ++i) {
    fits = fits && (!c.HasInput(i) || c.Input(i).dtype == DType::kF32);
  }
  if (fits && c.HasInput(kBias)) fits = c.InputShape(kBias).elements() == p.n;
  if (fits && c.HasInput(kAddend)) fits = c.InputShape(kAddend) == p.out;
  if (fits) return OkStatus();
  return Status::Of(Code::kShapeMismatch,
                    "a product of {} with a bias or an addend that do not fit", p.out.ToString());
}

Result<MatMulPlan> MatMulPlanOf(const NodeContext& c) {
  std::vector<int64_t> a = Dims(c.InputShape(0));
  std::vector<int64_t> b = Dims(c.InputShape(1));
  if (a.empty() || b.empty()) return Status(Code::kShapeMismatch, "an operand is a scalar");
  const DType dtype = c.Input(0).dtype;
  if (c.Input(1).dtype != dtype || (!IsWideFloat(dtype) && !IsWideInteger(dtype))) {
    return Status::Of(Code::kUnsupported, "a product of {} and {}", tensor::DTypeName(dtype),
                      tensor::DTypeName(c.Input(1).dtype));
  }
  const bool row = a.size() == 1;
  const bool column = b.size() == 1;
  if (row) a.insert(a.begin(), 1);
  if (column) b.push_back(1);
  MatMulPlan p;
  p.m = a[a.size() - 2];
  p.k = a.back();
  p.n = b.back();
  if (b[b.size() - 2] != p.k) {
    return Status::Of(Code::kShapeMismatch, "{} times {} does not fit", c.InputShape(0).ToString(),
                      c.InputShape(1).ToString());
  }
  a.resize(a.size() - 2);
  b.resize(b.size() - 2);
  FERRY_ASSIGN_OR_RETURN(p.a_batch, Shape::Make(a));
  FERRY_ASSIGN_OR_RETURN(p.b_batch, Shape::Make(b));
  FERRY_ASSIGN_OR_RETURN(p.batch, tensor::BroadcastShapes(p.a_batch, p.b_batch));
  std::vector<int64_t> out = Dims(p.batch);
  if (!row) out.push_back(p.m);
  if (!column) out.push_back(p.n);
  FERRY_ASSIGN_OR_RETURN(p.out, Shape::Make(out));
  if (p.batch.elements() > kMaxProducts) {
    return Status::Of(Code::kLimitExceeded, "{} products pass the limit of {}", p.batch.elements(),
                      kMaxProducts);
  }
  FERRY_TRY(CheckFused(c, p));
  return p;
}

Status InferMatMul(InferContext& c) {
  FERRY_ASSIGN_OR_RETURN(MatMulPlan p, MatMulPlanOf(c));
  c.SetOutput(0, c.Input(0).dtype, p.out);
  return OkStatus();
}

// Sums in double, or in integers that wrap.
template <typename T, typename Store>
void Multiply(const MatMulPlan& p, const T* a, const T* b, Store&& store) {
  using Sum = std::conditional_t<std::is_integral_v<T>, uint64_t, double>;
  BroadcastIndex at_a(p.a_batch, p.batch);
  BroadcastIndex at_b(p.b_batch, p.batch);
  for (int64_t i = 0; i < p.batch.elements(); ++i) {
    const T* ai = a + at_a(i) * p.m * p.k;
    const T* bi = b + at_b(i) * p.k * p.n;
    for (int64_t j = 0; j < p.m * p.n; ++j) {
      Sum sum = 0;
      for (int64_t k = 0; k < p.k; ++k) {
        sum += static_cast<Sum>(ai[j / p.n * p.k + k]) * static_cast<Sum>(bi[k * p.n + j % p.n]);
      }
      store(i * p.m * p.n + j, sum);
    }
  }
}

Status ReferenceMatMul(ReferenceContext& c) {
  FERRY_ASSIGN_OR_RETURN(MatMulPlan p, MatMulPlanOf(c));
  Tensor& y = c.Out(0);
  if (tensor::IsInteger(y.dtype())) {
    FERRY_ASSIGN_OR_RETURN(Tensor a, ToIntegers(c.In(0)));
    FERRY_ASSIGN_OR_RETURN(Tensor b, ToIntegers(c.In(1)));
    Multiply(p, a.data<int64_t>().data(), b.data<int64_t>().data(),
             [&](int64_t i, uint64_t sum) { y.SetInteger(i, static_cast<int64_t>(sum)); });
    return OkStatus();
  }
  FERRY_ASSIGN_OR_RETURN(Tensor a, ToDoubles(c.In(0)));
  FERRY_ASSIGN_OR_RETURN(Tensor b, ToDoubles(c.In(1)));
  Multiply(p, a.data<double>().data(), b.data<double>().data(), [&](int64_t i, double sum) {
    if (c.HasInput(kBias)) sum += c.In(kBias).Number(i % p.n);
    if (c.HasInput(kAddend)) sum += c.In(kAddend).Number(i);
    y.SetNumber(i, ApplyPost(p.post, sum));
  });
  return OkStatus();
}

Status LowerMatMul(LowerContext& c) {
  FERRY_ASSIGN_OR_RETURN(MatMulPlan p, MatMulPlanOf(c));
  c.ComputeInFloat();
  ir::MatMulPrim prim{p.m, p.n, p.k, p.k, 1, p.n, 1, {}, {}, p.post};
  if (p.b_batch.elements() == 1 && p.a_batch == p.batch) {  // one matrix on the right: one product
    prim.m = p.m * p.batch.elements();
    prim.a_offsets = {0};
    prim.b_offsets = {0};
  } else {
    BroadcastIndex at_a(p.a_batch, p.batch);
    BroadcastIndex at_b(p.b_batch, p.batch);
    for (int64_t i = 0; i < p.batch.elements(); ++i) {
      prim.a_offsets.push_back(at_a(i) * p.m * p.k);
      prim.b_offsets.push_back(at_b(i) * p.k * p.n);
    }
  }
  const BufferId a = c.In(0);
  const BufferId b = c.In(1);
  const BufferId bias = c.HasInput(kBias) ? c.In(kBias) : -1;
  const BufferId add = c.HasInput(kAddend) ? c.In(kAddend) : -1;
  c.Emit(std::move(prim), {a, b, bias, add}, c.Out(0));
  return OkStatus();
}

}  // namespace

extern const Op kMatMulOp;
const Op kMatMulOp = {"MatMul", 2, 4, 1, 1, InferMatMul, ReferenceMatMul, LowerMatMul};

}  // namespace ferry::ops
