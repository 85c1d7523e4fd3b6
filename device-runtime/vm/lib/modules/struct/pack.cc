#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "device-runtime/vm/exec/collections/buffer.h"
#include "device-runtime/vm/lib/modules/struct/layout.h"
#include "device-runtime/vm/number/bigint.h"
#include "device-runtime/vm/number/real.h"

namespace ferry::vm {
namespace {

bool Fail(Vm& vm, std::string_view text) {
  RaiseError(vm, kStructError, text);
  return false;
}

// Numbers have 1, 2, 4 or 8 bytes.
void Store(uint64_t bits, size_t size, bool big, char* to) {
  if (big) bits = __builtin_bswap64(bits) >> (64 - 8 * size);
  switch (size) {
    case 1:
      *to = static_cast<char>(bits);
      break;
    case 2:
      std::memcpy(to, &bits, 2);
      break;
    case 4:
      std::memcpy(to, &bits, 4);
      break;
    default:
      std::memcpy(to, &bits, 8);
      break;
  }
}

uint64_t Load(const char* from, size_t size, bool big) {
  uint64_t bits = 0;
  switch (size) {
    case 1:
      return static_cast<unsigned char>(*from);
    case 2:
      std::memcpy(&bits, from, 2);
      break;
    case 4:
      std::memcpy(&bits, from, 4);
      break;
    default:
      std::memcpy(&bits, from, 8);
      break;
  }
  return big ? __builtin_bswap64(bits) >> (64 - 8 * size) : bits;
}

// The codes of whole numbers but P.
bool IsWhole(char code) {
  constexpr uint64_t kCodes = [] {
    uint64_t set = 0;
    for (const char c : std::string_view("bhilqnBHILQN")) set |= uint64_t{1} << (c - '@');
    return set;
  }();
  return code >= '@' && (kCodes >> (code - '@') & 1) != 0;
}

std::string RangeError(const StructLayout& layout, const StructItem& item, bool is_signed) {
  const bool plain = layout.native || !layout.big;
  if (item.size == 1)
    return is_signed ? "byte format requires -128 <= number <= 127"
                     : "ubyte format requires 0 <= number <= 255";
  if (item.size == 2 && plain)
    return is_signed ? "short format requires -32768 <= number <= 32767"
                     : "ushort format requires 0 <= number <= 65535";
  const int64_t high = int64_t{1} << (item.size * 8 - 1);
  return is_signed
             ? fmt::format("'{}' format requires {} <= number <= {}", item.code, -high, high - 1)
             : fmt::format("'{}' format requires 0 <= number <= {}", item.code, 2 * high - 1);
}

bool PackWhole(Vm& vm, const StructLayout& layout, const StructItem& item, Value v, char* to) {
  if (!IsInt(v)) {
    bool found;
    v = vm.CallSpecial(v, vm.names.index, nullptr, 0, &found);
    if (found && v.empty()) return false;
    if (!found || !IsInt(v)) return Fail(vm, "required argument is not an integer");
  }
  const bool is_signed = item.code >= 'a' && item.code != 'P';
  const bool wide = item.size == 8;
  const bool too_large = item.code == 'P' || (wide && layout.big);
  // Whether the number goes through an unsigned word, which tells what is said of it.
  const bool word = !is_signed && (item.size == 4 || (item.size == 2 && layout.big));
  const auto in_word = [&] {
    int64_t any;
    uint64_t any_unsigned;
    return word ? IntToUint64(v, &any_unsigned) : IntToInt64(v, &any);
  };
  int64_t i = 0;
  uint64_t u = 0;
  bool fits = is_signed ? IntToInt64(v, &i) : IntToUint64(v, &u);
  if (item.code == 'P' && !fits && IntToInt64(v, &i)) {
    u = static_cast<uint64_t>(i);
    fits = true;
  }
  if (!fits) {
    if (too_large) return Fail(vm, "int too large to convert");
    if (wide || !in_word()) return Fail(vm, "argument out of range");
    return Fail(vm, RangeError(layout, item, is_signed));
  }
  const int spare = 64 - 8 * item.size;
  const uint64_t bits = is_signed ? static_cast<uint64_t>(i) : u;
  if (is_signed ? i << spare >> spare != i : u << spare >> spare != u) {
    if (!in_word()) return Fail(vm, "argument out of range");
    return Fail(vm, RangeError(layout, item, is_signed));
  }
  Store(bits, item.size, layout.big, to);
  return true;
}

bool PackReal(Vm& vm, const StructLayout& layout, const StructItem& item, Value v, char* to) {
  double d;
  if (!ToReal(vm, v, &d)) {
    if (!IsInt(v) && vm.TakePending(Error::kTypeError))
      return Fail(vm, "required argument is not a float");
    return false;
  }
  d = Value::Outside(d);
  uint64_t bits = std::bit_cast<uint64_t>(d);
  if (item.code == 'f') {
    const auto f = static_cast<float>(d);
    if (std::isinf(f) && std::isfinite(d) && !layout.native) {
      vm.Raise(Error::kOverflowError, "float too large to pack with f format");
      return false;
    }
    bits = std::bit_cast<uint32_t>(f);
  } else if (item.code == 'e') {
    uint16_t half;
    if (!ToHalf(d, &half)) {
      vm.Raise(Error::kOverflowError, "float too large to pack with e format");
      return false;
    }
    bits = half;
  }
  Store(bits, item.size, layout.big, to);
  return true;
}

bool PackText(Vm& vm, const StructItem& item, Value v, char* to) {
  if (!IsBytes(v))
    return Fail(vm, fmt::format("argument for '{}' must be a bytes object", item.code));
  std::string copy;
  std::string_view bytes;
  if (!BytesOf(vm, v, &copy, &bytes)) return false;
  auto room = static_cast<size_t>(item.length);
  if (room == 0) return true;
  if (item.code == 'p') {
    const size_t size = std::min({bytes.size(), room - 1, size_t{255}});
    *to++ = static_cast<char>(size);
    --room;
    bytes = bytes.substr(0, size);
  }
  std::memcpy(to, bytes.data(), std::min(bytes.size(), room));
  return true;
}

bool PackOne(Vm& vm, const StructLayout& layout, const StructItem& item, Value v, char* to) {
  switch (item.code) {
    case 's':
    case 'p':
      return PackText(vm, item, v, to);
    case 'c': {
      std::string copy;
      std::string_view bytes;
      if (!IsBytes(v) || !BytesOf(vm, v, &copy, &bytes) || bytes.size() != 1)
        return vm.failed() ? false : Fail(vm, "char format requires a bytes object of length 1");
      *to = bytes[0];
      return true;
    }
    case '?': {
      bool truth;
      if (!vm.Truth(v, &truth)) return false;
      *to = truth ? 1 : 0;
      return true;
    }
    case 'e':
    case 'f':
    case 'd':
      return PackReal(vm, layout, item, v, to);
    default:
      return PackWhole(vm, layout, item, v, to);
  }
}

Value UnpackOne(Vm& vm, const StructLayout& layout, const StructItem& item, const char* from) {
  if (IsWhole(item.code)) {
    const uint64_t bits = Load(from, item.size, layout.big);
    const int spare = 64 - 8 * item.size;
    if (item.code < 'a')
      return bits >> 47 == 0 ? Value::SmallInt(static_cast<int64_t>(bits)) : vm.NewUnsigned(bits);
    return vm.NewInt(static_cast<int64_t>(bits << spare) >> spare);
  }
  if (item.code == 's') return vm.NewBytes({from, static_cast<size_t>(item.length)});
  if (item.code == 'p') {
    if (item.length == 0) return vm.NewBytes("");
    const auto size =
        std::min(static_cast<int64_t>(static_cast<unsigned char>(*from)), item.length - 1);
    return vm.NewBytes({from + 1, static_cast<size_t>(size)});
  }
  if (item.code == 'c') return vm.NewBytes({from, 1});
  const uint64_t bits = Load(from, item.size, layout.big);
  switch (item.code) {
    case '?':
      return Value::Bool(bits != 0);
    case 'e':
      return Value::Float(FromHalf(static_cast<uint16_t>(bits)));
    case 'f':
      return Value::Float(static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(bits))));
    case 'd':
      return Value::Float(std::bit_cast<double>(bits));
    default:
      break;
  }
  return vm.NewUnsigned(bits);  // P
}

}  // namespace

