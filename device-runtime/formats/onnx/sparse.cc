// SparseTensorProto, made dense.
#include <cstring>

#include "device-runtime/formats/onnx/messages.h"

namespace ferry::formats {

using tensor::DType;
using tensor::Shape;
using tensor::Tensor;

namespace {

// The place of entry `i` in a dense tensor of `shape`; indices are places, or one row of
// coordinates an entry.
Result<int64_t> PlaceOf(const Tensor& indices, int64_t i, const Shape& shape) {
  const auto numbers = indices.data<int64_t>();
  int64_t place = 0;
  if (indices.shape().rank() == 1) {
    place = numbers[static_cast<size_t>(i)];
  } else {
    for (int axis = 0; axis < shape.rank(); ++axis) {
      const int64_t at = numbers[static_cast<size_t>(i * shape.rank() + axis)];
      if (at < 0 || at >= shape[axis]) {
        return Status::Of(Code::kBadModel, "index {} lies outside {}", at, shape.ToString());
      }
      place = place * shape[axis] + at;
    }
  }
  if (place < 0 || place >= shape.elements()) {
    return Status::Of(Code::kBadModel, "place {} lies outside {}", place, shape.ToString());
  }
  return place;
}

}  // namespace

Result<Tensor> OnnxReader::Densify(const Tensor& values, const Tensor& indices,
                                   const Shape& shape) {
  const bool fits = values.shape().rank() == 1 && indices.dtype() == DType::kI64 &&
                    (indices.shape() == values.shape() ||
                     indices.shape() == Shape({values.elements(), shape.rank()}));
  if (!fits) {
    return Status::Of(Code::kBadModel, "values {} and indices {} do not fit a sparse tensor",
                      values.TypeText(), indices.TypeText());
  }
  if (values.dtype() == DType::kString) return Status(Code::kUnsupported, "sparse texts");
  const auto size = static_cast<int64_t>(tensor::DTypeSize(values.dtype()));
  if (shape.elements() * size > kMaxOnnxDenseBytes - dense_bytes_) {
    return Status::Of(Code::kLimitExceeded, "sparse tensors take more than {} bytes as dense ones",
                      kMaxOnnxDenseBytes);
  }
  dense_bytes_ += shape.elements() * size;
  FERRY_ASSIGN_OR_RETURN(Tensor dense, Tensor::Zeros(values.dtype(), shape));
  for (int64_t i = 0; i < values.elements(); ++i) {
    FERRY_ASSIGN_OR_RETURN(int64_t place, PlaceOf(indices, i, shape));
    std::memcpy(dense.mutable_raw() + place * size, values.raw() + i * size,
                static_cast<size_t>(size));
  }
  return dense;
}

Result<OnnxTensor> OnnxReader::SparseTensor(const WireField& field) {
  FERRY_TRY(ExpectType(field, 2));
  WireReader reader = WireReader::Inside(field);
  OnnxTensor values, indices;
  std::vector<int64_t> dims;
  while (!reader.AtEnd()) {
    FERRY_ASSIGN_OR_RETURN(WireField part, reader.Next());
    if (part.number == 1) {
      FERRY_ASSIGN_OR_RETURN(values, TensorMessage(part));
    } else if (part.number == 2) {
      FERRY_ASSIGN_OR_RETURN(indices, TensorMessage(part));
    } else if (part.number == 3) {
      FERRY_TRY(AppendIntegers(part, dims));
    }
  }
  OnnxTensor out{values.name, {}, values.problem.ok() ? indices.problem : values.problem};
  if (!out.problem.ok()) return out;
  auto shape = Shape::Make(dims);
  if (!shape.ok()) {
    return Status::Of(Code::kBadModel, "sparse tensor '{}': {}", out.name,
                      shape.status().message());
  }
  auto dense = Densify(values.tensor, indices.tensor, *shape);
  if (dense.ok()) {
    out.tensor = *std::move(dense);
    return out;
  }
  out.problem = dense.status().Context("sparse tensor '{}' at byte {}", out.name, field.offset);
  if (out.problem.code() != Code::kUnsupported) return out.problem;
  return out;
}

}  // namespace ferry::formats
