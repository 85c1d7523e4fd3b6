// StoredMatMul (Ferry's own): f32 rows x [.., k] times a matrix of 8 or 4 bits, (w - zero) * scale;
// w is [k, n], or [n, k] where `transposed` is set. Inputs: x, w, bias f32 [n]?, an addend of the
// output's shape?, scale f32 [blocks, n] and zero f32 [blocks, n]? of k / blocks rows each, whole
// numbers; and an activation.
#include "device-runtime/ops/lower_context.h"
#include "device-runtime/ops/op.h"
#include "device-runtime/ops/shared/parts/post.h"
#include "device-runtime/ops/shared/places/index.h"

namespace ferry::ops {
namespace {

constexpr int kBias = 2, kAddend = 3, kScale = 4, kZero = 5;

struct StoredMatMulPlan {
  int64_t m, n, k, blocks;
  bool transposed;
  Shape out;
  ir::PostOp post;
  int64_t Weight(int64_t row, int64_t column) const {
    return transposed ? column * k + row : row * n + column;
  }
};

bool IsStored(DType dtype) {
  return dtype == DType::kI8 || dtype == DType::kU8 || dtype == DType::kI4 || dtype == DType::kU4;
}

Status Unfit(const NodeContext& c, const char* what) {
  return Status::Of(Code::kShapeMismatch, "a product of {} and {} with {} that does not fit",
                    c.InputShape(0).ToString(), c.InputShape(1).ToString(), what);
}

Status CheckInputs(const NodeContext& c, const StoredMatMulPlan& p) {
  if (c.Input(0).dtype != DType::kF32 || !IsStored(c.Input(1).dtype)) {
    return Status::Of(Code::kUnsupported, "a product of {} and stored {}",
                      tensor::DTypeName(c.Input(0).dtype), tensor::DTypeName(c.Input(1).dtype));
  }
  for (int i : {kBias, kAddend, kScale, kZero}) {
    if (c.HasInput(i) && c.Input(i).dtype != DType::kF32) return Unfit(c, "another type");
  }
  if (c.HasInput(kBias) && c.InputShape(kBias).elements() != p.n) return Unfit(c, "a bias");
  if (c.HasInput(kAddend) && c.InputShape(kAddend) != p.out) return Unfit(c, "an addend");
  const Shape& scale = c.InputShape(kScale);
  if (scale.rank() != 2 || scale[1] != p.n || scale[0] < 1 || p.k % scale[0] != 0) {
    return Unfit(c, "a scale");
  }
  if (c.HasInput(kZero) && c.InputShape(kZero) != scale) return Unfit(c, "a zero point");
  return OkStatus();
}

Result<StoredMatMulPlan> StoredMatMulPlanOf(const NodeContext& c) {
  const Shape& x = c.InputShape(0);
  const Shape& w = c.InputShape(1);
  StoredMatMulPlan p{};
  FERRY_ASSIGN_OR_RETURN(const int64_t transposed, c.Int("transposed", 0));
  FERRY_ASSIGN_OR_RETURN(p.post, PostOf(c));
  p.transposed = transposed != 0;
  if (x.rank() < 1 || w.rank() != 2 || !c.HasInput(kScale)) return Unfit(c, "a rank");
  p.k = w[p.transposed ? 1 : 0];
  p.n = w[p.transposed ? 0 : 1];
  if (x[x.rank() - 1] != p.k) return Unfit(c, "a depth");
  p.m = x.Product(0, x.rank() - 1);
  std::vector<int64_t> dims(x.dims().begin(), x.dims().end());
  dims.back() = p.n;
  FERRY_ASSIGN_OR_RETURN(p.out, Shape::Make(dims));
  FERRY_TRY(CheckInputs(c, p));
  p.blocks = c.InputShape(kScale)[0];
  return p;
}

Status InferStoredMatMul(InferContext& c) {
  FERRY_ASSIGN_OR_RETURN(StoredMatMulPlan p, StoredMatMulPlanOf(c));
  c.SetOutput(0, DType::kF32, p.out);
  return OkStatus();
}

// Sums in double of weights as f32 has them.
Status ReferenceStoredMatMul(ReferenceContext& c) {
  FERRY_ASSIGN_OR_RETURN(StoredMatMulPlan p, StoredMatMulPlanOf(c));
  for (int64_t i = 0; i < p.m * p.n; ++i) {
    const int64_t row = i / p.n, column = i % p.n;
    double sum = 0;
    for (int64_t k = 0; k < p.k; ++k) {
      const int64_t at = k / (p.k / p.blocks) * p.n + column;
      const double zero = c.HasInput(kZero) ? c.In(kZero).Number(at) : 0.0;
      const auto q = static_cast<double>(c.In(1).Integer(p.Weight(k, column)));
      sum += c.In(0).Number(row * p.k + k) *
             static_cast<double>(static_cast<float>((q - zero) * c.In(kScale).Number(at)));
    }
    if (c.HasInput(kBias)) sum += c.In(kBias).Number(column);
    if (c.HasInput(kAddend)) sum += c.In(kAddend).Number(i);
    c.Out(0).SetNumber(i, ApplyPost(p.post, sum));
  }
  return OkStatus();
}

Status LowerStoredMatMul(LowerContext& c) {
  FERRY_ASSIGN_OR_RETURN(StoredMatMulPlan p, StoredMatMulPlanOf(c));
  ir::MatMulPrim prim{p.m, p.n, p.k, p.k, 1, p.Weight(1, 0), p.Weight(0, 1), {0}, {0}, p.post};
  std::vector<BufferId> inputs;
  for (int i = 0; i <= kZero; ++i) inputs.push_back(c.HasInput(i) ? c.In(i) : -1);
  c.Emit(std::move(prim), std::move(inputs), c.Out(0));
  return OkStatus();
}

}  // namespace

extern const Op kStoredMatMulOp;
const Op kStoredMatMulOp = {"StoredMatMul",   2, 6, 1, 1, InferStoredMatMul, ReferenceStoredMatMul,
                            LowerStoredMatMul};

}  // namespace ferry::ops
