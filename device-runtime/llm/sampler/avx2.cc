#include "device-runtime/llm/sampler/lanes.h"

namespace ferry::llm {

const RowKernels kRowAvx2 = Lanes<8>::kKernels;

}  // namespace ferry::llm
