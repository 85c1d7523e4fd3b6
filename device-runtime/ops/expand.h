// How an operator writes itself as other operators, once the types of its inputs are known.
#pragma once

#include <functional>
#include <initializer_list>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "device-runtime/ops/node_context.h"

namespace ferry::ops {

struct Op;
class InferContext;

// Builds a piece of a graph: its inputs are the node's inputs, its outputs the node's outputs.
// Each call of Add infers the types of what it makes, so Info is always known; an operator that is
// itself expanded is expanded at once. Errors stick: after the first, calls do nothing, and Finish
// returns it; ids are then kNoValue, and Info of kNoValue is f32 of shape [].
//
//   const ValueId mean = c.Add("ReduceMean", {c.In(0), c.Ints({-1})});
//   const ValueId centred = c.Add("Sub", {c.In(0), mean});
//   c.SetOutput(0, centred);
class ExpandContext : public NodeContext {
 public:
  using Attributes = std::initializer_list<std::pair<std::string_view, ir::Attribute>>;

  ExpandContext(const Node& node, std::span<const ValueInfo* const> inputs);

  // The value of input `i`; kNoValue when it is left out.
  ir::ValueId In(int i) const;
  const ValueInfo& Info(ir::ValueId id) const;  // until the next Add
  const Shape& ShapeOf(ir::ValueId id) const { return Info(id).shape; }
  DType TypeOf(ir::ValueId id) const { return Info(id).dtype; }

  // A node with one output (newest opset), and one with more.
  ir::ValueId Add(std::string_view op, std::span<const ir::ValueId> inputs,
                  Attributes attributes = {});
  ir::ValueId Add(std::string_view op, std::initializer_list<ir::ValueId> inputs,
                  Attributes attributes = {}) {
    return Add(op, std::span<const ir::ValueId>(inputs.begin(), inputs.size()), attributes);
  }
  std::vector<ir::ValueId> AddMany(std::string_view op, std::span<const ir::ValueId> inputs,
                                   size_t outputs, Attributes attributes = {});
  // A node with one output and the attributes of this context's own node.
  ir::ValueId AddLike(std::string_view op, std::initializer_list<ir::ValueId> inputs) {
    return AddNode(op, {inputs.begin(), inputs.size()}, 1, node().attributes)[0];
  }

  // This context's own node on its inputs, all its outputs: for a planned operator that is written
  // as others only where that pays.
  std::vector<ir::ValueId> AddSelf();
  // The nodes of a body on values of this piece, one an input (captured ones too); its outputs.
  // kUnsupported when one of them can only be evaluated.
  std::vector<ir::ValueId> Inline(const ir::Graph& body, std::span<const ir::ValueId> inputs);

  // Constants: one number as a scalar of a dtype, an i64 list, any tensor.
  ir::ValueId Number(DType dtype, double value);
  ir::ValueId Ints(std::span<const int64_t> values);
  ir::ValueId Ints(std::initializer_list<int64_t> values) {
    return Ints(std::span<const int64_t>(values.begin(), values.size()));
  }
  ir::ValueId Constant(Tensor tensor);

  // Frequent ones: Cast (none when it has the type), Reshape to a fixed shape, Transpose.
  ir::ValueId Cast(ir::ValueId x, DType to);
  ir::ValueId Reshape(ir::ValueId x, std::span<const int64_t> dims);
  ir::ValueId Transpose(ir::ValueId x, std::vector<int64_t> axes);

  bool HasOutput(int i) const;
  void SetOutput(int i, ir::ValueId value);

  // The piece: inputs are those of the node (left-out ones are absent), outputs one for each output
  // of the node (kNoValue where it was not set and not asked for). Types of all values are set.
  Result<ir::Graph> Finish();
  void Fail(Status status);

 private:
  std::vector<ir::ValueId> AddNode(std::string_view op, std::span<const ir::ValueId> inputs,
                                   size_t outputs,
                                   std::map<std::string, ir::Attribute, std::less<>> attributes,
                                   int version = 0);
  // Adds the nodes of a piece that `from` expanded to; the ids of from's outputs.
  std::vector<ir::ValueId> Splice(const ir::Graph& piece, const Node& from);
  // Computes the outputs of a small node of constants.
  Status Fold(const Op& op, const Node& node, InferContext& inferred) const;

  ir::Graph graph_;
  std::vector<ValueInfo> infos_;  // parallel to graph_.values
  std::vector<ir::ValueId> inputs_;
  Status status_;
};

// Expands a node into a piece; errors name the node. `needed`, if given, becomes the input whose
// elements must be known first (NodeContext::needed), or -1.
Result<ir::Graph> Expand(const Op& op, const Node& node, std::span<const ValueInfo* const> inputs,
                         int* needed = nullptr);

}  // namespace ferry::ops
