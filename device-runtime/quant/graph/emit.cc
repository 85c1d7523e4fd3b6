// The quantised graph, node by node.
#include <algorithm>
#include <cmath>
#include <set>

#include "device-runtime/quant/graph/build.h"

namespace ferry::quant {

using ir::Graph;
using ir::kNoValue;
using ir::Node;
using ir::ValueId;

namespace {

constexpr int kChannelOpset = 13;  // the first with scales by channel
constexpr int kBlockOpset = 21;    // the first with blocks and 4 bits

int NewestOpset(const Graph& graph) {
  int newest = 0;
  for (const Node& node : graph.nodes) {
    if (node.op.find(':') == std::string::npos) newest = std::max(newest, node.version);
  }
  return newest;
}

}  // namespace

class Emitter {
 public:
  Emitter(Builder& builder, const std::vector<Form>& forms, Target target)
      : builder_(builder), from_(builder.prepared().graph), forms_(forms), target_(target) {
    out_ = from_;
    out_.nodes.clear();
    for (const ir::Value& value : out_.values) names_.insert(value.name);
    std::vector<bool> possible;
    for (const auto& affine : builder.prepared().affines) possible.push_back(affine.has_value());
    places_ = FindPlaces(from_, builder.prepared().units, forms, possible);
    unit_of_.assign(from_.nodes.size(), -1);
    const auto& units = builder.prepared().units;
    for (size_t u = 0; u < units.size(); ++u) {
      unit_of_[static_cast<size_t>(units[u].node)] = static_cast<int>(u);
    }
    opset_ = std::max(kChannelOpset, NewestOpset(from_));
    integer_.assign(from_.values.size(), kNoValue);
    dynamic_.assign(from_.values.size(), kNoValue);
  }

  Result<Graph> Run() {
    for (ValueId id : from_.inputs) {
      if (!places_.value[id]) continue;
      FERRY_ASSIGN_OR_RETURN(integer_[id], Rounding(id, kNoValue));
    }
    for (size_t i = 0; i < from_.nodes.size(); ++i) {
      Node node = from_.nodes[i];
      const int unit = unit_of_[i];
      if (unit >= 0) FERRY_TRY(OneUnit(static_cast<size_t>(unit), node));
      FERRY_TRY(Outputs(std::move(node)));
    }
    return std::move(out_);
  }

 private:
  const Affine& AffineOf(ValueId id) const { return *builder_.prepared().affines[id]; }

  std::string FreshName(const std::string& stem) {
    std::string name = stem;
    for (int i = 1; !names_.insert(name).second; ++i) name = fmt::format("{}.{}", stem, i);
    return name;
  }
  ValueId Value(const std::string& stem, DType dtype, ValueId like) {
    const ValueId id = out_.AddValue(FreshName(stem));
    out_.values[id].dtype = dtype;
    out_.values[id].dims = out_.values[like].dims;
    return id;
  }
  ValueId Constant(const std::string& stem, Tensor tensor) {
    return out_.AddConstant(FreshName(stem), std::move(tensor));
  }
  Node& Add(std::string op, std::vector<ValueId> inputs, ValueId output, int version) {
    Node node;
    node.name = out_.values[output].name;
    node.op = std::move(op);
    node.inputs = std::move(inputs);
    node.outputs = {output};
    node.version = version;
    out_.nodes.push_back(std::move(node));
    return out_.nodes.back();
  }
  Result<ValueId> Scalar(const std::string& stem, DType dtype, double number) {
    FERRY_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Allocate(dtype, {}));
    tensor.SetNumber(0, number);
    return Constant(stem, std::move(tensor));
  }

