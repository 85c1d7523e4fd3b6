#include "device-runtime/passes/graph_pass.h"

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
      {"move quantization", MoveQuantization},
      {"remove dead nodes", RemoveDead},
      {"take activations out", TakeActivationsOut},
      {"fuse sums", FuseSums},
      {"fuse means", FuseMeans},
      {"fuse dynamic sums", FuseDynamicSums},
      {"fuse byte tables", FuseByteTables},
      {"fuse binary", FuseBinary},
      {"take stored weights", TakeStored},
      {"remove dead nodes", RemoveDead},  // else weights that nobody reads any more are widened
      {"fold dequantized", FoldDequantized},
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
  std::vector<ir::Node> kept;
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    if (!gone[i]) kept.push_back(std::move(graph.nodes[i]));
  }
  graph.nodes = std::move(kept);
}

Status RunPasses(Graph& graph, std::span<const GraphPass> passes) {
  for (const GraphPass& pass : passes) {
    FERRY_TRY(pass.run(graph).Context("pass '{}'", pass.name));
#ifndef NDEBUG
    const Status verified = ir::Verify(graph);
    CHECK(verified.ok()) << pass.name << ": " << verified.ToString();
#endif
  }
  return OkStatus();
}

}  // namespace ferry::passes
