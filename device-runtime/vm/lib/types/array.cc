// array.array: sequences of numbers of one C type.
#include <algorithm>
#include <cstring>

#include "device-runtime/vm/exec/collections/buffer.h"
#include "device-runtime/vm/exec/collections/item.h"
#include "device-runtime/vm/lib/method.h"
#include "device-runtime/vm/syntax/token.h"
#include "device-runtime/vm/text/text.h"

namespace ferry::vm {
namespace {

ByteArray* Self(const Args& args) {
  return As<ByteArray>(args[0]);
}
char Code(const Args& args) {
  return Self(args)->typecode();
}
size_t Item(const Args& args) {
  return ItemSize(Code(args));
}
int64_t Count(const Args& args) {
  return static_cast<int64_t>(Self(args)->size / Item(args));
}

bool AppendItem(Vm& vm, ByteArray* array, Value v) {
  char packed[8];
  const auto format = array->typecode();
  if (!PackItem(vm, format, v, ItemUse::kArray, packed)) return false;
  return SpliceBytes(vm, array, array->size, 0, {packed, ItemSize(format)});
}

bool ExtendWith(Vm& vm, Value array, Value iterable) {
  Roots roots(vm);
  roots.Add(array);
  Value it = vm.Iterate(iterable);
  if (it.empty()) return false;
  roots.Add(it);
  for (Value item; !(item = vm.Next(it)).empty();)
    if (!AppendItem(vm, As<ByteArray>(array), item)) return false;
  return !vm.failed();
}

bool AddText(Vm& vm, ByteArray* array, std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const uint32_t code = Utf8Next(text, &at);
    if (!SpliceBytes(vm, array, array->size, 0, {reinterpret_cast<const char*>(&code), 4}))
      return false;
  }
  return true;
}

Value NewArrayOf(Vm& vm, Args& args) {
  if (args.keywords() > 0)
    return vm.Raise(Error::kTypeError, "array.array() takes no keyword arguments");
  if (args.count < 1 || args.count > 2)
    return vm.Throw(Error::kTypeError, "array() takes at {} argument{} ({} given)",
                    args.count < 1 ? "least 1" : "most 2", args.count < 1 ? "" : "s", args.count);
  if (!IsStr(args[0]) || As<String>(args[0])->length != 1)
    return vm.Throw(Error::kTypeError, "array() argument 1 must be a unicode character, not {}",
                    vm.TypeName(args[0]));
  const char code = Text(args[0])[0];
  if (kArrayCodes.find(code) == std::string_view::npos)
    return vm.Raise(Error::kValueError,
                    "bad typecode (must be b, B, u, h, H, i, I, l, L, q, Q, f or d)");
  Value out = NewArray(vm, code, "");
  if (out.empty() || args.count == 1) return out;
  const Value from = args[1];
  auto* array = As<ByteArray>(out);
  if (IsStr(from)) {
    if (code != 'u')
      return vm.Throw(Error::kTypeError,
                      "cannot use a str to initialize an array with typecode '{}'", code);
    return AddText(vm, array, Text(from)) ? out : Value();
  }
  if (Is(from, Type::kArray) && As<ByteArray>(from)->typecode() == 'u' && code != 'u')
    return vm.Throw(Error::kTypeError,
                    "cannot use a unicode array to initialize an array with typecode '{}'", code);
  if (IsBytes(from)) {
    std::string copy;
    std::string_view bytes;
    if (!BytesOf(vm, from, &copy, &bytes)) return Value();
    if (bytes.size() % ItemSize(code) != 0)
      return vm.Raise(Error::kValueError, "bytes length not a multiple of item size");
    return SpliceBytes(vm, array, 0, 0, bytes) ? out : Value();
  }
  return ExtendWith(vm, out, from) ? out : Value();
}

Value Append(Vm& vm, Args& args) {
  return ExpectMethod(vm, args, "append", 1, 1) && AppendItem(vm, Self(args), args[1])
             ? Value::None()
             : Value();
}

Value Extend(Vm& vm, Args& args) {
  if (!ExpectMethod(vm, args, "extend", 1, 1)) return Value();
  if (!Is(args[1], Type::kArray)) return ExtendWith(vm, args[0], args[1]) ? Value::None() : Value();
  if (As<ByteArray>(args[1])->typecode() != Self(args)->typecode())
    return vm.Raise(Error::kTypeError, "can only extend with array of same kind");
  const std::string other(As<ByteArray>(args[1])->view());
  return SpliceBytes(vm, Self(args), Self(args)->size, 0, other) ? Value::None() : Value();
}

Value FromList(Vm& vm, Args& args) {
  if (!ExpectMethod(vm, args, "fromlist", 1, 1)) return Value();
  if (!Is(args[1], Type::kList)) return vm.Raise(Error::kTypeError, "arg must be list");
  const uint32_t before = Self(args)->size;
  const uint32_t count = As<List>(args[1])->size;
  for (uint32_t i = 0; i < count; ++i) {
    if (i >= As<List>(args[1])->size)
      return vm.Raise(Error::kRuntimeError, "list changed size during iteration");
    if (AppendItem(vm, Self(args), As<List>(args[1])->items[i])) continue;
    Self(args)->size = std::min(before, Self(args)->size);
    return Value();
  }
  return Value::None();
}

Value FromBytes(Vm& vm, Args& args) {
  std::string copy;
  std::string_view bytes;
  if (!ExpectMethod(vm, args, "frombytes", 1, 1) || !BytesOf(vm, args[1], &copy, &bytes))
    return Value();
  if (bytes.size() % Item(args) != 0)
    return vm.Raise(Error::kValueError, "bytes length not a multiple of item size");
  const std::string other(bytes);
  return SpliceBytes(vm, Self(args), Self(args)->size, 0, other) ? Value::None() : Value();
}
Value ToBytes(Vm& vm, Args& args) {
  return ExpectMethod(vm, args, "tobytes", 0, 0) ? vm.NewBytes(Self(args)->view()) : Value();
}

// file.name(argument)
Value AskFile(Vm& vm, Value file, const char* name, Value argument) {
  Roots roots(vm);
  roots.Add(argument);
  String* const text = vm.Intern(name);
  const Value method = text == nullptr ? Value() : roots.Add(vm.GetAttribute(file, text));
  return method.empty() ? method : vm.Call(method, &argument, 1);
}
Value ToFile(Vm& vm, Args& args) {
  if (!ExpectMethod(vm, args, "tofile", 1, 1)) return Value();
  const Value bytes = vm.NewBytes(Self(args)->view());
  return !bytes.empty() && !AskFile(vm, args[1], "write", bytes).empty() ? Value::None() : Value();
}
Value FromFile(Vm& vm, Args& args) {
  int64_t count, size;
  if (!ExpectMethod(vm, args, "fromfile", 2, 2) || !vm.ToIndex(args[2], &count, "n", true))
    return Value();
  if (count < 0) return vm.Raise(Error::kValueError, "negative count");
  if (__builtin_mul_overflow(count, static_cast<int64_t>(Item(args)), &size)) return vm.TooLarge();
  Roots roots(vm);
  const Value read = roots.Add(AskFile(vm, args[1], "read", vm.NewInt(size)));
  if (read.empty()) return read;
  if (!Is(read, Type::kBytes)) return vm.Raise(Error::kTypeError, "read() didn't return bytes");
  const int64_t given = As<BytesObject>(read)->size;
  Value both[] = {args[0], read};
  Args one{both, 2};
  if (FromBytes(vm, one).empty()) return Value();
  return given < size ? vm.Raise(Error::kEOFError, "read() didn't return enough bytes")
                      : Value::None();
}

Value ToListOf(Vm& vm, Args& args) {
  if (!ExpectMethod(vm, args, "tolist", 0, 0)) return Value();
  Value list = vm.NewList(nullptr, 0);
  for (int64_t i = 0; i < Count(args) && !list.empty(); ++i) {
    Value item = UnpackItem(vm, Code(args), Self(args)->data + static_cast<size_t>(i) * Item(args));
    if (item.empty() || !vm.ChargeSteps(1) || !vm.Append(As<List>(list), item)) return Value();
  }
  return list;
}

Value FromUnicode(Vm& vm, Args& args) {
  if (!ExpectMethod(vm, args, "fromunicode", 1, 1)) return Value();
  if (!IsStr(args[1]))
    return vm.Throw(Error::kTypeError, "fromunicode() argument must be str, not {}",
                    args[1].IsNone() ? "None" : vm.TypeName(args[1]));
  if (Code(args) != 'u')
    return vm.Raise(Error::kValueError, "fromunicode() may only be called on unicode type arrays");
  return AddText(vm, Self(args), Text(args[1])) ? Value::None() : Value();
}
Value ToUnicode(Vm& vm, Args& args) {
  if (!ExpectMethod(vm, args, "tounicode", 0, 0)) return Value();
  if (Code(args) != 'u')
    return vm.Raise(Error::kValueError, "tounicode() may only be called on unicode type arrays");
  std::string text;
  for (int64_t i = 0; i < Count(args); ++i) {
    Value c = UnpackItem(vm, 'u', Self(args)->data + i * 4);
    if (c.empty()) return c;
    text += Text(c);
  }
  return vm.NewString(text);
}

Value Insert(Vm& vm, Args& args) {
  int64_t at;
  char packed[8];
  if (!ExpectMethod(vm, args, "insert", 2, 2) || !vm.ToIndex(args[1], &at, "index", true) ||
      !PackItem(vm, Code(args), args[2], ItemUse::kArray, packed))
    return Value();
  const int64_t count = Count(args);
  if (at < 0) at = std::max<int64_t>(at + count, 0);
  at = std::min(at, count);
  return SpliceBytes(vm, Self(args), static_cast<size_t>(at) * Item(args), 0, {packed, Item(args)})
             ? Value::None()
             : Value();
}

Value Pop(Vm& vm, Args& args) {
  int64_t at = -1;
  if (!ExpectMethod(vm, args, "pop", 0, 1) ||
      (args.count == 2 && !vm.ToIndex(args[1], &at, "index", true)))
    return Value();
  if (Self(args)->size == 0) return vm.Raise(Error::kIndexError, "pop from empty array");
  if (at < 0) at += Count(args);
  if (at < 0 || at >= Count(args)) return vm.Raise(Error::kIndexError, "pop index out of range");
  const size_t place = static_cast<size_t>(at) * Item(args);
  Value out = UnpackItem(vm, Code(args), Self(args)->data + place);
  Roots roots(vm);
  roots.Add(out);
  return !out.empty() && SpliceBytes(vm, Self(args), place, Item(args), "") ? out : Value();
}

// The first place of a value from `start` before `stop`; -1: none. false: failed.
bool Find(Vm& vm, const Args& args, int64_t start, int64_t stop, int64_t* at) {
  for (*at = start; *at < stop && *at < Count(args); ++*at) {
    bool equal;
    Value item =
        UnpackItem(vm, Code(args), Self(args)->data + static_cast<size_t>(*at) * Item(args));
    if (item.empty() || !vm.ChargeSteps(1) || !vm.Equal(item, args[1], &equal)) return false;
    if (equal) return true;
  }
  *at = -1;
  return true;
}

Value IndexOf(Vm& vm, Args& args) {
  int64_t start = 0, stop = INT64_MAX, at;
  if (!ExpectMethod(vm, args, "index", 1, 3) ||
      (args.count > 2 && !vm.ToIndex(args[2], &start, "start", true)) ||
      (args.count > 3 && !vm.ToIndex(args[3], &stop, "stop", true)))
    return Value();
  if (start < 0) start = std::max<int64_t>(start + Count(args), 0);
  if (stop < 0) stop += Count(args);
  if (!Find(vm, args, start, stop, &at)) return Value();
  return at < 0 ? vm.Raise(Error::kValueError, "array.index(x): x not in array") : vm.NewInt(at);
}

Value Remove(Vm& vm, Args& args) {
  int64_t at;
  if (!ExpectMethod(vm, args, "remove", 1, 1) || !Find(vm, args, 0, INT64_MAX, &at)) return Value();
  if (at < 0) return vm.Raise(Error::kValueError, "array.remove(x): x not in array");
  const size_t item = Item(args);
  return SpliceBytes(vm, Self(args), static_cast<size_t>(at) * item, item, "") ? Value::None()
                                                                               : Value();
}

Value CountOf(Vm& vm, Args& args) {
  if (!ExpectMethod(vm, args, "count", 1, 1)) return Value();
  int64_t count = 0;
  for (int64_t at = 0;; ++at) {
    if (!Find(vm, args, at, INT64_MAX, &at)) return Value();
    if (at < 0) return vm.NewInt(count);
    ++count;
  }
}

Value Reverse(Vm& vm, Args& args) {
  if (!ExpectMethod(vm, args, "reverse", 0, 0) || !vm.ChargeSteps(Self(args)->size / 32))
    return Value();
  char* data = Self(args)->data;
  const size_t item = Item(args);
  const auto count = static_cast<size_t>(Count(args));
  for (size_t i = 0; i < count / 2; ++i)
    std::swap_ranges(data + i * item, data + (i + 1) * item, data + (count - 1 - i) * item);
  return Value::None();
}

Value ByteSwap(Vm& vm, Args& args) {
  if (!ExpectMethod(vm, args, "byteswap", 0, 0) || !vm.ChargeSteps(Self(args)->size / 32))
    return Value();
  char* data = Self(args)->data;
  const size_t item = Item(args);
  for (size_t i = 0; i < Self(args)->size; i += item) std::reverse(data + i, data + i + item);
  return Value::None();
}

Value BufferInfo(Vm& vm, Args& args) {
  if (!ExpectMethod(vm, args, "buffer_info", 0, 0)) return Value();
  Value pair[] = {vm.NewInt(static_cast<int64_t>(vm.Identity(args[0]) + sizeof(ByteArray))),
                  vm.NewInt(Count(args))};
  return pair[0].empty() || pair[1].empty() ? Value() : vm.NewTuple(pair, 2);
}
Value Copy(Vm& vm, Args& args) {
  return NewArray(vm, Code(args), Self(args)->view());
}
Value TypeCode(Vm& vm, Args& args) {
  const char code = Code(args);
  return vm.NewString({&code, 1});
}
Value ItemSizeOf(Vm&, Args& args) {
  return Value::SmallInt(static_cast<int64_t>(Item(args)));
}

constexpr BuiltinRow kRows[] = {
    {"__copy__", Copy},           {"__deepcopy__", Copy},       {"__new__", NewArrayOf, true},
    {"append", Append, true},     {"buffer_info", BufferInfo},  {"byteswap", ByteSwap},
    {"count", CountOf},           {"extend", Extend, true},     {"frombytes", FromBytes, true},
    {"fromfile", FromFile, true}, {"fromlist", FromList, true}, {"fromunicode", FromUnicode, true},
    {"index", IndexOf},           {"insert", Insert, true},     {"pop", Pop, true},
    {"remove", Remove, true},     {"reverse", Reverse},         {"tobytes", ToBytes},
    {"tofile", ToFile, true},     {"tolist", ToListOf},         {"tounicode", ToUnicode}};

}  // namespace

bool InstallArray(Vm& vm) {
  Class* cls = vm.classes[static_cast<int>(Type::kArray)];
  cls->module_name = vm.Intern("array");
  return cls->module_name != nullptr && AddMethods(vm, cls, kRows) &&
         AddProperty(vm, cls, "typecode", TypeCode) && AddProperty(vm, cls, "itemsize", ItemSizeOf);
}

}  // namespace ferry::vm
