// print() and ascii(), and the native part of the module sys (py/sys.py).
#include <algorithm>

#include "device-runtime/vm/lib/lib.h"
#include "device-runtime/vm/text/builder.h"
#include "device-runtime/vm/text/codec.h"
#include "device-runtime/vm/text/text.h"

namespace ferry::vm {
namespace {

// Lone surrogates cannot be written: an error, as the utf-8 codec gives it.
bool Writable(Vm& vm, std::string_view text) {
  for (size_t at = text.find('\xED'); at != std::string_view::npos; at = text.find('\xED', at + 1))
    if (static_cast<unsigned char>(text[at + 1]) >= 0xA0) {
      Value v = vm.NewString(text);
      if (!v.empty()) EncodeText(vm, v, "utf-8", "strict");
      return false;
    }
  return true;
}

// A variable of the module sys, or Empty while nobody has imported it.
Value SysValue(Vm& vm, const char* name) {
  auto sys = vm.modules.find("sys");
  String* text = sys == vm.modules.end() ? nullptr : vm.Intern(name);
  return text == nullptr ? Value() : vm.GetAttributeOrEmpty(sys->second, text);
}

struct Printing {
  Value separator, end, file;  // Empty: a blank, a line end, sys.stdout
  bool flush = false;
};

bool PrintArguments(Vm& vm, Args& args, Printing* out) {
  for (uint32_t k = 0; k < args.keywords(); ++k) {
    const std::string_view name = Text(args.names->items[k]);
    const Value v = args.args[args.count + k];
    if (name == "sep" || name == "end") {
      if (v.IsNone()) continue;
      if (!IsStr(v)) {
        vm.Throw(Error::kTypeError, "{} must be None or a string, not {}", name, vm.TypeName(v));
        return false;
      }
      (name == "sep" ? out->separator : out->end) = v;
    } else if (name == "file") {
      if (!v.IsNone()) out->file = v;
    } else if (name == "flush") {
      if (!vm.Truth(v, &out->flush)) return false;
    } else {
      vm.Throw(Error::kTypeError, "'{}' is an invalid keyword argument for print()", name);
      return false;
    }
  }
  return true;
}

// To an object with a method write: each piece is one call.
bool PrintTo(Vm& vm, Args& args, const Printing& how) {
  Roots roots(vm);
  const auto write = [&](Value text) {
    roots.Add(text);
    String* name = vm.Intern("write");
    const Value method =
        text.empty() || name == nullptr ? Value() : vm.GetAttribute(how.file, name);
    return !method.empty() && !vm.Call(roots.Add(method), &text, 1).empty();
  };
  const Value separator = how.separator.empty() ? vm.NewString(" ") : how.separator;
  const Value end = how.end.empty() ? vm.NewString("\n") : how.end;
  for (uint32_t i = 0; i < args.count; ++i) {
    if (i > 0 && !write(separator)) return false;
    const Value text = vm.StrValue(args[i]);
    if (text.empty() || !write(text)) return false;
  }
  if (!write(end)) return false;
  if (!how.flush) return true;
  String* name = vm.Intern("flush");
  const Value method = name == nullptr ? Value() : vm.GetAttribute(how.file, name);
  return !method.empty() && !vm.Call(method, nullptr, 0).empty();
}

Value Print(Vm& vm, Args& args) {
  Printing how;
  if (!PrintArguments(vm, args, &how)) return Value();
  Roots roots(vm);
  if (how.file.empty()) {
    const Value now = SysValue(vm, "stdout");
    if (!now.empty() && !(now == SysValue(vm, "__stdout__"))) how.file = roots.Add(now);
    if (now.IsNone()) return Value::None();
  }
  if (!how.file.empty()) return PrintTo(vm, args, how) ? Value::None() : Value();
  std::string out;
  for (uint32_t i = 0; i < args.count; ++i) {
    if (i > 0) out += how.separator.empty() ? std::string_view(" ") : Text(how.separator);
    if (!vm.Str(args[i], &out) || !vm.Scratch(out.size() * 3)) return Value();
  }
  out += how.end.empty() ? std::string_view("\n") : Text(how.end);
  if (!Writable(vm, out) || !vm.WriteOutput(out)) return Value();
  return Value::None();
}

Value Ascii(Vm& vm, Args& args) {
  std::string out;
  return Expect(vm, args, "ascii", 1, 1) && AsciiRepr(vm, args[0], &out) ? vm.NewString(out)
                                                                         : Value();
}

// ---- sys ----

// write(text, error)
Value Write(Vm& vm, Args& args) {
  bool error;
  if (!Expect(vm, args, "write", 2, 2) || !vm.Truth(args[1], &error)) return Value();
  if (!IsStr(args[0]))
    return vm.Throw(Error::kTypeError, "write() argument must be str, not {}",
                    vm.TypeName(args[0]));
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
  vm.recursion_limit = static_cast<int>(std::min<int64_t>(limit, INT32_MAX));
  return Value::None();
}

Value InternText(Vm& vm, Args& args) {
  if (!Expect(vm, args, "intern", 1, 1)) return Value();
  if (!IsStr(args[0]))
    return vm.Throw(Error::kTypeError, "intern() argument must be str, not {}",
                    vm.TypeName(args[0]));
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

constexpr BuiltinRow kPrint[] = {{"ascii", Ascii}, {"print", Print, true}};
constexpr BuiltinRow kSys[] = {{"exception", Handled},
                               {"get_int_max_str_digits", GetIntDigits},
                               {"getrecursionlimit", GetRecursionLimit},
                               {"intern", InternText},
                               {"set_int_max_str_digits", SetIntDigits},
                               {"setrecursionlimit", SetRecursionLimit},
                               {"write", Write}};

}  // namespace

bool InstallPrint(Vm& vm) {
  for (const BuiltinRow& row : kPrint) {
    Value native = vm.NewNative(row.name, row.function, nullptr, row.collects);
    if (native.empty() || !vm.DictSetText(vm.builtins, row.name, native)) return false;
  }
  return true;
}

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
