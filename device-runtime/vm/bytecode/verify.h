// The verifier: proves that no instruction of a module reads or writes outside of its frame, code
// or captured cells, and that what the interpreter takes for granted about a register holds on
// every way to it, exceptions included. It follows types along the flow of data, as verifiers of
// other virtual machines do.
#pragma once

#include <span>

#include "common/base/status.h"
#include "device-runtime/vm/compile/code.h"

namespace ferry::vm {

// The most that one module may cost the verifier, in visits of instructions and registers.
inline constexpr int64_t kMaxVerifyWork = 400'000'000;

// `codes` are the code objects of one module, the module's first; `variables` is how many variables
// of the module instructions may name. kMalformed names function and instruction; kLimitExceeded.
Status VerifyModule(std::span<CodeObject* const> codes, uint32_t variables);

// One function's part of it. `work` counts down.
Status VerifyStructure(const CodeObject& code, const CodeObject* parent, uint32_t variables);

// ---- verify_types.cc ----
Status VerifyTypes(const CodeObject& code, int64_t* work);

}  // namespace ferry::vm
