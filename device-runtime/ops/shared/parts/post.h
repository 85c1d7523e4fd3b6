// Activations fused behind a convolution or a product (attributes `activation`, `low`, `high` that
// the fusing passes set; never in ONNX files).
#pragma once

#include "device-runtime/ir/program.h"
#include "device-runtime/ops/map_builder.h"

namespace ferry::ops {

// The node's fused activation; kBadModel for an unknown one.
Result<ir::PostOp> PostOf(const NodeContext& c);
// Its value, in double.
double ApplyPost(const ir::PostOp& post, double x);
// Its value in a map; x itself where there is none.
Result<MapBuilder::Value> PostForm(MapBuilder& map, const ir::PostOp& post, MapBuilder::Value x);

}  // namespace ferry::ops
