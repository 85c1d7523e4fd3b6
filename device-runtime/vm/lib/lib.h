// Standard modules (modules/), the methods of built-in types (types/) and the built-in functions
// (functions/): one file each, one row in the folder's list.inc.
#pragma once

#include <span>

#include "device-runtime/vm/exec/state.h"

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

// A class of a library module whose objects are Records. The table must be static.
struct RecordType {
  const char* module;
  const char* name;
  std::span<const BuiltinRow> rows;             // methods; __new__ makes the plain object
  Value (*next)(Vm& vm, Value self) = nullptr;  // of iterators: gives what Vm::Next does
};
// The class of `type` in this isolate, made when first asked for; nullptr: there is no memory.
Class* ClassOfRecord(Vm& vm, const RecordType& type);
// The record if `v` is one of the type or of a class derived from it, else nullptr.
Record* AsRecord(Vm& vm, Value v, const RecordType& type);

std::span<const LibModule> LibModules();
// Adds the methods of all built-in types and the built-in functions; false: there is no memory.
bool InstallBuiltins(Vm& vm);
// Adds methods to a class that is no script's; false: there is no memory.
bool AddMethods(Vm& vm, Class* cls, std::span<const BuiltinRow> rows);
// A new module with these functions. Empty: there is no memory.
Value MakeModule(Vm& vm, const char* name, std::span<const BuiltinRow> rows);
// The class that stands for a type of native code (native.h), made when first asked for; nullptr:
// there is no memory.
Class* ClassOfNative(Vm& vm, const NativeType& type);

// Whether the arguments are between min and max positional ones and no keyword; false: a TypeError
// that names the function `name` is pending.
bool NotExpected(Vm& vm, const Args& args, const char* name, uint32_t min, uint32_t max);
inline bool Expect(Vm& vm, const Args& args, const char* name, uint32_t min, uint32_t max) {
  return (args.names == nullptr && args.count >= min && args.count <= max) ||
         NotExpected(vm, args, name, min, max);
}
// Spreads positional and keyword arguments over `names`; missing ones are Empty. false: a
// TypeError.
bool BindBuiltin(Vm& vm, const Args& args, const char* name, std::span<const char* const> names,
                 uint32_t required, uint32_t max_positional, Value* out);

// What callable() says.
bool IsCallable(Vm& vm, Value v);
// An int of any size: ints, bools as ints, __index__, which may run scripts. Empty: a TypeError.
Value ToInteger(Vm& vm, Value v);

// ---- lib/types/wrappers.cc ----
// Adds a special method of a built-in type, which does what the operator does anyway
// (Native::wrapper). false: there is no memory.
bool AddWrapper(Vm& vm, Class* cls, const char* name, Builtin function);
// Adds those of all built-in types; false: there is no memory.
bool InstallWrappers(Vm& vm);

// ---- lib/types/classes.cc ----
// Adds __new__ to a built-in class that has a maker; false: there is no memory.
bool AddNew(Vm& vm, Class* cls);

// ---- lib/types/dict.cc ----
// Removes the oldest entry; false: the dict is empty, or there is no memory.
bool PopFirst(Vm& vm, Dict* dict, Value* key, Value* value);

// ---- lib/functions/print.cc ----
// Whether text may be written; false: it has lone surrogates, which are an error as the utf-8 codec
// gives it.
bool Writable(Vm& vm, std::string_view text);

// ---- the rows of the lists, each in the file that it names ----
#define FERRY_LIB_MODULE(name, Make) Value Make(Vm& vm);
#include "device-runtime/vm/lib/modules/list.inc"
#undef FERRY_LIB_MODULE
#define FERRY_LIB_TYPE(name, Install) bool Install(Vm& vm);
#include "device-runtime/vm/lib/types/list.inc"
#undef FERRY_LIB_TYPE
#define FERRY_LIB_FUNCTIONS(name, Install) bool Install(Vm& vm);
#include "device-runtime/vm/lib/functions/list.inc"
#undef FERRY_LIB_FUNCTIONS

}  // namespace ferry::vm
