// For tests: whether two values are the same, and values as text.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "device-runtime/ir/text.h"
#include "device-runtime/tensor/value.h"

namespace ferry::engine {

// "" when they agree: kinds, dtypes and shapes; texts exactly, numbers within `tolerance` of the
// largest (at least 1).
inline std::string TensorDifference(const tensor::Tensor& a, const tensor::Tensor& b,
                                    double tolerance) {
  if (a.dtype() != b.dtype() || a.shape() != b.shape()) {
    return a.TypeText() + " instead of " + b.TypeText();
  }
  if (a.dtype() == tensor::DType::kString) {
    return ir::PrintTensor(a) == ir::PrintTensor(b)
               ? ""
               : ir::PrintTensor(a) + " instead of " + ir::PrintTensor(b);
  }
  auto difference = tensor::Compare(a, b);
  if (!difference.ok()) return difference.status().ToString();
  if (difference->max_abs <= tolerance * std::max(1.0, difference->max_reference)) return "";
  return ir::PrintTensor(a) + " instead of " + ir::PrintTensor(b);
}

inline std::string ValueDifference(const tensor::Value& a, const tensor::Value& b,
                                   double tolerance) {
  if (a.IsTensor() && b.IsTensor()) return TensorDifference(a.tensor(), b.tensor(), tolerance);
  if (a.IsNothing() && b.IsNothing()) return "";
  if (!a.IsSequence() || !b.IsSequence() || a.sequence().dtype != b.sequence().dtype ||
      a.sequence().items.size() != b.sequence().items.size()) {
    return a.TypeText() + " instead of " + b.TypeText();
  }
  for (size_t i = 0; i < a.sequence().items.size(); ++i) {
    std::string item = ValueDifference(a.sequence().items[i], b.sequence().items[i], tolerance);
    if (!item.empty()) return "item " + std::to_string(i) + ": " + item;
  }
  return "";
}

// "nothing", "seq f32 | f32 [1] = 1 | f32 [] = 2", or a tensor as in ir/text.h.
inline Result<tensor::Value> ParseValue(std::string text) {
  text.erase(0, text.find_first_not_of(' '));
  text.erase(text.find_last_not_of(' ') + 1);
  if (text == "nothing") return tensor::Value();
  if (!text.starts_with("seq ")) {
    FERRY_ASSIGN_OR_RETURN(tensor::Tensor tensor, ir::ParseTensor(text));
    return tensor::Value(std::move(tensor));
  }
  std::vector<std::string> parts;
  for (size_t at = 4; at <= text.size();) {
    const size_t end = std::min(text.find(" | ", at), text.size());
    parts.push_back(text.substr(at, end - at));
    at = end + 3;
  }
  tensor::Sequence sequence;
  FERRY_ASSIGN_OR_RETURN(sequence.dtype, tensor::ParseDType(parts[0]));
  for (size_t i = 1; i < parts.size(); ++i) {
    FERRY_ASSIGN_OR_RETURN(tensor::Value item, ParseValue(parts[i]));
    sequence.items.push_back(std::move(item));
  }
  return tensor::Value(std::move(sequence));
}

}  // namespace ferry::engine
