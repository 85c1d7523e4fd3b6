// str.encode, translate, maketrans.
#include "device-runtime/vm/lib/lib.h"
#include "device-runtime/vm/lib/types/str_arguments.h"
#include "device-runtime/vm/text/builder.h"
#include "device-runtime/vm/text/codec.h"
#include "device-runtime/vm/text/text.h"

namespace ferry::vm {
namespace {

Value Encode(Vm& vm, Args& args) {
  CodecNames names;
  if (!CodecArguments(vm, args, "encode", &names)) return Value();
  return EncodeText(vm, args[0], names.encoding, names.errors);
}

// What `table` says about one character: *out is Empty when it says nothing.
bool Mapped(Vm& vm, Value table, uint32_t c, Value* out) {
  const Value key = Value::SmallInt(c);
  *out = Value();
  if (vm.ClassOf(table) == vm.classes[static_cast<int>(Type::kDict)]) {
    bool failed = false;
    Value* found = vm.DictFind(As<Dict>(table), key, &failed);
    if (found != nullptr) *out = *found;
    return !failed;
  }
  *out = vm.Index(table, key);
  return !out->empty() || vm.TakePending(Error::kLookupError);
}

Value Translate(Vm& vm, Args& args) {
  if (!OneArgument(vm, args, "str.translate")) return Value();
  Roots roots(vm);
  const Value self = roots.Add(args[0]), table = roots.Add(args[1]);
  const size_t size = As<String>(self)->size;
  TextBuilder out(vm);
  if (!vm.ChargeSteps(static_cast<int64_t>(size / 4))) return Value();
  for (size_t at = 0; at < size;) {
    Value mapped;
    const uint32_t c = Utf8Next(Text(self), &at);
    if (!Mapped(vm, table, c, &mapped)) return Value();
    int64_t code;
    bool ok = true;
    if (mapped.empty()) {
      ok = out.AppendCode(c);
    } else if (IsStr(mapped)) {
      ok = out.Append(Text(mapped));
    } else if (IsInt(mapped)) {
      if (!vm.ToIndex(mapped, &code, "character", true)) return Value();
      if (code < 0 || code > 0x10FFFF)
        return vm.Raise(Error::kValueError, "character mapping must be in range(0x110000)");
      ok = out.AppendCode(static_cast<uint32_t>(code));
    } else if (!mapped.IsNone()) {
      return vm.Raise(Error::kTypeError, "character mapping must return integer, None or str");
    }
    if (!ok) return Value();
  }
  return out.ToString();
}

Value TableOfDict(Vm& vm, Value given) {
  if (!Is(given, Type::kDict))
    return vm.Raise(Error::kTypeError,
                    "if you give only one argument to maketrans it must be a dict");
  Value table = vm.NewDict();
  if (table.empty()) return table;
  auto* from = As<Dict>(given);
  if (!vm.ChargeSteps(from->used)) return Value();
  for (uint32_t i = 0; i < from->used; ++i) {
    Value key = from->entries[i].key;
    if (key.empty()) continue;
    if (IsStr(key)) {
      size_t at = 0;
      if (As<String>(key)->length != 1)
        return vm.Raise(Error::kValueError, "string keys in translate table must be of length 1");
      key = Value::SmallInt(Utf8Next(Text(key), &at));
    } else if (!IsInt(key)) {
      return vm.Raise(Error::kTypeError, "keys in translate table must be strings or integers");
    }
    if (!vm.DictSet(As<Dict>(table), key, from->entries[i].value)) return Value();
  }
  return table;
}

// A static method: no self.
Value MakeTrans(Vm& vm, Args& args) {
  if (args.keywords() > 0)
    return vm.Raise(Error::kTypeError, "str.maketrans() takes no keyword arguments");
  if (args.count < 1 || args.count > 3)
    return vm.Throw(Error::kTypeError, "maketrans expected at {} argument{}, got {}",
                    args.count < 1 ? "least 1" : "most 3", args.count < 1 ? "" : "s", args.count);
  if (args.count == 1) return TableOfDict(vm, args[0]);
  if (!IsStr(args[0]))
    return vm.Raise(Error::kTypeError,
                    "first maketrans argument must be a string if there is a second argument");
  for (uint32_t i = 1; i < args.count; ++i)
    if (!IsStr(args[i]))
      return vm.Throw(Error::kTypeError, "maketrans() argument {} must be str, not {}", i + 1,
                      args[i].IsNone() ? "None" : vm.TypeName(args[i]));
  if (As<String>(args[0])->length != As<String>(args[1])->length)
    return vm.Raise(Error::kValueError, "the first two maketrans arguments must have equal length");
  Value table = vm.NewDict();
  if (table.empty() || !vm.ChargeSteps(As<String>(args[0])->length)) return Value();
  const std::string_view from = Text(args[0]), to = Text(args[1]);
  for (size_t at = 0, other = 0; at < from.size();) {
    const Value key = Value::SmallInt(Utf8Next(from, &at));
    if (!vm.DictSet(As<Dict>(table), key, Value::SmallInt(Utf8Next(to, &other)))) return Value();
  }
  if (args.count == 3)
    for (size_t at = 0; at < Text(args[2]).size();)
      if (!vm.DictSet(As<Dict>(table), Value::SmallInt(Utf8Next(Text(args[2]), &at)),
                      Value::None()))
        return Value();
  return table;
}

constexpr BuiltinRow kRows[] = {{"encode", Encode}, {"translate", Translate, true}};

}  // namespace

bool InstallStrCode(Vm& vm) {
  Class* cls = vm.classes[static_cast<int>(Type::kString)];
  Value native = vm.NewNative("maketrans", MakeTrans, nullptr, false);
  Value method = native.empty() ? native : vm.NewDescriptor(DescriptorKind::kStaticMethod, native);
  return !method.empty() && vm.DictSetText(cls->attributes, "maketrans", method) &&
         AddMethods(vm, cls, kRows);
}

}  // namespace ferry::vm
