#include "device-runtime/tensor/tensor.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace ferry::tensor {

Result<Tensor> Tensor::Allocate(DType dtype, const Shape& shape,
                                std::shared_ptr<MemoryBudget> budget) {
  Tensor tensor;
  tensor.dtype_ = dtype;
  tensor.shape_ = shape;
  FERRY_ASSIGN_OR_RETURN(Buffer buffer, Buffer::Allocate(tensor.size_bytes(), std::move(budget)));
  auto owner = std::make_shared<Buffer>(std::move(buffer));
  tensor.data_ = owner->data();
  tensor.owner_ = std::move(owner);
  return tensor;
}

Result<Tensor> Tensor::Zeros(DType dtype, const Shape& shape,
                             std::shared_ptr<MemoryBudget> budget) {
  FERRY_ASSIGN_OR_RETURN(Tensor tensor, Allocate(dtype, shape, std::move(budget)));
  if (tensor.size_bytes() > 0) std::memset(tensor.mutable_raw(), 0, tensor.bytes().size());
  return tensor;
}

Tensor Tensor::View(DType dtype, const Shape& shape, const void* data,
                    std::shared_ptr<const void> owner) {
  Tensor tensor;
  tensor.dtype_ = dtype;
  tensor.shape_ = shape;
  tensor.data_ = static_cast<const uint8_t*>(data);
  tensor.owner_ = std::move(owner);
  return tensor;
}

Result<Tensor> Tensor::CopyOf(DType dtype, const Shape& shape, const void* values, size_t count,
                              std::shared_ptr<MemoryBudget> budget) {
  CHECK(static_cast<int64_t>(count) == shape.elements()) << shape.ToString() << " of " << count;
  FERRY_ASSIGN_OR_RETURN(Tensor tensor, Allocate(dtype, shape, std::move(budget)));
  if (count > 0) std::memcpy(tensor.mutable_raw(), values, tensor.bytes().size());
  return tensor;
}

Result<Tensor> Tensor::Reshaped(const Shape& shape) const {
  if (shape.elements() != elements()) {
    return Status::Of(Code::kShapeMismatch, "{} cannot become {}", TypeText(), shape.ToString());
  }
  Tensor tensor = *this;
  tensor.shape_ = shape;
  return tensor;
}

Result<Tensor> Tensor::Strings(const Shape& shape, std::span<const std::string> texts,
                               std::shared_ptr<MemoryBudget> budget) {
  CHECK(static_cast<int64_t>(texts.size()) == shape.elements());
  FERRY_ASSIGN_OR_RETURN(Tensor tensor, Allocate(DType::kString, shape, std::move(budget)));
  auto pool = std::make_shared<StringPool>();
  for (size_t i = 0; i < texts.size(); ++i) {
    tensor.SetText(static_cast<int64_t>(i), pool->Add(texts[i]));
  }
  tensor.KeepStrings(std::move(pool));
  return tensor;
}

void Tensor::KeepStrings(std::shared_ptr<const StringPool> pool) {
  owner_ = std::make_shared<std::pair<std::shared_ptr<const void>, std::shared_ptr<const void>>>(
      std::move(owner_), std::move(pool));
}

Result<Tensor> Tensor::Clone(std::shared_ptr<MemoryBudget> budget) const {
  if (dtype_ == DType::kString) {
    std::vector<std::string> texts;
    for (int64_t i = 0; i < elements(); ++i) texts.emplace_back(Text(i));
    return Strings(shape_, texts, std::move(budget));
  }
  FERRY_ASSIGN_OR_RETURN(Tensor copy, Allocate(dtype_, shape_, std::move(budget)));
  if (size_bytes() > 0) std::memcpy(copy.mutable_raw(), data_, bytes().size());
  return copy;
}

std::string Tensor::TypeText() const {
  return std::string(DTypeName(dtype_)) + " " + shape_.ToString();
}

Result<Difference> Compare(const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype() || a.shape() != b.shape()) {
    return Status::Of(Code::kShapeMismatch, "{} and {} cannot be compared", a.TypeText(),
                      b.TypeText());
  }
  if (a.dtype() == DType::kString) {
    return Status(Code::kShapeMismatch, "strings have no distance");
  }
  Difference difference;
  for (int64_t i = 0; i < a.elements(); ++i) {
    const double x = a.Number(i);
    const double y = b.Number(i);
    if (x == y || (std::isnan(x) && std::isnan(y))) {
      if (std::isfinite(y))
        difference.max_reference = std::max(difference.max_reference, std::abs(y));
      continue;
    }
    const double distance = std::abs(x - y);
    difference.max_abs = std::isnan(distance) ? INFINITY : std::max(difference.max_abs, distance);
    if (std::isfinite(y))
      difference.max_reference = std::max(difference.max_reference, std::abs(y));
  }
  return difference;
}

}  // namespace ferry::tensor
