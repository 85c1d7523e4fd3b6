#include "device-runtime/vm/exec/loop/helper.h"

#include "device-runtime/vm/exec/failure/names.h"

namespace ferry::vm {

Value RunHelper(Vm& vm, uint16_t helper, Value* args) {
  using Function = Value (*)(Vm&, Value*);
  static constexpr Function kHelpers[] = {
#define FERRY_HELPER(name, registers, reads) name##Helper,
#include "device-runtime/vm/exec/loop/helpers.inc"
#undef FERRY_HELPER
  };
  return kHelpers[helper](vm, args);
}

Value DeleteClassNameHelper(Vm& vm, Value* args) {
  if (!Is(args[0], Type::kDict) || !IsStr(args[1])) return BadOperands(vm);
  const Value old = vm.DictRemove(As<Dict>(args[0]), args[1]);
  if (!old.empty()) return Value::None();
  if (!vm.failed()) NoName(vm, As<String>(args[1]));
  return Value();
}

Value ForgetClassNameHelper(Vm& vm, Value* args) {
  if (!Is(args[0], Type::kDict) || !IsStr(args[1])) return BadOperands(vm);
  vm.DictRemove(As<Dict>(args[0]), args[1]);
  return vm.failed() ? Value() : Value::None();
}

namespace {

// "__main__.f()", for what is said about a call's arguments.
std::string CalleeText(Vm& vm, Value callee) {
  String* const qualname = vm.Intern("__qualname__");
  String* const module_name = vm.Intern("__module__");
  if (qualname == nullptr || module_name == nullptr) return "";
  std::string out;
  const Value name = vm.GetAttributeOrEmpty(callee, qualname);
  if (name.empty() || !IsStr(name)) {
    vm.pending = Value();
    return vm.Str(callee, &out) ? out : "";
  }
  const Value module = vm.GetAttributeOrEmpty(callee, module_name);
  if (!module.empty() && IsStr(module) && Text(module) != "builtins")
    out = std::string(Text(module)) + ".";
  return out + std::string(Text(name)) + "()";
}

// A method of the class of `v`, bound; empty when there is none.
Value Special(Vm& vm, Value v, std::string_view name) {
  String* const text = vm.Intern(name);
  if (text == nullptr) return Value();
  Class* cls = vm.ClassOf(v);
  const Value found = vm.FindInClass(cls, text);
  return found.empty() ? found : vm.Bind(found, v, cls);
}

// R[0] = the manager; gives its bound enter and leaves its bound exit in R[1].
Value Manager(Vm& vm, Value* args, bool async) {
  const Value manager = args[0];
  const Value enter = Special(vm, manager, async ? "__aenter__" : "__enter__");
  const std::string_view protocol = async ? "asynchronous context manager" : "context manager";
  if (enter.empty()) {
    return vm.failed() ? enter
                       : vm.Throw(Error::kTypeError, "'{}' object does not support the {} protocol",
                                  vm.TypeName(manager), protocol);
  }
  Roots roots(vm);
  roots.Add(enter);
  args[1] = Special(vm, manager, async ? "__aexit__" : "__exit__");
  if (!args[1].empty()) return enter;
  args[1] = Value::None();
  return vm.failed() ? Value()
                     : vm.Throw(Error::kTypeError,
                                "'{}' object does not support the {} protocol (missed {} method)",
                                vm.TypeName(manager), protocol, async ? "__aexit__" : "__exit__");
}

}  // namespace

Value SpreadArgumentsHelper(Vm& vm, Value* args) {
  if (IsExact(args[1], Type::kList) || IsExact(args[1], Type::kTuple)) {  // needs no copy
    const size_t count =
        Is(args[1], Type::kList) ? As<List>(args[1])->size : As<Tuple>(args[1])->size;
    return vm.ChargeSteps(static_cast<int64_t>(count / 16)) ? args[1] : Value();
  }
  const Value list = vm.ToList(args[1]);
  if (!list.empty() || !vm.FindInClass(vm.ClassOf(args[1]), vm.names.iter).empty() ||
      !vm.TakePending(Error::kTypeError))
    return list;
  const std::string callee = CalleeText(vm, args[0]);
  return vm.failed()
             ? Value()
             : vm.Throw(Error::kTypeError, "{} argument after * must be an iterable, not {}",
                        callee, vm.TypeName(args[1]));
}

Value SpreadKeywordsHelper(Vm& vm, Value* args) {
  if (!Is(args[1], Type::kDict)) return BadOperands(vm);
  if (IsExact(args[2], Type::kDict) && As<Dict>(args[2])->used == 0) return args[1];
  bool mapping =
      Is(args[2], Type::kDict) || !vm.FindInClass(vm.ClassOf(args[2]), vm.names.keys).empty();
  if (!mapping) {
    mapping = !vm.GetAttributeOrEmpty(args[2], vm.names.keys).empty();
    if (vm.failed() && !vm.TakePending(Error::kAttributeError)) return Value();
  }
  if (mapping && vm.DictMerge(As<Dict>(args[1]), args[2], true)) return args[1];
  std::string text;
  if (mapping) {
    if (!vm.fatal.ok() ||
        !vm.IsInstance(vm.pending, vm.errors[static_cast<int>(Error::kTypeError)]))
      return Value();
    const Value error = vm.pending;
    Roots roots(vm);
    roots.Add(error);
    vm.pending = Value();
    if (!vm.Str(error, &text)) return Value();
    if (!text.starts_with("got multiple values")) {
      vm.pending = error;
      return Value();
    }
  }
  const std::string callee = CalleeText(vm, args[0]);
  if (vm.failed()) return Value();
  if (mapping) return vm.Throw(Error::kTypeError, "{} {}", callee, text);
  return vm.Throw(Error::kTypeError, "{} argument after ** must be a mapping, not {}", callee,
                  vm.TypeName(args[2]));
}

Value ContextHelper(Vm& vm, Value* args) {
  return Manager(vm, args, false);
}
Value AsyncContextHelper(Vm& vm, Value* args) {
  return Manager(vm, args, true);
}

}  // namespace ferry::vm
