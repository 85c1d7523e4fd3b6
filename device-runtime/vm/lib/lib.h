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
  Value (*next)(Vm& vm, Value self) = nullptr;  // of iterators: the next value, as Vm::Next
};
// The class of `type` in this isolate, made when first asked for; nullptr: no memory.
Class* ClassOfRecord(Vm& vm, const RecordType& type);
// The record if `v` is one of the type or of a class derived from it, else nullptr.
Record* AsRecord(Vm& vm, Value v, const RecordType& type);

std::span<const LibModule> LibModules();
// Adds the methods of all built-in types and the built-in functions; false: no memory.
bool InstallBuiltins(Vm& vm);
// A special method of a built-in type: Native::wrapper.
bool AddWrapper(Vm& vm, Class* cls, const char* name, Builtin function);
bool InstallWrappers(Vm& vm);
// __new__ of a built-in class that has a maker.
bool AddNew(Vm& vm, Class* cls);
bool AddMethods(Vm& vm, Class* cls, std::span<const BuiltinRow> rows);
Value MakeModule(Vm& vm, const char* name, std::span<const BuiltinRow> rows);

// Arguments: between min and max positional ones and no keyword; a TypeError otherwise.
bool NotExpected(Vm& vm, const Args& args, const char* name, uint32_t min, uint32_t max);
inline bool Expect(Vm& vm, const Args& args, const char* name, uint32_t min, uint32_t max) {
  return (args.names == nullptr && args.count >= min && args.count <= max) ||
         NotExpected(vm, args, name, min, max);
}
// Spreads positional and keyword arguments over `names`; missing ones are Empty.
bool BindBuiltin(Vm& vm, const Args& args, const char* name, std::span<const char* const> names,
                 uint32_t required, uint32_t max_positional, Value* out);

// Whether text may be written: lone surrogates are an error, as the utf-8 codec gives it.
bool Writable(Vm& vm, std::string_view text);

bool IsCallable(Vm& vm, Value v);
// An int of any size: ints, bools as ints, __index__; a TypeError otherwise.
Value ToInteger(Vm& vm, Value v);
// Removes the oldest entry; false: failed or the dict is empty.
bool PopFirst(Vm& vm, Dict* dict, Value* key, Value* value);

#define FERRY_LIB_MODULE(name, Make) Value Make(Vm& vm);
#include "device-runtime/vm/lib/modules/list.inc"
#undef FERRY_LIB_MODULE
#define FERRY_LIB_TYPE(name, Install) bool Install(Vm& vm);
#include "device-runtime/vm/lib/types/list.inc"
#undef FERRY_LIB_TYPE
#define FERRY_LIB_FUNCTIONS(name, Install) bool Install(Vm& vm);
#include "device-runtime/vm/lib/functions/list.inc"
#undef FERRY_LIB_FUNCTIONS

Class* ClassOfNative(Vm& vm, const NativeType& type);

}  // namespace ferry::vm
