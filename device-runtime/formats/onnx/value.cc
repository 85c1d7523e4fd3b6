#include "device-runtime/formats/onnx_value.h"

#include "device-runtime/formats/onnx/messages.h"
#include "device-runtime/ops/onnx_types.h"

namespace ferry::formats {
namespace {

using ir::ValueKind;
using tensor::Value;

Status NoKind(const WireField& field, std::string_view what) {
  return Status::Of(Code::kUnsupported, "at byte {}: {}", field.offset, what);
}

Result<OnnxIoType> ReadIo(const WireField& field) {
  FERRY_ASSIGN_OR_RETURN(OnnxValueInfo info, ReadOnnxValueInfo(field));
  FERRY_TRY(info.type.problem.Context("'{}'", info.name));
  OnnxIoType type{std::move(info.name), info.type.kind};
  if (info.type.element == 0) return type;  // some optionals say no more
  FERRY_ASSIGN_OR_RETURN(type.dtype,
                         ops::DTypeOfOnnx(info.type.element).Context("'{}'", type.name));
  return type;
}

Result<Value> ReadTensor(const WireField& field) {
  FERRY_ASSIGN_OR_RETURN(OnnxTensor read, OnnxReader(field.bytes).TensorMessage(field));
  FERRY_TRY(read.problem);
  return Value(std::move(read.tensor));
}

Result<Value> ReadOptional(const WireField& field, tensor::DType dtype, int depth);

// SequenceProto: its elements lie in the field of their kind.
Result<Value> ReadSequence(const WireField& field, tensor::DType dtype, int depth) {
  if (depth > kMaxOnnxValueDepth) return NoKind(field, "a value that is nested too deep");
  FERRY_TRY(ExpectType(field, 2));
  WireReader reader = WireReader::Inside(field);
  tensor::Sequence sequence;
  sequence.dtype = dtype;
  while (!reader.AtEnd()) {
    FERRY_ASSIGN_OR_RETURN(WireField part, reader.Next());
    if (part.number <= 2) continue;  // a name, and which of the fields is used
    Result<Value> item = part.number == 3   ? ReadTensor(part)
                         : part.number == 5 ? ReadSequence(part, dtype, depth + 1)
                         : part.number == 7 ? ReadOptional(part, dtype, depth + 1)
                                            : NoKind(part, "a map or a sparse tensor");
    if (!item.ok()) return item.status().Context("element {}", sequence.items.size());
    sequence.items.push_back(*std::move(item));
  }
  return Value(std::move(sequence));
}

// OptionalProto: nothing, or the one field of its kind.
Result<Value> ReadOptional(const WireField& field, tensor::DType dtype, int depth) {
  if (depth > kMaxOnnxValueDepth) return NoKind(field, "a value that is nested too deep");
  FERRY_TRY(ExpectType(field, 2));
  WireReader reader = WireReader::Inside(field);
  Value value;
  while (!reader.AtEnd()) {
    FERRY_ASSIGN_OR_RETURN(WireField part, reader.Next());
    if (part.number <= 2) continue;
    Result<Value> content = part.number == 3   ? ReadTensor(part)
                            : part.number == 5 ? ReadSequence(part, dtype, depth + 1)
                            : part.number == 7 ? ReadOptional(part, dtype, depth + 1)
                                               : NoKind(part, "a map or a sparse tensor");
    FERRY_ASSIGN_OR_RETURN(value, std::move(content));
  }
  return value;
}

}  // namespace

Result<OnnxIoTypes> ReadOnnxIoTypes(ByteView model) {
  OnnxIoTypes types;
  WireReader reader(model);
  while (!reader.AtEnd()) {
    FERRY_ASSIGN_OR_RETURN(WireField field, reader.Next());
    if (field.number != 7) continue;
    FERRY_TRY(ExpectType(field, 2));
    WireReader graph = WireReader::Inside(field);
    while (!graph.AtEnd()) {
      FERRY_ASSIGN_OR_RETURN(WireField part, graph.Next());
      if (part.number != 11 && part.number != 12) continue;
      FERRY_ASSIGN_OR_RETURN(OnnxIoType type, ReadIo(part));
      (part.number == 11 ? types.inputs : types.outputs).push_back(std::move(type));
    }
  }
  return types;
}

Result<Value> ReadOnnxValue(ByteView bytes, const OnnxIoType& type) {
  WireField field;
  field.type = 2;
  field.bytes = bytes;
  switch (type.kind) {
    case ValueKind::kTensor:
      return ReadTensor(field);
    case ValueKind::kSequence:
      return ReadSequence(field, type.dtype, 0);
    case ValueKind::kOptional:
    case ValueKind::kOptionalSequence:
      return ReadOptional(field, type.dtype, 0);
  }
  return Status(Code::kUnsupported, "an unknown kind of value");
}

}  // namespace ferry::formats
