#include "device-runtime/vm/exec/vm.h"
#include "device-runtime/vm/lib/lib.h"

namespace ferry::vm {
namespace {

constexpr size_t kMaxModules = 500;

Class* NativeClass(Vm& vm, const NativeType& type) {
  auto found = vm.native_classes.find(&type);
  if (found != vm.native_classes.end()) return found->second;
  Class* cls = vm.NewClass(type.name, vm.classes[kObjectClass], Type::kNativeObject);
  if (cls == nullptr) return nullptr;
  cls->native_type = &type;
  for (const NativeFunction& method : type.methods) {
    Value native = vm.NewNative(method.name, nullptr, method.function, false);
    if (!native.empty()) As<Native>(native)->owner = cls;  // the payload is of this type
    if (native.empty() || !vm.DictSetText(cls->attributes, method.name, native)) return nullptr;
  }
  for (const NativeFunction& property : type.properties) {
    Value native = vm.NewNative(property.name, nullptr, property.function, false);
    if (!native.empty()) As<Native>(native)->owner = cls;
    Value descriptor = native.empty() ? native : vm.NewDescriptor(0, native);
    if (descriptor.empty() || !vm.DictSetText(cls->attributes, property.name, descriptor))
      return nullptr;
  }
  vm.native_classes[&type] = cls;
  return cls;
}

Value LoadNative(Vm& vm, const NativeModule& table) {
  Module* module = vm.NewModule(table.name, "<built-in>");
  if (module == nullptr) return Value();
  for (const NativeFunction& function : table.functions) {
    Value native = vm.NewNative(function.name, nullptr, function.function, false);
    if (native.empty() || !vm.SetVariable(module, function.name, native)) return Value();
  }
  for (const NativeType* type : table.types) {
    Class* cls = NativeClass(vm, *type);
    if (cls == nullptr || !vm.SetVariable(module, type->name, Value::Of(cls))) return Value();
  }
  return Value::Of(module);
}

// "a.b" becomes the variable b of module a.
bool Attach(Vm& vm, std::string_view name, Value module) {
  const size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return true;
  auto parent = vm.modules.find(std::string(name.substr(0, dot)));
  return parent == vm.modules.end() ||
         vm.SetVariable(As<Module>(parent->second), name.substr(dot + 1), module);
}

// A package without a source of its own, because a module below it exists ("ferry" of
// "ferry.engine").
bool IsPackage(Vm& vm, std::string_view name) {
  for (const NativeModule* module : vm.options.modules)
    if (std::string_view(module->name).starts_with(std::string(name) + ".")) return true;
  return false;
}

Value LoadModule(Vm& vm, std::string_view name) {
  for (const NativeModule* module : vm.options.modules)
    if (name == module->name) return LoadNative(vm, *module);
  for (const LibModule& library : LibModules())
    if (name == library.name) return library.make(vm);
  if (IsPackage(vm, name)) {
    Module* module = vm.NewModule(name, "<package>");
    return module == nullptr ? Value() : Value::Of(module);
  }
  if (vm.options.loader != nullptr) {
    Result<std::string> source = vm.options.loader(name);
    if (source.ok()) return vm.RunModule(*source, name, std::string(name) + ".py");
    if (source.code() != Code::kNotFound)
      return vm.Throw(Error::kImportError, "{}", source.status().ToString());
  }
  return vm.Throw(Error::kModuleNotFoundError, "No module named '{}'", name);
}

}  // namespace

Value Vm::RunModule(std::string_view source, std::string_view name, std::string_view file) {
  Module* module = NewModule(name, file);
  if (module == nullptr) return Value();
  modules[std::string(name)] = Value::Of(module);  // before it runs: modules may import each other
  Result<CodeObject*> code = CompileModule(*this, source, file, module);
  Value result;
  if (!code.ok()) {
    if (code.code() == Code::kScriptSyntax) {
      if (frames.empty()) {
        fatal = code.status();  // the host asked for this module: it gets the plain error
      } else {
        Raise(Error::kSyntaxError, code.status().message());
      }
    } else if (fatal.ok()) {
      fatal = code.status();
    }
  } else {
    Roots roots(*this);
    Value function;
    Frame nothing{};
    function = roots.Add(MakeFunction(*code, nothing, Value(), Value()));
    if (!function.empty()) result = Call(function, nullptr, 0);
  }
  if (result.empty()) {
    modules.erase(std::string(name));
    return result;
  }
  return Value::Of(module);
}

Value Vm::Import(std::string_view name, bool whole) {
  Value first, module;
  for (size_t end = 0; end != std::string_view::npos;) {
    end = name.find('.', end == 0 ? 0 : end + 1);
    const std::string part(name.substr(0, end));
    auto found = modules.find(part);
    if (found != modules.end()) {
      module = found->second;
    } else {
      if (modules.size() >= kMaxModules) return Raise(Error::kImportError, "too many modules");
      module = LoadModule(*this, part);
      if (module.empty()) return module;
      modules[part] = module;
      if (!Attach(*this, part, module)) return Value();
    }
    if (first.empty()) first = module;
  }
  return whole ? module : first;
}

Value Vm::ImportFrom(Value module, String* name) {
  Value found = GetAttributeOrEmpty(module, name);
  if (!found.empty() || failed()) return found;
  const std::string full = fmt::format("{}.{}", As<Module>(module)->name->view(), name->view());
  Value inner = Import(full, true);
  if (!inner.empty()) return inner;
  if (!TakePending(Error::kModuleNotFoundError)) return Value();
  return Throw(Error::kImportError, "cannot import name '{}' from '{}'", name->view(),
               As<Module>(module)->name->view());
}

Class* ClassOfNative(Vm& vm, const NativeType& type) {
  return NativeClass(vm, type);
}

}  // namespace ferry::vm
