// Nodes of older opsets said in a newer one. Source: the change log of ONNX's operators; only
// changes that an old node can notice are rows here.
#include <algorithm>

#include "device-runtime/formats/onnx_writer.h"

namespace ferry::formats {
namespace {

using ir::kNoValue;
using ir::Node;
using ir::Tensor;

// A node on its way, and where new constants and nodes before it go.
struct Upgrade {
  ir::Graph& graph;
  Node& node;
  std::vector<Node>& before;
  std::vector<Node>& after;
  int to;

  ir::ValueId Constant(std::string_view what, Tensor tensor) {
    return graph.AddConstant(graph.FreshName(fmt::format("{}.{}", node.name, what)),
                             std::move(tensor));
  }
  ir::ValueId Fresh(std::string_view what) {
    return graph.AddValue(graph.FreshName(fmt::format("{}.{}", node.name, what)));
  }
  void SetInput(size_t at, ir::ValueId id) {
    if (node.inputs.size() <= at) node.inputs.resize(at + 1, kNoValue);
    node.inputs[at] = id;
  }
  // Attribute `key`, a list of integers, becomes input `at`.
  Status IntsToInput(const char* key, size_t at) {
    const auto* ints = node.Find<std::vector<int64_t>>(key);
    if (ints == nullptr) return OkStatus();
    const auto count = static_cast<int64_t>(ints->size());
    FERRY_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Of<int64_t>({count}, *ints));
    node.attributes.erase(key);
    SetInput(at, Constant(key, std::move(tensor)));
    return OkStatus();
  }
  Status FloatToInput(const char* key, size_t at) {
    const float* number = node.Find<float>(key);
    if (number == nullptr) return OkStatus();
    const ir::Value& x = graph.values[node.inputs[0]];
    FERRY_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Zeros(x.dtype.value_or(ir::DType::kF32), {}));
    tensor.SetNumber(0, *number);
    node.attributes.erase(key);
    SetInput(at, Constant(key, std::move(tensor)));
    return OkStatus();
  }
  int64_t Int(const char* key, int64_t otherwise) const {
    const int64_t* value = node.Find<int64_t>(key);
    return value == nullptr ? otherwise : *value;
  }
};

Status Refuse(Upgrade&) {
  return Status(Code::kUnsupported, "its rules have no form in the newer opset");
}

