#include "device-runtime/llm/sampler/row_kernels.h"

namespace ferry::llm {

const RowKernels& RowKernelsOf(kernels::Isa isa) {
#if defined(__x86_64__)
  if (isa == kernels::Isa::kAvx2 || isa == kernels::Isa::kAvxVnni) return kRowAvx2;
  if (isa != kernels::Isa::kReference) return kRowAvx512;
#endif
  (void)isa;  // vectors of four words are NEON's own width
  return kRowBaseline;
}

const RowKernels& ChosenRowKernels() {
  static const RowKernels& chosen =
      RowKernelsOf(kernels::ChooseIsa().value_or(kernels::RunningIsas().back()));
  return chosen;
}

}  // namespace ferry::llm
