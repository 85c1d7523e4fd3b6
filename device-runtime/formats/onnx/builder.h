// Graphs under construction and the names that are visible in them.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "device-runtime/ir/graph.h"

namespace ferry::formats {

// One graph: the model's, or a body inside that of `parent`.
class GraphBuilder {
 public:
  explicit GraphBuilder(GraphBuilder* parent)
      : parent_(parent), depth_(parent == nullptr ? 0 : parent->depth_ + 1) {}

  ir::Graph graph;

  int depth() const { return depth_; }
  // Keeps a name that the file gives from being chosen as a fresh one.
  void Reserve(const std::string& name) { taken_.insert(name); }
  // A name that no value has or will have, made of `stem`.
  std::string FreshName(const std::string& stem);
  // The id in this graph of value `id` of `from`, which is this graph or one around it: the value
  // is captured by all graphs between. Constants become constants here. kNoValue stays.
  ir::ValueId Bring(const GraphBuilder& from, ir::ValueId id);
  // Values of the parent that became inputs here, in their order.
  const std::vector<ir::ValueId>& captured() const { return captured_; }
  // Makes the captured values the last inputs of the graph.
  void AddCapturedInputs();

 private:
  ir::ValueId Capture(ir::ValueId outer);

  GraphBuilder* parent_;
  int depth_;
  std::unordered_set<std::string> taken_;
  std::unordered_map<std::string, int> stems_;
  std::vector<ir::ValueId> captured_, captured_inputs_;
  std::unordered_map<ir::ValueId, ir::ValueId> from_parent_;
};

// The names of one graph or of one call of a function, which adds to its caller's graph.
struct Names {
  GraphBuilder* builder = nullptr;
  const Names* outer = nullptr;  // around a body; null for the model's graph and for calls
  std::unordered_map<std::string, ir::ValueId> ids;
  // In a call: before the names of its values; and those of its outputs in the graph.
  std::string prefix;
  std::unordered_map<std::string, std::string> alias;

  // Whether the name is visible here.
  bool Has(const std::string& name) const;
  // Adds a value; false when the name is there already.
  bool Declare(const std::string& name, ir::ValueId& id);
  bool Declare(const std::string& name, tensor::Tensor constant);
  // The name in the graph of what `name` will be.
  std::string NameInGraph(const std::string& name) const;
  // Looks in these names and those around them; the value as one of `into`. False: not there.
  bool Find(const std::string& name, GraphBuilder& into, ir::ValueId& id) const;
};

}  // namespace ferry::formats
