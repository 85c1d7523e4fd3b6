#include <algorithm>

#include "device-runtime/passes/fuse/match.h"
#include "device-runtime/passes/graph_pass.h"

namespace ferry::passes {
namespace {

// What a Pad with zeros adds before and behind each spatial axis, in the order of Conv's `pads`;
// nullopt when it does anything else.
std::optional<std::vector<int64_t>> SpatialPads(const Graph& graph, const Matcher& match,
                                                const ir::Node& pad) {
  const std::string* mode = pad.Find<std::string>("mode");
  if (mode != nullptr && *mode != "constant") return std::nullopt;
  if (pad.HasInput(3) || (pad.version != 0 && pad.version < 11)) return std::nullopt;
  if (pad.HasInput(2)) {
    const auto value = match.Number(pad.inputs[2]);
    if (!value || *value != 0) return std::nullopt;
  }
  const auto pads = IntsOf(graph, pad, 1, "");
  if (!pads || pads->size() < 6 || pads->size() % 2 != 0) return std::nullopt;
  const size_t rank = pads->size() / 2;
  for (size_t i = 0; i < pads->size(); ++i) {
    if ((*pads)[i] < 0 || (*pads)[i] > (1 << 20) || (i % rank < 2 && (*pads)[i] != 0)) {
      return std::nullopt;
    }
  }
  std::vector<int64_t> spatial(pads->begin() + 2, pads->begin() + static_cast<long>(rank));
  spatial.insert(spatial.end(), pads->begin() + static_cast<long>(rank) + 2, pads->end());
  return spatial;
}

}  // namespace

Result<int> FusePads(Graph& graph) {
  const Matcher match(graph);
  int fused = 0;
  for (ir::Node& conv : graph.nodes) {
    if (conv.op != "Conv" || conv.inputs.size() < 2) continue;
    const ir::Node* pad = match.Maker(conv.inputs[0], "Pad");
    const auto weights = match.ShapeOf(conv.inputs[1]);
    const std::string* automatic = conv.Find<std::string>("auto_pad");
    if (pad == nullptr || !weights || (automatic != nullptr && *automatic != "NOTSET")) continue;
    auto added = SpatialPads(graph, match, *pad);
    if (!added || added->size() != 2 * static_cast<size_t>(weights->rank() - 2)) continue;
    if (const auto* own = conv.Find<std::vector<int64_t>>("pads")) {
      if (own->size() != added->size()) continue;
      for (size_t i = 0; i < own->size(); ++i)
        (*added)[i] += std::clamp<int64_t>((*own)[i], 0, 1 << 20);
      if (std::ranges::any_of(*own, [](int64_t p) { return p < 0 || p > (1 << 20); })) continue;
    }
    conv.attributes["pads"] = *std::move(added);
    conv.inputs[0] = pad->inputs[0];
    ++fused;
  }
  return fused;  // pads that nobody reads any more go with the dead nodes
}

}  // namespace ferry::passes
