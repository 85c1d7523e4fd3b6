// TypeProto and ValueInfoProto.
#include "device-runtime/formats/onnx/messages.h"
#include "device-runtime/ops/onnx_types.h"

namespace ferry::formats {
namespace {

using ir::ValueKind;

// TensorShapeProto.Dimension
Result<ir::Dim> ReadDim(const WireField& field) {
  FERRY_TRY(ExpectType(field, 2));
  WireReader reader = WireReader::Inside(field);
  ir::Dim dim;
  while (!reader.AtEnd()) {
    FERRY_ASSIGN_OR_RETURN(WireField part, reader.Next());
    if (part.number == 1) {
      FERRY_TRY(ExpectType(part, 0));
      if (part.integer() < 0) return reader.Error("a dimension is negative");
      dim.extent = part.integer();
    }
    if (part.number == 2) dim.symbol = part.text();
  }
  if (dim.extent >= 0) dim.symbol.clear();
  return dim;
}

// TypeProto.Tensor
Status ReadTensorType(const WireField& field, OnnxType& type) {
  FERRY_TRY(ExpectType(field, 2));
  WireReader reader = WireReader::Inside(field);
  while (!reader.AtEnd()) {
    FERRY_ASSIGN_OR_RETURN(WireField part, reader.Next());
    if (part.number == 1) type.element = part.integer();
    if (part.number != 2) continue;
    FERRY_TRY(ExpectType(part, 2));
    type.has_shape = true;
    WireReader shape = WireReader::Inside(part);
    while (!shape.AtEnd()) {
      FERRY_ASSIGN_OR_RETURN(WireField dim_field, shape.Next());
      if (dim_field.number != 1) continue;
      FERRY_ASSIGN_OR_RETURN(ir::Dim dim, ReadDim(dim_field));
      type.dims.push_back(std::move(dim));
    }
  }
  return OkStatus();
}

// TypeProto inside `outer`, which says what has been seen around it.
Status ReadTypeInside(const WireField& field, OnnxType& type) {
  FERRY_TRY(ExpectType(field, 2));
  WireReader reader = WireReader::Inside(field);
  while (!reader.AtEnd()) {
    FERRY_ASSIGN_OR_RETURN(WireField part, reader.Next());
    const bool is_sequence = part.number == 4;
    const bool is_optional = part.number == 9;
    if (part.number == 1) {
      FERRY_TRY(ReadTensorType(part, type));
    } else if (is_sequence || is_optional) {
      FERRY_TRY(ExpectType(part, 2));
      if (is_sequence && type.kind == ValueKind::kTensor) {
        type.kind = ValueKind::kSequence;
      } else if (is_sequence && type.kind == ValueKind::kOptional) {
        type.kind = ValueKind::kOptionalSequence;
      } else if (is_optional && type.kind == ValueKind::kTensor) {
        type.kind = ValueKind::kOptional;
      } else {
        type.problem = Status(Code::kUnsupported, "a sequence or optional of such things");
        return OkStatus();
      }
      WireReader element = WireReader::Inside(part);
      while (!element.AtEnd()) {
        FERRY_ASSIGN_OR_RETURN(WireField inner, element.Next());
        if (inner.number == 1) FERRY_TRY(ReadTypeInside(inner, type));  // at most three deep
      }
    } else if (part.number == 5 || part.number == 7 || part.number == 8) {
      type.problem = Status(Code::kUnsupported, "a map, a sparse tensor or an opaque type");
    }
  }
  return OkStatus();
}

}  // namespace

Result<OnnxType> ReadOnnxType(const WireField& field) {
  OnnxType type;
  FERRY_TRY(ReadTypeInside(field, type));
  if (type.kind != ValueKind::kTensor) {
    type.has_shape = false;
    type.dims.clear();
  }
  return type;
}

Result<OnnxValueInfo> ReadOnnxValueInfo(const WireField& field) {
  FERRY_TRY(ExpectType(field, 2));
  WireReader reader = WireReader::Inside(field);
  OnnxValueInfo info;
  while (!reader.AtEnd()) {
    FERRY_ASSIGN_OR_RETURN(WireField part, reader.Next());
    if (part.number == 1) info.name = part.text();
    if (part.number != 2) continue;
    FERRY_ASSIGN_OR_RETURN(info.type, ReadOnnxType(part));
  }
  return info;
}

Result<std::string> OnnxTypeText(const OnnxType& type) {
  FERRY_TRY(type.problem);
  FERRY_ASSIGN_OR_RETURN(ir::DType dtype, ops::DTypeOfOnnx(type.element));
  const std::string_view name = tensor::DTypeName(dtype);
  switch (type.kind) {
    case ValueKind::kSequence:
      return fmt::format("seq({})", name);
    case ValueKind::kOptional:
      return fmt::format("optional({})", name);
    case ValueKind::kOptionalSequence:
      return fmt::format("optional(seq({}))", name);
    default:
      return std::string(name);
  }
}

}  // namespace ferry::formats
