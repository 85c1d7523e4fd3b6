// How methods in C++ take their arguments, with the texts of CPython's errors. Argument 0 is the
// object itself and is not counted in texts. false: such an error is pending. No script runs.
#pragma once

#include <span>
#include <string_view>

#include "device-runtime/vm/exec/state.h"

namespace ferry::vm {

// No argument. `name` with its class: "str.upper".
bool NoArgumentsSlow(Vm& vm, const Args& args, const char* name);
inline bool NoArguments(Vm& vm, const Args& args, const char* name) {
  return (args.count == 1 && args.names == nullptr) || NoArgumentsSlow(vm, args, name);
}
// One positional argument.
bool OneArgumentSlow(Vm& vm, const Args& args, const char* name);
inline bool OneArgument(Vm& vm, const Args& args, const char* name) {
  return (args.count == 2 && args.names == nullptr) || OneArgumentSlow(vm, args, name);
}
// Between min and max positional arguments. `name` alone: "replace".
bool PositionalSlow(Vm& vm, const Args& args, const char* name, uint32_t min, uint32_t max);
inline bool Positional(Vm& vm, const Args& args, const char* name, uint32_t min, uint32_t max) {
  return (args.names == nullptr && args.count > min && args.count - 1 <= max) ||
         PositionalSlow(vm, args, name, min, max);
}
// The same with the other text: "find() takes at least 1 argument (0 given)".
bool CountedSlow(Vm& vm, const Args& args, const char* name, uint32_t min, uint32_t max);
inline bool Counted(Vm& vm, const Args& args, const char* name, uint32_t min, uint32_t max) {
  return (args.names == nullptr && args.count > min && args.count - 1 <= max) ||
         CountedSlow(vm, args, name, min, max);
}
// Arguments by position or name; missing ones are Empty.
bool Named(Vm& vm, const Args& args, const char* name, std::span<const char* const> names,
           uint32_t required, Value* out);
// Argument `i` (1 is the first) as text: "NAME() argument I must be str, not T".
bool TextAt(Vm& vm, const Args& args, const char* name, uint32_t i, std::string_view* out);

}  // namespace ferry::vm
