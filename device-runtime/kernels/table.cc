#include "device-runtime/kernels/table.h"

#include "common/base/check.h"
#include "device-runtime/kernels/attention/kernels.h"
#include "device-runtime/kernels/depthwise/kernels.h"
#include "device-runtime/kernels/elementwise/kernels.h"
#include "device-runtime/kernels/gemm/kernels.h"
#include "device-runtime/kernels/linear/kernels.h"
#include "device-runtime/kernels/map/kernels.h"
#include "device-runtime/kernels/pool/kernels.h"
#include "device-runtime/kernels/quant/kernels.h"
#include "device-runtime/kernels/reduce/kernels.h"
#include "device-runtime/kernels/rowwise/kernels.h"
#include "device-runtime/kernels/softmax/kernels.h"
#include "device-runtime/kernels/winograd/kernels.h"

namespace ferry::kernels {
namespace {

// Families of floats have no code of their own for sets that only add integers: `floats` names the
// set that they share.
#define FERRY_TABLE(isa, floats)                                                                  \
  {                                                                                               \
    Isa::k##isa, &kAttention##floats, &kDepthwise##floats, &kElementwise##floats, &kGemm##floats, \
        &kLinear##floats, &kMap##floats, &kPool##floats, &kQuant##isa, &kReduce##floats,          \
        &kRowwise##floats, &kSoftmax##floats, &kWinograd##floats                                  \
  }

// The tables of other processors stay empty.
#if defined(__x86_64__)
#define FERRY_X86(isa, floats) FERRY_TABLE(isa, floats)
#else
#define FERRY_X86(isa, floats) \
  {}
#endif
#if defined(__aarch64__)
#define FERRY_ARM(isa, floats) FERRY_TABLE(isa, floats)
#else
#define FERRY_ARM(isa, floats) \
  {}
#endif

// ORDER: isa
const KernelTable kTables[kIsaCount] = {FERRY_TABLE(Reference, Reference), FERRY_X86(Avx2, Avx2),
                                        FERRY_X86(Avx512, Avx512), FERRY_X86(Vnni, Avx512),
                                        FERRY_ARM(Neon, Neon)};

}  // namespace

const KernelTable& TableOf(Isa isa) {
  CHECK(IsaRuns(isa)) << IsaName(isa);
  return kTables[static_cast<int>(isa)];
}

}  // namespace ferry::kernels