Status Broadcast(Upgrade& u) {  // of rows before opset 7
  if (u.Int("broadcast", 0) != 0) return Refuse(u);
  u.node.attributes.erase("broadcast");
  u.node.attributes.erase("axis");
  return OkStatus();
}
Status Gemm(Upgrade& u) {
  u.node.attributes.erase("broadcast");  // today's rule covers both
  return OkStatus();
}
Status Consumed(Upgrade& u) {
  u.node.attributes.erase("consumed_inputs");
  return OkStatus();
}
Status BatchNorm(Upgrade& u) {
  const bool trains = u.node.version < 7 ? u.Int("is_test", 0) == 0 : u.node.outputs.size() > 1;
  if (trains || (u.node.version < 9 && u.Int("spatial", 1) == 0)) return Refuse(u);
  for (const char* key : {"is_test", "spatial", "consumed_inputs"}) u.node.attributes.erase(key);
  return OkStatus();
}
Status Dropout(Upgrade& u) {  // an inference graph's drops nothing
  if (u.node.version < 7 && u.Int("is_test", 0) == 0) return Refuse(u);
  if (u.node.outputs.size() > 1 && u.node.version < 10) return Refuse(u);
  for (const char* key : {"is_test", "ratio", "consumed_inputs"}) u.node.attributes.erase(key);
  return OkStatus();
}
Status Concat(Upgrade& u) {
  u.node.attributes.try_emplace("axis", int64_t{1});
  return OkStatus();
}
Status Reshape(Upgrade& u) {
  u.node.attributes.erase("consumed_inputs");
  return u.IntsToInput("shape", 1);
}
Status Pad(Upgrade& u) {
  const char* key = u.node.version < 2 ? "paddings" : "pads";
  FERRY_TRY(u.IntsToInput(key, 1));
  return u.FloatToInput("value", 2);
}
Status Clip(Upgrade& u) {
  u.node.attributes.erase("consumed_inputs");
  FERRY_TRY(u.FloatToInput("min", 1));
  return u.FloatToInput("max", 2);
}
Status Slice(Upgrade& u) {
  FERRY_TRY(u.IntsToInput("starts", 1));
  FERRY_TRY(u.IntsToInput("ends", 2));
  return u.IntsToInput("axes", 3);
}
Status TopK(Upgrade& u) {
  const int64_t k = u.Int("k", -1);
  if (u.node.inputs.size() > 1) return OkStatus();
  u.node.attributes["k"] = std::vector<int64_t>{k};
  return u.IntsToInput("k", 1);
}
Status Axes(Upgrade& u) {
  return u.IntsToInput("axes", 1);
}
Status SplitSizes(Upgrade& u) {
  return u.IntsToInput("split", 1);
}
Status SplitCount(Upgrade& u) {
  if (u.node.HasInput(1)) return OkStatus();
  u.node.attributes["num_outputs"] = static_cast<int64_t>(u.node.outputs.size());
  return OkStatus();
}
// Upsample and the first Resize: (x, scales), counted from the corner.
Status Resize(Upgrade& u) {
  if (u.node.op == "Upsample" && u.node.version < 9) {
    const auto* scales = u.node.Find<std::vector<float>>("scales");
    if (scales == nullptr) return Refuse(u);
    const auto count = static_cast<int64_t>(scales->size());
    FERRY_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Of<float>({count}, *scales));
    u.node.attributes.erase("scales");
    u.SetInput(1, u.Constant("scales", std::move(tensor)));
  }
  if (u.node.inputs.size() != 2) return Refuse(u);
  u.node.op = "Resize";
  u.node.inputs = {u.node.inputs[0], kNoValue, u.node.inputs[1]};
  u.node.attributes["coordinate_transformation_mode"] = std::string("asymmetric");
  u.node.attributes["nearest_mode"] = std::string("floor");
  return OkStatus();
}
Status ResizeModes(Upgrade& u) {
  const auto* mode = u.node.Find<std::string>("coordinate_transformation_mode");
  return mode != nullptr && *mode == "tf_half_pixel_for_nn" ? Refuse(u) : OkStatus();
}
Status Scatter(Upgrade& u) {
  u.node.op = "ScatterElements";
  return OkStatus();
}
// Softmax over all axes from `axis` on: over the last one of the flattened input.
Status Flattened(Upgrade& u) {
  const int64_t axis = u.Int("axis", 1);
  u.node.attributes.erase("flatten");
  const ir::Value& x = u.graph.values[u.node.inputs[0]];
  const auto rank = x.dims ? static_cast<int64_t>(x.dims->size()) : 0;
  if (axis == -1 || (rank > 0 && axis == rank - 1)) {
    u.node.attributes["axis"] = int64_t{-1};
    return OkStatus();
  }
  const auto add = [&](std::vector<Node>& to, const char* op, std::vector<ir::ValueId> in,
                       ir::ValueId out) -> Node& {
    to.push_back({.op = op,
                  .name = fmt::format("{}.{}", u.node.name, op),
                  .inputs = std::move(in),
                  .outputs = {out},
                  .version = u.to});
    return to.back();
  };
  const ir::ValueId input = u.node.inputs[0], output = u.node.outputs[0];
  const ir::ValueId shape = u.Fresh("shape"), flat = u.Fresh("flat"), made = u.Fresh("rows");
  add(u.before, "Shape", {input}, shape);
  add(u.before, "Flatten", {input}, flat).attributes["axis"] = axis;
  add(u.after, "Reshape", {made, shape}, output);
  u.node.inputs[0] = flat;
  u.node.outputs[0] = made;
  u.node.attributes["axis"] = int64_t{-1};
  return OkStatus();
}
Status RoiAlign(Upgrade& u) {
  u.node.attributes.try_emplace("coordinate_transformation_mode", std::string("output_half_pixel"));
  return OkStatus();
}
Status GridSample(Upgrade& u) {
  const auto* mode = u.node.Find<std::string>("mode");
  const std::string now = mode == nullptr ? "bilinear" : *mode;
  u.node.attributes["mode"] = now == "bilinear" ? "linear" : now == "bicubic" ? "cubic" : now;
  return OkStatus();
}
Status Dft(Upgrade& u) {
  u.node.attributes["axis"] = std::vector<int64_t>{u.Int("axis", 1)};
  FERRY_TRY(u.IntsToInput("axis", 2));
  const Tensor& list = *u.graph.values[u.node.inputs[2]].constant;
  FERRY_ASSIGN_OR_RETURN(Tensor scalar, list.Reshaped({}));
  u.SetInput(2, u.Constant("axis", std::move(scalar)));
  return OkStatus();
}

