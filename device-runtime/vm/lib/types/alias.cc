// types.GenericAlias(list, int) and types.ModuleType(name): made by name.
#include "device-runtime/vm/lib/lib.h"

namespace ferry::vm {
namespace {

Value NewAliasOf(Vm& vm, Args& args) {
  if (!Expect(vm, args, "GenericAlias", 2, 2)) return Value();
  const Value parts = Is(args[1], Type::kTuple) ? args[1] : vm.NewTuple(&args.args[1], 1);
  return parts.empty() ? parts : vm.NewAlias(AliasKind::kGeneric, args[0], parts);
}

Value NewModuleOf(Vm& vm, Args& args) {
  static constexpr const char* kNames[] = {"name", "doc"};
  Value bound[2];
  if (!BindBuiltin(vm, args, "module", kNames, 1, 2, bound)) return Value();
  if (!IsStr(bound[0]))
    return vm.Throw(Error::kTypeError, "module() argument 'name' must be str, not {}",
                    vm.TypeName(bound[0]));
  Module* module = vm.NewModule(Text(bound[0]), {});
  if (module == nullptr) return Value();
  static constexpr const char* kEmpty[] = {"__package__", "__loader__", "__spec__"};
  if (!vm.SetVariable(module, "__doc__", bound[1].empty() ? Value::None() : bound[1]))
    return Value();
  for (const char* name : kEmpty)
    if (!vm.SetVariable(module, name, Value::None())) return Value();
  return Value::Of(module);
}

constexpr BuiltinRow kAliasRows[] = {{"__new__", NewAliasOf}};
constexpr BuiltinRow kModuleRows[] = {{"__new__", NewModuleOf}};

}  // namespace

bool InstallAliases(Vm& vm) {
  return AddMethods(vm, vm.classes[static_cast<int>(Type::kAlias)], kAliasRows) &&
         AddMethods(vm, vm.classes[static_cast<int>(Type::kModule)], kModuleRows);
}

}  // namespace ferry::vm
