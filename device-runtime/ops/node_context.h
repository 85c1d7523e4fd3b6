// What an operator's functions see of one node: attributes, and inputs with their fixed types.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "device-runtime/ir/graph.h"

namespace ferry::ops {

using ir::DType;
using ir::Node;
using tensor::Shape;
using tensor::Tensor;

// The type of a value at fixed shapes. A constant's elements are there too, with any that the
// shapes alone decide (the output of Shape, say).
struct ValueInfo {
  DType dtype = DType::kF32;
  Shape shape;
  std::optional<Tensor> constant;
};

// The newest opset of ONNX's default domain that the operators follow.
inline constexpr int kNewestOpset = 28;

// Attributes longer or larger than these are refused: sums and products of a few of them fit int64.
inline constexpr int64_t kMaxAttribute = int64_t{1} << 31;

// A list of integers that may be left out.
struct IntList {
  IntList() = default;
  explicit IntList(std::vector<int64_t> v) : given(true), list(std::move(v)) {}
  explicit operator bool() const { return given; }
  std::vector<int64_t>& operator*() { return list; }
  std::vector<int64_t>* operator->() { return &list; }
  bool given = false;
  std::vector<int64_t> list;
};

// Reads a node. Getters return kBadModel when an attribute has another type, naming it; the caller
// adds the node's name.
class NodeContext {
 public:
  NodeContext(const Node& node, std::span<const ValueInfo* const> inputs)
      : node_(node), inputs_(inputs) {}

  const Node& node() const { return node_; }
  int input_count() const { return static_cast<int>(inputs_.size()); }
  bool HasInput(int i) const { return i < input_count() && inputs_[static_cast<size_t>(i)]; }
  const ValueInfo& Input(int i) const { return *inputs_[static_cast<size_t>(i)]; }
  const Shape& InputShape(int i) const { return Input(i).shape; }

  Result<int64_t> Int(std::string_view key, int64_t fallback) const;
  Result<float> Float(std::string_view key, float fallback) const;
  Result<std::string> Text(std::string_view key, std::string_view fallback) const;
  // Missing: not given.
  Result<IntList> Ints(std::string_view key) const;
  // `count` numbers in [low, kMaxAttribute], all `fallback` when missing.
  Result<std::vector<int64_t>> Window(std::string_view key, size_t count, int64_t low,
                                      int64_t fallback) const;
  Result<std::vector<float>> Floats(std::string_view key) const;       // empty when missing
  Result<std::vector<std::string>> Texts(std::string_view key) const;  // empty when missing
  // Tensor and body attributes; null when missing.
  Result<const Tensor*> TensorAttribute(std::string_view key) const;
  Result<const ir::Graph*> Body(std::string_view key) const;
  bool Has(std::string_view key) const { return node_.attributes.contains(key); }
  // The opset whose rules the node follows.
  int version() const { return node_.version == 0 ? kNewestOpset : node_.version; }

  // The elements of input `i`, which decide the output's type; kUnsupported when they are not known
  // yet: then needed() is `i`, and the session asks again once that value has been computed.
  Result<const Tensor*> KnownInput(int i) const;
  int needed() const { return needed_; }

  // The numbers of input `i` (integers, by KnownInput), or attribute `key` as older opsets had it;
  // not given when neither is there.
  Result<IntList> IntsInput(int i, std::string_view key) const;
  // The same for one float; nullopt when neither is there.
  Result<std::optional<float>> FloatInput(int i, std::string_view key) const;
  // Axis attribute or default, normalised to [0, rank).
  Result<int> Axis(int64_t fallback, int rank) const;

 private:
  const Node& node_;
  std::span<const ValueInfo* const> inputs_;
  mutable int needed_ = -1;
};

// A list of axes, normalised, without repeats, ascending.
Result<std::vector<int>> NormalizeAxes(std::span<const int64_t> axes, int rank);

}  // namespace ferry::ops
