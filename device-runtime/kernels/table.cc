#include "device-runtime/kernels/table.h"

#include "common/base/check.h"
#include "device-runtime/kernels/attention/kernels.h"
#include "device-runtime/kernels/bf16/kernels.h"
#include "device-runtime/kernels/depthwise/kernels.h"
#include "device-runtime/kernels/elementwise/kernels.h"
#include "device-runtime/kernels/gemm/kernels.h"
#include "device-runtime/kernels/linear/kernels.h"
#include "device-runtime/kernels/map/kernels.h"
#include "device-runtime/kernels/packed/kernels.h"
#include "device-runtime/kernels/pool/kernels.h"
#include "device-runtime/kernels/quant/kernels.h"
#include "device-runtime/kernels/reduce/kernels.h"
#include "device-runtime/kernels/rowwise/kernels.h"
#include "device-runtime/kernels/softmax/kernels.h"
#include "device-runtime/kernels/tiled/kernels.h"
#include "device-runtime/kernels/winograd/kernels.h"

namespace ferry::kernels {
namespace {

// A set of which only some families have code of their own shares the others' with the set before
// it: `floats` names the one of the families of floats, `bytes` that of products of bytes, `halves`
// that of products of bfloat16, `codes` that of low-bit weights, `tiles` that of tile registers.
#define FERRY_TABLE(isa, floats, bytes, halves, codes, tiles)                                     \
  {                                                                                               \
    Isa::k##isa, &kAttention##floats, &kBf16##halves, &kDepthwise##floats, &kElementwise##floats, \
        &kGemm##floats, &kLinear##floats, &kMap##floats, &kPacked##codes, &kPool##floats,         \
        &kQuant##bytes, &kReduce##floats, &kRowwise##floats, &kSoftmax##floats, &kTiled##tiles,   \
        &kWinograd##floats                                                                        \
  }

// The tables of other processors stay empty.
#if defined(__x86_64__)
#define FERRY_X86(...) FERRY_TABLE(__VA_ARGS__)
#else
#define FERRY_X86(...) \
  {}
#endif
#if defined(__aarch64__)
#define FERRY_ARM(...) FERRY_TABLE(__VA_ARGS__)
#else
#define FERRY_ARM(...) \
  {}
#endif

// ORDER: isa
const KernelTable kTables[kIsaCount] = {
    FERRY_TABLE(Reference, Reference, Reference, Reference, Reference, Reference),
    FERRY_X86(Avx2, Avx2, Avx2, Reference, Avx2, Reference),
    FERRY_X86(AvxVnni, Avx2, AvxVnni, Reference, AvxVnni, Reference),
    FERRY_X86(Avx512, Avx512, Avx512, Reference, Avx2, Reference),
    FERRY_X86(Vnni, Avx512, Vnni, Reference, Vnni, Reference),
    FERRY_X86(Avx512Bf16, Avx512, Vnni, Avx512Bf16, Vnni, Reference),
    FERRY_X86(Amx, Avx512, Vnni, Avx512Bf16, Vnni, Amx),
    FERRY_ARM(Neon, Neon, Neon, Reference, Neon, Reference),
    FERRY_ARM(Dotprod, Neon, Dotprod, Reference, Dotprod, Reference),
    FERRY_ARM(I8mm, Neon, I8mm, Reference, Dotprod, Reference)};

}  // namespace

const KernelTable& TableOf(Isa isa) {
  CHECK(IsaRuns(isa)) << IsaName(isa);
  return kTables[static_cast<int>(isa)];
}

}  // namespace ferry::kernels
