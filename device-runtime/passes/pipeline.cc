#include "device-runtime/passes/graph_pass.h"

#include <algorithm>

namespace ferry::passes {

std::span<const GraphPass> CompilePasses() {
  static constexpr GraphPass kPasses[] = {
      {"remove identities", RemoveIdentities},
      {"expand quantized", ExpandQuantized},
      {"fold constants", FoldConstants},
      {"merge equal nodes", MergeEqual},
      {"fuse clips", FuseClips},
      {"fuse gates", FuseGates},
      {"fuse pads", FusePads},
      {"fuse batch normalization", FuseBatchNormalization},
      {"fuse factors", FuseFactors},
      {"merge branches", MergeBranches},
      {"fuse biases", FuseBias},
      {"fuse activations", FuseActivation},
      {"simplify bodies", SimplifyBodies},
      {"remove dead nodes", RemoveDead},
  };
  return kPasses;
}

std::span<const GraphPass> SpecializePasses() {
  static constexpr GraphPass kPasses[] = {
      {"merge equal nodes", MergeEqual},
      {"fuse clips", FuseClips},
      {"move quantization", MoveQuantization, HoldsStored},
      {"remove dead nodes", RemoveDead},
      {"take activations out", TakeActivationsOut, HoldsStored},
      {"fuse sums", FuseSums, HoldsStored},
      {"fuse means", FuseMeans, HoldsStored},
      {"fuse dynamic sums", FuseDynamicSums, HoldsStored},
      {"fuse byte tables", FuseByteTables, HoldsStored},
      {"fuse binary", FuseBinary, HoldsStored},
      {"take stored weights", TakeStored, HoldsStored},
      {"remove dead nodes", RemoveDead},  // else weights that nobody reads any more are widened
      {"fold dequantized", FoldDequantized, HoldsStored},
      {"fuse gates", FuseGates},
      {"fuse batch normalization", FuseBatchNormalization},
      {"fuse norms", FuseNorms},
      {"fuse attention", FuseAttention},
      {"remove dead nodes", RemoveDead},
      {"fuse biases", FuseBias},
      {"fuse residuals", FuseResidual},
      {"fuse activations", FuseActivation},
  };
  return kPasses;
}

void KeepNodes(Graph& graph, const std::vector<bool>& gone) {
  size_t kept = 0;
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    if (gone[i]) continue;
    if (kept != i) graph.nodes[kept] = std::move(graph.nodes[i]);
    ++kept;
  }
  graph.nodes.resize(kept);
}

bool HoldsStored(const Graph& graph) {
  return std::ranges::any_of(graph.nodes, [&](const ir::Node& node) {
    return node.op == "DequantizeLinear" || node.op == "QuantizeLinear" ||
           (node.op == "Cast" && !node.inputs.empty() && graph.IsConstant(node.inputs[0]));
  });
}

Status RunPasses(Graph& graph, std::span<const GraphPass> passes) {
  std::vector<bool (*)(const Graph&)> absent;  // what one pass did not find no later one will
  for (const GraphPass& pass : passes) {
    if (pass.is_wanted != nullptr) {
      if (std::ranges::count(absent, pass.is_wanted) > 0) continue;
      if (!pass.is_wanted(graph)) {
        absent.push_back(pass.is_wanted);
        continue;
      }
    }
    FERRY_TRY(pass.run(graph).Context("pass '{}'", pass.name));
#ifndef NDEBUG
    const Status verified = ir::Verify(graph);
    CHECK(verified.ok()) << pass.name << ": " << verified.ToString();
#endif
  }
  return OkStatus();
}

}  // namespace ferry::passes
