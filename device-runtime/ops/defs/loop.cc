// Loop (ONNX): a body that runs a number of times, or while it says so; its other outputs of each
// step are stacked.
#include <algorithm>
#include <limits>

#include "device-runtime/ops/op.h"
#include "device-runtime/ops/shared/places/slab.h"

namespace ferry::ops {
namespace {

// A scalar, or [1] where the body asks for that.
template <typename T>
Result<Tensor> Scalar(const ir::Value& like, T value) {
  const bool is_list = like.dims && like.dims->size() == 1;
  return Tensor::Of<T>(is_list ? Shape({1}) : Shape(), std::span<const T>(&value, 1));
}

Result<bool> Condition(const Value& value) {
  if (!value.IsTensor() || value.tensor().dtype() != DType::kBool ||
      value.tensor().elements() != 1) {
    return Status::Of(Code::kShapeMismatch, "the condition is {}, not one bool", value.TypeText());
  }
  return value.tensor().Integer(0) != 0;
}

// Inputs 0 and 1, which may be left out.
Status ReadBounds(const EvaluateContext& c, int64_t& trips, bool& go_on) {
  trips = std::numeric_limits<int64_t>::max();
  go_on = true;
  if (c.HasValue(0) && !c.In(0).IsNothing()) {
    FERRY_ASSIGN_OR_RETURN(Tensor count, c.TensorIn(0));
    FERRY_ASSIGN_OR_RETURN(trips, OneInteger(count));
  }
  if (c.HasValue(1) && !c.In(1).IsNothing()) {
    FERRY_ASSIGN_OR_RETURN(go_on, Condition(c.In(1)));
  }
  return OkStatus();
}

constexpr int64_t kNone[] = {0};

Status EvaluateLoop(EvaluateContext& c) {
  FERRY_ASSIGN_OR_RETURN(const ir::Graph* body, c.Body("body"));
  const size_t carried = static_cast<size_t>(std::max(c.node().formal_inputs() - 2, 0));
  const size_t outputs = c.outputs().size();
  if (body == nullptr || outputs < carried || body->outputs.size() != outputs + 1 ||
      body->inputs.size() != carried + 2 + static_cast<size_t>(body->captured)) {
    return Status(Code::kBadModel, "the body does not fit the node's inputs and outputs");
  }
  std::vector<Value> state;
  for (size_t i = 0; i < carried; ++i) {
    const int input = static_cast<int>(i) + 2;
    state.push_back(c.HasValue(input) ? c.In(input) : Value());
  }
  int64_t trips = 0;
  bool go_on = true;
  FERRY_TRY(ReadBounds(c, trips, go_on));
  std::vector<Stack> stacks(outputs - carried, Stack(c.budget()));
  for (int64_t step = 0; step < trips && go_on; ++step) {
    std::vector<Value> inputs;
    FERRY_ASSIGN_OR_RETURN(Tensor number, Scalar(body->values[body->inputs[0]], step));
    FERRY_ASSIGN_OR_RETURN(Tensor condition, Scalar(body->values[body->inputs[1]], go_on));
    inputs.emplace_back(std::move(number));
    inputs.emplace_back(std::move(condition));
    for (Value& value : state) inputs.push_back(std::move(value));
    FERRY_ASSIGN_OR_RETURN(auto results, c.RunBody("body", std::move(inputs)));
    FERRY_ASSIGN_OR_RETURN(go_on, Condition(results[0]));
    for (size_t i = 0; i < carried; ++i) state[i] = std::move(results[i + 1]);
    for (size_t i = carried; i < outputs; ++i) {
      if (!results[i + 1].IsTensor()) {
        return Status::Of(Code::kShapeMismatch, "body output {} is {}, not a tensor", i + 1,
                          results[i + 1].TypeText());
      }
      FERRY_TRY(stacks[i - carried].Append(results[i + 1].tensor()));
    }
  }
  for (size_t i = 0; i < outputs; ++i) {
    if (i < carried) {
      c.SetOutput(static_cast<int>(i), std::move(state[i]));
      continue;
    }
    Stack& stack = stacks[i - carried];
    FERRY_ASSIGN_OR_RETURN(
        Tensor all, stack.count() > 0 ? stack.Take() : EmptyStack(*body, i + 1, kNone, c.budget()));
    c.SetOutput(static_cast<int>(i), std::move(all));
  }
  return OkStatus();
}

}  // namespace

extern const Op kLoopOp;
const Op kLoopOp = {.name = "Loop",
                    .min_inputs = 0,
                    .max_inputs = kAnyCount,
                    .min_outputs = 1,
                    .max_outputs = kAnyCount,
                    .evaluate = EvaluateLoop};

}  // namespace ferry::ops
