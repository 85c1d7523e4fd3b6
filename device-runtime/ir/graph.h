// A model as a graph of operators: values, nodes in execution order, inputs, outputs. Operators and
// attributes are ONNX's (see device-runtime/ops); shapes may have free dimensions. Bodies of If,
// Loop and Scan are graphs of their own, kept as attributes.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "common/base/status.h"
#include "device-runtime/tensor/tensor.h"

namespace ferry::ir {

using tensor::DType;
using tensor::Shape;
using tensor::Tensor;

using ValueId = int32_t;
inline constexpr ValueId kNoValue = -1;  // an optional input or output that is left out

inline constexpr int kMaxValues = 1'000'000;
inline constexpr int kMaxNodes = 100'000;

inline constexpr int kMaxGraphDepth = 16;  // of bodies inside bodies

class Graph;
using Subgraph = std::shared_ptr<const Graph>;  // never null in a graph

// Integer, float, text, lists of these, tensor, body. (ONNX's type attributes are texts: "f32",
// "seq(f32)", "optional(f32)", "optional(seq(f32))".)
using Attribute = std::variant<int64_t, float, std::string, std::vector<int64_t>,
                               std::vector<float>, Tensor, std::vector<std::string>, Subgraph>;

// One operator applied to values.
struct Node {
  std::string op;    // "Conv"
  std::string name;  // for messages; need not be unique
  std::vector<ValueId> inputs;
  std::vector<ValueId> outputs;
  std::map<std::string, Attribute, std::less<>> attributes;
  // The opset of the default domain whose rules the node follows; 0: the newest known.
  int version = 0;
  // How many of the inputs, at their end, are there for the bodies alone: values of this graph that
  // bodies read beside their own inputs. First those of the first body (attributes in key order).
  int captured = 0;

  int formal_inputs() const { return static_cast<int>(inputs.size()) - captured; }
  // The attribute if it is there and has this type, else null.
  template <typename T>
  const T* Find(std::string_view key) const {
    auto it = attributes.find(key);
    return it == attributes.end() ? nullptr : std::get_if<T>(&it->second);
  }
  bool HasInput(size_t index) const { return index < inputs.size() && inputs[index] != kNoValue; }
};

// A dimension of a shape: fixed, or free (-1) with a symbol that names it.
struct Dim {
  int64_t extent = -1;
  std::string symbol;
  bool operator==(const Dim&) const = default;
};

enum class ValueKind : uint8_t { kTensor, kSequence, kOptional, kOptionalSequence };

// What flows along an edge. Constants carry their tensor; dtype and dims then repeat it. Sequences
// and optionals have the dtype of their tensors and no dims.
struct Value {
  std::string name;  // unique in its graph
  ValueKind kind = ValueKind::kTensor;
  std::optional<DType> dtype;
  std::optional<std::vector<Dim>> dims;
  std::optional<Tensor> constant;

  // The shape if every dimension is known and fixed.
  std::optional<Shape> FixedShape() const;
};

// Owns all of a model but the bytes of tensors, which copies share. Not thread safe for writing.
class Graph {
 public:
  std::string name;
  std::vector<Value> values;
  std::vector<Node> nodes;  // each node after those whose outputs it reads
  std::vector<ValueId> inputs;
  std::vector<ValueId> outputs;
  // Of a body: how many of the inputs, at their end, are captured (see Node::captured).
  int captured = 0;

  ValueId AddValue(std::string value_name);
  ValueId AddConstant(std::string value_name, Tensor tensor);
  // A name that no value has, made of `stem`.
  std::string FreshName(std::string_view stem) const;
  bool IsConstant(ValueId id) const { return id != kNoValue && values[id].constant.has_value(); }

  // For each value the node that makes it, or -1.
  std::vector<int> Producers() const;
  // For each value how often nodes and graph outputs read it.
  std::vector<int> UseCounts() const;
  // Makes every reader of `from` (nodes and outputs) read `to`.
  void ReplaceUses(ValueId from, ValueId to);
  // Drops values nobody mentions and renumbers the rest, keeping their order.
  void CompactValues();
};

// Text for messages: "node 'conv1' (Conv)".
std::string NodeText(const Node& node);
// The same as an argument of Status::Context, which makes texts of failures alone.
struct NodeName {
  const Node& node;
};

// Checks every rule of a well-formed graph; an error (kBadModel) names node and value. Rules: ids
// in range; names unique and not empty; each value made once, by one node, as an input or as a
// constant; made before it is read; outputs made; constants agree with their dtype and dims;
// inputs have a dtype (inputs of bodies need none; without dims they are of any rank); captured
// inputs fit bodies; bodies keep these rules; counts and depth under the limits.
Status Verify(const Graph& graph);

}  // namespace ferry::ir

template <>
struct fmt::formatter<ferry::ir::NodeName> : fmt::formatter<std::string_view> {
  template <typename FormatContext>
  auto format(const ferry::ir::NodeName& name, FormatContext& context) const {
    return fmt::formatter<std::string_view>::format(ferry::ir::NodeText(name.node), context);
  }
};
