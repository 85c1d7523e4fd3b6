// GraphProto, FunctionProto, ModelProto.
#include "device-runtime/formats/onnx.h"
#include "device-runtime/formats/onnx/messages.h"

namespace ferry::formats {
namespace {

// OperatorSetIdProto
Status ReadOpset(const WireField& field, OnnxOpsets& opsets) {
  FERRY_TRY(ExpectType(field, 2));
  WireReader reader = WireReader::Inside(field);
  std::string domain;
  int64_t version = 0;
  while (!reader.AtEnd()) {
    FERRY_ASSIGN_OR_RETURN(WireField part, reader.Next());
    if (part.number == 1) domain = OnnxDomain(part.text());
    if (part.number == 2) version = part.integer();
  }
  opsets.rows.emplace_back(std::move(domain), version);
  return OkStatus();
}

}  // namespace

std::string_view OnnxDomain(std::string_view domain) {
  return domain == "ai.onnx" ? std::string_view() : domain;
}

int64_t OnnxOpsets::Of(std::string_view domain) const {
  for (const auto& [name, version] : rows) {
    if (name == domain) return version;
  }
  return 0;
}

Status OnnxReader::AppendNode(const WireField& field, std::vector<OnnxNode>& nodes) {
  if (++nodes_ > kMaxOnnxNodes) {
    return Status::Of(Code::kLimitExceeded, "more than {} nodes", kMaxOnnxNodes);
  }
  auto node = Node(field);
  if (!node.ok()) return node.status().Context("node {}", nodes.size());
  nodes.push_back(*std::move(node));
  return OkStatus();
}

Result<OnnxGraph> OnnxReader::Graph(const WireField& field) {
  FERRY_TRY(ExpectType(field, 2));
  if (depth_ > ir::kMaxGraphDepth) {
    return Status::Of(Code::kLimitExceeded, "graphs are nested more than {} deep",
                      ir::kMaxGraphDepth);
  }
  ++depth_;
  WireReader reader = WireReader::Inside(field);
  OnnxGraph graph;
  while (!reader.AtEnd()) {
    FERRY_ASSIGN_OR_RETURN(WireField part, reader.Next());
    if (part.number == 1) {
      FERRY_TRY(AppendNode(part, graph.nodes));
    } else if (part.number == 2) {
      graph.name = part.text();
    } else if (part.number == 5 || part.number == 15) {
      auto tensor = part.number == 5 ? TensorMessage(part) : SparseTensor(part);
      FERRY_TRY(tensor);
      graph.initializers.push_back(*std::move(tensor));
    } else if (part.number == 11 || part.number == 12) {
      FERRY_ASSIGN_OR_RETURN(OnnxValueInfo info, ReadOnnxValueInfo(part));
      (part.number == 11 ? graph.inputs : graph.outputs).push_back(std::move(info));
    }
  }
  --depth_;
  return graph;
}

Result<OnnxFunction> OnnxReader::Function(const WireField& field) {
  FERRY_TRY(ExpectType(field, 2));
  WireReader reader = WireReader::Inside(field);
  OnnxFunction function;
  while (!reader.AtEnd()) {
    FERRY_ASSIGN_OR_RETURN(WireField part, reader.Next());
    const uint32_t n = part.number;
    if (n == 1) function.name = part.text();
    if (n == 4) function.inputs.emplace_back(part.text());
    if (n == 5) function.outputs.emplace_back(part.text());
    if (n == 7) FERRY_TRY(AppendNode(part, function.nodes).Context("function '{}'", function.name));
    if (n == 9) FERRY_TRY(ReadOpset(part, function.opsets));
    if (n == 10) function.domain = OnnxDomain(part.text());
    if (n == 11) {
      FERRY_ASSIGN_OR_RETURN(OnnxAttribute attribute, Attribute(part));
      function.defaults.push_back(std::move(attribute));
    }
    if (n == 13) function.overload = part.text();
  }
  return function;
}

Result<OnnxModel> OnnxReader::Model() {
  WireReader reader(bytes_);
  OnnxModel model;
  while (!reader.AtEnd()) {
    FERRY_ASSIGN_OR_RETURN(WireField field, reader.Next());
    if (field.number == 7) {
      FERRY_ASSIGN_OR_RETURN(model.graph, Graph(field));
      model.has_graph = true;
    } else if (field.number == 8) {
      FERRY_TRY(ReadOpset(field, model.opsets));
    } else if (field.number == 25) {
      FERRY_ASSIGN_OR_RETURN(OnnxFunction function, Function(field));
      model.functions.push_back(std::move(function));
    }
  }
  return model;
}

}  // namespace ferry::formats