  // Emits the rounding of value `id` as `to` (kNoValue: a new value), which is returned.
  Result<ValueId> Rounding(ValueId id, ValueId to) {
    const Affine& a = AffineOf(to == kNoValue ? id : to);
    const std::string name = out_.values[to == kNoValue ? id : to].name;
    if (to == kNoValue) to = Value(name + ".dq", DType::kF32, id);
    FERRY_ASSIGN_OR_RETURN(const ValueId scale, Scalar(name + ".scale", DType::kF32, a.scale));
    if (target_ == Target::kQdq) {
      FERRY_ASSIGN_OR_RETURN(const ValueId zero, Scalar(name + ".zero", a.dtype, a.zero_point));
      const ValueId q = Value(name + ".q", a.dtype, id);
      Add("QuantizeLinear", {id, scale, zero}, q, opset_);
      Add("DequantizeLinear", {q, scale, zero}, to, opset_);
      return to;
    }
    FERRY_ASSIGN_OR_RETURN(const ValueId low,
                           Scalar(name + ".low", DType::kF32, a.Lowest() - a.zero_point));
    FERRY_ASSIGN_OR_RETURN(const ValueId high,
                           Scalar(name + ".high", DType::kF32, a.Highest() - a.zero_point));
    const ValueId quotient = Value(name + ".quotient", DType::kF32, id);
    const ValueId round = Value(name + ".round", DType::kF32, id);
    const ValueId clip = Value(name + ".clip", DType::kF32, id);
    Add("Div", {id, scale}, quotient, opset_);
    Add("Round", {quotient}, round, opset_);
    Add("Clip", {round, low, high}, clip, opset_);
    Add("Mul", {clip, scale}, to, opset_);
    return to;
  }

  // The float value of rounded weights.
  Result<ValueId> Weight(const std::string& name, const QuantizedWeight& weight) {
    if (target_ == Target::kSimulate) {
      FERRY_ASSIGN_OR_RETURN(Tensor tensor, Dequantized(weight));
      return Constant(name + ".rounded", std::move(tensor));
    }
    const bool is_new = weight.block > 0 || tensor::IntegerBits(weight.values.dtype()) < 8;
    std::vector<ValueId> inputs = {Constant(name + ".q", weight.values),
                                   Constant(name + ".scale", weight.scales)};
    if (weight.zeros) inputs.push_back(Constant(name + ".zero", *weight.zeros));
    const ValueId out = Value(name + ".dq", DType::kF32, inputs[0]);
    Node& node = Add("DequantizeLinear", std::move(inputs), out,
                     is_new ? std::max(opset_, kBlockOpset) : opset_);
    if (weight.axis >= 0) node.attributes["axis"] = static_cast<int64_t>(weight.axis);
    if (weight.block > 0) node.attributes["block_size"] = weight.block;
    return out;
  }

  // A constant that an integer unit reads beside its weights: one scale for all.
  Result<ValueId> Number(ValueId id, bool is_factor) {
    const ir::Value& value = from_.values[id];
    const Tensor& numbers = *value.constant;
    if (is_factor) {
      FERRY_ASSIGN_OR_RETURN(const QuantizedWeight weight, QuantizeWeight(numbers, WeightForm{}));
      return Weight(value.name, weight);
    }
    double low = 0, high = 0;
    for (float x : numbers.data<float>()) {
      low = std::min<double>(low, x);
      high = std::max<double>(high, x);
    }
    const Affine a = quant::AffineOf(low, high, builder_.options().activations);
    QuantizedWeight weight;
    FERRY_ASSIGN_OR_RETURN(weight.values, Tensor::Allocate(a.dtype, numbers.shape()));
    FERRY_ASSIGN_OR_RETURN(weight.scales, Tensor::Of<float>({}, {&a.scale, 1}));
    FERRY_ASSIGN_OR_RETURN(weight.zeros, Tensor::Allocate(a.dtype, {}));
    weight.zeros->SetInteger(0, a.zero_point);
    for (int64_t i = 0; i < numbers.elements(); ++i) {
      weight.values.SetNumber(i, std::nearbyint(numbers.Number(i) / a.scale) + a.zero_point);
    }
    return Weight(value.name, weight);
  }

  Status OneUnit(size_t u, Node& node) {
    const Unit& unit = builder_.prepared().units[u];
    if (places_.unit[u]) {
      for (ValueId& id : node.inputs) {
        if (id != kNoValue && integer_[id] != kNoValue) id = integer_[id];
      }
      for (int i : unit.constants) {
        ValueId& id = node.inputs[static_cast<size_t>(i)];
        FERRY_ASSIGN_OR_RETURN(id, Number(id, unit.kind == Kind::kLayer));
      }
    }
    const bool is_float = forms_[u] == Form::kFloat || unit.weight < 0 ||
                          (forms_[u] == Form::kInt8 && !places_.unit[u]);
    return is_float ? OkStatus() : Weights(u, node);
  }

