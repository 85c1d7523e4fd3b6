#include "device-runtime/kernels/elementwise/activate.h"

#include "device-runtime/kernels/elementwise/kernels.h"

namespace ferry::kernels {

void Activate(const KernelTable& table, const Epilogue& epilogue, int64_t count, float* x) {
  const UnaryTable& unary = table.elementwise->unary;
  const auto run = [&](UnaryFunction function) {
    function(count, epilogue.low, epilogue.high, x, x);
  };
  switch (epilogue.activation) {
    case Activation::kNone:
      return;
    case Activation::kClip:
      return run(unary.Clip);
    case Activation::kHardSigmoid:
      return run(unary.HardSigmoid);
    case Activation::kHardSwish:
      return run(unary.HardSwish);
    case Activation::kLeakyRelu:
      return run(unary.LeakyRelu);
    case Activation::kSigmoid:
      return run(unary.Sigmoid);
    case Activation::kSilu:
      return run(unary.Silu);
    case Activation::kTanh:
      return run(unary.Tanh);
    case Activation::kGelu:
      return run(unary.Gelu);
  }
}

}  // namespace ferry::kernels
