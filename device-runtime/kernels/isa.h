// Instruction sets that kernels are written for, and which one this process uses. Source: own.
#pragma once

#include <vector>

#include "common/base/status.h"

namespace ferry::kernels {

// ORDER: isa. Of one processor family from the slowest to the fastest; kVnni is kAvx512 with
// products of bytes (AVX-512-VNNI); kNeon is aarch64's, the others but kReference x86-64's.
enum class Isa { kReference, kAvx2, kAvx512, kVnni, kNeon };
inline constexpr int kIsaCount = 5;

// "reference", "avx2", "avx512", "vnni", "neon": the values of the environment variable FERRY_ISA.
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
