// UnicodeEncodeError, UnicodeDecodeError and UnicodeTranslateError: arguments, attributes, text.
#include <algorithm>

#include "device-runtime/vm/exec/collections/buffer.h"
#include "device-runtime/vm/lib/lib.h"
#include "device-runtime/vm/text/codec.h"
#include "device-runtime/vm/text/text.h"

namespace ferry::vm {
namespace {

constexpr const char* kAttributes[] = {"encoding", "object", "start", "end", "reason"};

bool SetAttributes(Vm& vm, Value self, const Value* values, const char* const* names,
                   uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    String* name = vm.Intern(names[i]);
    if (name == nullptr || !vm.SetAttribute(self, name, values[i])) return false;
  }
  return true;
}

enum class Kind { kEncode, kDecode, kTranslate };

Value InitOf(Vm& vm, Args& args, Kind kind) {
  static constexpr const char* kNames[] = {"UnicodeEncodeError", "UnicodeDecodeError",
                                           "UnicodeTranslateError"};
  const uint32_t first = kind == Kind::kTranslate ? 1 : 0, count = 5 - first;
  const char* name = kNames[static_cast<int>(kind)];
  if (args.keywords() > 0)
    return vm.Throw(Error::kTypeError, "{}() takes no keyword arguments", name);
  if (args.count - 1 != count)
    return vm.Throw(Error::kTypeError, "function takes exactly {} arguments ({} given)", count,
                    args.count - 1);
  for (uint32_t i = 0; i < count; ++i) {
    const Value v = args[i + 1];
    const uint32_t what = i + first;
    const bool number = what == 2 || what == 3, bytes = what == 1 && kind == Kind::kDecode;
    int64_t place;
    if (number ? !vm.ToIndex(v, &place, "int") : false) return Value();
    if (bytes && !IsBytesLike(v))
      return vm.Throw(Error::kTypeError, "a bytes-like object is required, not '{}'",
                      vm.TypeName(v));
    if (!number && !bytes && !IsStr(v))
      return vm.Throw(Error::kTypeError, "argument {} must be str, not {}", i + 1,
                      v.IsNone() ? "None" : vm.TypeName(v));
  }
  Roots roots(vm);
  Value tuple = roots.Add(vm.NewTuple(args.args + 1, count));
  if (tuple.empty()) return tuple;
  As<Exception>(args[0])->args = tuple;
  return SetAttributes(vm, args[0], As<Tuple>(tuple)->items, kAttributes + first, count)
             ? Value::None()
             : Value();
}
template <Kind kKind>
Value Init(Vm& vm, Args& args) {
  return InitOf(vm, args, kKind);
}

std::string Hex(uint32_t c) {
  return c < 0x100     ? fmt::format("\\x{:02x}", c)
         : c < 0x10000 ? fmt::format("\\u{:04x}", c)
                       : fmt::format("\\U{:08x}", c);
}

// Attributes that scripts may have changed.
struct Fields {
  std::string encoding, reason;
  Value object;
  int64_t start = 0, end = 0;
};

bool Read(Vm& vm, Value self, Kind kind, Fields* out) {
  Value values[5];
  for (uint32_t i = kind == Kind::kTranslate ? 1 : 0; i < 5; ++i) {
    String* name = vm.Intern(kAttributes[i]);
    values[i] = name == nullptr ? Value() : vm.GetAttributeOrEmpty(self, name);
    if (values[i].empty()) return false;
    vm.kept.Push(values[i]);  // the caller's Roots take it back
  }
  out->object = values[1];
  const bool bytes = kind == Kind::kDecode;
  if ((bytes ? !IsBytesLike(out->object) : !IsStr(out->object)) ||
      !vm.Str(values[4], &out->reason) || !vm.ToIndex(values[2], &out->start, "start", true) ||
      !vm.ToIndex(values[3], &out->end, "end", true))
    return false;
  return kind == Kind::kTranslate || vm.Str(values[0], &out->encoding);
}

Value TextOfKind(Vm& vm, Args& args, Kind kind) {
  Fields f;
  Roots roots(vm);
  if (!Read(vm, args[0], kind, &f)) return vm.failed() ? Value() : vm.empty_string;
  const bool of_bytes = kind == Kind::kDecode;
  std::string copy;
  std::string_view bytes;
  if (of_bytes && !BytesOf(vm, f.object, &copy, &bytes)) return Value();
  const int64_t size =
      of_bytes ? static_cast<int64_t>(bytes.size()) : int64_t{As<String>(f.object)->length};
  const char* verb = kind == Kind::kEncode   ? "encode"
                     : kind == Kind::kDecode ? "decode"
                                             : "translate";
  std::string out = kind == Kind::kTranslate ? "" : fmt::format("'{}' codec ", f.encoding);
  if (f.start >= 0 && f.start < size && f.end == f.start + 1) {
    if (of_bytes) {
      out += fmt::format("can't decode byte 0x{:02x}",
                         static_cast<unsigned char>(bytes[static_cast<size_t>(f.start)]));
    } else {
      const std::string_view s = Text(f.object);
      size_t at = Utf8Offset(s, static_cast<size_t>(f.start));
      out += fmt::format("can't {} character '{}'", verb, Hex(Utf8Next(s, &at)));
    }
    out += fmt::format(" in position {}: {}", f.start, f.reason);
  } else {
    out += fmt::format("can't {} {} in position {}-{}: {}", verb, of_bytes ? "bytes" : "characters",
                       f.start, f.end - 1, f.reason);
  }
  return vm.NewString(out);
}
template <Kind kKind>
Value TextOf(Vm& vm, Args& args) {
  return TextOfKind(vm, args, kKind);
}

constexpr BuiltinRow kEncode[] = {{"__init__", Init<Kind::kEncode>, true},
                                  {"__str__", TextOf<Kind::kEncode>, true}};
constexpr BuiltinRow kDecode[] = {{"__init__", Init<Kind::kDecode>, true},
                                  {"__str__", TextOf<Kind::kDecode>, true}};
constexpr BuiltinRow kTranslate[] = {{"__init__", Init<Kind::kTranslate>, true},
                                     {"__str__", TextOf<Kind::kTranslate>, true}};

Value RaiseUnicode(Vm& vm, Error error, std::string_view encoding, Value object, size_t start,
                   size_t end, std::string_view reason) {
  if (vm.failed()) return Value();
  Roots roots(vm);
  Value values[5] = {roots.Add(vm.NewString(encoding)), roots.Add(object),
                     Value::SmallInt(static_cast<int64_t>(start)),
                     Value::SmallInt(static_cast<int64_t>(end)), roots.Add(vm.NewString(reason))};
  if (values[0].empty() || values[4].empty()) return Value();
  Value args = roots.Add(vm.NewTuple(values, 5));
  if (args.empty()) return args;
  Value exception = roots.Add(vm.MakeException(vm.errors[static_cast<int>(error)], args));
  if (!exception.empty() && SetAttributes(vm, exception, values, kAttributes, 5))
    vm.pending = exception;
  return Value();
}

}  // namespace

Value RaiseEncodeError(Vm& vm, std::string_view encoding, Value object, size_t start, size_t end,
                       std::string_view reason) {
  return RaiseUnicode(vm, Error::kUnicodeEncodeError, encoding, object, start, end, reason);
}

Value RaiseDecodeError(Vm& vm, std::string_view encoding, Value object, size_t start, size_t end,
                       std::string_view reason) {
  return RaiseUnicode(vm, Error::kUnicodeDecodeError, encoding, object, start, end, reason);
}

bool InstallUnicodeErrors(Vm& vm) {
  const auto cls = [&](Error error) { return vm.errors[static_cast<int>(error)]; };
  return AddMethods(vm, cls(Error::kUnicodeEncodeError), kEncode) &&
         AddMethods(vm, cls(Error::kUnicodeDecodeError), kDecode) &&
         AddMethods(vm, cls(Error::kUnicodeTranslateError), kTranslate);
}

}  // namespace ferry::vm
