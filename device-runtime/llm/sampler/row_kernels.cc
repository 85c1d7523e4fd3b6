#include "device-runtime/llm/sampler/row_kernels.h"

namespace ferry::llm {

const RowKernels& RowKernelsOf(kernels::Isa isa) {
  switch (isa) {
    case kernels::Isa::kAvx512:
      return kRowAvx512;
    case kernels::Isa::kAvx2:
      return kRowAvx2;
    case kernels::Isa::kReference:
      break;
  }
  return kRowBaseline;
}

const RowKernels& ChosenRowKernels() {
  static const RowKernels& chosen =
      RowKernelsOf(kernels::ChooseIsa().value_or(kernels::RunningIsas().back()));
  return chosen;
}

}  // namespace ferry::llm
