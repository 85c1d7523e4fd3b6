// Instruction sets that kernels are written for, and which one this process uses. Source: own.
#pragma once

#include <vector>

#include "common/base/status.h"

namespace ferry::kernels {

// ORDER: isa. From the slowest to the fastest.
enum class Isa { kReference, kAvx2, kAvx512 };
inline constexpr int kIsaCount = 3;

// "reference", "avx2", "avx512": the values of the environment variable FERRY_ISA.
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
