// The module binascii: hexadecimal, base64, checksums.

#include "device-runtime/vm/exec/collections/buffer.h"
#include "device-runtime/vm/lib/module_error.h"
#include "device-runtime/vm/lib/types/bytes.h"

namespace ferry::vm {
namespace {

const RecordType kError = {"binascii", "Error", {}};
const RecordType kIncomplete = {"binascii", "Incomplete", {}};
constexpr std::string_view kBase64 =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

Value Fail(Vm& vm, std::string_view text) {
  return RaiseError(vm, kError, text, Error::kValueError);
}

// Bytes, or text of ASCII alone.
bool AsciiOf(Vm& vm, Value v, std::string* copy, std::string_view* out) {
  if (!IsStr(v)) {
    if (IsBytesLike(v)) return BytesOf(vm, v, copy, out);
    vm.Throw(Error::kTypeError, "argument should be bytes, buffer or ASCII string, not '{}'",
             vm.TypeName(v));
    return false;
  }
  *out = Text(v);
  if (As<String>(v)->ascii()) return true;
  vm.Raise(Error::kValueError, "string argument should contain only ASCII characters");
  return false;
}

bool Charge(Vm& vm, std::string_view bytes) {
  return vm.Scratch(bytes.size() * 3) && vm.ChargeSteps(static_cast<int64_t>(bytes.size() / 16));
}

Value HexOf(Vm& vm, Args& args) {
  std::string copy;
  std::string_view bytes;
  if (args.count == 0)
    return vm.Raise(Error::kTypeError, "hexlify() missing required argument 'data' (pos 1)");
  if (!BytesOf(vm, args[0], &copy, &bytes) || !Charge(vm, bytes)) return Value();
  const std::string held(bytes);
  Value text = HexOfBytes(vm, args, held);
  return text.empty() ? text : vm.NewBytes(Text(text));
}

int HexDigit(char c) {
  const char low = static_cast<char>(c | 0x20);
  return c >= '0' && c <= '9' ? c - '0' : low >= 'a' && low <= 'f' ? low - 'a' + 10 : -1;
}

Value UnHex(Vm& vm, Args& args) {
  std::string copy, out;
  std::string_view text;
  if (!Expect(vm, args, "unhexlify", 1, 1) || !AsciiOf(vm, args[0], &copy, &text) ||
      !Charge(vm, text))
    return Value();
  if (text.size() % 2 != 0) return Fail(vm, "Odd-length string");
  for (size_t i = 0; i < text.size(); i += 2) {
    const int high = HexDigit(text[i]), low = HexDigit(text[i + 1]);
    if (high < 0 || low < 0) return Fail(vm, "Non-hexadecimal digit found");
    out.push_back(static_cast<char>(high << 4 | low));
  }
  return vm.NewBytes(out);
}

Value ToBase64(Vm& vm, Args& args) {
  static constexpr const char* kNames[] = {"data", "newline"};
  Value bound[2];
  bool newline = true;
  std::string copy, out;
  std::string_view bytes;
  if (!BindBuiltin(vm, args, "b2a_base64", kNames, 1, 1, bound) ||
      (!bound[1].empty() && !vm.Truth(bound[1], &newline)) ||
      !BytesOf(vm, bound[0], &copy, &bytes) || !Charge(vm, bytes))
    return Value();
  out.reserve((bytes.size() / 3 + 1) * 4 + 1);
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const size_t size = std::min<size_t>(3, bytes.size() - i);
    uint32_t bits = 0;
    for (size_t k = 0; k < 3; ++k)
      bits = bits << 8 | (k < size ? static_cast<unsigned char>(bytes[i + k]) : 0);
    for (size_t k = 0; k < 4; ++k)
      out.push_back(k <= size ? kBase64[bits >> (18 - 6 * k) & 63] : '=');
  }
  if (newline) out.push_back('\n');
  return vm.NewBytes(out);
}

Value FromBase64(Vm& vm, Args& args) {
  static constexpr const char* kNames[] = {"data", "strict_mode"};
  Value bound[2];
  bool strict = false;
  std::string copy, out;
  std::string_view text;
  if (!BindBuiltin(vm, args, "a2b_base64", kNames, 1, 1, bound) ||
      (!bound[1].empty() && !vm.Truth(bound[1], &strict)) || !AsciiOf(vm, bound[0], &copy, &text) ||
      !Charge(vm, text))
    return Value();
  if (strict && !text.empty() && text[0] == '=') return Fail(vm, "Leading padding not allowed");
  uint32_t bits = 0;
  int have = 0, pads = 0;  // characters of the group of four
  size_t digits = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '=') {
      if (have >= 2 && have + ++pads >= 4) {
        if (strict && i + 1 < text.size()) return Fail(vm, "Excess data after padding");
        have = -1;
        break;
      }
      continue;
    }
    const size_t value = kBase64.find(c);
    if (value == std::string_view::npos) {
      if (strict) return Fail(vm, "Only base64 data is allowed");
      continue;
    }
    if (strict && pads > 0) return Fail(vm, "Discontinuous padding not allowed");
    pads = 0;
    ++digits;
    bits = bits << 6 | static_cast<uint32_t>(value);
    if (++have > 1) out.push_back(static_cast<char>(bits >> (8 - 2 * have)));
    if (have == 4) {
      // Three bytes were put as their bits came; the next group begins.
      have = 0;
      bits = 0;
    }
  }
  if (have == 1)
    return Fail(vm, fmt::format("Invalid base64-encoded string: number of data characters ({}) "
                                "cannot be 1 more than a multiple of 4",
                                digits));
  if (have > 0) return Fail(vm, "Incorrect padding");
  return vm.NewBytes(out);
}

constexpr BuiltinRow kRows[] = {{"a2b_base64", FromBase64}, {"a2b_hex", UnHex},
                                {"b2a_base64", ToBase64},   {"b2a_hex", HexOf},
                                {"hexlify", HexOf},         {"unhexlify", UnHex}};

}  // namespace

Value MakeBinascii(Vm& vm) {
  Value v = MakeModule(vm, "_binascii", kRows);
  Class* error = ErrorClass(vm, kError, Error::kValueError);
  Class* incomplete = ErrorClass(vm, kIncomplete);
  return !v.empty() && error != nullptr && incomplete != nullptr &&
                 vm.SetVariable(As<Module>(v), "Error", Value::Of(error)) &&
                 vm.SetVariable(As<Module>(v), "Incomplete", Value::Of(incomplete))
             ? v
             : Value();
}

}  // namespace ferry::vm
