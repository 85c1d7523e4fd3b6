#include "device-runtime/quant/graph/units.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace ferry::quant {
namespace {

using ir::Graph;
using ir::kNoValue;
using ir::Node;
using ir::ValueId;

constexpr int64_t kLeastTable = 4096;  // elements of a table worth storing small

// Operators whose outputs hold values of the first input, or means of them: one scale fits both.
constexpr std::array<std::string_view, 20> kMovers = {
    "AveragePool", "BatchToSpace", "DepthToSpace", "Expand",       "Flatten",
    "Gather",      "Identity",     "MaxPool",      "Pad",          "ReduceMax",
    "Reshape",     "Resize",       "Slice",        "SpaceToDepth", "Split",
    "Squeeze",     "Tile",         "Transpose",    "Unsqueeze",    "Upsample"};
// Operators on 8 bit integers that give new ranges: sums, products, tables of 256 results.
constexpr std::array<std::string_view, 14> kMakers = {
    "Add", "Clip",       "Concat", "GlobalAveragePool", "HardSigmoid", "HardSwish", "LeakyRelu",
    "Mul", "ReduceMean", "Relu",   "Sigmoid",           "Sub",         "Tanh",      "Gelu"};

template <size_t n>
bool Contains(const std::array<std::string_view, n>& list, std::string_view op) {
  return std::ranges::find(list, op) != list.end();
}

bool IsFloatConstant(const Graph& graph, ValueId id) {
  return graph.IsConstant(id) && graph.values[id].constant->dtype() == DType::kF32;
}

class Finder {
 public:
  explicit Finder(const Graph& graph) : graph_(graph), uses_(graph.UseCounts()), reader_(uses_) {
    std::ranges::fill(reader_, -1);
    for (size_t i = 0; i < graph.nodes.size(); ++i) {
      for (ValueId id : graph.nodes[i].inputs) {
        if (id != kNoValue) reader_[id] = static_cast<int>(i);
      }
    }
    inside_.assign(graph.nodes.size(), false);
  }

  std::vector<Unit> Run() {
    std::vector<Unit> units;
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      Unit unit;
      unit.node = static_cast<int>(i);
      if (inside_[i] || !Classify(graph_.nodes[i], unit)) continue;
      unit.outputs = graph_.nodes[i].outputs;
      unit.out = unit.outputs[0];
      Follow(unit);
      units.push_back(std::move(unit));
    }
    return units;
  }

 private:
  bool Classify(const Node& node, Unit& unit) const {
    if (node.captured > 0 || node.outputs.empty() || node.outputs[0] == kNoValue) return false;
    return Layer(node, unit) || Table(node, unit) || Cheap(node, unit);
  }

  bool Layer(const Node& node, Unit& unit) const {
    unit.kind = Kind::kLayer;
    const bool is_conv = node.op == "Conv" || node.op == "ConvTranspose";
    if ((!is_conv && node.op != "Gemm" && node.op != "MatMul") || node.inputs.size() < 2) {
      return false;
    }
    const ValueId x = node.inputs[0], w = node.inputs[1];
    if (x == kNoValue || w == kNoValue) return false;
    const bool has_weights = IsFloatConstant(graph_, w);
    if (has_weights && graph_.values[w].constant->elements() == 0) return false;
    const bool is_constant = graph_.IsConstant(w);
    if (graph_.IsConstant(x) &&
        !(node.op == "MatMul" && IsFloatConstant(graph_, x) && !is_constant))
      return false;
    if (has_weights) {
      unit.inputs = {x};
      unit.weight = 1;
      return graph_.values[w].constant->shape().rank() >= (is_conv ? 3 : 1);
    }
    if (node.op != "MatMul" || is_constant) return false;
    unit.inputs = {w};
    if (graph_.IsConstant(x)) {
      unit.constants = {0};
    } else {
      unit.inputs = {x, w};
    }
    return true;
  }

  bool Table(const Node& node, Unit& unit) const {
    unit.kind = Kind::kTable;
    if (node.op != "Gather" || node.inputs.size() != 2 || node.inputs[0] == kNoValue) return false;
    if (!IsFloatConstant(graph_, node.inputs[0])) return false;
    const Tensor& table = *graph_.values[node.inputs[0]].constant;
    unit.weight = 0;
    return table.shape().rank() == 2 && table.elements() >= kLeastTable;
  }

  bool Cheap(const Node& node, Unit& unit) const {
    unit.kind = Kind::kCheap;
    unit.weight = -1;
    unit.moves = Contains(kMovers, node.op);
    if (!unit.moves && !Contains(kMakers, node.op)) return false;
    if (node.inputs.empty() || node.inputs[0] == kNoValue || !Fits(node)) return false;
    const bool takes_all =
        node.op == "Add" || node.op == "Mul" || node.op == "Sub" || node.op == "Concat";
    const size_t count = takes_all ? node.inputs.size() : 1;
    for (size_t i = 0; i < count; ++i) {
      const ValueId id = node.inputs[i];
      if (id == kNoValue) return false;
      if (IsFloatConstant(graph_, id)) {
        unit.constants.push_back(static_cast<int>(i));
      } else {
        unit.inputs.push_back(id);
      }
    }
    return !unit.inputs.empty();
  }

  // Modes in which the values stay in the input's range (movers) or that have no integer form.
  static bool Fits(const Node& node) {
    const auto* mode = node.Find<std::string>("mode");
    if (node.op == "Pad")
      return (mode == nullptr || *mode == "constant") && !node.HasInput(2) &&
             !node.attributes.contains("value");
    if (node.op == "Resize" || node.op == "Upsample") return mode == nullptr || *mode != "cubic";
    return true;
  }