struct Change {
  std::string_view op;
  int at;  // nodes of older opsets are rewritten
  Status (*apply)(Upgrade&);
};
constexpr Change kChanges[] = {
    {"Add", 7, Broadcast},
    {"And", 7, Broadcast},
    {"Attention", 24, Refuse},
    {"BatchNormalization", 14, BatchNorm},
    {"Cast", 6, Refuse},
    {"Clip", 11, Clip},
    {"Concat", 4, Concat},
    {"DFT", 20, Dft},
    {"Div", 7, Broadcast},
    {"Dropout", 12, Dropout},
    {"Equal", 7, Broadcast},
    {"GRU", 7, Refuse},
    {"Gemm", 7, Gemm},
    {"GlobalLpPool", 2, Refuse},
    {"Greater", 7, Broadcast},
    {"GridSample", 20, GridSample},
    {"GroupNormalization", 21, Refuse},
    {"Hardmax", 13, Flattened},
    {"LSTM", 7, Refuse},
    {"Less", 7, Broadcast},
    {"LogSoftmax", 13, Flattened},
    {"LpPool", 2, Refuse},
    {"Mul", 7, Broadcast},
    {"OneHot", 11, Refuse},
    {"Or", 7, Broadcast},
    {"PRelu", 9, Refuse},
    {"Pad", 11, Pad},
    {"Pow", 7, Broadcast},
    {"RNN", 7, Refuse},
    {"ReduceL1", 18, Axes},
    {"ReduceL2", 18, Axes},
    {"ReduceLogSum", 18, Axes},
    {"ReduceLogSumExp", 18, Axes},
    {"ReduceMax", 18, Axes},
    {"ReduceMean", 18, Axes},
    {"ReduceMin", 18, Axes},
    {"ReduceProd", 18, Axes},
    {"ReduceSum", 13, Axes},
    {"ReduceSumSquare", 18, Axes},
    {"Relu", 6, Consumed},
    {"Reshape", 5, Reshape},
    {"Resize", 11, Resize},
    {"Resize", 13, ResizeModes},
    {"RoiAlign", 16, RoiAlign},
    {"Scan", 9, Refuse},
    {"Scatter", 11, Scatter},
    {"Selu", 6, Refuse},
    {"Sigmoid", 6, Consumed},
    {"Slice", 10, Slice},
    {"Softmax", 13, Flattened},
    {"Split", 13, SplitSizes},
    {"Split", 18, SplitCount},
    {"Squeeze", 13, Axes},
    {"Sub", 7, Broadcast},
    {"Tanh", 6, Consumed},
    {"Tile", 6, Refuse},
    {"TopK", 10, TopK},
    {"Unsqueeze", 13, Axes},
    {"Upsample", 10, Resize},
    {"Xor", 7, Broadcast},
};

Status UpgradeNode(Upgrade& u) {
  const std::string op = u.node.op;  // Upsample turns into Resize
  for (const Change& change : kChanges) {
    if (change.op != op || u.node.version >= change.at || u.to < change.at) continue;
    FERRY_TRY(change.apply(u).Context("{} of opset {}", ir::NodeText(u.node), u.node.version));
  }
  u.node.version = u.to;
  return OkStatus();
}

Status UpgradeBodies(Node& node, int opset) {
  for (auto& [key, attribute] : node.attributes) {
    auto* body = std::get_if<ir::Subgraph>(&attribute);
    if (body == nullptr) continue;
    ir::Graph copy = **body;
    FERRY_TRY(UpgradeOpset(copy, opset).Context("{}: body '{}'", ir::NodeText(node), key));
    *body = std::make_shared<const ir::Graph>(std::move(copy));
  }
  return OkStatus();
}

}  // namespace

Status UpgradeOpset(ir::Graph& graph, int opset) {
  std::vector<Node> nodes;
  std::vector<Node> old = std::move(graph.nodes);
  graph.nodes.clear();
  for (Node& node : old) {
    FERRY_TRY(UpgradeBodies(node, opset));
    std::vector<Node> after;
    if (!(node.op.find(':') != std::string::npos) && node.version > 0 && node.version < opset) {
      Upgrade upgrade{graph, node, nodes, after, opset};
      FERRY_TRY(UpgradeNode(upgrade));
    }
    nodes.push_back(std::move(node));
    std::ranges::move(after, std::back_inserter(nodes));
  }
  graph.nodes = std::move(nodes);
  return OkStatus();
}

}  // namespace ferry::formats
