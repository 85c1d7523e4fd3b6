// Standard modules and the methods of built-in types: one file each, one row in list.inc.
#pragma once

#include <span>

#include "device-runtime/vm/exec/vm.h"

namespace ferry::vm {

struct BuiltinRow {
  const char* name;
  Builtin function;
  bool collects = false;  // it keeps alive (Roots) all it holds while scripts may run
};
struct LibModule {
  const char* name;
  Value (*make)(Vm& vm);
};

std::span<const LibModule> LibModules();
// Adds the methods of all built-in types and the built-in functions; false: no memory.
bool InstallBuiltins(Vm& vm);
bool AddMethods(Vm& vm, Class* cls, std::span<const BuiltinRow> rows);
Value MakeModule(Vm& vm, const char* name, std::span<const BuiltinRow> rows);

// Arguments: between min and max positional ones and no keyword; a TypeError otherwise.
bool Expect(Vm& vm, const Args& args, const char* name, uint32_t min, uint32_t max);
// Spreads positional and keyword arguments over `names`; missing ones are Empty.
bool BindBuiltin(Vm& vm, const Args& args, const char* name, std::span<const char* const> names,
                 uint32_t required, uint32_t max_positional, Value* out);

#define FERRY_LIB_MODULE(name, Make) Value Make(Vm& vm);
#define FERRY_LIB_TYPE(name, Install) bool Install(Vm& vm);
#include "device-runtime/vm/lib/list.inc"
#undef FERRY_LIB_MODULE
#undef FERRY_LIB_TYPE

Class* ClassOfNative(Vm& vm, const NativeType& type);

}  // namespace ferry::vm
