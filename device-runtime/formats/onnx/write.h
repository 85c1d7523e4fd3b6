// From a graph to ONNX messages.
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "device-runtime/formats/onnx/wire_writer.h"
#include "device-runtime/ir/graph.h"

namespace ferry::formats {

// Bytes of tensors that lie in another file than the model, in the order of the file.
struct OnnxExternal {
  std::string file;  // its name, beside the model
  std::vector<ByteView> pieces;
  uint64_t size = 0;
};

class OnnxWriter {
 public:
  // The graph follows one opset of the default domain: `opset`. With `external` large tensors go
  // there. Messages view the graph's tensors.
  OnnxWriter(const ir::Graph& graph, int opset, OnnxExternal* external)
      : graph_(graph), opset_(opset), external_(external) {}
  Result<WireMessage> Model();

 private:
  // The names of a graph's values in the file.
  struct Scope {
    const Scope* outer;
    const ir::Graph* graph;
    std::vector<std::string> names;
    std::vector<bool> is_outer;  // values that the file has in a graph around this one

    bool Has(const std::string& name) const;
    const ir::Value* Find(const std::string& name) const;
    std::unordered_map<std::string, ir::ValueId> ids = {};
  };

  Result<WireMessage> GraphMessage(const ir::Graph& graph, const Scope* outer,
                                   const std::vector<std::string>& captured);
  Scope NameValues(const ir::Graph& graph, const Scope* outer,
                   const std::vector<std::string>& captured);
  Status Outputs(const Scope& scope, WireMessage& out);
  Status Node(const ir::Node& node, const Scope& scope, WireMessage& out);
  Result<WireMessage> Attribute(const ir::Node& node, const std::string& key,
                                const ir::Attribute& attribute, const Scope& scope,
                                int& captured_before);
  Result<WireMessage> TensorMessage(const std::string& name, const ir::Tensor& tensor);
  void External(const ir::Tensor& tensor, WireMessage& out);

  const ir::Graph& graph_;
  int opset_;
  OnnxExternal* external_;
  std::map<std::string, int> domains_;
};

// TypeProto of a value; and of an attribute's text ("seq(f32)").
WireMessage OnnxTypeMessage(ir::ValueKind kind, ir::DType dtype, const std::vector<ir::Dim>* dims);
Result<WireMessage> OnnxTypeMessage(const std::string& text);

}  // namespace ferry::formats
