// The native part of the module sys (py/sys.py).
#include <algorithm>

#include "device-runtime/vm/exec/failure/traceback.h"
#include "device-runtime/vm/lib/lib.h"
#include "device-runtime/vm/text/text.h"

namespace ferry::vm {
namespace {

// write(text, error)
Value Write(Vm& vm, Args& args) {
  bool error;
  if (!Expect(vm, args, "write", 2, 2) || !vm.Truth(args[1], &error)) return Value();
  if (!IsStr(args[0]))
    return vm.Throw(Error::kTypeError, "write() argument must be str, not {}",
                    args[0].IsNone() ? "None" : vm.TypeName(args[0]));
  if (!Writable(vm, Text(args[0])) || !vm.WriteOutput(Text(args[0]), error)) return Value();
  return Value::SmallInt(As<String>(args[0])->length);
}

Value GetRecursionLimit(Vm& vm, Args& args) {
  return Expect(vm, args, "getrecursionlimit", 0, 0) ? Value::SmallInt(vm.recursion_limit)
                                                     : Value();
}
Value SetRecursionLimit(Vm& vm, Args& args) {
  int64_t limit;
  if (!Expect(vm, args, "setrecursionlimit", 1, 1) || !vm.ToIndex(args[0], &limit, "int"))
    return Value();
  if (limit < 1)
    return vm.Raise(Error::kValueError, "recursion limit must be greater or equal than 1");
  const size_t depth = vm.frames.size() + 1;  // with this call
  if (static_cast<int64_t>(depth) >= limit)
    return vm.Throw(Error::kRecursionError,
                    "cannot set the recursion limit to {} at the recursion depth {}: the limit is "
                    "too low",
                    limit, depth);
  vm.LimitRecursion(static_cast<int>(std::min<int64_t>(limit, INT32_MAX)));
  return Value::None();
}

Value InternText(Vm& vm, Args& args) {
  if (!Expect(vm, args, "intern", 1, 1)) return Value();
  if (!IsStr(args[0]))
    return vm.Throw(Error::kTypeError, "intern() argument must be str, not {}",
                    args[0].IsNone() ? "None" : vm.TypeName(args[0]));
  String* text = vm.Intern(Text(args[0]));
  return text == nullptr ? Value() : Value::Of(text);
}

// The exception that is being handled, or None.
Value Handled(Vm& vm, Args& args) {
  if (!Expect(vm, args, "exception", 0, 0)) return Value();
  Exception* exception = vm.Handled();
  return exception == nullptr ? Value::None() : Value::Of(exception);
}

Value GetIntDigits(Vm& vm, Args&) {
  return Value::SmallInt(vm.max_int_digits);
}
Value SetIntDigits(Vm& vm, Args& args) {
  int64_t digits;
  if (!Expect(vm, args, "set_int_max_str_digits", 1, 1) ||
      !vm.ToIndex(args[0], &digits, "maxdigits"))
    return Value();
  vm.max_int_digits = static_cast<int>(std::clamp<int64_t>(digits, 0, INT32_MAX));
  return Value::None();
}

Value GetFrame(Vm& vm, Args& args) {
  int64_t depth = 0;
  if (!Expect(vm, args, "_getframe", 0, 1) ||
      (args.count == 1 && !vm.ToIndex(args[0], &depth, "depth", true)))
    return Value();
  return FrameAt(vm, depth);
}

// modules(): the dict of those imported, as the interpreter has it.
Value Modules(Vm& vm, Args&) {
  return Value::Of(vm.modules);
}

constexpr BuiltinRow kSys[] = {{"_getframe", GetFrame},
                               {"exception", Handled},
                               {"get_int_max_str_digits", GetIntDigits},
                               {"getrecursionlimit", GetRecursionLimit},
                               {"intern", InternText},
                               {"modules", Modules},
                               {"set_int_max_str_digits", SetIntDigits},
                               {"setrecursionlimit", SetRecursionLimit},
                               {"write", Write}};

}  // namespace

Value MakeSys(Vm& vm) {
  Value module = MakeModule(vm, "_sys", kSys);
  Value argv = module.empty() ? module : vm.NewList(nullptr, 0);
  if (argv.empty()) return argv;
  for (const std::string& argument : vm.options.argv) {
    Value v = vm.NewStringChecked(argument);
    if (v.empty() || !vm.Append(As<List>(argv), v)) return Value();
  }
  return vm.SetVariable(As<Module>(module), "argv", argv) ? module : Value();
}

}  // namespace ferry::vm
