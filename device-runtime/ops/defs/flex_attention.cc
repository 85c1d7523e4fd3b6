// FlexAttention (ONNX's preview domain): attention whose scores and probabilities each pass through
// a body of the model.
#include <cmath>

#include "device-runtime/ops/op.h"
#include "device-runtime/ops/shared/parts/attention_parts.h"
#include "device-runtime/ops/shared/parts/floats.h"

namespace ferry::ops {
namespace {

using ir::ValueId;

Status CheckShapes(const NodeContext& c) {
  FERRY_TRY(CheckFloatInputs(c, {0, 1, 2}));
  const Shape& q = c.InputShape(0);
  const Shape& k = c.InputShape(1);
  const Shape& v = c.InputShape(2);
  const bool fits = q.rank() == 4 && k.rank() == 4 && v.rank() == 4 && k[0] == q[0] &&
                    v[0] == q[0] && k[1] == v[1] && k[2] == v[2] && k[3] == q[3] && k[1] > 0 &&
                    q[1] <= kMaxHeads && q[1] % k[1] == 0;
  if (fits) return OkStatus();
  return Status::Of(Code::kShapeMismatch, "queries {}, keys {} and values {}", q.ToString(),
                    k.ToString(), v.ToString());
}

// x behind the body in attribute `key`; x itself when there is none. Captured values of all bodies
// stand at the end of the node's inputs; `next` is where those of this one begin.
Result<ValueId> Modified(ExpandContext& c, std::string_view key, ValueId x, int& next) {
  FERRY_ASSIGN_OR_RETURN(const ir::Graph* body, c.Body(key));
  if (body == nullptr) return x;
  std::vector<ValueId> inputs = {x};
  for (int i = 0; i < body->captured; ++i) inputs.push_back(c.In(next++));
  if (body->outputs.size() != 1) {
    return Status::Of(Code::kBadModel, "{} has {} outputs instead of 1", key, body->outputs.size());
  }
  const Shape shape = c.ShapeOf(x);
  const DType dtype = c.TypeOf(x);
  const ValueId y = c.Inline(*body, inputs)[0];
  if (y == ir::kNoValue) return y;  // an error that sticks
  if (c.ShapeOf(y) == shape && c.TypeOf(y) == dtype) return y;
  return Status::Of(Code::kShapeMismatch, "{} makes {} {} of {} {}", key,
                    tensor::DTypeName(c.TypeOf(y)), c.ShapeOf(y).ToString(),
                    tensor::DTypeName(dtype), shape.ToString());
}

Status ExpandFlexAttention(ExpandContext& c) {
  FERRY_TRY(CheckShapes(c));
  const Shape& q = c.InputShape(0);
  const Shape& v = c.InputShape(2);
  const int64_t group = q[1] / v[1];
  const DType wide = WideFloat(c.Input(0).dtype);
  FERRY_ASSIGN_OR_RETURN(
      const float scale,
      c.Float("scale", static_cast<float>(1 / std::sqrt(static_cast<double>(q[3])))));
  FERRY_ASSIGN_OR_RETURN(const DType precision, FloatTypeAttribute(c, "softmax_precision", wide));
  // Queries of a group stand together, so that keys are not repeated.
  const std::vector<int64_t> scores_dims = {q[0], q[1], q[2], v[2]};
  const ValueId scaled = c.Add("Mul", {c.Cast(c.In(0), wide), c.Number(wide, scale)});
  const ValueId queries = c.Reshape(scaled, std::vector<int64_t>{q[0], v[1], group * q[2], q[3]});
  const ValueId keys = c.Transpose(c.Cast(c.In(1), wide), {0, 1, 3, 2});
  ValueId scores = c.Reshape(c.Add("MatMul", {queries, keys}), scores_dims);
  FERRY_ASSIGN_OR_RETURN(const ir::Graph* first, c.Body("prob_mod"));
  int of_prob = c.node().formal_inputs();
  int of_score = of_prob + (first != nullptr ? first->captured : 0);
  FERRY_ASSIGN_OR_RETURN(scores, Modified(c, "score_mod", c.Cast(scores, precision), of_score));
  ValueId probabilities = MaskedSoftmax(c, scores, ir::kNoValue);
  FERRY_ASSIGN_OR_RETURN(probabilities, Modified(c, "prob_mod", probabilities, of_prob));
  const DType product = WideFloat(precision);
  probabilities = c.Reshape(c.Cast(probabilities, product),
                            std::vector<int64_t>{q[0], v[1], group * q[2], v[2]});
  const ValueId y = c.Add("MatMul", {probabilities, c.Cast(c.In(2), product)});
  c.SetOutput(0,
              c.Cast(c.Reshape(y, std::vector<int64_t>{q[0], q[1], q[2], v[3]}), c.Input(2).dtype));
  return OkStatus();
}

}  // namespace

extern const Op kFlexAttentionOp;
const Op kFlexAttentionOp = {.name = "ai.onnx.preview:FlexAttention",
                             .min_inputs = 3,
                             .max_inputs = 3,
                             .min_outputs = 1,
                             .max_outputs = 1,
                             .expand = ExpandFlexAttention};

}  // namespace ferry::ops
