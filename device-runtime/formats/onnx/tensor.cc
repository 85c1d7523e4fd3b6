#include <cstring>

#include "device-runtime/formats/onnx/messages.h"
#include "device-runtime/ops/onnx_types.h"

namespace ferry::formats {
namespace {

using tensor::DType;
using tensor::Shape;
using tensor::Tensor;

struct Parts {
  std::string name;
  std::vector<int64_t> dims, int32s, int64s;
  std::vector<float> floats;
  std::vector<double> doubles;
  int64_t type = 0;
  bool external = false;
  bool has_raw = false;
  ByteView raw;
};

Status ReadPart(const WireField& field, Parts& parts) {
  switch (field.number) {
    case 1:
      return AppendIntegers(field, parts.dims);
    case 2:
      parts.type = field.integer();
      return ExpectType(field, 0);
    case 4:
      return AppendFloats(field, parts.floats);
    case 5:
      return AppendIntegers(field, parts.int32s);
    case 7:
      return AppendIntegers(field, parts.int64s);
    case 8:
      parts.name = field.text();
      return ExpectType(field, 2);
    case 9:
      parts.raw = field.bytes;
      parts.has_raw = true;
      return ExpectType(field, 2);
    case 10:
      return AppendDoubles(field, parts.doubles);
    case 14:
      parts.external = field.value != 0;
      return ExpectType(field, 0);
    default:
      return OkStatus();
  }
}

// Elements that came in typed fields instead of raw bytes.
Status FromFields(const Parts& parts, Tensor& tensor) {
  const auto count = static_cast<size_t>(tensor.elements());
  size_t given = 0;
  switch (tensor.dtype()) {
    case DType::kF32:
      given = parts.floats.size();
      break;
    case DType::kF64:
      given = parts.doubles.size();
      break;
    case DType::kI64:
      given = parts.int64s.size();
      break;
    default:
      given = parts.int32s.size();
  }
  if (given != count) {
    return Status::Of(Code::kBadModel, "{} elements are given for {}", given, tensor.TypeText());
  }
  for (size_t i = 0; i < count; ++i) {
    const auto at = static_cast<int64_t>(i);
    if (tensor.dtype() == DType::kF32) {
      tensor.mutable_data<float>()[i] = parts.floats[i];
    } else if (tensor.dtype() == DType::kF64) {
      tensor.mutable_data<double>()[i] = parts.doubles[i];
    } else if (tensor.dtype() == DType::kI64) {
      tensor.mutable_data<int64_t>()[i] = parts.int64s[i];
    } else if (tensor.dtype() == DType::kF16) {  // the bits, as integers
      const auto bits = static_cast<uint16_t>(parts.int32s[i]);
      std::memcpy(tensor.mutable_raw() + 2 * i, &bits, 2);
    } else {
      tensor.SetNumber(at, static_cast<double>(parts.int32s[i]));
    }
  }
  return OkStatus();
}

Result<Tensor> Build(const Parts& parts) {
  if (parts.external) return Status(Code::kUnsupported, "its data lies in another file");
  FERRY_ASSIGN_OR_RETURN(DType dtype, ops::DTypeOfOnnx(parts.type));
  auto shape = Shape::Make(parts.dims);
  if (!shape.ok()) return Status(Code::kBadModel, shape.status().message());
  const int64_t bytes = shape->elements() * static_cast<int64_t>(DTypeSize(dtype));
  // Checked before anything is allocated: the file must hold what it announces.
  const size_t typed =
      parts.floats.size() + parts.doubles.size() + parts.int64s.size() + parts.int32s.size();
  if (parts.has_raw ? static_cast<int64_t>(parts.raw.size()) != bytes
                    : static_cast<int64_t>(typed) < shape->elements()) {
    return Status::Of(Code::kBadModel, "{} {} needs {} bytes, {} are given",
                      tensor::DTypeName(dtype), shape->ToString(), bytes,
                      parts.has_raw ? parts.raw.size() : typed * DTypeSize(dtype));
  }
  FERRY_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Allocate(dtype, *shape));
  if (!parts.has_raw) {
    FERRY_TRY(FromFields(parts, tensor));
    return tensor;
  }
  if (bytes > 0) std::memcpy(tensor.mutable_raw(), parts.raw.data(), parts.raw.size());
  if (dtype == DType::kBool) {
    for (int64_t i = 0; i < bytes; ++i) tensor.SetNumber(i, tensor.raw()[i]);
  }
  return tensor;
}

}  // namespace

Result<OnnxTensor> ReadOnnxTensor(const WireField& field) {
  FERRY_TRY(ExpectType(field, 2));
  WireReader reader = WireReader::Inside(field);
  Parts parts;
  while (!reader.AtEnd()) {
    FERRY_ASSIGN_OR_RETURN(WireField part, reader.Next());
    FERRY_TRY(ReadPart(part, parts));
  }
  auto tensor = Build(parts);
  if (!tensor.ok()) {
    return tensor.status().Context("tensor '{}' at byte {}", parts.name, field.offset);
  }
  return OnnxTensor{std::move(parts.name), *std::move(tensor)};
}

}  // namespace ferry::formats
