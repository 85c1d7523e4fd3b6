// LinearAttention (ONNX): each head of keys keeps a matrix. For each position it fades by
// exp(decay), takes in key (x) value, or beta * key (x) (value - what it has for the key), and is
// read by the group of queries that share the head.
#include <array>
#include <cmath>

#include "device-runtime/ops/lower_context.h"
#include "device-runtime/ops/op.h"
#include "device-runtime/ops/shared/parts/floats.h"

namespace ferry::ops {
namespace {

enum Input { kQuery, kKey, kValue, kPast, kDecay, kBeta };

struct LinearAttentionPlan {
  int64_t batch, length, q_heads, kv_heads, key, value;  // sizes of one head's key and value
  bool gated, delta;
  double scale;
};

Status CheckFactors(const NodeContext& c, const LinearAttentionPlan& p) {
  if (c.HasInput(kDecay) != p.gated || c.HasInput(kBeta) != p.delta) {
    return Status(Code::kBadModel, "decay goes with gated rules and beta with delta rules");
  }
  if (p.gated) {
    const bool whole = HasShape(c, kDecay, {p.batch, p.length, p.kv_heads});
    if (!whole) FERRY_TRY(CheckInputShape(c, kDecay, {p.batch, p.length, p.kv_heads * p.key}));
  }
  if (p.delta) {
    const bool one = HasShape(c, kBeta, {p.batch, p.length, 1});
    if (!one) FERRY_TRY(CheckInputShape(c, kBeta, {p.batch, p.length, p.kv_heads}));
  }
  return OkStatus();
}

Result<LinearAttentionPlan> LinearAttentionPlanOf(const NodeContext& c) {
  FERRY_TRY(CheckFloatInputs(c, {kQuery, kKey, kValue, kPast, kDecay, kBeta}));
  const Shape& q = c.InputShape(kQuery);
  const Shape& k = c.InputShape(kKey);
  const Shape& v = c.InputShape(kValue);
  LinearAttentionPlan p{};
  FERRY_ASSIGN_OR_RETURN(p.q_heads, c.Int("q_num_heads", 0));
  FERRY_ASSIGN_OR_RETURN(p.kv_heads, c.Int("kv_num_heads", 0));
  if (p.q_heads < 1 || p.kv_heads < 1 || p.q_heads > kMaxHeads || p.q_heads % p.kv_heads != 0) {
    return Status::Of(Code::kBadModel, "{} heads of queries, {} of keys", p.q_heads, p.kv_heads);
  }
  if (q.rank() != 3 || k.rank() != 3 || v.rank() != 3 || q[2] % p.q_heads != 0 ||
      k[2] % p.kv_heads != 0 || v[2] % p.kv_heads != 0 || k[2] / p.kv_heads != q[2] / p.q_heads ||
      k[0] != q[0] || v[0] != q[0] || k[1] != q[1] || v[1] != q[1]) {
    return Status::Of(Code::kShapeMismatch, "queries {}, keys {} and values {}", q.ToString(),
                      k.ToString(), v.ToString());
  }
  p.batch = q[0];
  p.length = q[1];
  p.key = q[2] / p.q_heads;
  p.value = v[2] / p.kv_heads;
  FERRY_ASSIGN_OR_RETURN(const std::string rule, c.Text("update_rule", "gated_delta"));
  p.gated = rule == "gated" || rule == "gated_delta";
  p.delta = rule == "delta" || rule == "gated_delta";
  if (!p.gated && !p.delta && rule != "linear") {
    return Status::Of(Code::kBadModel, "update_rule '{}'", rule);
  }
  FERRY_TRY(CheckFactors(c, p));
  if (c.HasInput(kPast)) {
    FERRY_TRY(CheckInputShape(c, kPast, {p.batch, p.kv_heads, p.key, p.value}));
  }
  FERRY_ASSIGN_OR_RETURN(const float scale, c.Float("scale", 0));
  p.scale = scale == 0 ? 1 / std::sqrt(static_cast<double>(p.key)) : scale;
  return p;
}

Status InferLinearAttention(InferContext& c) {
  FERRY_ASSIGN_OR_RETURN(const LinearAttentionPlan p, LinearAttentionPlanOf(c));
  FERRY_ASSIGN_OR_RETURN(const Shape y,
                         Shape::Make(std::array{p.batch, p.length, p.q_heads * p.value}));
  FERRY_ASSIGN_OR_RETURN(const Shape state,
                         Shape::Make(std::array{p.batch, p.kv_heads, p.key, p.value}));
  c.SetOutput(0, c.Input(kQuery).dtype, y);
  c.SetOutput(1, c.HasInput(kPast) ? c.Input(kPast).dtype : c.Input(kQuery).dtype, state);
  return OkStatus();
}

// One position of one head: `row` is batch * length + position.
void Update(const ReferenceContext& c, const LinearAttentionPlan& p, int64_t row, int64_t head,
            std::span<double> state) {
  const int64_t key_at = (row * p.kv_heads + head) * p.key;
  for (int64_t i = 0; p.gated && i < p.key; ++i) {
    const bool whole = c.InputShape(kDecay)[2] == p.kv_heads;
    const double decay = c.In(kDecay).Number(whole ? row * p.kv_heads + head : key_at + i);
    for (int64_t j = 0; j < p.value; ++j)
      state[static_cast<size_t>(i * p.value + j)] *= std::exp(decay);
  }
  for (int64_t j = 0; j < p.value; ++j) {
    double taken = c.In(kValue).Number((row * p.kv_heads + head) * p.value + j);
    if (p.delta) {
      double has = 0;
      for (int64_t i = 0; i < p.key; ++i) {
        has += state[static_cast<size_t>(i * p.value + j)] * c.In(kKey).Number(key_at + i);
      }
      const bool one = c.InputShape(kBeta)[2] == 1;
      taken = c.In(kBeta).Number(one ? row : row * p.kv_heads + head) * (taken - has);
    }
    for (int64_t i = 0; i < p.key; ++i) {
      state[static_cast<size_t>(i * p.value + j)] += c.In(kKey).Number(key_at + i) * taken;
    }
  }
}

void Read(ReferenceContext& c, const LinearAttentionPlan& p, int64_t row, int64_t head,
          std::span<const double> state) {
  const int64_t group = p.q_heads / p.kv_heads;
  for (int64_t q = head * group; q < (head + 1) * group; ++q) {
    const int64_t query_at = (row * p.q_heads + q) * p.key;
    for (int64_t j = 0; j < p.value; ++j) {
      double sum = 0;
      for (int64_t i = 0; i < p.key; ++i) {
        sum += c.In(kQuery).Number(query_at + i) * state[static_cast<size_t>(i * p.value + j)];
      }
      c.Out(0).SetNumber((row * p.q_heads + q) * p.value + j, p.scale * sum);
    }
  }
}

Status ReferenceLinearAttention(ReferenceContext& c) {
  FERRY_ASSIGN_OR_RETURN(const LinearAttentionPlan p, LinearAttentionPlanOf(c));
  FERRY_ASSIGN_OR_RETURN(const Shape size, Shape::Make(std::array{p.key, p.value}));
  FERRY_ASSIGN_OR_RETURN(Tensor matrix, Tensor::Allocate(DType::kF64, size));
  const std::span<double> state = matrix.mutable_data<double>();
  // Nothing to fill, however many heads and sequences there are.
  if (c.Out(0).elements() == 0 && matrix.elements() == 0) return OkStatus();
  for (int64_t n = 0; n < p.batch * p.kv_heads; ++n) {
    const int64_t at = n * p.key * p.value;
    for (int64_t i = 0; i < matrix.elements(); ++i) {
      matrix.SetNumber(i, c.HasInput(kPast) ? c.In(kPast).Number(at + i) : 0);
    }
    for (int64_t t = 0; t < p.length; ++t) {
      const int64_t row = n / p.kv_heads * p.length + t;
      Update(c, p, row, n % p.kv_heads, state);
      Read(c, p, row, n % p.kv_heads, state);
    }
    for (int64_t i = 0; c.HasOutput(1) && i < matrix.elements(); ++i) {
      c.Out(1).SetNumber(at + i, matrix.Number(i));
    }
  }
  return OkStatus();
}

Status LowerLinearAttention(LowerContext& c) {
  FERRY_ASSIGN_OR_RETURN(const LinearAttentionPlan p, LinearAttentionPlanOf(c));
  c.ComputeInFloat(true);
  ir::LinearAttentionPrim prim{p.batch, p.length, p.q_heads, p.kv_heads, p.key, p.value};
  prim.decays = p.gated;
  prim.decay_of_head = p.gated && c.InputShape(kDecay)[2] == p.kv_heads;
  prim.corrects = p.delta;
  prim.one_beta = p.delta && c.InputShape(kBeta)[2] == 1;
  prim.scale = static_cast<float>(p.scale);
  std::vector<BufferId> in;
  for (int i = 0; i < 6; ++i) in.push_back(c.HasInput(i) ? c.In(i) : -1);
  const BufferId y = c.Out(0);
  FERRY_ASSIGN_OR_RETURN(const Shape state,
                         Shape::Make(std::array{p.batch, p.kv_heads, p.key, p.value}));
  const BufferId matrices = c.HasOutput(1) ? c.Out(1) : c.Temporary(DType::kF32, state);
  c.EmitMany(prim, std::move(in), {y, matrices});
  return OkStatus();
}

}  // namespace

extern const Op kLinearAttentionOp;
const Op kLinearAttentionOp = {
    "LinearAttention",   3, 6, 1, 2, InferLinearAttention, ReferenceLinearAttention,
    LowerLinearAttention};

}  // namespace ferry::ops
