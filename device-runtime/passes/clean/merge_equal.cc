// Common subexpressions: nodes that compute the same from the same are one, and so are equal
// constants.
#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <unordered_map>

#include "device-runtime/ops/op.h"
#include "device-runtime/passes/graph_pass.h"

namespace ferry::passes {
namespace {

using ir::Attribute;
using ir::kNoValue;
using ir::Node;
using ir::ValueId;
using tensor::Tensor;

bool SameTensor(const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype() || a.shape() != b.shape()) return false;
  if (a.dtype() == ir::DType::kString) {
    for (int64_t i = 0; i < a.elements(); ++i) {
      if (a.Text(i) != b.Text(i)) return false;
    }
    return true;
  }
  if (a.elements() == 0 || a.raw() == b.raw()) return true;
  return std::memcmp(a.raw(), b.raw(), static_cast<size_t>(a.size_bytes())) == 0;
}

bool SameGraph(const ir::Graph& a, const ir::Graph& b);

bool SameAttribute(const Attribute& a, const Attribute& b) {
  if (a.index() != b.index()) return false;
  if (const auto* body = std::get_if<ir::Subgraph>(&a)) {
    const auto& other = std::get<ir::Subgraph>(b);
    return *body == other || SameGraph(**body, *other);
  }
  if (const auto* t = std::get_if<Tensor>(&a)) return SameTensor(*t, std::get<Tensor>(b));
  // Bits, so that NaN equals itself and 0 differs from -0.
  if (const auto* x = std::get_if<float>(&a)) {
    return std::bit_cast<uint32_t>(*x) == std::bit_cast<uint32_t>(std::get<float>(b));
  }
  if (const auto* list = std::get_if<std::vector<float>>(&a)) {
    const auto& other = std::get<std::vector<float>>(b);
    return list->size() == other.size() &&
           (list->empty() ||
            std::memcmp(list->data(), other.data(), list->size() * sizeof(float)) == 0);
  }
  if (const auto* x = std::get_if<int64_t>(&a)) return *x == std::get<int64_t>(b);
  if (const auto* x = std::get_if<std::string>(&a)) return *x == std::get<std::string>(b);
  if (const auto* x = std::get_if<std::vector<int64_t>>(&a)) {
    return *x == std::get<std::vector<int64_t>>(b);
  }
  return std::get<std::vector<std::string>>(a) == std::get<std::vector<std::string>>(b);
}

bool SameAttributes(const Node& a, const Node& b) {
  if (a.attributes.size() != b.attributes.size()) return false;
  auto at = b.attributes.begin();
  for (const auto& [key, value] : a.attributes) {
    if (key != at->first || !SameAttribute(value, at->second)) return false;
    ++at;
  }
  return true;
}

// Equal but for the names of values and nodes.
bool SameGraph(const ir::Graph& a, const ir::Graph& b) {
  if (a.values.size() != b.values.size() || a.nodes.size() != b.nodes.size() ||
      a.inputs != b.inputs || a.outputs != b.outputs || a.captured != b.captured) {
    return false;
  }
  for (size_t i = 0; i < a.values.size(); ++i) {
    const ir::Value& x = a.values[i];
    const ir::Value& y = b.values[i];
    if (x.kind != y.kind || x.dtype != y.dtype || x.dims != y.dims ||
        x.constant.has_value() != y.constant.has_value() ||
        (x.constant && !SameTensor(*x.constant, *y.constant))) {
      return false;
    }
  }
  for (size_t i = 0; i < a.nodes.size(); ++i) {
    const Node& x = a.nodes[i];
    const Node& y = b.nodes[i];
    if (x.op != y.op || x.version != y.version || x.captured != y.captured ||
        x.inputs != y.inputs || x.outputs != y.outputs || !SameAttributes(x, y)) {
      return false;
    }
  }
  return true;
}

// Whether all that the node runs gives the same for the same inputs.
bool IsPure(const Node& node) {
  const ops::Op* op = ops::FindOp(node.op);
  if (op == nullptr || !op->is_pure) return false;
  for (const auto& [key, value] : node.attributes) {
    const auto* body = std::get_if<ir::Subgraph>(&value);
    if (body == nullptr) continue;
    for (const Node& inner : (*body)->nodes) {
      if (!IsPure(inner)) return false;
    }
  }
  return true;
}

class Merger {
 public:
  explicit Merger(Graph& graph) : graph_(graph), renamed_(graph.values.size()) {
    for (size_t id = 0; id < renamed_.size(); ++id) renamed_[id] = static_cast<ValueId>(id);
    is_output_.assign(graph.values.size(), false);
    for (ValueId id : graph.outputs) is_output_[static_cast<size_t>(id)] = true;
  }

