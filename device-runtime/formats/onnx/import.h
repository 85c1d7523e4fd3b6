// From ONNX messages to a graph: names to ids, constants, bodies, calls of functions, differences
// between opsets.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "device-runtime/formats/onnx/builder.h"
#include "device-runtime/formats/onnx/messages.h"

namespace ferry::formats {

class OnnxImporter {
 public:
  explicit OnnxImporter(const OnnxModel& model);
  // `unknown`: as ImportOnnx's.
  Result<ir::Graph> Run(Status* unknown);

 private:
  // An attribute of a node as the model means it: a body sees the names around its own node, which
  // for a body handed to a function are those of the caller.
  struct Given {
    const OnnxAttribute* attribute;
    const Names* names;
  };
  using GivenAttributes = std::map<std::string, Given, std::less<>>;
  // A call of a function.
  struct Call {
    const OnnxFunction* function;
    GivenAttributes attributes;
    const Call* caller;
  };

  Status FillGraph(const OnnxGraph& from, Names& names);
  Status Input(const OnnxValueInfo& input, Names& names);
  Status Output(const OnnxValueInfo& output, const Names& names);
  Status Nodes(const std::vector<OnnxNode>& nodes, Names& names);
  Status OneNode(const OnnxNode& from, const std::string& name, Names& names);
  Status PlainNode(const OnnxNode& from, const std::string& name, const GivenAttributes& given,
                   Names& names);
  Status Constant(const OnnxNode& from, const GivenAttributes& given, Names& names);
  Status Inline(const OnnxNode& from, const std::string& name, const OnnxFunction& function,
                GivenAttributes given, Names& names);
  Status CallOutputs(const OnnxNode& from, const OnnxFunction& function, const Names& inner,
                     const std::vector<std::string>& full_names, Names& names);
  Result<ir::Subgraph> Body(const OnnxGraph& from, const Names& names, GraphBuilder& parent,
                            std::vector<ir::ValueId>& captured);

  Result<GivenAttributes> Attributes(const OnnxNode& from, const Names& names) const;
  Result<ir::ValueId> Read(const std::string& name, const std::vector<OnnxNode>& nodes,
                           const Names& names) const;
  const OnnxFunction* FindFunction(const OnnxNode& node) const;
  int Version(std::string_view domain) const;
  std::string Text(const OnnxNode& node, const std::string& name) const;
  Status CheckOpsets() const;
  // Bounds what calls multiply.
  Status Charge(const OnnxNode& node);
  Status ChargeGraph(const OnnxGraph& graph);
  Status ChargeAttribute(const ir::Attribute& attribute);
  Status ChargeBytes(size_t bytes);
  // Keeps what Ferry lacks for the list of all; passes other failures on.
  Status Note(Status status);
  Status Finish(const ir::Graph& graph, Status* unknown) const;

  const OnnxModel& model_;
  // By domain, name and overload.
  std::map<std::tuple<std::string, std::string, std::string>, const OnnxFunction*> functions_;
  const Call* call_ = nullptr;                     // the innermost
  const std::vector<OnnxNode>* around_ = nullptr;  // the nodes among which the present one stands
  std::vector<std::string> problems_;
  size_t problem_count_ = 0;
  int64_t nodes_ = 0;
  size_t charged_ = 0;
  int unnamed_ = 0;
};

// kBadModel: two values have this name.
Status Twice(const std::string& name);

}  // namespace ferry::formats
