#include "device-runtime/vm/lib/lib.h"

namespace ferry::vm {

std::span<const LibModule> LibModules() {
  static constexpr LibModule kModules[] = {
#define FERRY_LIB_MODULE(name, Make) {#name, Make},
#define FERRY_LIB_TYPE(name, Install)
#include "device-runtime/vm/lib/list.inc"
#undef FERRY_LIB_MODULE
#undef FERRY_LIB_TYPE
  };
  return kModules;
}

bool InstallBuiltins(Vm& vm) {
#define FERRY_LIB_MODULE(name, Make)
#define FERRY_LIB_TYPE(name, Install) \
  if (!Install(vm)) return false;
#include "device-runtime/vm/lib/list.inc"
#undef FERRY_LIB_MODULE
#undef FERRY_LIB_TYPE
  return true;
}

bool AddMethods(Vm& vm, Class* cls, std::span<const BuiltinRow> rows) {
  for (const BuiltinRow& row : rows) {
    Value native = vm.NewNative(row.name, row.function, nullptr, row.collects);
    if (native.empty() || !vm.DictSetText(cls->attributes, row.name, native)) return false;
    // Scripts may call a method with any self: list.append(5, 1).
    if (std::string_view(row.name) != "__new__") As<Native>(native)->owner = cls;
  }
  return true;
}

Value MakeModule(Vm& vm, const char* name, std::span<const BuiltinRow> rows) {
  Module* module = vm.NewModule(name, "<built-in>");
  if (module == nullptr) return Value();
  for (const BuiltinRow& row : rows) {
    Value native = vm.NewNative(row.name, row.function, nullptr, row.collects);
    if (native.empty() || !vm.SetVariable(module, row.name, native)) return Value();
  }
  return Value::Of(module);
}

bool Expect(Vm& vm, const Args& args, const char* name, uint32_t min, uint32_t max) {
  if (args.keywords() > 0) {
    vm.Throw(Error::kTypeError, "{}() takes no keyword arguments", name);
    return false;
  }
  if (args.count >= min && args.count <= max) return true;
  if (min == max) {
    vm.Throw(Error::kTypeError, "{}() takes exactly {} argument{} ({} given)", name, min,
             min == 1 ? "" : "s", args.count);
  } else {
    vm.Throw(Error::kTypeError, "{}() expected {} {} argument{}, got {}", name,
             args.count < min ? "at least" : "at most", args.count < min ? min : max,
             (args.count < min ? min : max) == 1 ? "" : "s", args.count);
  }
  return false;
}

bool BindBuiltin(Vm& vm, const Args& args, const char* name, std::span<const char* const> names,
                 uint32_t required, uint32_t max_positional, Value* out) {
  if (args.count > max_positional) {
    vm.Throw(Error::kTypeError, "{}() takes at most {} positional arguments ({} given)", name,
             max_positional, args.count);
    return false;
  }
  for (size_t i = 0; i < names.size(); ++i)
    out[i] = i < args.count ? args[static_cast<uint32_t>(i)] : Value();
  for (uint32_t k = 0; k < args.keywords(); ++k) {
    size_t at = 0;
    while (at < names.size() && Text(args.names->items[k]) != names[at]) ++at;
    if (at == names.size() || !out[at].empty()) {
      vm.Throw(Error::kTypeError, "{}() got an unexpected keyword argument '{}'", name,
               Text(args.names->items[k]));
      return false;
    }
    out[at] = args.args[args.count + k];
  }
  for (uint32_t i = 0; i < required; ++i) {
    if (!out[i].empty()) continue;
    vm.Throw(Error::kTypeError, "{}() missing required argument: '{}'", name, names[i]);
    return false;
  }
  return true;
}

}  // namespace ferry::vm