  int Run() {
    MergeConstants();
    std::vector<bool> gone(graph_.nodes.size(), false);
    int merged = 0;
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      Node& node = graph_.nodes[i];
      for (ValueId& id : node.inputs) {
        if (id != kNoValue) id = renamed_[static_cast<size_t>(id)];
      }
      if (!IsPure(node)) continue;
      auto& seen = nodes_[KeyOf(node)];
      for (size_t other : seen) {
        if (!Same(graph_.nodes[other], node)) continue;
        for (size_t k = 0; k < node.outputs.size(); ++k) {
          if (node.outputs[k] == kNoValue) continue;
          renamed_[static_cast<size_t>(node.outputs[k])] = graph_.nodes[other].outputs[k];
        }
        gone[i] = true;
        ++merged;
        break;
      }
      if (!gone[i] && seen.size() < kMaxSeen) seen.push_back(i);
    }
    KeepNodes(graph_, gone);
    return merged;
  }

 private:
  static constexpr size_t kMaxSeen = 16;  // nodes of one key that are compared

  // FNV-1a, word by word.
  struct Hash {
    uint64_t value = 14695981039346656037u;
    void Mix(uint64_t word) { value = (value ^ word) * 1099511628211u; }
    void Mix(const void* data, size_t bytes) {
      const auto* at = static_cast<const uint8_t*>(data);
      for (; bytes >= sizeof(uint64_t); bytes -= sizeof(uint64_t), at += sizeof(uint64_t)) {
        uint64_t word = 0;
        std::memcpy(&word, at, sizeof word);
        Mix(word);
      }
      for (; bytes > 0; --bytes) Mix(*at++);
    }
  };

  // Inputs and operator alone: most nodes differ there.
  static uint64_t KeyOf(const Node& node) {
    Hash hash;
    hash.Mix(node.op.data(), node.op.size());
    for (ValueId id : node.inputs) hash.Mix(static_cast<uint64_t>(id));
    return hash.value;
  }

  // Whether `b` can go: graph outputs keep their names, and what `a` leaves out nobody can read.
  bool Same(const Node& a, const Node& b) const {
    if (a.op != b.op || a.inputs != b.inputs || a.version != b.version ||
        a.captured != b.captured || a.outputs.size() != b.outputs.size() || !SameAttributes(a, b)) {
      return false;
    }
    for (size_t k = 0; k < b.outputs.size(); ++k) {
      if (b.outputs[k] == kNoValue) continue;
      if (a.outputs[k] == kNoValue || is_output_[static_cast<size_t>(b.outputs[k])]) return false;
    }
    return true;
  }

  void MergeConstants() {
    std::unordered_map<uint64_t, std::vector<ValueId>> seen;
    for (size_t id = 0; id < graph_.values.size(); ++id) {
      if (!graph_.values[id].constant || is_output_[id]) continue;
      const Tensor& t = *graph_.values[id].constant;
      auto& others = seen[HashOf(t)];
      for (ValueId other : others) {
        if (!SameTensor(*graph_.values[static_cast<size_t>(other)].constant, t)) continue;
        renamed_[id] = other;
        break;
      }
      if (renamed_[id] == static_cast<ValueId>(id) && others.size() < kMaxSeen) {
        others.push_back(static_cast<ValueId>(id));
      }
    }
  }

  // Of the type, the shape and the first bytes.
  static uint64_t HashOf(const Tensor& t) {
    Hash hash;
    hash.Mix(static_cast<uint64_t>(t.dtype()));
    for (int64_t extent : t.shape().dims()) hash.Mix(static_cast<uint64_t>(extent));
    if (t.dtype() == ir::DType::kString || t.elements() == 0) return hash.value;
    hash.Mix(t.raw(), static_cast<size_t>(std::min<int64_t>(t.size_bytes(), 256)));
    return hash.value;
  }

  Graph& graph_;
  std::vector<ValueId> renamed_;
  std::vector<bool> is_output_;
  std::unordered_map<uint64_t, std::vector<size_t>> nodes_;
};

}  // namespace

Result<int> MergeEqual(Graph& graph) {
  return Merger(graph).Run();
}

}  // namespace ferry::passes
