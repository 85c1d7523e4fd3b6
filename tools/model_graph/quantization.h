// What a model's file holds of quantisation, node by node.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "device-runtime/ir/graph.h"

namespace ferry::model_graph {

// Weights are taken to have been of 32 bits each.
inline constexpr int64_t kBytesOfAFloat = 4;

struct QuantizedValue {
  size_t input = 0;                  // of the node that reads it
  ir::ValueId value = ir::kNoValue;  // as it is stored; of activations kNoValue
  ir::DType dtype = ir::DType::kI8;
  std::string scheme;     // "per tensor", "per channel of axis 0", "blocks of 32 along axis 1", ...
  bool symmetric = true;  // all zero points are 0
  bool has_scales = false;
  double scale_min = 0, scale_max = 0;
  int64_t scales = 0;
  int64_t bytes_before = 0, bytes_after = 0;  // with scales and zero points; of activations 0
};

struct QuantizedNode {
  size_t node = 0;
  std::vector<QuantizedValue> weights, activations;
};

// Of the nodes that read quantised values, in order: those behind DequantizeLinear or a Cast of
// constants of fewer bits, and operators that take quantised values themselves.
std::vector<QuantizedNode> QuantizedNodes(const ir::Graph& graph);

}  // namespace ferry::model_graph
