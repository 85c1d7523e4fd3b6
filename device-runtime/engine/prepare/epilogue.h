// From a fused activation's name to the kernels' epilogue.
#pragma once

#include "device-runtime/ir/program.h"
#include "device-runtime/kernels/epilogue.h"

namespace ferry::engine {

// Without bias and addend, which are known when a step runs.
inline kernels::Epilogue EpilogueOf(const ir::PostOp& post) {
  using kernels::Activation;
  kernels::Epilogue e;
  e.low = post.low;
  e.high = post.high;
  if (post.activation == "Clip") e.activation = Activation::kClip;
  if (post.activation == "Gelu") e.activation = Activation::kGelu;
  if (post.activation == "HardSigmoid") e.activation = Activation::kHardSigmoid;
  if (post.activation == "HardSwish") e.activation = Activation::kHardSwish;
  if (post.activation == "LeakyRelu") e.activation = Activation::kLeakyRelu;
  if (post.activation == "Sigmoid") e.activation = Activation::kSigmoid;
  if (post.activation == "Silu") e.activation = Activation::kSilu;
  if (post.activation == "Tanh") e.activation = Activation::kTanh;
  return e;
}

// Slot of input `i` of a step, or -1.
inline int Slot(const ir::Step& step, size_t i) {
  return i < step.inputs.size() ? step.inputs[i] : -1;
}

}  // namespace ferry::engine
