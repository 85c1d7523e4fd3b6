// SequenceMap (ONNX): a body that runs on each item of a sequence; further inputs are sequences as
// long, or tensors that each run gets whole.
#include "device-runtime/ops/evaluate.h"
#include "device-runtime/ops/op.h"

namespace ferry::ops {
namespace {

// The inputs of the run on item `at`.
Result<std::vector<Value>> ItemsAt(const EvaluateContext& c, size_t at, size_t count) {
  std::vector<Value> items;
  for (int i = 0; i < c.node().formal_inputs(); ++i) {
    if (!c.HasValue(i)) return Status::Of(Code::kBadModel, "input {} is missing", i);
    if (!c.In(i).IsSequence()) {
      items.push_back(c.In(i));
      continue;
    }
    const Sequence& sequence = c.In(i).sequence();
    if (sequence.items.size() != count) {
      return Status::Of(Code::kShapeMismatch, "input {} has {} items instead of {}", i,
                        sequence.items.size(), count);
    }
    items.push_back(sequence.items[at]);
  }
  return items;
}

Status EvaluateSequenceMap(EvaluateContext& c) {
  FERRY_ASSIGN_OR_RETURN(auto first, c.SequenceIn(0));
  FERRY_ASSIGN_OR_RETURN(const ir::Graph* body, c.Body("body"));
  const size_t outputs = c.outputs().size();
  if (body == nullptr || body->outputs.size() != outputs) {
    return Status(Code::kBadModel, "the body does not fit the node's outputs");
  }
  std::vector<Sequence> results(outputs);
  for (size_t i = 0; i < outputs; ++i) {
    results[i].dtype =
        body->values[static_cast<size_t>(body->outputs[i])].dtype.value_or(first->dtype);
  }
  const size_t count = first->items.size();
  for (size_t at = 0; at < count; ++at) {
    FERRY_ASSIGN_OR_RETURN(auto items, ItemsAt(c, at, count));
    FERRY_ASSIGN_OR_RETURN(auto made, c.RunBody("body", std::move(items)));
    for (size_t i = 0; i < outputs; ++i) {
      if (!made[i].IsTensor()) {
        return Status::Of(Code::kShapeMismatch, "body output {} is {}, not a tensor", i,
                          made[i].TypeText());
      }
      results[i].dtype = made[i].tensor().dtype();
      results[i].items.push_back(std::move(made[i]));
    }
  }
  for (size_t i = 0; i < outputs; ++i) c.SetOutput(static_cast<int>(i), std::move(results[i]));
  return OkStatus();
}

}  // namespace

extern const Op kSequenceMapOp;
const Op kSequenceMapOp = {.name = "SequenceMap",
                           .min_inputs = 1,
                           .max_inputs = kAnyCount,
                           .min_outputs = 1,
                           .max_outputs = kAnyCount,
                           .evaluate = EvaluateSequenceMap};

}  // namespace ferry::ops
