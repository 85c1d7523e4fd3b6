#include "device-runtime/llm/sampler/lanes.h"

namespace ferry::llm {

const RowKernels kRowBaseline = Lanes<4>::kKernels;

}  // namespace ferry::llm
