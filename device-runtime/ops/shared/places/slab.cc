#include "device-runtime/ops/shared/places/slab.h"

#include <algorithm>
#include <cstring>

namespace ferry::ops {
namespace {

using Budget = std::shared_ptr<tensor::MemoryBudget>;

Result<Tensor> Make(DType dtype, const Shape& shape, const Budget& budget) {
  if (dtype == DType::kString) return Tensor::Zeros(dtype, shape, budget);
  return Tensor::Allocate(dtype, shape, budget);
}

// Elements that were moved still point to texts of where they came from.
Result<Tensor> WithTexts(Tensor x, const Budget& budget) {
  if (x.dtype() != DType::kString) return x;
  return x.Clone(budget);
}

Result<Shape> WithExtent(const Shape& shape, int axis, int64_t extent) {
  std::vector<int64_t> dims(shape.dims().begin(), shape.dims().end());
  dims[static_cast<size_t>(axis)] = extent;
  return Shape::Make(dims);
}

// Copies `rows` runs of `bytes` between steps of `from_step` and `to_step` bytes.
void CopyRuns(const uint8_t* from, int64_t from_step, uint8_t* to, int64_t to_step, int64_t rows,
              int64_t bytes) {
  if (bytes == 0) return;
  for (int64_t i = 0; i < rows; ++i) {
    std::memcpy(to + i * to_step, from + i * from_step, static_cast<size_t>(bytes));
  }
}

}  // namespace

Result<Tensor> Slab(const Tensor& x, int axis, int64_t begin, int64_t count, bool keep,
                    const Budget& budget) {
  const Shape& shape = x.shape();
  FERRY_ASSIGN_OR_RETURN(Shape kept, WithExtent(shape, axis, count));
  FERRY_ASSIGN_OR_RETURN(Tensor out, Make(x.dtype(), kept, budget));
  const int64_t inner =
      shape.Product(axis + 1, shape.rank()) * static_cast<int64_t>(tensor::DTypeSize(x.dtype()));
  CopyRuns(x.raw() + begin * inner, shape[axis] * inner, out.mutable_raw(), count * inner,
           shape.Product(0, axis), count * inner);
  if (!keep) {
    std::vector<int64_t> dims(shape.dims().begin(), shape.dims().end());
    dims.erase(dims.begin() + axis);
    FERRY_ASSIGN_OR_RETURN(Shape without, Shape::Make(dims));
    FERRY_ASSIGN_OR_RETURN(out, out.Reshaped(without));
  }
  return WithTexts(std::move(out), budget);
}

Result<Tensor> Join(std::span<const Tensor> parts, int axis, const Budget& budget) {
  if (parts.empty()) return Status(Code::kBadModel, "there is nothing to join");
  const Tensor& first = parts[0];
  if (axis >= first.shape().rank()) {
    return Status::Of(Code::kShapeMismatch, "{} has no axis {}", first.TypeText(), axis);
  }
  int64_t extent = 0;
  for (const Tensor& part : parts) {
    const bool same_rank =
        part.dtype() == first.dtype() && part.shape().rank() == first.shape().rank();
    FERRY_ASSIGN_OR_RETURN(
        Shape like, same_rank ? WithExtent(part.shape(), axis, first.shape()[axis]) : Shape());
    if (!same_rank || like != first.shape()) {
      return Status::Of(Code::kShapeMismatch, "{} and {} cannot be joined", first.TypeText(),
                        part.TypeText());
    }
    extent += part.shape()[axis];
  }
  FERRY_ASSIGN_OR_RETURN(Shape shape, WithExtent(first.shape(), axis, extent));
  FERRY_ASSIGN_OR_RETURN(Tensor out, Make(first.dtype(), shape, budget));
  const int64_t inner =
      shape.Product(axis + 1, shape.rank()) * static_cast<int64_t>(tensor::DTypeSize(out.dtype()));
  int64_t at = 0;
  for (const Tensor& part : parts) {
    const int64_t run = part.shape()[axis] * inner;
    CopyRuns(part.raw(), run, out.mutable_raw() + at, extent * inner, shape.Product(0, axis), run);
    at += run;
  }
  return WithTexts(std::move(out), budget);
}

Result<Tensor> MoveFirstAxis(const Tensor& x, int to, const Budget& budget) {
  if (to == 0) return x;
  std::vector<int64_t> dims(x.shape().dims().begin(), x.shape().dims().end());
  std::rotate(dims.begin(), dims.begin() + 1, dims.begin() + to + 1);
  FERRY_ASSIGN_OR_RETURN(Shape shape, Shape::Make(dims));
  FERRY_ASSIGN_OR_RETURN(Tensor out, Make(x.dtype(), shape, budget));
  const int64_t first = x.shape()[0];
  const int64_t middle = x.shape().Product(1, to + 1);
  const int64_t inner = x.shape().Product(to + 1, x.shape().rank()) *
                        static_cast<int64_t>(tensor::DTypeSize(x.dtype()));
  for (int64_t i = 0; i < first; ++i) {
    CopyRuns(x.raw() + i * middle * inner, inner, out.mutable_raw() + i * inner, first * inner,
             middle, inner);
  }
  return WithTexts(std::move(out), budget);
}

Status Stack::Append(const Tensor& item) {
  if (count_ == 0) {
    dtype_ = item.dtype();
    item_ = item.shape();
    if (dtype_ == DType::kString) texts_ = std::make_shared<tensor::StringPool>();
    FERRY_ASSIGN_OR_RETURN(storage_, Make(dtype_, {item_.elements()}, budget_));
  } else if (item.dtype() != dtype_ || item.shape() != item_) {
    return Status::Of(Code::kShapeMismatch, "{} behind {} {}", item.TypeText(),
                      tensor::DTypeName(dtype_), item_.ToString());
  }
  const int64_t each = item_.elements();
  if (each > 0 && storage_.elements() < (count_ + 1) * each) {
    FERRY_ASSIGN_OR_RETURN(Shape room, Shape::Make(std::vector<int64_t>{2 * count_ * each}));
    FERRY_ASSIGN_OR_RETURN(Tensor more, Make(dtype_, room, budget_));
    std::memcpy(more.mutable_raw(), storage_.raw(), storage_.bytes().size());
    storage_ = std::move(more);
  }
  if (dtype_ == DType::kString) {
    for (int64_t i = 0; i < each; ++i) {
      storage_.SetText(count_ * each + i, texts_->Add(item.Text(i)));
    }
  } else if (each > 0) {
    std::memcpy(storage_.mutable_raw() + count_ * item.size_bytes(), item.raw(),
                item.bytes().size());
  }
  ++count_;
  return OkStatus();
}

Result<Tensor> Stack::Take(bool backwards) {
  std::vector<int64_t> dims = {count_};
  dims.insert(dims.end(), item_.dims().begin(), item_.dims().end());
  FERRY_ASSIGN_OR_RETURN(Shape shape, Shape::Make(dims));
  auto owner = std::make_shared<Tensor>(std::move(storage_));
  if (texts_ != nullptr) owner->KeepStrings(texts_);
  if (backwards) {
    const int64_t bytes = item_.elements() * static_cast<int64_t>(tensor::DTypeSize(dtype_));
    for (int64_t i = 0; i < count_ / 2; ++i) {
      uint8_t* a = owner->mutable_raw() + i * bytes;
      std::swap_ranges(a, a + bytes, owner->mutable_raw() + (count_ - 1 - i) * bytes);
    }
  }
  const void* data = owner->raw();
  return Tensor::View(dtype_, shape, data, std::move(owner));
}

Result<Tensor> EmptyStack(const ir::Graph& body, size_t i, std::span<const int64_t> first,
                          const Budget& budget) {
  const ir::Value& value = body.values[static_cast<size_t>(body.outputs[i])];
  if (!value.dtype) {
    return Status::Of(Code::kUnsupported, "nothing tells the type of the empty output '{}'",
                      value.name);
  }
  std::vector<int64_t> dims(first.begin(), first.end());
  if (value.dims) {
    for (const ir::Dim& dim : *value.dims) dims.push_back(std::max<int64_t>(dim.extent, 0));
  }
  FERRY_ASSIGN_OR_RETURN(Shape shape, Shape::Make(dims));
  return Tensor::Zeros(*value.dtype, shape, budget);
}

Result<int64_t> OneInteger(const Tensor& x) {
  if (x.elements() != 1 || tensor::IsFloat(x.dtype()) || x.dtype() == DType::kString) {
    return Status::Of(Code::kShapeMismatch, "{} is not one whole number", x.TypeText());
  }
  return x.Integer(0);
}

}  // namespace ferry::ops
