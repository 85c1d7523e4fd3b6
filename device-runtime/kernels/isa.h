// Instruction sets that kernels are written for, and which one this process uses.
#pragma once

#include <vector>

#include "common/base/status.h"

namespace ferry::kernels {

// ORDER: isa. Of one processor family from the slowest to the fastest. x86-64: kAvxVnni is kAvx2
// with products of bytes (AVX-VNNI), which PCs without AVX-512 have; the sets from kAvx512 on have
// what those before them in this row have: kVnni products of bytes (AVX-512-VNNI), kAvx512Bf16
// products of bfloat16 (AVX-512-BF16), kAmx products of both over tile registers. aarch64: kNeon,
// then with products of bytes: of four (dotprod) and of two rows and columns of eight (i8mm).
enum class Isa {
  kReference,
  kAvx2,
  kAvxVnni,
  kAvx512,
  kVnni,
  kAvx512Bf16,
  kAmx,
  kNeon,
  kDotprod,
  kI8mm
};
inline constexpr int kIsaCount = 10;

// "reference", "avx2", "avxvnni", "avx512", "vnni", "avx512bf16", "amx", "neon", "dotprod", "i8mm":
// the values of the environment variable FERRY_ISA.
const char* IsaName(Isa isa);
// kInvalidArgument for an unknown name.
Result<Isa> IsaFromName(const char* name);

// Whether the processor and the operating system run it.
bool IsaRuns(Isa isa);
// All that run here, the slowest first; never empty, as kReference is portable code.
std::vector<Isa> RunningIsas();

// The fastest that runs, or what FERRY_ISA forces: kInvalidArgument for an unknown value,
// kUnsupported for an instruction set that this processor lacks. Reads the environment at each
// call.
Result<Isa> ChooseIsa();

}  // namespace ferry::kernels