  // The only reader of a value that is no output, or -1.
  int OnlyReader(ValueId id) const { return uses_[id] == 1 ? reader_[id] : -1; }

  void Follow(Unit& unit) {
    const std::string& op = graph_.nodes[static_cast<size_t>(unit.node)].op;
    const bool sums = op == "Conv" || op == "ConvTranspose" || op == "Gemm" || op == "MatMul";
    if (!sums && op != "Add" && op != "Sub") return;
    if (op == "MatMul" && unit.weight >= 0) TakeBias(unit);
    const int next = OnlyReader(unit.out);
    if (next < 0) return;
    const Node& node = graph_.nodes[static_cast<size_t>(next)];
    const bool is_relu = node.op == "Relu" && node.inputs.size() == 1;
    const bool is_clip = node.op == "Clip" && node.inputs[0] == unit.out;
    if (is_relu || is_clip) Take(unit, next);
  }

  // MatMul + Add of a constant row: the bias.
  void TakeBias(Unit& unit) {
    const int next = OnlyReader(unit.out);
    if (next < 0) return;
    const Node& add = graph_.nodes[static_cast<size_t>(next)];
    if (add.op != "Add" || add.inputs.size() != 2) return;
    const ValueId other = add.inputs[add.inputs[0] == unit.out ? 1 : 0];
    if (other == unit.out || !IsFloatConstant(graph_, other)) return;
    if (graph_.values[other].constant->shape().rank() == 1) Take(unit, next);
  }

  void Take(Unit& unit, int node) {
    unit.tail.push_back(node);
    inside_[static_cast<size_t>(node)] = true;
    unit.out = graph_.nodes[static_cast<size_t>(node)].outputs[0];
    unit.outputs = {unit.out};
  }

  const Graph& graph_;
  std::vector<int> uses_, reader_;
  std::vector<bool> inside_;
};

}  // namespace

std::string_view FormName(Form form) {
  static constexpr std::string_view kNames[] = {"float", "weight4", "weight8", "int8-dynamic",
                                                "int8"};
  return kNames[static_cast<size_t>(form)];
}

std::vector<Unit> FindUnits(const Graph& graph) {
  return Finder(graph).Run();
}

WeightAxes AxesOf(const Graph& graph, const Unit& unit) {
  if (unit.weight < 0) return {};
  const Node& node = graph.nodes[static_cast<size_t>(unit.node)];
  const tensor::Shape& shape =
      graph.values[node.inputs[static_cast<size_t>(unit.weight)]].constant->shape();
  const int rank = shape.rank();
  if (unit.kind == Kind::kTable) return {0, 1};
  if (node.op == "Conv") return {0, 1};
  if (node.op == "ConvTranspose") {
    const int64_t* group = node.Find<int64_t>("group");
    // With groups an index of axis 1 is a channel in each of them: they share its scale.
    return {1, group == nullptr || *group == 1 ? 0 : -1};
  }
  if (node.op == "Gemm") {
    const int64_t* transposed = node.Find<int64_t>("transB");
    return transposed != nullptr && *transposed != 0 ? WeightAxes{0, 1} : WeightAxes{1, 0};
  }
  return rank < 2 ? WeightAxes{-1, 0} : WeightAxes{rank - 1, rank - 2};
}

Places FindPlaces(const Graph& graph, const std::vector<Unit>& units,
                  const std::vector<Form>& forms, const std::vector<bool>& possible) {
  const size_t values = graph.values.size();
  const auto all_possible = [&](const std::vector<ValueId>& ids) {
    return std::ranges::all_of(ids, [&](ValueId id) { return id == kNoValue || possible[id]; });
  };
  const auto is_integer = [&](size_t u) {
    return forms[u] == Form::kInt8 && all_possible(units[u].inputs);
  };
  std::vector<bool> wanted(values, false), available(values, false);
  for (size_t u = 0; u < units.size(); ++u) {
    if (!is_integer(u)) continue;
    for (ValueId id : units[u].inputs) wanted[id] = available[id] = true;
  }
  const auto is_wanted = [&](const Unit& unit) {
    return std::ranges::any_of(unit.outputs,
                               [&](ValueId id) { return id != kNoValue && wanted[id]; });
  };
  for (size_t u = units.size(); u-- > 0;) {
    if (units[u].kind != Kind::kCheap || !is_wanted(units[u])) continue;
    for (ValueId id : units[u].inputs) wanted[id] = true;
  }
  Places out{std::vector<bool>(values, false), std::vector<bool>(units.size(), false),
             std::vector<bool>(values, false)};
  for (size_t u = 0; u < units.size(); ++u) {
    const Unit& unit = units[u];
    const bool is_ready =
        std::ranges::all_of(unit.inputs, [&](ValueId id) { return available[id]; });
    out.unit[u] = is_integer(u) || (unit.kind == Kind::kCheap && is_ready && is_wanted(unit) &&
                                    all_possible(unit.outputs));
    if (!out.unit[u]) continue;
    for (ValueId id : unit.inputs) out.value[id] = true;
    for (ValueId id : unit.outputs) {
      if (id != kNoValue && possible[id]) available[id] = true;
    }
  }
  for (size_t u = 0; u < units.size(); ++u) {
    if (!out.unit[u]) continue;
    const std::string& op = graph.nodes[static_cast<size_t>(units[u].node)].op;
    const bool is_product = op == "Gemm" || op == "MatMul";
    for (ValueId id : units[u].outputs) {
      // Products that no integer unit reads give floats from their sums.
      if (id == kNoValue) continue;
      if (!is_product && possible[id]) out.value[id] = true;
      out.made[id] = out.value[id];
    }
  }
  return out;
}

}  // namespace ferry::quant
