// Slices and joins of tensors along an axis, for operators that run on values as they come. Results
// own their elements and texts.
#pragma once

#include <memory>
#include <span>

#include "device-runtime/ops/evaluate.h"

namespace ferry::ops {

// Elements [begin, begin + count) along `axis`, which must lie inside. Without `keep` (count must
// be 1) the axis goes. Errors: kOutOfMemory.
Result<Tensor> Slab(const Tensor& x, int axis, int64_t begin, int64_t count, bool keep,
                    const std::shared_ptr<tensor::MemoryBudget>& budget);

// `parts` one after the other along `axis`; kShapeMismatch when other extents or dtypes differ,
// kBadModel when there is none.
Result<Tensor> Join(std::span<const Tensor> parts, int axis,
                    const std::shared_ptr<tensor::MemoryBudget>& budget);

// `x` with axis 0 moved to be axis `to`; x itself when that is 0.
Result<Tensor> MoveFirstAxis(const Tensor& x, int to,
                             const std::shared_ptr<tensor::MemoryBudget>& budget);

// A tensor that grows along a new first axis. Its memory doubles as it grows, counted on `budget`.
class Stack {
 public:
  explicit Stack(std::shared_ptr<tensor::MemoryBudget> budget) : budget_(std::move(budget)) {}
  // kShapeMismatch when `item` is not of the type of the first one.
  Status Append(const Tensor& item);
  int64_t count() const { return count_; }
  // All items, in order or backwards; there must be one.
  Result<Tensor> Take(bool backwards = false);

 private:
  std::shared_ptr<tensor::MemoryBudget> budget_;
  std::shared_ptr<tensor::StringPool> texts_;
  DType dtype_ = DType::kF32;
  Shape item_;
  Tensor storage_;  // one axis: the items' elements
  int64_t count_ = 0;
};

// The stack of no items: type and known extents as body output `i` is declared (unknown ones 0),
// below `first`. kUnsupported when nobody declared the dtype.
Result<Tensor> EmptyStack(const ir::Graph& body, size_t i, std::span<const int64_t> first,
                          const std::shared_ptr<tensor::MemoryBudget>& budget);

// One element of an integer tensor of one element; kShapeMismatch otherwise.
Result<int64_t> OneInteger(const Tensor& x);

}  // namespace ferry::ops
