// bytes: making, hex, decode; what it shares with bytearray.
#include <algorithm>

#include "device-runtime/vm/exec/collections/buffer.h"
#include "device-runtime/vm/lib/method.h"
#include "device-runtime/vm/lib/types/bytes.h"
#include "device-runtime/vm/text/builder.h"
#include "device-runtime/vm/text/codec.h"
#include "device-runtime/vm/text/text.h"

namespace ferry::vm {
namespace {

int HexDigit(char c) {
  const char low = static_cast<char>(c | 0x20);
  return c >= '0' && c <= '9' ? c - '0' : low >= 'a' && low <= 'f' ? low - 'a' + 10 : -1;
}

Value NewBytesOf(Vm& vm, Args& args) {
  std::string out;
  if (args.count == 1 && args.keywords() == 0 && IsExact(args[0], Type::kBytes)) return args[0];
  return BytesArgument(vm, args, "bytes", "bytes must be in range(0, 256)", &out) ? vm.NewBytes(out)
                                                                                  : Value();
}

Value Decode(Vm& vm, Args& args) {
  CodecNames names;
  if (!CodecArguments(vm, args, "decode", &names)) return Value();
  const std::string copy(BytesSelf(args));
  return DecodeBytes(vm, args[0], copy, names.encoding, names.errors);
}
Value Hex(Vm& vm, Args& args) {
  if (!vm.Scratch(2 * BytesSelf(args).size())) return Value();
  if (args.count == 1 && args.names == nullptr) {
    const std::string_view bytes = BytesSelf(args);
    char* out;
    if (!vm.ChargeSteps(static_cast<int64_t>(bytes.size() / 16))) return Value();
    const Value made = NewText(vm, 2 * bytes.size(), 2 * bytes.size(), &out);
    for (size_t i = 0; !made.empty() && i < bytes.size(); ++i) {
      const auto u = static_cast<unsigned char>(bytes[i]);
      *out++ = "0123456789abcdef"[u >> 4];
      *out++ = "0123456789abcdef"[u & 15];
    }
    return made;
  }
  const std::string copy(BytesSelf(args));  // the arguments may run scripts that change it
  return HexOfBytes(vm, args, copy);
}
Value FromHex(Vm& vm, Args& args) {
  if (!ExpectMethod(vm, args, "fromhex", 1, 1)) return Value();
  std::string bytes;
  if (!ParseHex(vm, args[1], &bytes)) return Value();
  auto* cls = As<Class>(args[0]);
  const bool array = cls->layout == Type::kByteArray;
  Value out = array ? vm.NewByteArray(bytes) : vm.NewBytes(bytes);
  if (out.empty() || cls == vm.ClassOf(out)) return out;
  return vm.Call(args[0], &out, 1);
}

Value Bytes(Vm& vm, Args& args) {
  return ExpectMethod(vm, args, "__bytes__", 0, 0) ? vm.NewBytes(BytesSelf(args)) : Value();
}
Value GetNewArgs(Vm& vm, Args& args) {
  Value v = vm.NewBytes(BytesSelf(args));
  return v.empty() ? v : vm.NewTuple(&v, 1);
}

constexpr BuiltinRow kBytesRows[] = {
    {"__bytes__", Bytes}, {"__getnewargs__", GetNewArgs}, {"__new__", NewBytesOf, true}};
constexpr BuiltinRow kRows[] = {{"decode", Decode}, {"hex", Hex}};

}  // namespace

Value HexOfBytes(Vm& vm, const Args& args, std::string_view bytes) {
  static constexpr const char* kNames[] = {"sep", "bytes_per_sep"};
  Value bound[2];
  int64_t group = 1;
  if (!BindMethod(vm, args, "hex", kNames, 0, 2, bound) ||
      (!bound[1].empty() && !vm.ToIndex(bound[1], &group, "bytes_per_sep")) ||
      !vm.ChargeSteps(static_cast<int64_t>(bytes.size() / 16)) || !vm.Scratch(6 * bytes.size()))
    return Value();
  char separator = 0;
  if (!bound[0].empty()) {
    int64_t length;
    if (!vm.Length(bound[0], &length)) return Value();
    if (!IsStr(bound[0]) && !Is(bound[0], Type::kBytes))
      return vm.Raise(Error::kTypeError, "sep must be str or bytes.");
    const std::string_view text =
        IsStr(bound[0]) ? Text(bound[0]) : As<BytesObject>(bound[0])->view();
    if ((IsStr(bound[0]) ? As<String>(bound[0])->length : text.size()) != 1)
      return vm.Raise(Error::kValueError, "sep must be length 1.");
    separator = text[0];
    if ((separator & 0x80) != 0) return vm.Raise(Error::kValueError, "sep must be ASCII.");
  } else {
    group = 0;
  }
  // Groups are counted from the right, or from the left when negative.
  const size_t each = static_cast<size_t>(group < 0 ? -group : group);
  const size_t size = bytes.size();
  std::string out;
  out.reserve(size * 3);
  for (size_t i = 0; i < size; ++i) {
    if (i > 0 && each > 0 && (group < 0 ? i : size - i) % each == 0) out.push_back(separator);
    const auto u = static_cast<unsigned char>(bytes[i]);
    out += {"0123456789abcdef"[u >> 4], "0123456789abcdef"[u & 15]};
  }
  return vm.NewString(out);
}

bool ParseHex(Vm& vm, Value text, std::string* out) {
  if (!IsStr(text)) {
    vm.Throw(Error::kTypeError, "fromhex() argument must be str, not {}",
             text.IsNone() ? "None" : vm.TypeName(text));
    return false;
  }
  const std::string_view s = Text(text);
  if (!vm.ChargeSteps(static_cast<int64_t>(s.size() / 16))) return false;
  for (size_t i = 0; i < s.size();) {
    if (kBytesSpace.find(s[i]) != std::string_view::npos) {
      ++i;
      continue;
    }
    const int high = HexDigit(s[i]), low = i + 1 < s.size() ? HexDigit(s[i + 1]) : -1;
    if (high < 0 || low < 0) {
      const size_t at = high < 0 ? i : i + 1;
      vm.Throw(Error::kValueError, "non-hexadecimal number found in fromhex() arg at position {}",
               CodePoints(s.substr(0, at)));
      return false;
    }
    out->push_back(static_cast<char>(high << 4 | low));
    i += 2;
  }
  return true;
}

bool BytesArgument(Vm& vm, const Args& args, const char* name, const char* range_error,
                   std::string* out) {
  static constexpr const char* kNames[] = {"source", "encoding", "errors"};
  Value bound[3];
  if (!BindBuiltin(vm, args, name, kNames, 0, 3, bound)) return false;
  Value v = bound[0];
  if (!bound[1].empty() || !bound[2].empty()) {
    for (int i : {1, 2}) {
      if (bound[i].empty() || IsStr(bound[i])) continue;
      vm.Throw(Error::kTypeError, "{}() argument '{}' must be str, not {}", name, kNames[i],
               bound[i].IsNone() ? "None" : vm.TypeName(bound[i]));
      return false;
    }
    if (v.empty() || !IsStr(v)) {
      vm.Throw(Error::kTypeError, "{} without a string argument",
               bound[1].empty() ? "errors" : "encoding");
      return false;
    }
    if (bound[1].empty()) {
      vm.Raise(Error::kTypeError, "string argument without an encoding");
      return false;
    }
    Value encoded = EncodeText(vm, v, Text(bound[1]), bound[2].empty() ? "" : Text(bound[2]));
    if (encoded.empty()) return false;
    *out = As<BytesObject>(encoded)->view();
    return true;
  }
  return v.empty() || BytesOfValue(vm, v, name, range_error, out);
}

// A list of no more than bytes; false: it holds something else, or is long.
static bool PlainBytes(const List* list, std::string* out) {
  if (list->size > kFreeScratch / 4) return false;
  for (uint32_t i = 0; i < list->size; ++i)
    if (!list->items[i].IsSmallInt() || static_cast<uint64_t>(list->items[i].AsSmallInt()) > 255)
      return false;
  out->resize(list->size);
  for (uint32_t i = 0; i < list->size; ++i)
    (*out)[i] = static_cast<char>(list->items[i].AsSmallInt());
  return true;
}

bool BytesOfValue(Vm& vm, Value v, const char* name, const char* range_error, std::string* out) {
  if (IsStr(v)) {
    vm.Raise(Error::kTypeError, "string argument without an encoding");
    return false;
  }
  if (name[5] == 0) {  // bytes(), not bytearray()
    String* method = vm.Intern("__bytes__");
    bool found = false;
    Value result =
        method == nullptr || IsBytes(v) ? Value() : vm.CallSpecial(v, method, nullptr, 0, &found);
    if (vm.failed()) return false;
    if (found) {
      if (!Is(result, Type::kBytes)) {
        vm.Throw(Error::kTypeError, "__bytes__ returned non-bytes (type {})", vm.TypeName(result));
        return false;
      }
      *out = As<BytesObject>(result)->view();
      return true;
    }
  }
  if (IsBytesLike(v)) {
    std::string copy;
    std::string_view bytes;
    if (!BytesOf(vm, v, &copy, &bytes)) return false;
    if (!vm.Scratch(2 * bytes.size())) return false;
    *out = bytes;
    return vm.ChargeSteps(static_cast<int64_t>(bytes.size() / 64));
  }
  if (IsInt(v) || !vm.FindInClass(vm.ClassOf(v), vm.names.index).empty()) {
    int64_t size;
    if (!vm.ToIndex(v, &size, "length")) return false;
    if (size < 0) {
      vm.Raise(Error::kValueError, "negative count");
      return false;
    }
    if (size > LargestBytes(vm) || !vm.Scratch(2 * static_cast<size_t>(size))) {
      if (!vm.failed()) vm.TooLarge();
      return false;
    }
    out->assign(static_cast<size_t>(size), '\0');
    return vm.ChargeSteps(size / 64);
  }
  if (IsExact(v, Type::kList) && PlainBytes(As<List>(v), out))
    return vm.ChargeSteps(As<List>(v)->size + int64_t{1});
  Roots roots(vm);
  Value it = vm.Iterate(v);
  if (it.empty()) {
    if (vm.TakePending(Error::kTypeError))
      vm.Throw(Error::kTypeError, "cannot convert '{}' object to {}", vm.TypeName(v), name);
    return false;
  }
  roots.Add(it);
  for (Value item; !(item = vm.Next(it)).empty();) {
    char byte;
    if (!ToByte(vm, item, range_error, &byte)) return false;
    out->push_back(byte);
    if (!vm.Scratch(4 * out->size())) return false;
  }
  return !vm.failed();
}

bool InstallBytes(Vm& vm) {
  Class* bytes = vm.classes[static_cast<int>(Type::kBytes)];
  Class* array = vm.classes[static_cast<int>(Type::kByteArray)];
  for (Class* cls : {bytes, array}) {
    if (!AddClassMethod(vm, cls, "fromhex", FromHex) || !AddMethods(vm, cls, kRows)) return false;
  }
  return AddMethods(vm, bytes, kBytesRows);
}

}  // namespace ferry::vm
