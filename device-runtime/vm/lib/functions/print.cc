// print() and ascii().
#include "device-runtime/vm/lib/lib.h"
#include "device-runtime/vm/text/builder.h"
#include "device-runtime/vm/text/codec.h"
#include "device-runtime/vm/text/text.h"

namespace ferry::vm {
namespace {

// A variable of the module sys, or Empty while nobody has imported it.
Value SysValue(Vm& vm, const char* name) {
  const Value sys = vm.Imported("sys");
  String* text = sys.empty() ? nullptr : vm.Intern(name);
  return text == nullptr ? Value() : vm.GetAttributeOrEmpty(sys, text);
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

constexpr BuiltinRow kPrint[] = {{"ascii", Ascii}, {"print", Print, true}};

}  // namespace

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

bool InstallPrint(Vm& vm) {
  for (const BuiltinRow& row : kPrint) {
    Value native = vm.NewNative(row.name, row.function, nullptr, row.collects);
    if (native.empty() || !vm.DictSetText(vm.builtins, row.name, native)) return false;
  }
  return true;
}

}  // namespace ferry::vm
