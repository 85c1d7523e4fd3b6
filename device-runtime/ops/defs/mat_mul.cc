// MatMul (ONNX, as numpy.matmul): batches broadcast, vectors are rows on the left and columns on
// the right.
#include "device-runtime/ops/defs/index.h"
#include "device-runtime/ops/lower_context.h"
#include "device-runtime/ops/op.h"

namespace ferry::ops {
namespace {

inline constexpr int64_t kMaxProducts = 1 << 20;  // of one batched product

struct Plan {
  int64_t m, n, k;
  Shape batch;             // of the output
  Shape a_batch, b_batch;  // of the operands
  Shape out;
};

std::vector<int64_t> Dims(const Shape& s) {
  return {s.dims().begin(), s.dims().end()};
}

Result<Plan> PlanOf(const NodeContext& c) {
  std::vector<int64_t> a = Dims(c.InputShape(0));
  std::vector<int64_t> b = Dims(c.InputShape(1));
  if (a.empty() || b.empty()) return Status(Code::kShapeMismatch, "an operand is a scalar");
  if (c.Input(0).dtype != DType::kF32 || c.Input(1).dtype != DType::kF32) {
    return Status(Code::kUnsupported, "only f32 is supported");
  }
  const bool row = a.size() == 1;
  const bool column = b.size() == 1;
  if (row) a.insert(a.begin(), 1);
  if (column) b.push_back(1);
  Plan p;
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
  return p;
}

Status InferMatMul(InferContext& c) {
  FERRY_ASSIGN_OR_RETURN(Plan p, PlanOf(c));
  c.SetOutput(0, DType::kF32, p.out);
  return OkStatus();
}

Status ReferenceMatMul(ReferenceContext& c) {
  FERRY_ASSIGN_OR_RETURN(Plan p, PlanOf(c));
  const float* a = c.In(0).data<float>().data();
  const float* b = c.In(1).data<float>().data();
  float* y = c.Out(0).mutable_data<float>().data();
  BroadcastIndex at_a(p.a_batch, p.batch);
  BroadcastIndex at_b(p.b_batch, p.batch);
  for (int64_t i = 0; i < p.batch.elements(); ++i) {
    const float* ai = a + at_a(i) * p.m * p.k;
    const float* bi = b + at_b(i) * p.k * p.n;
    for (int64_t j = 0; j < p.m * p.n; ++j) {
      double sum = 0;
      for (int64_t k = 0; k < p.k; ++k) {
        sum += static_cast<double>(ai[j / p.n * p.k + k]) * bi[k * p.n + j % p.n];
      }
      y[i * p.m * p.n + j] = static_cast<float>(sum);
    }
  }
  return OkStatus();
}

Status LowerMatMul(LowerContext& c) {
  FERRY_ASSIGN_OR_RETURN(Plan p, PlanOf(c));
  ir::MatMulPrim prim{p.m, p.n, p.k, p.k, 1, p.n, 1, {}, {}, {}};
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
  c.Emit(std::move(prim), {a, b}, c.Out(0));
  return OkStatus();
}

}  // namespace

extern const Op kMatMulOp;
const Op kMatMulOp = {"MatMul", 2, 2, 1, 1, InferMatMul, ReferenceMatMul, LowerMatMul};

}  // namespace ferry::ops
