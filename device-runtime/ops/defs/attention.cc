// Attention (ONNX): softmax(q k^T * scale + bias) v, by heads. Heads of keys and values may be
// fewer than those of queries: then each serves a group of them. 16-bit inputs are computed in f32.
#include "device-runtime/ops/shared/parts/attention_parts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "device-runtime/ir/program.h"
#include "device-runtime/ops/op.h"
#include "device-runtime/ops/shared/parts/floats.h"

namespace ferry::ops {
namespace {

using ir::kNoValue;
using ir::ValueId;

enum Input { kQ, kK, kV, kMask, kPastKey, kPastValue, kValidKeys };
enum Output { kY, kPresentKey, kPresentValue, kScores };

struct AttentionPlan {
  bool packed = false;  // heads lie in the last axis of 3-d inputs
  int64_t q_heads = 0, kv_heads = 0;
  int64_t batch = 0, queries = 0, keys = 0, past = 0, total = 0;
  int64_t size = 0;  // of a head of queries and keys
  DType dtype = DType::kF32, wide = DType::kF32;
};

Status CheckPast(const NodeContext& c, const AttentionPlan& p, int64_t value_size) {
  if (c.HasInput(kPastKey) != c.HasInput(kPastValue)) {
    return Status(Code::kBadModel, "past keys and past values come together");
  }
  if (c.HasInput(kValidKeys)) {
    if (c.HasInput(kPastKey)) {
      return Status(Code::kBadModel, "a count of valid keys and past keys exclude each other");
    }
    if (c.Input(kValidKeys).dtype != DType::kI64) {
      return Status(Code::kShapeMismatch, "the counts of valid keys must be i64");
    }
    return CheckInputShape(c, kValidKeys, {p.batch});
  }
  if (!c.HasInput(kPastKey)) return OkStatus();
  FERRY_TRY(CheckInputShape(c, kPastKey, {p.batch, p.kv_heads, p.past, p.size}));
  return CheckInputShape(c, kPastValue, {p.batch, p.kv_heads, p.past, value_size});
}

// Heads by attribute (3-d inputs) or by shape; they divide what they must.
Status CountHeads(const NodeContext& c, AttentionPlan& p) {
  const Shape& q = c.InputShape(kQ);
  const Shape& k = c.InputShape(kK);
  const Shape& v = c.InputShape(kV);
  if ((q.rank() != 3 && q.rank() != 4) || k.rank() != q.rank() || v.rank() != q.rank()) {
    return Status::Of(Code::kShapeMismatch, "queries {}, keys {} and values {}", q.ToString(),
                      k.ToString(), v.ToString());
  }
  p.packed = q.rank() == 3;
  p.q_heads = q[1];
  p.kv_heads = k[1];
  if (p.packed) {
    FERRY_ASSIGN_OR_RETURN(p.q_heads, c.Int("q_num_heads", 0));
    FERRY_ASSIGN_OR_RETURN(p.kv_heads, c.Int("kv_num_heads", 0));
  }
  if (p.q_heads < 1 || p.kv_heads < 1 || p.q_heads > kMaxHeads || p.q_heads % p.kv_heads != 0) {
    return Status::Of(Code::kShapeMismatch, "{} heads of queries, {} of keys", p.q_heads,
                      p.kv_heads);
  }
  const bool divides =
      !p.packed || (q[2] % p.q_heads == 0 && k[2] % p.kv_heads == 0 && v[2] % p.kv_heads == 0);
  if (divides) return OkStatus();
  return Status::Of(Code::kShapeMismatch, "{} and {} heads do not divide queries {}, keys {}, {}",
                    p.q_heads, p.kv_heads, q.ToString(), k.ToString(), v.ToString());
}

Result<AttentionPlan> AttentionPlanOf(const NodeContext& c) {
  FERRY_TRY(CheckFloatInputs(c, {kQ, kK, kV, kPastKey, kPastValue}));
  AttentionPlan p;
  FERRY_TRY(CountHeads(c, p));
  const Shape& q = c.InputShape(kQ);
  const Shape& k = c.InputShape(kK);
  const Shape& v = c.InputShape(kV);
  p.dtype = c.Input(kQ).dtype;
  p.wide = WideFloat(p.dtype);
  const int length = p.packed ? 1 : 2;
  p.batch = q[0];
  p.queries = q[length];
  p.keys = k[length];
  p.size = p.packed ? q[2] / p.q_heads : q[3];
  const int64_t key_size = p.packed ? k[2] / p.kv_heads : k[3];
  const int64_t value_size = p.packed ? v[2] / p.kv_heads : v[3];
  if (k[0] != p.batch || v[0] != p.batch || v[length] != p.keys || key_size != p.size ||
      (!p.packed && v[1] != p.kv_heads)) {
    return Status::Of(Code::kShapeMismatch, "queries {}, keys {} and values {}", q.ToString(),
                      k.ToString(), v.ToString());
  }
  if (c.HasInput(kPastKey) && c.InputShape(kPastKey).rank() == 4) {
    p.past = c.InputShape(kPastKey)[2];
  }
  p.total = p.past + p.keys;
  FERRY_TRY(CheckPast(c, p, value_size));
  return p;
}

// The mask input as numbers to add, its last axis as long as the keys.
Result<ValueId> MaskBias(ExpandContext& c, const AttentionPlan& p) {
  ValueId bias = c.Input(kMask).dtype == DType::kBool ? BiasOf(c, c.In(kMask), p.wide)
                                                      : c.Cast(c.In(kMask), p.wide);
  const Shape shape = c.InputShape(kMask);
  if (shape.rank() > 4) return Status::Of(Code::kShapeMismatch, "a mask {}", shape.ToString());
  const int64_t width = shape.rank() == 0 ? p.total : shape[shape.rank() - 1];
  // Only since opset 24 a mask of one column is one that is too short.
  const bool repeats = width == 1 && c.version() < 24;
  if (width < p.total && !repeats) {
    bias = c.Add("Pad", {bias, c.Ints({0, p.total - width}),
                         c.Number(p.wide, -std::numeric_limits<double>::infinity()), c.Ints({-1})});
  }
  FERRY_ASSIGN_OR_RETURN(const Shape full,
                         Shape::Make(std::array{p.batch, p.q_heads, p.queries, p.total}));
  auto both = tensor::BroadcastShapes(c.ShapeOf(bias), full);
  if (both.ok() && *both == full) return bias;
  return Status::Of(Code::kShapeMismatch, "a mask {} for scores {}", shape.ToString(),
                    full.ToString());
}

// Which keys the positions alone allow; kNoValue: all.
Result<ValueId> AllowedKeys(ExpandContext& c, const AttentionPlan& p) {
  FERRY_ASSIGN_OR_RETURN(const int64_t causal, c.Int("is_causal", 0));
  FERRY_ASSIGN_OR_RETURN(const int64_t left, c.Int("left_window_size", -1));
  FERRY_ASSIGN_OR_RETURN(const int64_t right, c.Int("right_window_size", -1));
  if (std::min(left, right) < -1 || std::max(left, right) > kMaxAttribute) {
    return Status::Of(Code::kBadModel, "a window of {} and {} keys", left, right);
  }
  ValueId allowed = kNoValue;
  auto also = [&](std::string_view compare, ValueId a, ValueId b) {
    const ValueId one = c.Add(compare, {a, b});
    allowed = allowed == kNoValue ? one : c.Add("And", {allowed, one});
  };
  const bool valid = c.HasInput(kValidKeys);
  if (causal == 0 && left < 0 && right < 0 && !valid) return allowed;
  FERRY_ASSIGN_OR_RETURN(const ValueId key, Positions(c, p.total, false));
  FERRY_ASSIGN_OR_RETURN(ValueId query, Positions(c, p.queries, true));
  ValueId count = kNoValue;
  if (valid) {
    count = c.Reshape(c.In(kValidKeys), std::vector<int64_t>{p.batch, 1, 1, 1});
    query = c.Add(
        "Add",
        {query, c.Add("Sub", {count, c.Number(DType::kI64, static_cast<double>(p.queries))})});
  } else {
    query = c.Add("Add", {query, c.Number(DType::kI64, static_cast<double>(p.past))});
  }
  auto moved = [&](int64_t by) {
    return c.Add("Add", {query, c.Number(DType::kI64, static_cast<double>(by))});
  };
  if (causal != 0) also("LessOrEqual", key, query);
  if (left >= 0) also("GreaterOrEqual", key, moved(-left));
  if (right >= 0) also("LessOrEqual", key, moved(right));
  if (valid) also("Less", key, count);
  return allowed;
}

// All that is added to the scores, by the mask and by positions; kNoValue: nothing.
Result<ValueId> Bias(ExpandContext& c, const AttentionPlan& p) {
  ValueId bias = kNoValue;
  if (c.HasInput(kMask)) {
    FERRY_ASSIGN_OR_RETURN(bias, MaskBias(c, p));
  }
  FERRY_ASSIGN_OR_RETURN(const ValueId allowed, AllowedKeys(c, p));
  if (allowed == kNoValue) return bias;
  const ValueId positions = BiasOf(c, allowed, p.wide);
  return bias == kNoValue ? positions : c.Add("Add", {bias, positions});
}

// The past and the new keys (or values) by heads; also output `present`.
ValueId Join(ExpandContext& c, const AttentionPlan& p, Input now, Input past, Output present) {
  ValueId x = p.packed ? SplitHeads(c, c.In(now), p.kv_heads) : c.In(now);
  if (c.HasInput(past)) {
    x = c.Add("Concat", {c.In(past), c.Cast(x, c.Input(past).dtype)}, {{"axis", int64_t{2}}});
  }
  if (c.HasOutput(present)) c.SetOutput(present, c.Add("Identity", {x}));
  return c.Cast(x, p.wide);
}

// scale * q k^T of all heads: [batch, heads, queries, keys].
Result<ValueId> RawScores(ExpandContext& c, const AttentionPlan& p, ValueId keys) {
  FERRY_ASSIGN_OR_RETURN(
      const float scale,
      c.Float("scale", static_cast<float>(1 / std::sqrt(static_cast<double>(p.size)))));
  ValueId q = p.packed ? SplitHeads(c, c.In(kQ), p.q_heads) : c.In(kQ);
  // Scaled before the product, so that the product cannot overflow.
  q = c.Add("Mul", {c.Cast(q, p.wide), c.Number(p.wide, scale)});
  const int64_t group = p.q_heads / p.kv_heads;
  const std::vector<int64_t> grouped = {p.batch, p.kv_heads, group * p.queries, p.size};
  if (group > 1) q = c.Reshape(q, grouped);
  const ValueId scores = c.Add("MatMul", {q, c.Transpose(keys, {0, 1, 3, 2})});
  const std::vector<int64_t> dims = {p.batch, p.q_heads, p.queries, p.total};
  return group > 1 ? c.Reshape(scores, dims) : scores;
}

// Probabilities times values, by heads.
ValueId Mix(ExpandContext& c, const AttentionPlan& p, ValueId probabilities, ValueId values) {
  const int64_t group = p.q_heads / p.kv_heads;
  if (group == 1) return c.Add("MatMul", {probabilities, values});
  const int64_t value_size = c.ShapeOf(values).rank() == 4 ? c.ShapeOf(values)[3] : 0;
  const std::vector<int64_t> grouped = {p.batch, p.kv_heads, group * p.queries, p.total};
  const std::vector<int64_t> dims = {p.batch, p.q_heads, p.queries, value_size};
  return c.Reshape(c.Add("MatMul", {c.Reshape(probabilities, grouped), values}), dims);
}

// All in f32, nothing between the products but a mask, and nobody asks for scores: AttendHeads.
bool IsPlain(const ExpandContext& c, const AttentionPlan& p, float softcap, DType precision) {
  const bool f32 = p.dtype == DType::kF32 && precision == DType::kF32;
  return f32 && softcap == 0 && !c.HasOutput(kScores) && p.size <= ir::kMaxAttentionDepth;
}

// Keys or values for each head of the queries: those of a group share theirs.
ValueId Repeated(ExpandContext& c, const AttentionPlan& p, ValueId x) {
  const int64_t group = p.q_heads / p.kv_heads;
  const Shape shape = c.ShapeOf(x);
  if (group == 1 || shape.rank() != 4) return x;
  x = c.Reshape(x, std::vector<int64_t>{p.batch, p.kv_heads, 1, shape[2], shape[3]});
  x = c.Add("Expand", {x, c.Ints({p.batch, p.kv_heads, group, shape[2], shape[3]})});
  return c.Reshape(x, std::vector<int64_t>{p.batch, p.q_heads, shape[2], shape[3]});
}

// y with the rows that may attend to nothing as 0.
ValueId WithoutMasked(ExpandContext& c, const AttentionPlan& p, ValueId bias, ValueId y) {
  const double nothing = -std::numeric_limits<double>::infinity();
  const ValueId highest = c.Add("ReduceMax", {bias, c.Ints({-1})});
  const ValueId masked = c.Add("Equal", {highest, c.Number(p.wide, nothing)});
  if (const auto& known = c.Info(masked).constant) {
    bool any = false;
    for (int64_t i = 0; i < known->elements(); ++i) any = any || known->Integer(i) != 0;
    if (!any) return y;
  }
  return c.Add("Where", {masked, c.Number(p.wide, 0), y});
}

Status ExpandPlain(ExpandContext& c, const AttentionPlan& p, ValueId keys, ValueId values) {
  FERRY_ASSIGN_OR_RETURN(
      const float scale,
      c.Float("scale", static_cast<float>(1 / std::sqrt(static_cast<double>(p.size)))));
  FERRY_ASSIGN_OR_RETURN(const ValueId bias, Bias(c, p));
  const ValueId q = p.packed ? SplitHeads(c, c.In(kQ), p.q_heads) : c.In(kQ);
  ValueId y = c.Add("AttendHeads", {q, Repeated(c, p, keys), Repeated(c, p, values), bias},
                    {{"scale", scale}});
  if (bias != kNoValue) y = WithoutMasked(c, p, bias, y);
  c.SetOutput(kY, p.packed ? JoinHeads(c, y) : y);
  return OkStatus();
}

Status ExpandAttention(ExpandContext& c) {
  FERRY_ASSIGN_OR_RETURN(const AttentionPlan p, AttentionPlanOf(c));
  FERRY_ASSIGN_OR_RETURN(const float softcap, c.Float("softcap", 0));
  FERRY_ASSIGN_OR_RETURN(const int64_t mode, c.Int("qk_matmul_output_mode", 0));
  FERRY_ASSIGN_OR_RETURN(const DType precision, FloatTypeAttribute(c, "softmax_precision", p.wide));
  if (mode < 0 || mode > 3) return Status::Of(Code::kBadModel, "qk_matmul_output_mode {}", mode);
  auto show = [&](int64_t at, ValueId scores) {
    if (at != mode || !c.HasOutput(kScores)) return;
    c.SetOutput(kScores, c.Add("Identity", {c.Cast(scores, p.dtype)}));
  };
  const ValueId keys = Join(c, p, kK, kPastKey, kPresentKey);
  const ValueId values = Join(c, p, kV, kPastValue, kPresentValue);
  if (IsPlain(c, p, softcap, precision) && p.total > 0) return ExpandPlain(c, p, keys, values);
  FERRY_ASSIGN_OR_RETURN(ValueId scores, RawScores(c, p, keys));
  show(0, scores);
  if (softcap > 0) {
    const ValueId cap = c.Number(p.wide, softcap);
    scores = c.Add("Mul", {c.Add("Tanh", {c.Add("Div", {scores, cap})}), cap});
  }
  show(1, scores);
  FERRY_ASSIGN_OR_RETURN(const ValueId bias, Bias(c, p));
  if (bias != kNoValue) scores = c.Add("Add", {scores, bias});
  show(2, scores);
  const ValueId probabilities = MaskedSoftmax(c, c.Cast(scores, precision), bias);
  show(3, probabilities);
  const ValueId y = Mix(c, p, c.Cast(probabilities, p.wide), values);
  c.SetOutput(kY, c.Cast(p.packed ? JoinHeads(c, y) : y, p.dtype));
  return OkStatus();
}

}  // namespace

extern const Op kAttentionOp;
const Op kAttentionOp = {.name = "Attention",
                         .min_inputs = 3,
                         .max_inputs = 7,
                         .min_outputs = 1,
                         .max_outputs = 4,
                         .expand = ExpandAttention};

}  // namespace ferry::ops
