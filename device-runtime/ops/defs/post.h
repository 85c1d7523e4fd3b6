// Activations fused behind a convolution or a product (attributes `activation`, `low`, `high` that
// the fusing passes set; never in ONNX files).
#pragma once

#include "device-runtime/ir/program.h"
#include "device-runtime/ops/node_context.h"

namespace ferry::ops {

// The node's fused activation; kBadModel for an unknown one.
Result<ir::PostOp> PostOf(const NodeContext& c);
// Its value, in double.
double ApplyPost(const ir::PostOp& post, double x);

}  // namespace ferry::ops
