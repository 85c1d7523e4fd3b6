// TypeProto: the way back of type.cc.
#include "device-runtime/formats/onnx/write.h"
#include "device-runtime/ops/onnx_types.h"

namespace ferry::formats {
namespace {

using ir::ValueKind;

WireMessage TensorType(ir::DType dtype, const std::vector<ir::Dim>* dims) {
  WireMessage tensor;
  tensor.Integer(1, ops::OnnxOfDType(dtype));
  if (dims != nullptr) {
    WireMessage shape;
    for (const ir::Dim& dim : *dims) {
      WireMessage message;
      if (dim.extent >= 0) message.Integer(1, dim.extent);
      if (dim.extent < 0 && !dim.symbol.empty()) message.Text(2, dim.symbol);
      shape.Sub(1, message);
    }
    tensor.Sub(2, shape);
  }
  return WireMessage().Sub(1, tensor);
}

}  // namespace

WireMessage OnnxTypeMessage(ValueKind kind, ir::DType dtype, const std::vector<ir::Dim>* dims) {
  const WireMessage tensor = TensorType(dtype, kind == ValueKind::kTensor ? dims : nullptr);
  const WireMessage sequence = WireMessage().Sub(4, WireMessage().Sub(1, tensor));
  switch (kind) {
    case ValueKind::kSequence:
      return sequence;
    case ValueKind::kOptional:
      return WireMessage().Sub(9, WireMessage().Sub(1, tensor));
    case ValueKind::kOptionalSequence:
      return WireMessage().Sub(9, WireMessage().Sub(1, sequence));
    default:
      return tensor;
  }
}

Result<WireMessage> OnnxTypeMessage(const std::string& text) {
  std::string_view rest = text;
  const auto strip = [&](std::string_view begin) {
    if (!rest.starts_with(begin) || !rest.ends_with(")")) return false;
    rest.remove_prefix(begin.size());
    rest.remove_suffix(1);
    return true;
  };
  const bool is_optional = strip("optional(");
  const bool is_sequence = strip("seq(");
  FERRY_ASSIGN_OR_RETURN(const ir::DType dtype, tensor::ParseDType(rest));
  ValueKind kind = is_sequence ? ValueKind::kSequence : ValueKind::kTensor;
  if (is_optional) kind = is_sequence ? ValueKind::kOptionalSequence : ValueKind::kOptional;
  return OnnxTypeMessage(kind, dtype, nullptr);
}

}  // namespace ferry::formats
