#include "device-runtime/kernels/elementwise/activate.h"

#include "device-runtime/kernels/elementwise/kernels.h"

namespace ferry::kernels {

void Activate(const KernelTable& table, const Epilogue& epilogue, int64_t count, float* x) {
  switch (epilogue.activation) {
    case Activation::kNone:
      return;
#define FERRY_ACTIVATION(name, error) \
  case Activation::k##name:           \
    return table.elementwise->name(count, epilogue.low, epilogue.high, x);
#include "device-runtime/kernels/elementwise/activations.inc"
#undef FERRY_ACTIVATION
  }
}

}  // namespace ferry::kernels
