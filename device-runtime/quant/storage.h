// How models are stored small: weights as narrower floats, short names.
#pragma once

#include "device-runtime/ir/graph.h"
#include "device-runtime/quant/options.h"

namespace ferry::quant {

// Stores f32 constants (bodies' too) as `dtype` (kF16 or kBF16) behind a Cast. Small ones, and for
// float16 those with values above its range, stay as they are. Returns how many changed.
Result<int> StoreNarrow(ir::Graph& graph, DType dtype);

// Gives all values but the model's inputs and outputs short names ("v12"): in small files the names
// of values, which nobody reads, would take a tenth of the room. Nodes keep theirs.
void ShortenNames(ir::Graph& graph);

}  // namespace ferry::quant
