#include "device-runtime/tensor/value.h"

#include <algorithm>

namespace ferry::tensor {

std::string Value::TypeText() const {
  if (IsTensor()) return tensor().TypeText();
  if (IsNothing()) return "nothing";
  return fmt::format("sequence of {} {}", sequence().items.size(), DTypeName(sequence().dtype));
}

Result<Value> CloneValue(const Value& value, const std::shared_ptr<MemoryBudget>& budget) {
  if (value.IsTensor()) {
    FERRY_ASSIGN_OR_RETURN(Tensor copy, value.tensor().Clone(budget));
    return Value(std::move(copy));
  }
  if (value.IsNothing()) return value;
  Sequence copy{value.sequence().dtype, {}};
  for (const Value& item : value.sequence().items) {
    FERRY_ASSIGN_OR_RETURN(Value cloned, CloneValue(item, budget));
    copy.items.push_back(std::move(cloned));
  }
  return Value(std::move(copy));
}

Result<Value> OwnValue(const Value& value, const std::shared_ptr<MemoryBudget>& budget) {
  if (value.IsNothing() || (value.IsTensor() && value.tensor().is_owned())) return value;
  if (value.IsTensor()) return CloneValue(value, budget);
  const auto& items = value.sequence().items;
  const auto is_own = [](const Value& item) {
    return item.IsNothing() || (item.IsTensor() && item.tensor().is_owned());
  };
  if (std::ranges::all_of(items, is_own)) return value;
  Sequence own{value.sequence().dtype, {}};
  for (const Value& item : items) {
    FERRY_ASSIGN_OR_RETURN(Value one, OwnValue(item, budget));
    own.items.push_back(std::move(one));
  }
  return Value(std::move(own));
}

}  // namespace ferry::tensor
