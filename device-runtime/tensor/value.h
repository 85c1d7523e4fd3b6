// What an edge of a graph can carry at run time: a tensor, a sequence of values, or nothing (an
// empty optional).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "device-runtime/tensor/tensor.h"

namespace ferry::tensor {

class Value;
// Elements of one kind; copies of a Value share them, so change a copy.
struct Sequence {
  DType dtype = DType::kF32;  // of its tensors; also when there are none
  std::vector<Value> items;
};

// A filled optional is its content. Copies share elements.
class Value {
 public:
  Value() = default;  // nothing
  Value(Tensor tensor) : kind_(Kind::kTensor), tensor_(std::move(tensor)) {}
  Value(Sequence sequence)
      : kind_(Kind::kSequence), sequence_(std::make_shared<const Sequence>(std::move(sequence))) {}

  bool IsTensor() const { return kind_ == Kind::kTensor; }
  bool IsSequence() const { return kind_ == Kind::kSequence; }
  bool IsNothing() const { return kind_ == Kind::kNothing; }
  // Only of the kind that it is.
  const Tensor& tensor() const { return tensor_; }
  const Sequence& sequence() const { return *sequence_; }
  const std::shared_ptr<const Sequence>& shared_sequence() const { return sequence_; }
  // "f32 [2,3]", "sequence of 2 f32", "nothing"
  std::string TypeText() const;

 private:
  enum class Kind : uint8_t { kNothing, kTensor, kSequence };
  Kind kind_ = Kind::kNothing;
  Tensor tensor_;
  std::shared_ptr<const Sequence> sequence_;
};

// A copy whose elements (and texts) are its own.
Result<Value> CloneValue(const Value& value, const std::shared_ptr<MemoryBudget>& budget);
// The value itself where all its tensors own their elements; others are cloned.
Result<Value> OwnValue(const Value& value, const std::shared_ptr<MemoryBudget>& budget);

struct NamedValue {
  std::string name;
  Value value;
};

}  // namespace ferry::tensor
