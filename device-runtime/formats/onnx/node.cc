// AttributeProto and NodeProto.
#include "device-runtime/formats/onnx/messages.h"

namespace ferry::formats {
namespace {

// AttributeProto.AttributeType
enum AttributeType {
  kFloat = 1,
  kInt = 2,
  kString = 3,
  kTensor = 4,
  kGraph = 5,
  kFloats = 6,
  kInts = 7,
  kStrings = 8,
  kSparse = 11,
  kType = 13,
};

// The type that goes with a field, for files of old writers, which left it out; 0: none.
int64_t TypeOfField(uint32_t number) {
  switch (number) {
    case 2:
      return kFloat;
    case 3:
      return kInt;
    case 4:
      return kString;
    case 5:
      return kTensor;
    case 6:
      return kGraph;
    case 7:
      return kFloats;
    case 8:
      return kInts;
    case 9:
      return kStrings;
    case 14:
      return kType;
    case 22:
      return kSparse;
    default:
      return 0;
  }
}

}  // namespace

struct OnnxReader::AttributeParts {
  OnnxAttribute out;
  int64_t type = 0;
  int64_t field_type = 0;
  int64_t integer = 0;
  float number = 0;
  std::string text;
  OnnxTensor tensor;
  OnnxType onnx_type;
  std::vector<int64_t> integers;
  std::vector<float> numbers;
  std::vector<std::string> texts;

  OnnxAttribute Finish();
};

Status OnnxReader::AttributePart(const WireField& field, AttributeParts& parts) {
  if (parts.field_type == 0) parts.field_type = TypeOfField(field.number);
  switch (field.number) {
    case 1:
      parts.out.name = field.text();
      return ExpectType(field, 2);
    case 2:
      parts.number = field.fixed_float();
      return ExpectType(field, 5);
    case 3:
      parts.integer = field.integer();
      return ExpectType(field, 0);
    case 4:
      parts.text = field.text();
      return ExpectType(field, 2);
    case 5: {
      FERRY_ASSIGN_OR_RETURN(parts.tensor, TensorMessage(field));
      return OkStatus();
    }
    case 6: {
      FERRY_ASSIGN_OR_RETURN(OnnxGraph graph, Graph(field));
      parts.out.graph = std::make_shared<const OnnxGraph>(std::move(graph));
      return OkStatus();
    }
    case 7:
      return AppendFloats(field, parts.numbers);
    case 8:
      return AppendIntegers(field, parts.integers);
    case 9:
      parts.texts.emplace_back(field.text());
      return ExpectType(field, 2);
    case 14: {
      FERRY_ASSIGN_OR_RETURN(parts.onnx_type, ReadOnnxType(field));
      return OkStatus();
    }
    case 20:
      parts.type = field.integer();
      return ExpectType(field, 0);
    case 21:
      parts.out.ref = field.text();
      return ExpectType(field, 2);
    case 22: {
      FERRY_ASSIGN_OR_RETURN(parts.tensor, SparseTensor(field));
      return OkStatus();
    }
    default:
      return OkStatus();
  }
}

OnnxAttribute OnnxReader::AttributeParts::Finish() {
  if (type == 0) type = field_type;
  const bool is_graph = type == kGraph;
  if (!is_graph) out.graph = nullptr;
  switch (type) {
    case kFloat:
      out.value = number;
      break;
    case kInt:
      out.value = integer;
      break;
    case kString:
      out.value = std::move(text);
      break;
    case kTensor:
    case kSparse:
      out.value = std::move(tensor.tensor);
      out.problem = tensor.problem;
      break;
    case kFloats:
      out.value = std::move(numbers);
      break;
    case kInts:
      out.value = std::move(integers);
      break;
    case kStrings:
      out.value = std::move(texts);
      break;
    case kType: {
      auto type_text = OnnxTypeText(onnx_type);
      out.problem = type_text.status();
      if (type_text.ok()) out.value = *std::move(type_text);
      break;
    }
    default:
      if (out.ref.empty() && !(is_graph && out.graph)) {
        out.problem = Status::Of(Code::kUnsupported, "an attribute of kind {}", type);
      }
  }
  return std::move(out);
}

Result<OnnxAttribute> OnnxReader::Attribute(const WireField& field) {
  FERRY_TRY(ExpectType(field, 2));
  WireReader reader = WireReader::Inside(field);
  AttributeParts parts;
  while (!reader.AtEnd()) {
    FERRY_ASSIGN_OR_RETURN(WireField part, reader.Next());
    FERRY_TRY(AttributePart(part, parts).Context("attribute '{}'", parts.out.name));
  }
  return parts.Finish();
}

Result<OnnxNode> OnnxReader::Node(const WireField& field) {
  FERRY_TRY(ExpectType(field, 2));
  WireReader reader = WireReader::Inside(field);
  OnnxNode node;
  while (!reader.AtEnd()) {
    FERRY_ASSIGN_OR_RETURN(WireField part, reader.Next());
    if (part.number >= 1 && part.number <= 8) FERRY_TRY(ExpectType(part, 2));
    if (part.number == 1) node.inputs.emplace_back(part.text());
    if (part.number == 2) node.outputs.emplace_back(part.text());
    if (part.number == 3) node.name = part.text();
    if (part.number == 4) node.op = part.text();
    if (part.number == 7) node.domain = OnnxDomain(part.text());
    if (part.number == 8) node.overload = part.text();
    if (part.number == 5) {
      auto attribute = Attribute(part);
      if (!attribute.ok()) {
        return attribute.status().Context("node '{}' ({})", node.name, node.op);
      }
      node.attributes.push_back(*std::move(attribute));
    }
  }
  return node;
}

}  // namespace ferry::formats
