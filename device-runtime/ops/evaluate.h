// How an operator runs on values whose shapes nobody knew before: NonZero, sequences, If and Loop.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "device-runtime/ops/node_context.h"
#include "device-runtime/tensor/value.h"

namespace ferry::ops {

using tensor::Sequence;
using tensor::Value;

// Runs a body on one value an input (captured ones included) to one value an output.
class BodyRunner {
 public:
  virtual ~BodyRunner() = default;
  virtual Result<std::vector<Value>> RunBody(const ir::Graph& body, std::vector<Value> inputs) = 0;
};

// Attributes by NodeContext; its ValueInfo is there for the inputs that are tensors, with the
// tensor as constant. Values that the operator passes on are shared, not copied.
class EvaluateContext : public NodeContext {
 public:
  EvaluateContext(const Node& node, std::span<const ValueInfo* const> infos,
                  std::span<const Value* const> inputs, BodyRunner& bodies,
                  std::shared_ptr<tensor::MemoryBudget> budget)
      : NodeContext(node, infos),
        inputs_(inputs),
        bodies_(bodies),
        budget_(std::move(budget)),
        outputs_(node.outputs.size()) {}

  // Inputs that are left out are null; see HasValue.
  bool HasValue(int i) const {
    return i < static_cast<int>(inputs_.size()) && inputs_[static_cast<size_t>(i)] != nullptr;
  }
  const Value& In(int i) const { return *inputs_[static_cast<size_t>(i)]; }
  // The tensor or sequence of input `i`; kShapeMismatch naming the input when it is another kind.
  Result<Tensor> TensorIn(int i) const;
  Result<std::shared_ptr<const Sequence>> SequenceIn(int i) const;

  void SetOutput(int i, Value value) {
    if (i < static_cast<int>(outputs_.size())) outputs_[static_cast<size_t>(i)] = std::move(value);
  }
  std::vector<Value>& outputs() { return outputs_; }

  // A tensor to fill; counted on the session's budget. Texts go to strings().
  Result<Tensor> Allocate(DType dtype, const Shape& shape) const;
  const std::shared_ptr<tensor::MemoryBudget>& budget() const { return budget_; }

  // Runs the body in attribute `key` on its formal inputs; captured values are added.
  // kBadModel when there is no such body or its counts differ.
  Result<std::vector<Value>> RunBody(std::string_view key, std::vector<Value> formal_inputs);

 private:
  std::span<const Value* const> inputs_;
  BodyRunner& bodies_;
  std::shared_ptr<tensor::MemoryBudget> budget_;
  std::vector<Value> outputs_;
};

}  // namespace ferry::ops
