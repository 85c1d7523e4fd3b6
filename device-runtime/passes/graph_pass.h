// The passes over graphs, one per file; all keep the graph verified and its meaning (outputs within
// rounding). Each returns how many places it changed.
#pragma once

#include <optional>
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
  // `graph` must outlive it, with the constants that it has at the first call of Take.
  explicit FoldAllowance(const Graph& graph) : graph_(graph) {}
  // Whether a node's results of `bytes` in all may be made; counts them if so.
  bool Take(int64_t bytes);

 private:
  const Graph& graph_;
  std::optional<int64_t> left_;  // counted when first asked for
};

// Whether folding `node` would widen stored weights: DequantizeLinear, or Cast of float16 or
// bfloat16, of elements smaller than those of its result (lists up to kSmallFoldedBytes apart).
// Such weights stay as they are stored until a kernel takes them, or FoldDequantized makes them
// once for a plan.
bool WidensWeights(const Graph& graph, const ir::Node& node, int64_t result_bytes);
// Runs nodes whose inputs are all constants (fold.h says on what); not those that widen weights.
Result<int> FoldConstants(Graph& graph);
// Products with constant weights of 8 and 4 bits behind DequantizeLinear to StoredMatMul, which
// keeps them.
Result<int> TakeStored(Graph& graph);
// Runs DequantizeLinear and such Casts of constants: those that no kernel took. Constants up to
// kMaxFoldedBytes.
Result<int> FoldDequantized(Graph& graph);
// Removes Identity, Dropout and what else only renames its input.
Result<int> RemoveIdentities(Graph& graph);
// Nodes that compute the same from the same to one, bodies compared too; equal constants to one.
Result<int> MergeEqual(Graph& graph);
// Max, Min and Relu with numbers, and clips that follow each other, to one Clip.
Result<int> FuseClips(Graph& graph);
// Activations spelled as arithmetic, in any order: Gelu (erf and tanh), Silu, Sigmoid, Mish,
// HardSwish, HardSigmoid.
Result<int> FuseGates(Graph& graph);
// Pad with zeros + Conv to one Conv.
Result<int> FusePads(Graph& graph);
// Conv or MatMul with constant weights + a factor or an addend for each channel to one.
Result<int> FuseFactors(Graph& graph);
// Convolutions (and batch normalisation) of one value that are added up to one Conv.
Result<int> MergeBranches(Graph& graph);
// MatMul or Gemm + a constant for each column to a product with a bias.
Result<int> FuseBias(Graph& graph);
// Layer and RMS normalisation spelled as arithmetic to RowNorm (needs fixed shapes).
Result<int> FuseNorms(Graph& graph);
// softmax(scale * q k^T + masks) v to AttendHeads (needs fixed shapes).
Result<int> FuseAttention(Graph& graph);
// Quantized models (passes/quantized). QLinearConv, QLinearMatMul and QLinearAdd with constant
// numbers to float operators between DequantizeLinear and QuantizeLinear; ConvInteger and
// MatMulInteger with constant weights to QConv and QMatMul.
Result<int> ExpandQuantized(Graph& graph);
// DequantizeLinear behind, QuantizeLinear before what only moves elements (needs fixed shapes, as
// those below).
Result<int> MoveQuantization(Graph& graph);
// Activations other than clips that were fused into products of dequantized tensors, out of them.
Result<int> TakeActivationsOut(Graph& graph);
// Convolutions and products of dequantized tensors, with what follows up to the next
// QuantizeLinear, to integer sums (QConv, QMatMul); means over positions to QAveragePool.
Result<int> FuseSums(Graph& graph);
Result<int> FuseMeans(Graph& graph);
// The same where the left side's scale is a value of the run: sums, then float32.
Result<int> FuseDynamicSums(Graph& graph);
// Add and Mul of two dequantized tensors up to the next QuantizeLinear to QBinary.
Result<int> FuseBinary(Graph& graph);
// Functions of one quantized tensor to a table; the same quantization twice goes.
Result<int> FuseByteTables(Graph& graph);
// Conv + BatchNormalization with constant factors to one Conv.
Result<int> FuseBatchNormalization(Graph& graph);
// Conv or MatMul + Add of a value of the same fixed shape to one with an addend (needs fixed
// shapes).
Result<int> FuseResidual(Graph& graph);
// Conv, Gemm or MatMul + activation.
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
  // Whether a graph may hold what the pass looks for; null: it always runs. No pass makes it where
  // it was not.
  bool (*is_wanted)(const Graph&) = nullptr;
};
// Whether there is anything quantized, or a constant that is cast: in most graphs there is not, and
// what looks for it need not run.
bool HoldsStored(const Graph& graph);
// The shape-independent passes in the order `Compile` runs them, and those for fixed shapes.
std::span<const GraphPass> CompilePasses();
std::span<const GraphPass> SpecializePasses();
// Runs passes in order; errors name the pass. In debug builds verifies the graph after each.
Status RunPasses(Graph& graph, std::span<const GraphPass> passes);

// Gives every value its type for the given input shapes (in the order of graph.inputs), runs all
// nodes that depend on shapes and constants only, expands, and runs `passes`. kShapeMismatch when
// an input's rank or a fixed extent differs, or a symbol has two values; errors of shape rules name
// the node; kUnsupported when a type depends on values of the run (such graphs run in parts:
// part.h).
Result<Graph> Specialize(const Graph& graph, std::span<const ir::Shape> input_shapes,
                         std::span<const GraphPass> passes = SpecializePasses());

// The type of a value with fixed dims (after Specialize).
ops::ValueInfo InfoOf(const ir::Value& value);

}  // namespace ferry::passes
