#include "device-runtime/kernels/isa.h"

#include <fmt/format.h>

#include <cstdlib>
#include <cstring>

#if defined(__aarch64__)
#include <sys/auxv.h>
#elif defined(__x86_64__)
#include <cpuid.h>
#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif
#endif

namespace ferry::kernels {

namespace {

// ORDER: isa
constexpr const char* kNames[kIsaCount] = {"reference",  "avx2", "avxvnni", "avx512",  "vnni",
                                           "avx512bf16", "amx",  "neon",    "dotprod", "i8mm"};

#if defined(__x86_64__)
// Leaf 7 of CPUID, which compilers' own functions do not all know of: AMX-BF16, AMX-TILE, AMX-INT8.
bool ProcessorHasTiles() {
  constexpr unsigned kAll = 1u << 22 | 1u << 24 | 1u << 25;  // of EDX
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  return __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) != 0 && (edx & kAll) == kAll;
}

// Leaf 7, subleaf 1, which compilers' own functions do not all know of: AVX-VNNI.
bool ProcessorHasAvxVnni() {
  constexpr unsigned kAvxVnni = 1u << 4;  // of EAX
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  return __get_cpuid_count(7, 1, &eax, &ebx, &ecx, &edx) != 0 && (eax & kAvxVnni) != 0;
}

// Linux gives a process the state of tile registers when it asks, once, for all threads
// (Documentation/arch/x86/xstate.rst).
bool MayUseTiles() {
#if defined(__linux__)
  constexpr long kRequestPermission = 0x1023;  // ARCH_REQ_XCOMP_PERM
  constexpr long kTileData = 18;               // of XFEATURE_XTILEDATA
  static const bool may = syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
  return may;
#else
  return false;
#endif
}

bool Runs(Isa isa) {
  __builtin_cpu_init();
  switch (isa) {
    case Isa::kAvx2:
      return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
             __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
    case Isa::kAvxVnni:
      return Runs(Isa::kAvx2) && ProcessorHasAvxVnni();
    case Isa::kAvx512:
      return Runs(Isa::kAvx2) && __builtin_cpu_supports("avx512f") &&
             __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
             __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    case Isa::kVnni:
      return Runs(Isa::kAvx512) && __builtin_cpu_supports("avx512vnni");
    case Isa::kAvx512Bf16:
      return Runs(Isa::kVnni) && __builtin_cpu_supports("avx512bf16");
    case Isa::kAmx:
      return Runs(Isa::kAvx512Bf16) && ProcessorHasTiles() && MayUseTiles();
    default:
      return false;
  }
}
#elif defined(__aarch64__)
// Bits of Linux's auxiliary vector (arch/arm64/include/uapi/asm/hwcap.h).
constexpr unsigned long kHasDotprod = 1ul << 20;  // of AT_HWCAP
constexpr unsigned long kHasI8mm = 1ul << 13;     // of AT_HWCAP2

bool Runs(Isa isa) {
  if (isa == Isa::kNeon) return true;
  const bool dotprod = (getauxval(AT_HWCAP) & kHasDotprod) != 0;
  if (isa == Isa::kDotprod) return dotprod;
  return isa == Isa::kI8mm && dotprod && (getauxval(AT_HWCAP2) & kHasI8mm) != 0;
}
#else
bool Runs(Isa) {
  return false;
}
#endif

}  // namespace

const char* IsaName(Isa isa) {
  return kNames[static_cast<int>(isa)];
}

Result<Isa> IsaFromName(const char* name) {
  for (int i = 0; i < kIsaCount; ++i) {
    if (std::strcmp(name, kNames[i]) == 0) return static_cast<Isa>(i);
  }
  return Status::Of(Code::kInvalidArgument, "instruction set '{}' is unknown; known are {}", name,
                    fmt::join(kNames, ", "));
}

bool IsaRuns(Isa isa) {
  return isa == Isa::kReference || Runs(isa);
}

std::vector<Isa> RunningIsas() {
  std::vector<Isa> isas;
  for (int i = 0; i < kIsaCount; ++i) {
    if (IsaRuns(static_cast<Isa>(i))) isas.push_back(static_cast<Isa>(i));
  }
  return isas;
}

Result<Isa> ChooseIsa() {
  const char* forced = std::getenv("FERRY_ISA");
  if (forced == nullptr || forced[0] == '\0') return RunningIsas().back();
  FERRY_ASSIGN_OR_RETURN(const Isa isa, IsaFromName(forced).Context("environment FERRY_ISA"));
  if (!IsaRuns(isa)) {
    return Status::Of(Code::kUnsupported,
                      "environment FERRY_ISA: this processor does not run instruction set '{}'",
                      forced);
  }
  return isa;
}

}  // namespace ferry::kernels
