// The messages of the ONNX specification that the importer reads, as plain structs. Fields that are
// not here are skipped. Source: ONNX IR specification (message and field numbers).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "device-runtime/formats/onnx/wire.h"
#include "device-runtime/ir/graph.h"

namespace ferry::formats {

struct OnnxTensor {
  std::string name;
  tensor::Tensor tensor;
};
struct OnnxAttribute {
  std::string name;
  bool is_graph = false;  // subgraphs and other kinds without an ir::Attribute
  ir::Attribute value;
};
struct OnnxNode {
  std::string name, op, domain;
  std::vector<std::string> inputs, outputs;
  std::vector<OnnxAttribute> attributes;
};
struct OnnxValueInfo {
  std::string name;
  int64_t type = 0;  // 0: not a tensor
  bool has_shape = false;
  std::vector<ir::Dim> dims;
};
struct OnnxGraph {
  std::string name;
  std::vector<OnnxNode> nodes;
  std::vector<OnnxTensor> initializers;
  std::vector<OnnxValueInfo> inputs, outputs;
};
struct OnnxModel {
  int64_t opset = 0;  // of the default domain; 0 when the model names none
  bool has_graph = false;
  OnnxGraph graph;
};

// Each reads one message. kBadModel names byte offset, and tensor or node where known.
Result<OnnxTensor> ReadOnnxTensor(const WireField& field);
Result<OnnxAttribute> ReadOnnxAttribute(const WireField& field);
Result<OnnxNode> ReadOnnxNode(const WireField& field);
Result<OnnxValueInfo> ReadOnnxValueInfo(const WireField& field);
Result<OnnxGraph> ReadOnnxGraph(const WireField& field);
Result<OnnxModel> ReadOnnxModel(ByteView bytes);

}  // namespace ferry::formats
