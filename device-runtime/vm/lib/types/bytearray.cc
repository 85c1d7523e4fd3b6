// bytearray: what changes it.
#include <algorithm>
#include <cstring>

#include "device-runtime/vm/exec/collections/buffer.h"
#include "device-runtime/vm/lib/method.h"
#include "device-runtime/vm/lib/types/bytes.h"

namespace ferry::vm {
namespace {

constexpr const char* kRange = "byte must be in range(0, 256)";

ByteArray* Self(Args& args) {
  return As<ByteArray>(args[0]);
}

Value NewByteArrayOf(Vm& vm, Args& args) {
  std::string out;
  return BytesArgument(vm, args, "bytearray", kRange, &out) ? vm.NewByteArray(out) : Value();
}

// bytearray.__init__: fills again.
Value Init(Vm& vm, Args& args) {
  const Args rest{args.args + 1, args.count - 1, args.names};
  std::string out;
  if (!BytesArgument(vm, rest, "bytearray", kRange, &out)) return Value();
  return SpliceBytes(vm, Self(args), 0, Self(args)->size, out) ? Value::None() : Value();
}

Value Append(Vm& vm, Args& args) {
  char byte;
  if (!ExpectMethod(vm, args, "append", 1, 1) || !ToByte(vm, args[1], kRange, &byte))
    return Value();
  ByteArray* self = Self(args);
  if (!MayResize(vm, self) || !ResizeBytes(vm, self, self->size + size_t{1})) return Value();
  self->data[self->size - 1] = byte;
  return Value::None();
}

Value Clear(Vm& vm, Args& args) {
  if (!ExpectMethod(vm, args, "clear", 0, 0)) return Value();
  if (Self(args)->size > 0 && !MayResize(vm, Self(args))) return Value();
  Self(args)->size = 0;
  return Value::None();
}

Value Copy(Vm& vm, Args& args) {
  return ExpectMethod(vm, args, "copy", 0, 0) ? vm.NewByteArray(Self(args)->view()) : Value();
}

Value Extend(Vm& vm, Args& args) {
  std::string out;
  if (!ExpectMethod(vm, args, "extend", 1, 1)) return Value();
  if (!IsBytesLike(args[1]) && !IsStr(args[1])) {
    Value it = vm.Iterate(args[1]);
    if (it.empty() && vm.TakePending(Error::kTypeError))
      return vm.Throw(Error::kTypeError, "can't extend bytearray with {}", vm.TypeName(args[1]));
    if (it.empty()) return it;
    Roots roots(vm);
    Value list = vm.ToList(roots.Add(it));
    if (list.empty()) return list;
    roots.Add(list);
    return BytesOfValue(vm, list, "bytearray", kRange, &out) &&
                   SpliceBytes(vm, Self(args), Self(args)->size, 0, out)
               ? Value::None()
               : Value();
  }
  if (IsStr(args[1])) {
    if (Text(args[1]).empty()) return Value::None();
    return vm.Raise(Error::kTypeError, "'str' object cannot be interpreted as an integer");
  }
  if (!BytesOfValue(vm, args[1], "bytearray", kRange, &out)) return Value();
  return SpliceBytes(vm, Self(args), Self(args)->size, 0, out) ? Value::None() : Value();
}

Value Insert(Vm& vm, Args& args) {
  int64_t at;
  char byte;
  if (!ExpectMethod(vm, args, "insert", 2, 2) || !vm.ToIndex(args[1], &at, "index") ||
      !ToByte(vm, args[2], kRange, &byte))
    return Value();
  const auto size = static_cast<int64_t>(Self(args)->size);
  if (at < 0) at = std::max<int64_t>(at + size, 0);
  at = std::min(at, size);
  return SpliceBytes(vm, Self(args), static_cast<size_t>(at), 0, {&byte, 1}) ? Value::None()
                                                                             : Value();
}

Value Pop(Vm& vm, Args& args) {
  int64_t at = -1;
  if (!ExpectMethod(vm, args, "pop", 0, 1) ||
      (args.count == 2 && !vm.ToIndex(args[1], &at, "index")))
    return Value();
  ByteArray* self = Self(args);
  if (self->size == 0) return vm.Raise(Error::kIndexError, "pop from empty bytearray");
  if (at < 0) at += self->size;
  if (at < 0 || at >= self->size) return vm.Raise(Error::kIndexError, "pop index out of range");
  const auto byte = static_cast<unsigned char>(self->data[at]);
  return SpliceBytes(vm, self, static_cast<size_t>(at), 1, "") ? Value::SmallInt(byte) : Value();
}

Value Remove(Vm& vm, Args& args) {
  char byte;
  if (!ExpectMethod(vm, args, "remove", 1, 1) || !ToByte(vm, args[1], kRange, &byte))
    return Value();
  const size_t at = Self(args)->view().find(byte);
  if (at == std::string_view::npos)
    return vm.Raise(Error::kValueError, "value not found in bytearray");
  return SpliceBytes(vm, Self(args), at, 1, "") ? Value::None() : Value();
}

Value Reverse(Vm& vm, Args& args) {
  ByteArray* self = Self(args);
  if (!ExpectMethod(vm, args, "reverse", 0, 0) || !vm.ChargeSteps(self->size / 32)) return Value();
  std::reverse(self->data, self->data + self->size);
  return Value::None();
}

constexpr BuiltinRow kRows[] = {{"__init__", Init, true}, {"__new__", NewByteArrayOf, true},
                                {"append", Append, true}, {"clear", Clear, true},
                                {"copy", Copy},           {"extend", Extend, true},
                                {"insert", Insert, true}, {"pop", Pop, true},
                                {"remove", Remove, true}, {"reverse", Reverse}};

}  // namespace

bool InstallByteArray(Vm& vm) {
  Class* cls = vm.classes[static_cast<int>(Type::kByteArray)];
  return AddMethods(vm, cls, kRows) &&
         vm.DictSet(vm.builtins, Value::Of(cls->name), Value::Of(cls));
}

}  // namespace ferry::vm
