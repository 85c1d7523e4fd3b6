// RotaryEmbedding (ONNX): turns pairs of each head's numbers by the angles of their position. Pairs
// are neighbours (interleaved) or lie half a head apart; numbers past rotary_embedding_dim stay.
#include "device-runtime/ops/op.h"
#include "device-runtime/ops/shared/parts/floats.h"

namespace ferry::ops {
namespace {

using ir::ValueId;

struct RotaryEmbeddingPlan {
  int64_t batch, length, heads, size, rotated;
  int head_axis;  // of x seen with heads: [.., heads, length, size] or [.., length, heads, size]
};

Result<RotaryEmbeddingPlan> RotaryEmbeddingPlanOf(const NodeContext& c) {
  FERRY_TRY(CheckFloatInputs(c, {0, 1, 2}));
  const Shape& x = c.InputShape(0);
  RotaryEmbeddingPlan p{};
  if (x.rank() == 4) {
    p = {x[0], x[2], x[1], x[3], 0, 1};
  } else if (x.rank() == 3) {
    FERRY_ASSIGN_OR_RETURN(const int64_t heads, c.Int("num_heads", 0));
    if (heads < 1 || heads > kMaxHeads || x[2] % heads != 0) {
      return Status::Of(Code::kShapeMismatch, "{} heads in {}", heads, x.ToString());
    }
    p = {x[0], x[1], heads, x[2] / heads, 0, 2};
  } else {
    return Status::Of(Code::kShapeMismatch, "an input {}", x.ToString());
  }
  FERRY_ASSIGN_OR_RETURN(p.rotated, c.Int("rotary_embedding_dim", 0));
  if (p.rotated == 0) p.rotated = p.size;
  if (p.rotated < 0 || p.rotated > p.size || p.rotated % 2 != 0) {
    return Status::Of(Code::kShapeMismatch, "{} of {} numbers turn", p.rotated, p.size);
  }
  return p;
}

// Input `i` (cosines or sines) for each position of x, with an axis of 1 for the heads.
Result<ValueId> Angles(ExpandContext& c, const RotaryEmbeddingPlan& p, int i) {
  const Shape& cache = c.InputShape(i);
  const bool by_id = c.HasInput(3);
  if (cache.rank() != (by_id ? 2 : 3) || cache[cache.rank() - 1] != p.rotated / 2) {
    return Status::Of(Code::kShapeMismatch, "input {} of {} for {} rotated numbers", i,
                      cache.ToString(), p.rotated);
  }
  ValueId angles = c.In(i);
  if (by_id) {
    FERRY_TRY(CheckInputShape(c, 3, {p.batch, p.length}));
    angles = c.Add("Gather", {angles, c.In(3)}, {{"axis", int64_t{0}}});
  } else {
    FERRY_TRY(CheckBroadcastsTo(c, i, Shape({p.batch, p.length, p.rotated / 2})));
  }
  return c.Cast(c.Add("Unsqueeze", {angles, c.Ints({p.head_axis})}), c.Input(0).dtype);
}

ValueId Part(ExpandContext& c, ValueId x, int64_t begin, int64_t end, int64_t step) {
  return c.Add("Slice", {x, c.Ints({begin}), c.Ints({end}), c.Ints({-1}), c.Ints({step})});
}

// The two numbers of all pairs of x, turned, in x's order.
Result<ValueId> Turn(ExpandContext& c, const RotaryEmbeddingPlan& p, ValueId x) {
  FERRY_ASSIGN_OR_RETURN(const int64_t interleaved, c.Int("interleaved", 0));
  FERRY_ASSIGN_OR_RETURN(const ValueId cosine, Angles(c, p, 1));
  FERRY_ASSIGN_OR_RETURN(const ValueId sine, Angles(c, p, 2));
  const int64_t half = p.rotated / 2;
  const bool neighbours = interleaved != 0;
  const ValueId first = neighbours ? Part(c, x, 0, p.rotated, 2) : Part(c, x, 0, half, 1);
  const ValueId second = neighbours ? Part(c, x, 1, p.rotated, 2) : Part(c, x, half, p.rotated, 1);
  const ValueId real = c.Add("Sub", {c.Add("Mul", {cosine, first}), c.Add("Mul", {sine, second})});
  const ValueId imaginary =
      c.Add("Add", {c.Add("Mul", {sine, first}), c.Add("Mul", {cosine, second})});
  if (!neighbours) return c.Add("Concat", {real, imaginary}, {{"axis", int64_t{-1}}});
  const ValueId last = c.Ints({-1});
  const ValueId pairs =
      c.Add("Concat", {c.Add("Unsqueeze", {real, last}), c.Add("Unsqueeze", {imaginary, last})},
            {{"axis", int64_t{-1}}});
  const Shape shape = c.ShapeOf(x);
  std::vector<int64_t> dims(shape.dims().begin(), shape.dims().end());
  dims.back() = p.rotated;
  return c.Reshape(pairs, dims);
}

Status ExpandRotaryEmbedding(ExpandContext& c) {
  FERRY_ASSIGN_OR_RETURN(const RotaryEmbeddingPlan p, RotaryEmbeddingPlanOf(c));
  const Shape shape = c.InputShape(0);
  ValueId x = c.In(0);
  if (shape.rank() == 3) {
    x = c.Reshape(x, std::vector<int64_t>{p.batch, p.length, p.heads, p.size});
  }
  FERRY_ASSIGN_OR_RETURN(ValueId y, Turn(c, p, x));
  if (p.rotated < p.size) {
    y = c.Add("Concat", {y, Part(c, x, p.rotated, p.size, 1)}, {{"axis", int64_t{-1}}});
  }
  if (shape.rank() == 3) {
    y = c.Reshape(y, std::vector<int64_t>{p.batch, p.length, p.heads * p.size});
  }
  c.SetOutput(0, y);
  return OkStatus();
}

}  // namespace

extern const Op kRotaryEmbeddingOp;
const Op kRotaryEmbeddingOp = {.name = "RotaryEmbedding",
                               .min_inputs = 3,
                               .max_inputs = 4,
                               .min_outputs = 1,
                               .max_outputs = 1,
                               .expand = ExpandRotaryEmbedding};

}  // namespace ferry::ops
