#include "device-runtime/quant/storage.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "device-runtime/ops/onnx_types.h"

namespace ferry::quant {
namespace {

constexpr int64_t kLeastElements = 128;
constexpr float kMaxHalf = 65504;
constexpr int kCastOpset = 13;  // the first whose Cast knows bfloat16

bool Fits(const Tensor& tensor, DType dtype) {
  if (dtype != DType::kF16) return true;
  const auto x = tensor.data<float>();
  return std::ranges::all_of(x, [](float v) { return !(std::fabs(v) > kMaxHalf); });
}

Status StoreBodies(ir::Node& node, DType dtype, int& changed) {
  for (auto& [key, attribute] : node.attributes) {
    auto* body = std::get_if<ir::Subgraph>(&attribute);
    if (body == nullptr) continue;
    ir::Graph copy = **body;
    FERRY_ASSIGN_OR_RETURN(const int inside, StoreNarrow(copy, dtype));
    changed += inside;
    *body = std::make_shared<const ir::Graph>(std::move(copy));
  }
  return OkStatus();
}

}  // namespace

Result<int> StoreNarrow(ir::Graph& graph, DType dtype) {
  int changed = 0;
  int version = kCastOpset;
  for (ir::Node& node : graph.nodes) {
    FERRY_TRY(StoreBodies(node, dtype, changed));
    if (node.op.find(':') == std::string::npos) version = std::max(version, node.version);
  }
  std::vector<ir::Node> nodes;
  const size_t count = graph.values.size();
  for (size_t id = 0; id < count; ++id) {
    if (!graph.values[id].constant) continue;
    const Tensor wide = *graph.values[id].constant;
    if (wide.dtype() != DType::kF32 || wide.elements() < kLeastElements || !Fits(wide, dtype)) {
      continue;
    }
    FERRY_ASSIGN_OR_RETURN(Tensor narrow, Tensor::Allocate(dtype, wide.shape()));
    for (int64_t i = 0; i < wide.elements(); ++i) narrow.SetNumber(i, wide.Number(i));
    const std::string name = graph.values[id].name;
    ir::Node cast;
    cast.op = "Cast";
    cast.name = name + ".Cast";
    cast.version = version;
    cast.attributes["to"] = ops::OnnxOfDType(DType::kF32);
    cast.inputs = {graph.AddConstant(graph.FreshName(name + ".stored"), std::move(narrow))};
    cast.outputs = {static_cast<ir::ValueId>(id)};
    graph.values[id].constant.reset();
    nodes.push_back(std::move(cast));
    ++changed;
  }
  std::ranges::move(graph.nodes, std::back_inserter(nodes));
  graph.nodes = std::move(nodes);
  return changed;
}

void ShortenNames(ir::Graph& graph) {
  std::vector<bool> keeps(graph.values.size(), false);
  std::set<std::string> taken;
  for (const auto* ids : {&graph.inputs, &graph.outputs}) {
    for (ir::ValueId id : *ids) {
      keeps[id] = true;
      taken.insert(graph.values[id].name);
    }
  }
  size_t next = 0;
  for (size_t id = 0; id < graph.values.size(); ++id) {
    if (keeps[id]) continue;
    do {
      graph.values[id].name = fmt::format("v{}", next++);
    } while (taken.contains(graph.values[id].name));
  }
}

}  // namespace ferry::quant
