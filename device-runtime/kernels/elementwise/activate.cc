#include "device-runtime/kernels/elementwise/activate.h"

#include "device-runtime/kernels/elementwise/kernels.h"

namespace ferry::kernels {

void ActivateRows(const KernelTable& table, const Epilogue& epilogue, int64_t rows, int64_t count,
                  int64_t stride, float* x) {
  if (count == stride) {  // whole rows lie side by side
    count *= rows;
    rows = 1;
  }
  switch (epilogue.activation) {
    case Activation::kNone:
      return;
#define FERRY_ACTIVATION(name, error) \
  case Activation::k##name:           \
    return table.elementwise->name(rows, count, stride, epilogue.low, epilogue.high, x);
#include "device-runtime/kernels/elementwise/activations.inc"
#undef FERRY_ACTIVATION
  }
}

}  // namespace ferry::kernels
