#include "device-runtime/formats/onnx.h"
#include "device-runtime/formats/onnx/messages.h"

namespace ferry::formats {
namespace {

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
Status ReadTensorType(const WireField& field, OnnxValueInfo& info) {
  FERRY_TRY(ExpectType(field, 2));
  WireReader reader = WireReader::Inside(field);
  while (!reader.AtEnd()) {
    FERRY_ASSIGN_OR_RETURN(WireField part, reader.Next());
    if (part.number == 1) info.type = part.integer();
    if (part.number != 2) continue;
    FERRY_TRY(ExpectType(part, 2));
    info.has_shape = true;
    WireReader shape = WireReader::Inside(part);
    while (!shape.AtEnd()) {
      FERRY_ASSIGN_OR_RETURN(WireField dim_field, shape.Next());
      if (dim_field.number != 1) continue;
      FERRY_ASSIGN_OR_RETURN(ir::Dim dim, ReadDim(dim_field));
      info.dims.push_back(std::move(dim));
    }
  }
  return OkStatus();
}

}  // namespace

Result<OnnxValueInfo> ReadOnnxValueInfo(const WireField& field) {
  FERRY_TRY(ExpectType(field, 2));
  WireReader reader = WireReader::Inside(field);
  OnnxValueInfo info;
  while (!reader.AtEnd()) {
    FERRY_ASSIGN_OR_RETURN(WireField part, reader.Next());
    if (part.number == 1) info.name = part.text();
    if (part.number != 2) continue;
    FERRY_TRY(ExpectType(part, 2));
    WireReader type = WireReader::Inside(part);
    while (!type.AtEnd()) {
      FERRY_ASSIGN_OR_RETURN(WireField inner, type.Next());
      if (inner.number == 1) FERRY_TRY(ReadTensorType(inner, info));
    }
  }
  return info;
}

Result<OnnxGraph> ReadOnnxGraph(const WireField& field) {
  FERRY_TRY(ExpectType(field, 2));
  WireReader reader = WireReader::Inside(field);
  OnnxGraph graph;
  while (!reader.AtEnd()) {
    FERRY_ASSIGN_OR_RETURN(WireField part, reader.Next());
    if (part.number == 1) {
      if (graph.nodes.size() >= kMaxOnnxNodes) {
        return Status::Of(Code::kLimitExceeded, "more than {} nodes", kMaxOnnxNodes);
      }
      auto node = ReadOnnxNode(part);
      if (!node.ok()) return node.status().Context("node {}", graph.nodes.size());
      graph.nodes.push_back(*std::move(node));
    } else if (part.number == 2) {
      graph.name = part.text();
    } else if (part.number == 5) {
      FERRY_ASSIGN_OR_RETURN(OnnxTensor tensor, ReadOnnxTensor(part));
      graph.initializers.push_back(std::move(tensor));
    } else if (part.number == 11 || part.number == 12) {
      FERRY_ASSIGN_OR_RETURN(OnnxValueInfo info, ReadOnnxValueInfo(part));
      (part.number == 11 ? graph.inputs : graph.outputs).push_back(std::move(info));
    } else if (part.number == 15) {
      return Status::Of(Code::kUnsupported, "at byte {}: sparse initializers", part.offset);
    }
  }
  return graph;
}

Result<OnnxModel> ReadOnnxModel(ByteView bytes) {
  WireReader reader(bytes);
  OnnxModel model;
  while (!reader.AtEnd()) {
    FERRY_ASSIGN_OR_RETURN(WireField field, reader.Next());
    if (field.number == 7) {
      FERRY_ASSIGN_OR_RETURN(model.graph, ReadOnnxGraph(field));
      model.has_graph = true;
    } else if (field.number == 8) {
      FERRY_TRY(ExpectType(field, 2));
      WireReader opset = WireReader::Inside(field);
      std::string domain;
      int64_t version = 0;
      while (!opset.AtEnd()) {
        FERRY_ASSIGN_OR_RETURN(WireField part, opset.Next());
        if (part.number == 1) domain = part.text();
        if (part.number == 2) version = part.integer();
      }
      if (domain.empty() || domain == "ai.onnx") model.opset = version;
    }
  }
  return model;
}

}  // namespace ferry::formats