bool ToHalf(double d, uint16_t* out) {
  const auto sign = static_cast<uint16_t>(std::signbit(d) ? 0x8000 : 0);
  d = std::fabs(d);
  if (std::isnan(d)) {
    *out = static_cast<uint16_t>(sign | 0x7E00);
    return true;
  }
  if (std::isinf(d)) {
    *out = static_cast<uint16_t>(sign | 0x7C00);
    return true;
  }
  int exponent = 0;
  std::frexp(d, &exponent);
  // Steps of the last of 11 bits, or of the smallest numbers there are.
  const int unit = std::max(exponent - 11, -24);
  auto steps = static_cast<uint32_t>(d == 0 ? 0 : std::nearbyint(std::ldexp(d, -unit)));
  int shifted = unit + 24;
  if (steps == 2048) {
    steps = 1024;
    ++shifted;
  }
  if (shifted > 29) return false;
  *out = static_cast<uint16_t>(
      sign | (steps < 1024 ? steps : static_cast<uint32_t>(shifted + 1) << 10 | (steps & 1023)));
  return true;
}

double FromHalf(uint16_t half) {
  const int exponent = half >> 10 & 31;
  const double steps = half & 1023;
  double d;
  if (exponent == 31) {
    d = steps == 0 ? HUGE_VAL : NAN;
  } else {
    d = exponent == 0 ? std::ldexp(steps, -24) : std::ldexp(steps + 1024, exponent - 25);
  }
  return (half & 0x8000) != 0 ? -d : d;
}

