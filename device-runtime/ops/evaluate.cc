#include "device-runtime/ops/evaluate.h"

namespace ferry::ops {

Result<Tensor> EvaluateContext::TensorIn(int i) const {
  if (!HasValue(i)) return Status::Of(Code::kBadModel, "input {} is missing", i);
  if (!In(i).IsTensor()) {
    return Status::Of(Code::kShapeMismatch, "input {} is {}, not a tensor", i, In(i).TypeText());
  }
  return In(i).tensor();
}

Result<std::shared_ptr<const Sequence>> EvaluateContext::SequenceIn(int i) const {
  if (!HasValue(i)) return Status::Of(Code::kBadModel, "input {} is missing", i);
  if (!In(i).IsSequence()) {
    return Status::Of(Code::kShapeMismatch, "input {} is {}, not a sequence", i, In(i).TypeText());
  }
  return In(i).shared_sequence();
}

Result<Tensor> EvaluateContext::Allocate(DType dtype, const Shape& shape) const {
  if (dtype == DType::kString) return Tensor::Zeros(dtype, shape, budget_);
  return Tensor::Allocate(dtype, shape, budget_);
}

Result<std::vector<Value>> EvaluateContext::RunBody(std::string_view key,
                                                    std::vector<Value> formal_inputs) {
  FERRY_ASSIGN_OR_RETURN(const ir::Graph* body, Body(key));
  if (body == nullptr) return Status::Of(Code::kBadModel, "body '{}' is missing", key);
  const size_t formal = body->inputs.size() - static_cast<size_t>(body->captured);
  if (formal_inputs.size() != formal) {
    return Status::Of(Code::kBadModel, "body '{}' takes {} inputs, {} are given", key, formal,
                      formal_inputs.size());
  }
  // Captured inputs of the node: those of the bodies in the order of their keys.
  size_t at = static_cast<size_t>(node().formal_inputs());
  for (const auto& [name, attribute] : node().attributes) {
    const auto* other = std::get_if<ir::Subgraph>(&attribute);
    if (other == nullptr) continue;
    if (name == key) break;
    at += static_cast<size_t>((*other)->captured);
  }
  for (int i = 0; i < body->captured; ++i, ++at) {
    if (at >= inputs_.size() || inputs_[at] == nullptr) {
      return Status::Of(Code::kInternal, "captured value {} of body '{}' is missing", i, key);
    }
    formal_inputs.push_back(*inputs_[at]);
  }
  FERRY_ASSIGN_OR_RETURN(std::vector<Value> results,
                         bodies_.RunBody(*body, std::move(formal_inputs)));
  return results;
}

}  // namespace ferry::ops
