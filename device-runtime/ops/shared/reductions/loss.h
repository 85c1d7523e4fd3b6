// The loss that NegativeLogLikelihoodLoss and SoftmaxCrossEntropyLoss (ONNX) share.
#pragma once

#include "device-runtime/ops/expand.h"

namespace ferry::ops {

// Checks inputs 0 (scores [n,classes,..]), 1 (targets [n,..]) and 2 (weights [classes], optional).
Status CheckLossInputs(const NodeContext& c);
// Output 0 from the logarithms of the probabilities: weighted, without targets that are
// ignore_index, reduced. A target that is no class and not ignored has a loss of 0.
Status ExpandLoss(ExpandContext& c, ir::ValueId logarithms);

}  // namespace ferry::ops
