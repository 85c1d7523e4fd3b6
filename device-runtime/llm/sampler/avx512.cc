#include "device-runtime/llm/sampler/lanes.h"

namespace ferry::llm {

const RowKernels kRowAvx512 = Lanes<16>::kKernels;

}  // namespace ferry::llm
