#include "device-runtime/ops/node_context.h"

#include <algorithm>

namespace ferry::ops {
namespace {

template <typename T>
Result<const T*> Typed(const Node& node, std::string_view key) {
  auto it = node.attributes.find(key);
  if (it == node.attributes.end()) return static_cast<const T*>(nullptr);
  const T* value = std::get_if<T>(&it->second);
  if (value == nullptr) return Status::Of(Code::kBadModel, "attribute '{}' has a wrong type", key);
  return value;
}

std::vector<int64_t> Numbers(const Tensor& tensor) {
  std::vector<int64_t> numbers;
  for (int64_t i = 0; i < tensor.elements(); ++i) numbers.push_back(tensor.Integer(i));
  return numbers;
}

}  // namespace

Result<int64_t> NodeContext::Int(std::string_view key, int64_t fallback) const {
  FERRY_ASSIGN_OR_RETURN(const int64_t* value, Typed<int64_t>(node_, key));
  return value ? *value : fallback;
}

Result<float> NodeContext::Float(std::string_view key, float fallback) const {
  FERRY_ASSIGN_OR_RETURN(const float* value, Typed<float>(node_, key));
  return value ? *value : fallback;
}

Result<std::string> NodeContext::Text(std::string_view key, std::string_view fallback) const {
  FERRY_ASSIGN_OR_RETURN(const std::string* value, Typed<std::string>(node_, key));
  return value ? *value : std::string(fallback);
}

Result<IntList> NodeContext::Ints(std::string_view key) const {
  FERRY_ASSIGN_OR_RETURN(const std::vector<int64_t>* value,
                         Typed<std::vector<int64_t>>(node_, key));
  if (value == nullptr) return IntList();
  return IntList(*value);
}

Result<std::vector<float>> NodeContext::Floats(std::string_view key) const {
  FERRY_ASSIGN_OR_RETURN(const std::vector<float>* value, Typed<std::vector<float>>(node_, key));
  return value ? *value : std::vector<float>();
}

Result<std::vector<std::string>> NodeContext::Texts(std::string_view key) const {
  FERRY_ASSIGN_OR_RETURN(const std::vector<std::string>* value,
                         Typed<std::vector<std::string>>(node_, key));
  return value ? *value : std::vector<std::string>();
}

Result<const Tensor*> NodeContext::TensorAttribute(std::string_view key) const {
  return Typed<Tensor>(node_, key);
}

Result<const ir::Graph*> NodeContext::Body(std::string_view key) const {
  FERRY_ASSIGN_OR_RETURN(const ir::Subgraph* body, Typed<ir::Subgraph>(node_, key));
  return body ? body->get() : nullptr;
}

Result<const Tensor*> NodeContext::KnownInput(int i) const {
  if (!HasInput(i)) return Status::Of(Code::kBadModel, "input {} is missing", i);
  const ValueInfo& input = Input(i);
  if (input.constant) return &*input.constant;
  needed_ = i;
  return Status::Of(Code::kUnsupported, "input {} must be known before the run", i);
}

Result<std::vector<int64_t>> NodeContext::Window(std::string_view key, size_t count, int64_t low,
                                                 int64_t fallback) const {
  FERRY_ASSIGN_OR_RETURN(auto given, Ints(key));
  if (!given || given->empty()) return std::vector<int64_t>(count, fallback);
  if (given->size() != count) {
    return Status::Of(Code::kBadModel, "attribute '{}' has {} numbers instead of {}", key,
                      given->size(), count);
  }
  for (int64_t number : *given) {
    if (number < low || number > kMaxAttribute) {
      return Status::Of(Code::kBadModel, "attribute '{}' holds {}, outside {} to {}", key, number,
                        low, kMaxAttribute);
    }
  }
  return *given;
}

Result<IntList> NodeContext::IntsInput(int i, std::string_view key) const {
  if (!HasInput(i)) return Ints(key);
  FERRY_TRY(KnownInput(i).status().Context("{}", key));
  const ValueInfo& input = Input(i);
  if (input.dtype != DType::kI64 && input.dtype != DType::kI32) {
    return Status::Of(Code::kShapeMismatch, "input {} ({}) must be i64 or i32", i, key);
  }
  if (input.shape.rank() > 1 || input.shape.elements() > 1024) {
    return Status::Of(Code::kShapeMismatch, "input {} ({}) must be a short list", i, key);
  }
  return IntList(Numbers(*input.constant));
}

Result<std::optional<float>> NodeContext::FloatInput(int i, std::string_view key) const {
  if (!HasInput(i)) {
    FERRY_ASSIGN_OR_RETURN(const float* value, Typed<float>(node_, key));
    return value ? std::optional<float>(*value) : std::nullopt;
  }
  FERRY_TRY(KnownInput(i).status().Context("{}", key));
  const ValueInfo& input = Input(i);
  if (input.shape.elements() != 1) {
    return Status::Of(Code::kShapeMismatch, "input {} ({}) must be one number", i, key);
  }
  return std::optional<float>(static_cast<float>(input.constant->Number(0)));
}

Result<int> NodeContext::Axis(int64_t fallback, int rank) const {
  FERRY_ASSIGN_OR_RETURN(int64_t axis, Int("axis", fallback));
  return tensor::NormalizeAxis(axis, rank);
}

Result<std::vector<int>> NormalizeAxes(std::span<const int64_t> axes, int rank) {
  std::vector<int> normalized;
  for (int64_t axis : axes) {
    FERRY_ASSIGN_OR_RETURN(int one, tensor::NormalizeAxis(axis, rank));
    normalized.push_back(one);
  }
  std::ranges::sort(normalized);
  if (std::ranges::adjacent_find(normalized) != normalized.end()) {
    return Status(Code::kShapeMismatch, "an axis is named twice");
  }
  return normalized;
}

}  // namespace ferry::ops
