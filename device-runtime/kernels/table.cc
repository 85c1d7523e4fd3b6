#include "device-runtime/kernels/table.h"

#include "common/base/check.h"
#include "device-runtime/kernels/attention/kernels.h"
#include "device-runtime/kernels/depthwise/kernels.h"
#include "device-runtime/kernels/elementwise/kernels.h"
#include "device-runtime/kernels/gemm/kernels.h"
#include "device-runtime/kernels/linear/kernels.h"
#include "device-runtime/kernels/map/kernels.h"
#include "device-runtime/kernels/pool/kernels.h"
#include "device-runtime/kernels/reduce/kernels.h"
#include "device-runtime/kernels/rowwise/kernels.h"
#include "device-runtime/kernels/softmax/kernels.h"
#include "device-runtime/kernels/winograd/kernels.h"

namespace ferry::kernels {
namespace {

#define FERRY_TABLE(isa)                                                                       \
  {                                                                                            \
    Isa::k##isa, &kAttention##isa, &kDepthwise##isa, &kElementwise##isa, &kGemm##isa,          \
        &kLinear##isa, &kMap##isa, &kPool##isa, &kReduce##isa, &kRowwise##isa, &kSoftmax##isa, \
        &kWinograd##isa                                                                        \
  }

// ORDER: isa
const KernelTable kTables[kIsaCount] = {
#if defined(__x86_64__)
    FERRY_TABLE(Reference), FERRY_TABLE(Avx2), FERRY_TABLE(Avx512)
#else
    FERRY_TABLE(Reference)
#endif
};

}  // namespace

const KernelTable& TableOf(Isa isa) {
  CHECK(IsaRuns(isa)) << IsaName(isa);
  return kTables[static_cast<int>(isa)];
}

}  // namespace ferry::kernels
