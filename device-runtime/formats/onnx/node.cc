#include "device-runtime/formats/onnx/messages.h"

namespace ferry::formats {
namespace {

// AttributeProto.AttributeType
enum AttributeType { kFloat = 1, kInt = 2, kString = 3, kTensor = 4, kFloats = 6, kInts = 7 };

struct Parts {
  std::string name;
  int64_t type = 0;
  int64_t integer = 0;
  float number = 0;
  std::string text;
  tensor::Tensor tensor;
  std::vector<int64_t> integers;
  std::vector<float> numbers;
};

Status ReadPart(const WireField& field, Parts& parts) {
  switch (field.number) {
    case 1:
      parts.name = field.text();
      return ExpectType(field, 2);
    case 2:
      parts.number = field.fixed_float();
      if (parts.type == 0) parts.type = kFloat;
      return ExpectType(field, 5);
    case 3:
      parts.integer = field.integer();
      if (parts.type == 0) parts.type = kInt;
      return ExpectType(field, 0);
    case 4:
      parts.text = field.text();
      if (parts.type == 0) parts.type = kString;
      return ExpectType(field, 2);
    case 5: {
      FERRY_ASSIGN_OR_RETURN(OnnxTensor tensor, ReadOnnxTensor(field));
      parts.tensor = std::move(tensor.tensor);
      if (parts.type == 0) parts.type = kTensor;
      return OkStatus();
    }
    case 7:
      if (parts.type == 0) parts.type = kFloats;
      return AppendFloats(field, parts.numbers);
    case 8:
      if (parts.type == 0) parts.type = kInts;
      return AppendIntegers(field, parts.integers);
    case 20:
      parts.type = field.integer();
      return ExpectType(field, 0);
    default:
      return OkStatus();
  }
}

}  // namespace

Result<OnnxAttribute> ReadOnnxAttribute(const WireField& field) {
  FERRY_TRY(ExpectType(field, 2));
  WireReader reader = WireReader::Inside(field);
  Parts parts;
  while (!reader.AtEnd()) {
    FERRY_ASSIGN_OR_RETURN(WireField part, reader.Next());
    FERRY_TRY(ReadPart(part, parts).Context("attribute '{}'", parts.name));
  }
  OnnxAttribute attribute;
  attribute.name = std::move(parts.name);
  switch (parts.type) {
    case kFloat:
      attribute.value = parts.number;
      break;
    case kInt:
      attribute.value = parts.integer;
      break;
    case kString:
      attribute.value = std::move(parts.text);
      break;
    case kTensor:
      attribute.value = std::move(parts.tensor);
      break;
    case kFloats:
      attribute.value = std::move(parts.numbers);
      break;
    case kInts:
      attribute.value = std::move(parts.integers);
      break;
    default:
      attribute.is_graph = true;
  }
  return attribute;
}

Result<OnnxNode> ReadOnnxNode(const WireField& field) {
  FERRY_TRY(ExpectType(field, 2));
  WireReader reader = WireReader::Inside(field);
  OnnxNode node;
  while (!reader.AtEnd()) {
    FERRY_ASSIGN_OR_RETURN(WireField part, reader.Next());
    if (part.number >= 1 && part.number <= 7) FERRY_TRY(ExpectType(part, 2));
    if (part.number == 1) node.inputs.emplace_back(part.text());
    if (part.number == 2) node.outputs.emplace_back(part.text());
    if (part.number == 3) node.name = part.text();
    if (part.number == 4) node.op = part.text();
    if (part.number == 7) node.domain = part.text();
    if (part.number == 5) {
      auto attribute = ReadOnnxAttribute(part);
      if (!attribute.ok()) {
        return attribute.status().Context("node '{}' ({})", node.name, node.op);
      }
      node.attributes.push_back(*std::move(attribute));
    }
  }
  return node;
}

}  // namespace ferry::formats
