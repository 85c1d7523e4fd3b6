// From a fused activation to the kernels' epilogue.
#pragma once

#include "device-runtime/ir/program.h"
#include "device-runtime/kernels/epilogue.h"

namespace ferry::engine {

// Without bias and addend, which are known when a step runs.
inline kernels::Epilogue EpilogueOf(const ir::PostOp& post) {
  kernels::Epilogue e;
  e.low = post.low;
  e.high = post.high;
  switch (post.activation) {
    case ir::Activation::kNone:
      break;
    case ir::Activation::kClip:
      e.activation = kernels::Activation::kClip;
      break;
    case ir::Activation::kGelu:
      e.activation = kernels::Activation::kGelu;
      break;
    case ir::Activation::kHardSigmoid:
      e.activation = kernels::Activation::kHardSigmoid;
      break;
    case ir::Activation::kHardSwish:
      e.activation = kernels::Activation::kHardSwish;
      break;
    case ir::Activation::kLeakyRelu:
      e.activation = kernels::Activation::kLeakyRelu;
      break;
    case ir::Activation::kSigmoid:
      e.activation = kernels::Activation::kSigmoid;
      break;
    case ir::Activation::kSilu:
      e.activation = kernels::Activation::kSilu;
      break;
    case ir::Activation::kTanh:
      e.activation = kernels::Activation::kTanh;
      break;
  }
  return e;
}

// Slot of input `i` of a step, or -1.
inline int Slot(const ir::Step& step, size_t i) {
  return i < step.inputs.size() ? step.inputs[i] : -1;
}

}  // namespace ferry::engine
