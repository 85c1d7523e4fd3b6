#include "device-runtime/passes/graph_pass.h"

namespace ferry::passes {

std::span<const GraphPass> CompilePasses() {
  static constexpr GraphPass kPasses[] = {
      {"remove identities", RemoveIdentities},
      {"fold constants", FoldConstants},
      {"fuse gates", FuseGates},
      {"fuse batch normalization", FuseBatchNormalization},
      {"fuse activations", FuseActivation},
      {"simplify bodies", SimplifyBodies},
      {"remove dead nodes", RemoveDead},
  };
  return kPasses;
}

std::span<const GraphPass> SpecializePasses() {
  static constexpr GraphPass kPasses[] = {
      {"fuse gates", FuseGates},         {"fuse batch normalization", FuseBatchNormalization},
      {"fuse residuals", FuseResidual},  {"fuse activations", FuseActivation},
      {"remove dead nodes", RemoveDead},
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
