// What the optimizers of ONNX's training domain share: inputs are the learning rate, the count of
// updates so far, then groups of tensors, each with one for every parameter.
#pragma once

#include <span>
#include <vector>

#include "device-runtime/ops/expand.h"

namespace ferry::ops {

// One parameter with its gradient and its states of an optimizer.
struct Parameter {
  DType dtype = DType::kF32;
  ir::ValueId x = ir::kNoValue, gradient = ir::kNoValue;  // the gradient regularised
  std::vector<ir::ValueId> states;
  ir::ValueId rate = ir::kNoValue, updates = ir::kNoValue;  // in dtype
};

// Replaces p.x and p.states by what they are after the update.
using Optimizer = Status (*)(ExpandContext& c, Parameter& p);
// Runs it on each parameter, whose gradient has attribute norm_coefficient times x added.
Status ExpandOptimizer(ExpandContext& c, size_t states, Optimizer optimizer);

}  // namespace ferry::ops
