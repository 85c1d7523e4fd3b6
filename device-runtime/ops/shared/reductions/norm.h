// The order p of Lp pools: an integer, or (opset 1) a float; 2 by default.
#pragma once

#include "device-runtime/ops/node_context.h"

namespace ferry::ops {

// kBadModel unless it is positive.
inline Result<double> NormOrder(const NodeContext& c) {
  double p = 2;
  if (const float* real = c.node().Find<float>("p")) {
    p = static_cast<double>(*real);
  } else {
    FERRY_ASSIGN_OR_RETURN(const int64_t integer, c.Int("p", 2));
    p = static_cast<double>(integer);
  }
  if (p > 0) return p;
  return Status::Of(Code::kBadModel, "a norm of order {}", p);
}

}  // namespace ferry::ops
