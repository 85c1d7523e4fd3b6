#include "device-runtime/kernels/isa.h"

#include <cstdlib>
#include <cstring>

namespace ferry::kernels {

namespace {

constexpr const char* kNames[kIsaCount] = {"reference", "avx2", "avx512", "vnni",
                                           "neon"};  // ORDER: isa

}  // namespace

const char* IsaName(Isa isa) {
  return kNames[static_cast<int>(isa)];
}

Result<Isa> IsaFromName(const char* name) {
  for (int i = 0; i < kIsaCount; ++i) {
    if (std::strcmp(name, kNames[i]) == 0) return static_cast<Isa>(i);
  }
  return Status::Of(
      Code::kInvalidArgument,
      "instruction set '{}' is unknown; known are reference, avx2, avx512, vnni, neon", name);
}

bool IsaRuns(Isa isa) {
  if (isa == Isa::kReference) return true;
#if defined(__x86_64__)
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                    __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  if (isa == Isa::kAvx2) return avx2;
  const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") &&
                      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  if (isa == Isa::kAvx512) return avx512;
  return isa == Isa::kVnni && avx512 && __builtin_cpu_supports("avx512vnni");
#elif defined(__aarch64__)
  return isa == Isa::kNeon;
#else
  return false;
#endif
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
