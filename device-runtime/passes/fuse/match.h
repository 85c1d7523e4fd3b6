// What passes that look for patterns share: who makes a value, and what constants hold.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "device-runtime/ir/graph.h"

namespace ferry::passes {

// A graph's producers and uses as they were when this was made. Nodes may change their operator and
// inputs meanwhile, not their place.
class Matcher {
 public:
  explicit Matcher(const ir::Graph& graph);

  // The node that makes `id`, with operator `op` (any if empty); null when there is none.
  const ir::Node* Maker(ir::ValueId id, std::string_view op = {}) const;
  int MakerIndex(ir::ValueId id) const { return Known(id) ? producers_[Index(id)] : -1; }
  // Whether exactly one node reads `id`, and no graph output is it.
  bool IsReadOnce(ir::ValueId id) const { return Known(id) && uses_[Index(id)] == 1; }

  // The node that reads `id`, when it is read once, by a node; else -1.
  int Reader(ir::ValueId id) const { return IsReadOnce(id) ? readers_[Index(id)] : -1; }

  // The number that a floating point constant of one element holds.
  std::optional<double> Number(ir::ValueId id) const;
  // The same where broadcasting against `other` keeps other's rank.
  std::optional<double> ScalarFor(ir::ValueId id, ir::ValueId other) const;
  // Of a node of two inputs where one is such a number: the other input and the number.
  std::optional<std::pair<ir::ValueId, double>> WithNumber(const ir::Node& node) const;
  std::optional<ir::Shape> ShapeOf(ir::ValueId id) const;
  bool IsF32(ir::ValueId id) const;

 private:
  static size_t Index(ir::ValueId id) { return static_cast<size_t>(id); }
  bool Known(ir::ValueId id) const { return id >= 0 && Index(id) < producers_.size(); }

  const ir::Graph& graph_;
  std::vector<int> producers_;
  std::vector<int> uses_;
  std::vector<int> readers_;  // the last node that reads each value, or -1
};

// Names that no value of a graph has, one after another. Cheaper than Graph::FreshName, which looks
// at all of them each time.
class FreshNames {
 public:
  FreshNames(const ir::Graph& graph, std::string_view stem);
  std::string Next();

 private:
  std::string stem_;  // no name begins with it
  int count_ = 0;
};

// The constant `id` where it holds floats of 32 bits; null where it is no constant or of another
// type. The graph owns it.
const tensor::Tensor* ConstantF32(const ir::Graph& graph, ir::ValueId id);
// The integers of a constant, or of attribute `key` as older opsets had them.
std::optional<std::vector<int64_t>> IntsOf(const ir::Graph& graph, const ir::Node& node,
                                           size_t input, std::string_view key);
// Whether the node reduces by `op` over the axes from some axis on, which it keeps as extents of 1;
// that axis. Needs the input's rank.
std::optional<int> TrailingAxis(const ir::Graph& graph, const ir::Node& node, std::string_view op);
// Whether a and b differ by rounding to float at most.
bool Near(double a, double b);

}  // namespace ferry::passes
