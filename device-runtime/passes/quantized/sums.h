// The parts of a quantized product as a graph has them: a convolution or product whose operands are
// dequantized.
#pragma once

#include <limits>
#include <optional>
#include <vector>

#include "device-runtime/passes/quantized/pattern.h"

namespace ferry::passes {

struct Bounds {
  float low = -std::numeric_limits<float>::infinity();
  float high = std::numeric_limits<float>::infinity();
  // Bounds that come after these.
  void Then(const Bounds& b);
};
// Of Relu or Clip by constants.
std::optional<Bounds> BoundsOf(const ir::Graph& graph, const ir::Node& node);

struct QuantProduct {
  int node = -1;  // Conv, Gemm or MatMul
  Links::Source x;
  ir::Tensor weights;                      // i8: as Conv has them, or [n, k]
  std::vector<double> scale;               // of the weights, for each output channel
  std::shared_ptr<const ir::Tensor> bias;  // f32, one number for each output channel; or null
  Bounds bounds;
};
// nullopt when the node is none, or its numbers do not fit: weights that are not i8 once their zero
// points are taken off, activations other than a clip, addends.
Result<std::optional<QuantProduct>> ProductOf(const ir::Graph& graph, const Links& links, int node);

// The same whatever its other operand is (x is not set).
Result<std::optional<QuantProduct>> WeightsOf(const ir::Graph& graph, const Links& links, int node);

// What comes after the sum.
struct QuantResult {
  std::optional<Quantization> y;  // none: f32
  Bounds bounds;                  // in front of y's quantization
  std::optional<Links::Source> add;
  std::optional<Quantization> first;  // the sum is quantized before the addend comes
};
// The QConv or QMatMul that computes `product` into `output`; adds constants to the graph. nullopt:
// the numbers do not fit.
Result<std::optional<ir::Node>> SumNode(ir::Graph& graph, const QuantProduct& product,
                                        const QuantResult& result, ir::ValueId output);
// Attributes of what follows a sum (QConv, QMatMul, QAveragePool).
void SetResult(const QuantResult& result, int32_t x_zero, ir::Node& node);

}  // namespace ferry::passes
