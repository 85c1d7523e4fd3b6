// The passes over graphs, one per file; all keep the graph verified and its meaning (outputs within
// rounding). Each returns how many places it changed.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "device-runtime/ir/graph.h"
#include "device-runtime/ops/node_context.h"

namespace ferry::passes {

using ir::Graph;

// Constants that folding makes are not larger than this: a folded Expand or ConstantOfShape must
// not blow a model up.
inline constexpr int64_t kMaxFoldedBytes = 64 << 20;

// Nor do all of them together pass this much and four times what the graph's own constants take
// (weights stored as i8 that a Cast widens); results of up to kSmallFoldedBytes, which may decide
// shapes, are always made.
inline constexpr int64_t kFoldedPerConstantByte = 4;
inline constexpr int64_t kSmallFoldedBytes = 256;

// What folding may still make.
class FoldAllowance {
 public:
  explicit FoldAllowance(const Graph& graph);
  // Whether a node's results of `bytes` in all may be made; counts them if so.
  bool Take(int64_t bytes);

 private:
  int64_t left_;
};

// Runs nodes whose inputs are all constants, by the naive reference.
Result<int> FoldConstants(Graph& graph);
// Removes Identity, Dropout and what else only renames its input.
Result<int> RemoveIdentities(Graph& graph);
// x * sigmoid(x) to Silu; x * hardsigmoid(x, 1/6, 1/2) to HardSwish.
Result<int> FuseGates(Graph& graph);
// Conv + BatchNormalization with constant factors to one Conv.
Result<int> FuseBatchNormalization(Graph& graph);
// Conv + Add of a value of the same fixed shape to a Conv with an addend (needs fixed shapes).
Result<int> FuseResidual(Graph& graph);
// Conv or Gemm + activation.
Result<int> FuseActivation(Graph& graph);
// In bodies, and the bodies inside them: captured constants become constants of the body, captured
// values that nothing reads are captured no more, identities and dead nodes go.
Result<int> SimplifyBodies(Graph& graph);
// Nodes and values that no output needs.
Result<int> RemoveDead(Graph& graph);

// Drops the nodes that a pass marked in `gone` (one flag a node, in order).
void KeepNodes(Graph& graph, const std::vector<bool>& gone);

struct GraphPass {
  std::string_view name;
  Result<int> (*run)(Graph&);
};
// The shape-independent passes in the order `Compile` runs them, and those for fixed shapes.
std::span<const GraphPass> CompilePasses();
std::span<const GraphPass> SpecializePasses();
// Runs passes in order; errors name the pass. In debug builds verifies the graph after each.
Status RunPasses(Graph& graph, std::span<const GraphPass> passes);

// Gives every value its type for the given input shapes (in the order of graph.inputs), runs all
// nodes that depend on shapes and constants only, expands, and runs the passes that need fixed
// shapes. kShapeMismatch when an input's rank or a fixed extent differs, or a symbol has two
// values; errors of shape rules name the node; kUnsupported when a type depends on values of the
// run (such graphs run in parts: part.h).
Result<Graph> Specialize(const Graph& graph, std::span<const ir::Shape> input_shapes);

// The type of a value with fixed dims (after Specialize).
ops::ValueInfo InfoOf(const ir::Value& value);

}  // namespace ferry::passes
