#include <algorithm>

#include "device-runtime/vm/bytecode.h"
#include "device-runtime/vm/bytecode/format.h"
#include "device-runtime/vm/embed/modules.h"
#include "device-runtime/vm/exec/call/fuse.h"
#include "device-runtime/vm/exec/failure/names.h"
#include "device-runtime/vm/exec/loop/helper.h"
#include "device-runtime/vm/exec/state.h"
#include "device-runtime/vm/lib/desk_names.h"
#include "device-runtime/vm/lib/lib.h"

namespace ferry::vm {
namespace {

constexpr size_t kMaxModules = 500;

const EmbeddedModule* FindEmbedded(const Vm& vm, std::string_view name) {
  const EmbeddedModule* const found = RuntimeLibrary().Find(name);
  return found != nullptr || vm.options.desk == nullptr ? found : vm.options.desk->Find(name);
}

bool IsEmbeddedPackage(const Vm& vm, std::string_view name) {
  return RuntimeLibrary().IsPackage(name) ||
         (vm.options.desk != nullptr && vm.options.desk->IsPackage(name));
}

Value LoadNative(Vm& vm, const NativeModule& table) {
  Module* module = vm.NewModule(table.name, "<built-in>");
  if (module == nullptr) return Value();
  for (const NativeFunction& function : table.functions) {
    Value native = vm.NewNative(function.name, nullptr, function.function, false);
    if (native.empty() || !vm.SetVariable(module, function.name, native)) return Value();
  }
  for (const NativeType* type : table.types) {
    Class* cls = ClassOfNative(vm, *type);
    if (cls == nullptr || !vm.SetVariable(module, type->name, Value::Of(cls))) return Value();
  }
  return Value::Of(module);
}

// "a.b" becomes the variable b of module a.
bool Attach(Vm& vm, std::string_view name, Value module) {
  const size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return true;
  const Value parent = vm.Imported(name.substr(0, dot));
  return parent.empty() || vm.SetVariable(As<Module>(parent), name.substr(dot + 1), module);
}

// A package without a source of its own, because a module below it exists ("ferry" of
// "ferry.engine").
bool IsPackage(Vm& vm, std::string_view name) {
  for (const NativeModule* module : vm.options.modules)
    if (std::string_view(module->name).starts_with(std::string(name) + ".")) return true;
  return false;
}

// The package of a module: its own name when it is one, else what stands before the last dot.
bool SetPackage(Vm& vm, Module* module) {
  const std::string_view name = module->name->view();
  const size_t dot = name.rfind('.');
  const std::string_view file = module->file->view();
  const bool itself = file.ends_with("__init__.py") || file == "<package>" ||
                      (file.starts_with("<lib>/") && IsEmbeddedPackage(vm, name));
  module->package =
      itself ? module->name : vm.Intern(dot == std::string_view::npos ? "" : name.substr(0, dot));
  if (module->package == nullptr) return false;
  const bool main = name == "__main__";
  return vm.SetVariable(module, "__package__", main ? Value::None() : Value::Of(module->package)) &&
         vm.SetVariable(module, "__doc__", Value::None()) &&
         vm.SetVariable(module, "__file__", Value::Of(module->file)) &&
         vm.SetVariable(module, "__spec__", Value::None());
}

// Library modules that CPython has built in or imports itself before a script: none of the task's
// takes their place. What begins with an underscore serves the library.
bool IsBuiltIn(std::string_view name) {
  static constexpr std::string_view kNames[] = {"abc",   "array", "binascii", "builtins",  "cmath",
                                                "errno", "gc",    "io",       "itertools", "math",
                                                "sys",   "time",  "zlib"};
  return name.starts_with('_') || std::ranges::binary_search(kNames, name);
}

// Each place that modules come from; false: it has none of this name.
bool FromLibrary(Vm& vm, std::string_view name, Value* module) {
  for (const LibModule& library : LibModules()) {
    if (name != library.name) continue;
    *module = library.make(vm);
    return true;
  }
  const EmbeddedModule* embedded = FindEmbedded(vm, name);
  if (embedded == nullptr) return false;
  const std::string bytes = Unpacked(*embedded);
  *module = bytes.empty() ? vm.Throw(Error::kImportError, "module '{}' is broken", name)
                          : vm.RunModule(bytes, name, fmt::format("<lib>/{}.py", name));
  return true;
}

bool FromTask(Vm& vm, std::string_view name, const Result<ModuleFile>& found, Value* module) {
  if (found.code() == Code::kNotFound) return false;
  if (!found.ok()) {
    vm.Throw(Error::kImportError, "{}", found.status().ToString());
    return true;
  }
  std::string file = found->file.empty() ? std::string(name) + ".py" : found->file;
  // SetPackage tells a package by the name of its file.
  if (found->package && !file.ends_with("__init__.py")) file += "/__init__.py";
  *module = vm.RunModule(found->bytes, name, file);
  return true;
}

Value LoadModule(Vm& vm, std::string_view name) {
  for (const NativeModule* module : vm.options.modules)
    if (name == module->name) return LoadNative(vm, *module);
  Value module;
  if (IsBuiltIn(name) && FromLibrary(vm, name, &module)) return module;
  if (IsPackage(vm, name)) {
    Module* package = vm.NewModule(name, "<package>");
    return package == nullptr || !SetPackage(vm, package) ? Value() : Value::Of(package);
  }
  Result<ModuleFile> found = Status(Code::kNotFound, "");
  if (vm.options.loader != nullptr) found = vm.options.loader(name);
  // A folder without __init__.py is a package only when nothing else has the name.
  const bool folder =
      found.ok() && found->package && found->bytes.empty() && !found->file.ends_with(".py");
  if (folder && FromLibrary(vm, name, &module)) return module;
  if (FromTask(vm, name, found, &module) || FromLibrary(vm, name, &module)) return module;
  const size_t dot = name.rfind('.');
  const Value parent = dot == std::string_view::npos ? Value() : vm.Imported(name.substr(0, dot));
  const bool desk = parent.empty() && vm.options.desk == nullptr && IsDeskModule(name);
  const bool plain = !parent.empty() && As<Module>(parent)->package != As<Module>(parent)->name;
  vm.Throw(Error::kModuleNotFoundError, "No module named '{}'{}", name,
           plain  ? fmt::format("; '{}' is not a package", name.substr(0, dot))
           : desk ? ": it is only on the desk (`ferry task exec`, `ferry task test`)"
                  : "");
  TellName(vm, Error::kImportError, vm.NewStringChecked(name), Value::None());
  return Value();
}

// "file:line:column: message\n    text\n    ^" as an exception with its fields.
void RaiseSyntax(Vm& vm, std::string_view status) {
  const size_t end = status.find('\n');
  std::string_view head = status.substr(0, end), text;
  if (end != std::string_view::npos) {
    text = status.substr(end + 1);
    text = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min<size_t>(4, text.size()));
  }
  const size_t message = head.find(": ");
  const std::string_view place = head.substr(0, message);
  const size_t column = place.rfind(':');
  const size_t line = column == std::string_view::npos ? column : place.rfind(':', column - 1);
  if (message == std::string_view::npos || line == std::string_view::npos) {
    vm.Raise(Error::kSyntaxError, status);
    return;
  }
  const auto number = [](std::string_view digits) {
    int64_t n = 0;
    for (char c : digits) n = n * 10 + (c - '0');
    return Value::SmallInt(n);
  };
  head.remove_prefix(message + 2);
  Roots roots(vm);
  const Value items[] = {roots.Add(vm.NewStringChecked(place.substr(0, line))),
                         number(place.substr(line + 1, column - line - 1)),
                         number(place.substr(column + 1)),
                         roots.Add(vm.NewStringChecked(std::string(text) + "\n"))};
  if (items[0].empty() || items[3].empty()) return;
  const Value fields = roots.Add(vm.NewTuple(items, 4));
  const Value own[] = {vm.NewStringChecked(head), fields};
  if (fields.empty() || own[0].empty()) return;
  roots.Add(own[0]);
  const Value args = roots.Add(vm.NewTuple(own, 2));
  if (args.empty()) return;
  const bool tabs = head.find("inconsistent use of tabs") != std::string_view::npos;
  const bool indent = head.find("indent") != std::string_view::npos;
  const Value exception =
      vm.MakeException(vm.errors[static_cast<int>(tabs     ? Error::kTabError
                                                  : indent ? Error::kIndentationError
                                                           : Error::kSyntaxError)],
                       args);
  if (!exception.empty()) vm.pending = exception;
}

}  // namespace