  Status Weights(size_t u, Node& node) {
    const Unit& unit = builder_.prepared().units[u];
    FERRY_ASSIGN_OR_RETURN(const auto* rounded, builder_.RoundedOf(u, forms_[u]));
    ValueId& weight = node.inputs[static_cast<size_t>(unit.weight)];
    FERRY_ASSIGN_OR_RETURN(weight, Weight(from_.values[weight].name, rounded->weight));
    if (forms_[u] == Form::kDynamic) {
      FERRY_ASSIGN_OR_RETURN(node.inputs[0], Dynamic(node.inputs[0]));
    }
    if (unit.kind != Kind::kLayer) return OkStatus();
    if (node.op == "MatMul") {
      if (rounded->float_bias) {
        const Node& add = from_.nodes[static_cast<size_t>(unit.tail[0])];
        const ValueId bias = add.inputs[add.inputs[0] == node.outputs[0] ? 1 : 0];
        // Another layer may add the same constant: only this unit's tail reads the new one.
        tail_bias_[unit.tail[0]] = {bias, Constant(from_.values[bias].name, *rounded->float_bias)};
      }
      return OkStatus();
    }
    return Bias(*rounded, node);
  }

  Status Bias(const Builder::Rounded& rounded, Node& node) {
    if (!rounded.bias && !rounded.float_bias) return OkStatus();
    if (node.inputs.size() < 3) node.inputs.resize(3, kNoValue);
    const std::string name =
        node.inputs[2] == kNoValue ? node.name + ".bias" : out_.values[node.inputs[2]].name;
    if (!rounded.bias) {
      node.inputs[2] = Constant(name, *rounded.float_bias);
      return OkStatus();
    }
    QuantizedWeight bias;
    bias.values = *rounded.bias;
    const bool by_channel = rounded.bias_scales.size() > 1;
    const tensor::Shape shape = by_channel ? bias.values.shape() : tensor::Shape{};
    FERRY_ASSIGN_OR_RETURN(bias.scales, Tensor::Of<float>(shape, rounded.bias_scales));
    bias.axis = by_channel ? 0 : -1;
    FERRY_ASSIGN_OR_RETURN(node.inputs[2], Weight(name, bias));
    return OkStatus();
  }

  // The value rounded by a range that is found when the model runs.
  Result<ValueId> Dynamic(ValueId id) {
    if (dynamic_[id] != kNoValue) return dynamic_[id];
    const std::string name = out_.values[id].name;
    const ValueId q = Value(name + ".q", DType::kU8, id);
    const ValueId scale = out_.AddValue(FreshName(name + ".scale"));
    const ValueId zero = out_.AddValue(FreshName(name + ".zero"));
    Add("DynamicQuantizeLinear", {id}, q, opset_).outputs = {q, scale, zero};
    const ValueId out = Value(name + ".dq", DType::kF32, id);
    Add("DequantizeLinear", {q, scale, zero}, out, opset_);
    return dynamic_[id] = out;
  }

  Status Outputs(Node node) {
    const auto tail = tail_bias_.find(static_cast<int>(at_++));
    if (tail != tail_bias_.end()) {
      std::ranges::replace(node.inputs, tail->second.first, tail->second.second);
    }
    std::vector<std::pair<ValueId, ValueId>> rounded;  // from, to
    for (ValueId& id : node.outputs) {
      if (id == kNoValue || !places_.value[id]) continue;
      if (!places_.made[id]) {
        rounded.emplace_back(id, kNoValue);
        continue;
      }
      // Readers keep the id: it becomes the rounded value.
      const ValueId exact = Value(out_.values[id].name + ".exact", DType::kF32, id);
      rounded.emplace_back(exact, id);
      id = exact;
    }
    out_.nodes.push_back(std::move(node));
    for (const auto& [from, to] : rounded) {
      FERRY_ASSIGN_OR_RETURN(const ValueId made, Rounding(from, to));
      if (to == kNoValue) integer_[from] = made;
    }
    return OkStatus();
  }

  Builder& builder_;
  const Graph& from_;
  const std::vector<Form>& forms_;
  const Target target_;
  Graph out_;
  Places places_;
  std::set<std::string> names_;
  std::vector<int> unit_of_;
  int opset_;
  size_t at_ = 0;
  // By value id: its rounded form where a float form is there too; its form with a range found at
  // run time.
  std::vector<ValueId> integer_, dynamic_;
  // By node: the bias that it adds and the one that takes its place.
  std::map<int, std::pair<ValueId, ValueId>> tail_bias_;
};

Result<Graph> Builder::Build(const std::vector<Form>& forms, Target target) {
  FERRY_ASSIGN_OR_RETURN(Graph graph, Emitter(*this, forms, target).Run());
  FERRY_TRY(ir::Verify(graph).Context("the quantised graph"));
  return graph;
}

}  // namespace ferry::quant