// A small int that fits a whole number; false: PackOne knows.
static bool PackSmall(const StructLayout& layout, const StructItem& item, Value v, char* to) {
  if (!v.IsSmallInt() || !IsWhole(item.code)) return false;
  const int64_t i = v.AsSmallInt();
  const int bits = 8 * item.size;
  const bool fits = item.code >= 'a' ? bits == 64 || (i >> (bits - 1)) == (i >> 63)
                                     : i >= 0 && (bits == 64 || i >> bits == 0);
  if (fits) Store(static_cast<uint64_t>(i), item.size, layout.big, to);
  return fits;
}

bool PackStruct(Vm& vm, const StructLayout& layout, const Value* values, char* to) {
  for (const StructItem& item : layout.items)
    for (int64_t i = 0; i < item.repeat; ++i)
      if (PackSmall(layout, item, *values, to + item.offset + i * item.size))
        ++values;
      else if (!PackOne(vm, layout, item, *values++, to + item.offset + i * item.size))
        return false;
  return vm.ChargeSteps(layout.values + layout.size / 64);
}

Value UnpackStruct(Vm& vm, const StructLayout& layout, const char* from) {
  Value out = vm.NewTuple(nullptr, static_cast<size_t>(layout.values));
  if (out.empty() || !vm.ChargeSteps(layout.values)) return Value();
  Value* to = As<Tuple>(out)->items;
  for (const StructItem& item : layout.items)
    for (int64_t i = 0; i < item.repeat; ++i)
      if ((*to++ = UnpackOne(vm, layout, item, from + item.offset + i * item.size)).empty())
        return Value();
  return out;
}

}  // namespace ferry::vm
