// Tensor: a dtype, a shape and dense row-major elements that are owned, shared or borrowed.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/status.h"
#include "device-runtime/tensor/buffer.h"
#include "device-runtime/tensor/dtype.h"
#include "device-runtime/tensor/shape.h"
#include "device-runtime/tensor/strings.h"

namespace ferry::tensor {

// Copies share the elements. A tensor is never empty of meaning: the default one is f32 of shape
// [0]. Reading from many threads is fine; writing needs the caller's order.
class Tensor {
 public:
  Tensor() : shape_({0}) {}
  // Uncleared elements; kOutOfMemory as Buffer::Allocate.
  static Result<Tensor> Allocate(DType dtype, const Shape& shape,
                                 std::shared_ptr<MemoryBudget> budget = nullptr);
  // All bytes zero.
  static Result<Tensor> Zeros(DType dtype, const Shape& shape,
                              std::shared_ptr<MemoryBudget> budget = nullptr);
  // Elements that live elsewhere for as long as `owner` does (null: the caller promises). `data`
  // must hold shape.elements() elements; any alignment that suits the dtype.
  static Tensor View(DType dtype, const Shape& shape, const void* data,
                     std::shared_ptr<const void> owner = nullptr);
  // A copy of `values`; CHECKs that the count fits (for literals and tests use).
  template <typename T>
  static Result<Tensor> Of(const Shape& shape, std::span<const T> values,
                           std::shared_ptr<MemoryBudget> budget = nullptr) {
    return CopyOf(DTypeOf<T>, shape, values.data(), values.size(), std::move(budget));
  }
  // A string tensor with texts of its own; CHECKs that the count fits.
  static Result<Tensor> Strings(const Shape& shape, std::span<const std::string> texts,
                                std::shared_ptr<MemoryBudget> budget = nullptr);

  DType dtype() const { return dtype_; }
  const Shape& shape() const { return shape_; }
  int64_t elements() const { return shape_.elements(); }
  int64_t size_bytes() const { return elements() * static_cast<int64_t>(DTypeSize(dtype_)); }

  // Whether the elements live as long as the tensor (or a copy) does; false for a View without
  // owner.
  bool is_owned() const { return owner_ != nullptr; }
  const uint8_t* raw() const { return data_; }
  uint8_t* mutable_raw() { return const_cast<uint8_t*>(data_); }
  ByteView bytes() const { return {data_, static_cast<size_t>(size_bytes())}; }
  // The elements as T; CHECKs the dtype.
  template <typename T>
  std::span<const T> data() const {
    CHECK(dtype_ == DTypeOf<T>) << DTypeName(dtype_);
    return {reinterpret_cast<const T*>(data_), static_cast<size_t>(elements())};
  }
  template <typename T>
  std::span<T> mutable_data() {
    CHECK(dtype_ == DTypeOf<T>) << DTypeName(dtype_);
    return {reinterpret_cast<T*>(mutable_raw()), static_cast<size_t>(elements())};
  }

  // Element `index` as a number (i64 and u64 beyond 2^53 lose low bits); CHECKs that it is one.
  double Number(int64_t index) const;
  // Stores `value` as the dtype does: integers truncate toward zero and saturate, floats round to
  // nearest even (of 8 and 4 bits: saturate), bool is != 0.
  void SetNumber(int64_t index, double value);
  // Element `index` of an integer or bool tensor, exact (u64: its bits); CHECKs the dtype.
  int64_t Integer(int64_t index) const;
  // Stores the low bits of `value` in an integer or bool (!= 0) tensor; CHECKs the dtype.
  void SetInteger(int64_t index, int64_t value);
  // Element `index` of a string tensor; CHECKs the dtype.
  std::string_view Text(int64_t index) const;
  // Stores `text`, which must outlive the tensor's elements: see KeepStrings.
  void SetText(int64_t index, StringRef text);
  // Makes copies of this tensor keep `pool` alive too.
  void KeepStrings(std::shared_ptr<const StringPool> pool);

  // The same elements under another shape; kShapeMismatch when the counts differ.
  Result<Tensor> Reshaped(const Shape& shape) const;
  // A copy with elements of its own (texts too).
  Result<Tensor> Clone(std::shared_ptr<MemoryBudget> budget = nullptr) const;
  // "f32 [1,3,224,224]"
  std::string TypeText() const;

 private:
  static Result<Tensor> CopyOf(DType dtype, const Shape& shape, const void* values, size_t count,
                               std::shared_ptr<MemoryBudget> budget);

  DType dtype_ = DType::kF32;
  Shape shape_;
  const uint8_t* data_ = nullptr;
  std::shared_ptr<const void> owner_;
};

struct NamedTensor {
  std::string name;
  Tensor tensor;
};

// Differences of two float tensors of one shape, as the agreement tests use them.
struct Difference {
  double max_abs = 0;        // max |a - b|
  double max_reference = 0;  // max |b|
  bool Within(double relative) const { return max_abs <= relative * max_reference; }
};
// kShapeMismatch when dtypes or shapes differ; NaN on one side only counts as infinity.
Result<Difference> Compare(const Tensor& a, const Tensor& b);

}  // namespace ferry::tensor
