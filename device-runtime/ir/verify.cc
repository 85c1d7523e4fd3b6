#include <algorithm>
#include <unordered_set>

#include "device-runtime/ir/graph.h"

namespace ferry::ir {
namespace {

class Verifier {
 public:
  explicit Verifier(const Graph& graph, int depth = 0)
      : graph_(graph), depth_(depth), made_(graph.values.size(), false) {}

  Status Run() {
    FERRY_TRY(Values());
    for (ValueId id : graph_.inputs) FERRY_TRY(Input(id));
    for (const Node& node : graph_.nodes) FERRY_TRY(OneNode(node));
    for (ValueId id : graph_.outputs) {
      if (!InRange(id)) return Bad("graph output {} is out of range", id);
      if (!made_[id]) return Bad("graph output '{}' is never made", graph_.values[id].name);
    }
    return OkStatus();
  }

 private:
  template <typename... A>
  static Status Bad(fmt::format_string<A...> format, A&&... args) {
    return Status::Of(Code::kBadModel, format, std::forward<A>(args)...);
  }
  bool InRange(ValueId id) const {
    return id >= 0 && static_cast<size_t>(id) < graph_.values.size();
  }

  Status Values() {
    if (graph_.values.size() > kMaxValues || graph_.nodes.size() > kMaxNodes) {
      return Status::Of(Code::kLimitExceeded, "{} values and {} nodes pass the limits of {} and {}",
                        graph_.values.size(), graph_.nodes.size(), kMaxValues, kMaxNodes);
    }
    std::unordered_set<std::string_view> names;
    for (size_t id = 0; id < graph_.values.size(); ++id) {
      const Value& value = graph_.values[id];
      if (value.name.empty()) return Bad("value {} has no name", id);
      if (!names.insert(value.name).second) return Bad("two values are named '{}'", value.name);
      if (!value.constant) continue;
      made_[id] = true;
      if (value.dtype != value.constant->dtype() || !value.dims ||
          !std::ranges::equal(*value.dims, value.constant->shape().dims(), {}, &Dim::extent)) {
        return Bad("constant '{}' does not have its declared type", value.name);
      }
    }
    return OkStatus();
  }

  Status Input(ValueId id) {
    if (!InRange(id)) return Bad("graph input {} is out of range", id);
    const Value& value = graph_.values[id];
    if (made_[id]) return Bad("graph input '{}' is made twice", value.name);
    if (!value.dtype && depth_ == 0) return Bad("graph input '{}' has no type", value.name);
    if (value.dims && value.dims->size() > tensor::kMaxRank) {
      return Bad("graph input '{}' has a rank above {}", value.name, tensor::kMaxRank);
    }
    made_[id] = true;
    return OkStatus();
  }

  Status OneNode(const Node& node) {
    for (ValueId id : node.inputs) {
      if (id == kNoValue) continue;
      if (!InRange(id)) return Bad("{} reads value {}, which does not exist", NodeText(node), id);
      if (!made_[id]) {
        return Bad("{} reads '{}' before it is made", NodeText(node), graph_.values[id].name);
      }
    }
    if (node.outputs.empty()) return Bad("{} makes no value", NodeText(node));
    FERRY_TRY(Bodies(node));
    for (ValueId id : node.outputs) {
      if (id == kNoValue) continue;
      if (!InRange(id)) return Bad("{} makes value {}, which does not exist", NodeText(node), id);
      if (made_[id]) return Bad("{} makes '{}' again", NodeText(node), graph_.values[id].name);
      made_[id] = true;
    }
    return OkStatus();
  }

  Status Bodies(const Node& node) const {
    int captured = 0;
    for (const auto& [key, attribute] : node.attributes) {
      const auto* body = std::get_if<Subgraph>(&attribute);
      if (body == nullptr) continue;
      if (*body == nullptr) return Bad("{}: body '{}' is empty", NodeText(node), key);
      if (depth_ + 1 > kMaxGraphDepth) {
        return Status::Of(Code::kLimitExceeded, "{}: bodies are nested more than {} deep",
                          NodeText(node), kMaxGraphDepth);
      }
      const Graph& graph = **body;
      if (graph.captured < 0 || graph.captured > static_cast<int>(graph.inputs.size())) {
        return Bad("{}: body '{}' captures {} of {} inputs", NodeText(node), key, graph.captured,
                   graph.inputs.size());
      }
      captured += graph.captured;
      FERRY_TRY(Verifier(graph, depth_ + 1).Run().Context("{}: body '{}'", NodeText(node), key));
    }
    if (captured != node.captured || captured > static_cast<int>(node.inputs.size())) {
      return Bad("{} captures {} values, its bodies {}", NodeText(node), node.captured, captured);
    }
    return OkStatus();
  }

  const Graph& graph_;
  const int depth_;
  std::vector<bool> made_;
};

}  // namespace

Status Verify(const Graph& graph) {
  return Verifier(graph).Run();
}

}  // namespace ferry::ir