Value Vm::RunModule(std::string_view source, std::string_view name, std::string_view file) {
  Module* module = NewModule(name, file);
  if (module == nullptr) return Value();
  if (!SetPackage(*this, module)) return Value();
  // Before it runs: modules may import each other.
  if (!DictSetText(modules, name, Value::Of(module))) return Value();
  const std::string_view lines = IsBytecode(source) ? SourceOfBytecode(source) : source;
  if (!lines.empty() && (name == "__main__" || options.loader != nullptr)) {
    const Value text = NewStringChecked(lines);
    if (text.empty()) return text;
    module->source = As<String>(text);
  }
  const size_t before = codes.size();
  Result<CodeObject*> code = ReadModule(*this, source, file, module);
  for (size_t i = before; i < codes.size() && code.ok(); ++i)
    if (!Fuse(*this, &codes[i])) code = fatal;
  Value result;
  if (!code.ok()) {
    if (code.code() == Code::kScriptSyntax) {
      if (frames.empty()) {
        fatal = code.status();  // the host asked for this module: it gets the plain error
      } else {
        RaiseSyntax(*this, code.status().message());
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
  String* const key = Intern(name);
  if (result.empty()) {
    if (key != nullptr && DictFindString(modules, key) != nullptr)
      DictRemove(modules, Value::Of(key));
    return result;
  }
  // It may have put something else in its place.
  const Value* found = DictFindString(modules, key);
  return found == nullptr ? Value::Of(module) : *found;
}

Value Vm::Imported(std::string_view name) {
  const Value* found = modules == nullptr ? nullptr : DictFindString(modules, Intern(name));
  return found == nullptr || !Is(*found, Type::kModule) ? Value() : *found;
}

Value Vm::Import(std::string_view name, bool whole) {
  Value first, module;
  for (size_t end = 0; end != std::string_view::npos;) {
    end = name.find('.', end == 0 ? 0 : end + 1);
    const std::string part(name.substr(0, end));
    String* const key = Intern(part);
    if (key == nullptr) return Value();
    const Value* found = DictFindString(modules, key);
    if (found != nullptr) {
      module = *found;
      if (module.IsNone()) {
        Throw(Error::kModuleNotFoundError, "import of {} halted; None in sys.modules", part);
        TellName(*this, Error::kImportError, Value::Of(key), Value::None());
        return Value();
      }
    } else {
      if (modules->count >= kMaxModules) return Raise(Error::kImportError, "too many modules");
      module = LoadModule(*this, part);
      if (module.empty() || !DictSet(modules, Value::Of(key), module)) return Value();
      if (!Attach(*this, part, module)) return Value();
    }
    if (first.empty()) first = module;
  }
  return whole ? module : first;
}

Value Vm::ImportFrom(Value module, String* name) {
  const Value found = GetAttributeOrEmpty(module, name);
  if (!found.empty() || (failed() && !TakePending(Error::kAttributeError))) return found;
  const std::string_view parent =
      Is(module, Type::kModule) ? As<Module>(module)->name->view() : "<unknown module name>";
  if (Is(module, Type::kModule) && As<Module>(module)->package == As<Module>(module)->name) {
    const Value inner = Import(fmt::format("{}.{}", parent, name->view()), true);
    if (!inner.empty() || !TakePending(Error::kModuleNotFoundError)) return inner;
  }
  Throw(Error::kImportError, "cannot import name '{}' from '{}' ({})", name->view(), parent,
        Is(module, Type::kModule) ? As<Module>(module)->file->view() : "unknown location");
  const bool known = Is(module, Type::kModule);
  TellName(*this, Error::kImportError, known ? Value::Of(As<Module>(module)->name) : Value::None(),
           known ? Value::Of(As<Module>(module)->file) : Value::None());
  return Value();
}

// `from ..name import`: the module, looked up from the package of the running one.
Value ImportPackageHelper(Vm& vm, Value* args) {
  if (!IsStr(args[0]) || !args[1].IsSmallInt()) return BadOperands(vm);
  const std::string_view name = Text(args[0]);
  const int64_t dots = args[1].AsSmallInt();
  if (dots == 0) return vm.Import(name, true);
  const Module* module = vm.frames.back().code->module;
  std::string package(module->package == nullptr ? "" : module->package->view());
  if (package.empty())
    return vm.Raise(Error::kImportError, "attempted relative import with no known parent package");
  for (int64_t i = 1; i < dots; ++i) {
    const size_t dot = package.rfind('.');
    if (dot == std::string::npos)
      return vm.Raise(Error::kImportError, "attempted relative import beyond top-level package");
    package.resize(dot);
  }
  if (!name.empty()) package += fmt::format(".{}", name);
  return vm.Import(package, true);
}

// `from module import *`.
Value ImportStarHelper(Vm& vm, Value* args) {
  Module* into = vm.frames.back().code->module;
  Roots roots(vm);
  String* const all = vm.Intern("__all__");
  const Value listed = all == nullptr ? Value() : vm.GetAttributeOrEmpty(args[0], all);
  // A module's own __getattr__ may say that there is none.
  if (vm.failed() && !vm.TakePending(Error::kAttributeError)) return Value();
  if (!listed.empty()) {
    const Value names = roots.Add(vm.ToList(listed));
    if (names.empty()) return names;
    for (uint32_t i = 0; i < As<List>(names)->size; ++i) {
      const Value name = As<List>(names)->items[i];
      if (!IsStr(name))
        return vm.Throw(Error::kTypeError, "Item in {}.__all__ must be str, not {}",
                        Is(args[0], Type::kModule) ? As<Module>(args[0])->name->view() : "?",
                        vm.TypeName(name));
      String* const text = vm.Intern(Text(name));
      const Value v = text == nullptr ? Value() : vm.ImportFrom(args[0], text);
      if (v.empty()) {
        if (vm.TakePending(Error::kImportError))
          vm.Throw(Error::kAttributeError, "module '{}' has no attribute '{}'",
                   As<Module>(args[0])->name->view(), Text(name));
        return Value();
      }
      if (!vm.SetVariable(into, text->view(), v)) return Value();
    }
    return Value::None();
  }
  if (!Is(args[0], Type::kModule))
    return vm.Raise(Error::kImportError, "from-import-* object has no __dict__ and no __all__");
  auto* from = As<Module>(args[0]);
  for (uint32_t i = 0; i < from->count; ++i) {
    const Value v = from->slots[i].value;
    if (v.empty() || from->slots[i].name->view().starts_with("_")) continue;
    if (!vm.SetVariable(into, from->slots[i].name->view(), v)) return Value();
  }
  return Value::None();
}

}  // namespace ferry::vm
