#include "device-runtime/vm/exec/collections/item.h"

#include <cmath>
#include <cstring>

#include "device-runtime/vm/number/bigint.h"
#include "device-runtime/vm/syntax/token.h"
#include "device-runtime/vm/text/text.h"

namespace ferry::vm {
namespace {

template <typename T>
T Load(const char* from) {
  T out;
  std::memcpy(&out, from, sizeof out);
  return out;
}
template <typename T>
void Store(T value, char* to) {
  std::memcpy(to, &value, sizeof value);
}

struct Whole {
  char format;
  uint8_t size;
  bool is_signed;
  const char* array_name;  // in the errors of array
};
constexpr Whole kWhole[] = {{'b', 1, true, "signed char"},
                            {'B', 1, false, "unsigned byte integer"},
                            {'h', 2, true, "signed short integer"},
                            {'H', 2, false, "unsigned short"},
                            {'i', 4, true, "signed integer"},
                            {'I', 4, false, "unsigned int"},
                            {'l', 8, true, "long"},
                            {'L', 8, false, "unsigned long"},
                            {'q', 8, true, "long long"},
                            {'Q', 8, false, "unsigned long long"},
                            {'n', 8, true, "ssize"},
                            {'N', 8, false, "size"},
                            {'P', 8, false, "pointer"}};

const Whole* Find(char format) {
  for (const Whole& whole : kWhole)
    if (whole.format == format) return &whole;
  return nullptr;
}

// What array says of an int that does not fit; "B" and the short ones tell the side.
bool ArrayRange(Vm& vm, const Whole& whole, Value v, bool wide) {
  const bool below = IntSign(v) < 0;
  switch (whole.format) {
    case 'b':
    case 'h':
    case 'i':
    case 'B':
    case 'H':
      if (wide) {
        vm.Raise(Error::kOverflowError, "Python int too large to convert to C long");
      } else if (whole.format == 'H') {
        vm.Throw(Error::kOverflowError, "unsigned short is {} than {}", below ? "less" : "greater",
                 below ? "minimum" : "maximum");
      } else {
        vm.Throw(Error::kOverflowError, "{} is {} than {}", whole.array_name,
                 below ? "less" : "greater", below ? "minimum" : "maximum");
      }
      return false;
    case 'I':
    case 'L':
    case 'Q':
      if (below) {
        vm.Raise(Error::kOverflowError, whole.format == 'Q'
                                            ? "can't convert negative int to unsigned"
                                            : "can't convert negative value to unsigned int");
      } else if (wide) {
        vm.Raise(Error::kOverflowError, whole.format == 'Q'
                                            ? "int too big to convert"
                                            : "Python int too large to convert to C unsigned long");
      } else {
        vm.Raise(Error::kOverflowError, "unsigned int is greater than maximum");
      }
      return false;
    default:
      vm.Raise(Error::kOverflowError, whole.format == 'q'
                                          ? "int too big to convert"
                                          : "Python int too large to convert to C long");
      return false;
  }
}

bool PackWhole(Vm& vm, const Whole& whole, Value v, ItemUse use, char* to) {
  if (!IsInt(v)) {
    bool found = false;
    Value index;
    if (!v.IsFloat()) index = vm.CallSpecial(v, vm.names.index, nullptr, 0, &found);
    if (found && index.empty()) return false;
    if (!found || !IsInt(index)) {
      if (use == ItemUse::kView) {
        vm.Throw(Error::kTypeError, "memoryview: invalid type for format '{}'", whole.format);
      } else {
        vm.Throw(Error::kTypeError, "'{}' object cannot be interpreted as an integer",
                 vm.TypeName(v));
      }
      return false;
    }
    v = index;
  }
  int64_t i = 0;
  uint64_t u = 0;
  const bool fits = whole.is_signed ? IntToInt64(v, &i) : IntToUint64(v, &u);
  const int spare = 64 - 8 * whole.size;
  const bool narrow =
      fits && (whole.is_signed ? i << spare >> spare == i : u << spare >> spare == u);
  if (!narrow) {
    if (use == ItemUse::kArray) {
      int64_t any;
      return ArrayRange(vm, whole, v,
                        whole.is_signed || whole.size < 4 ? !IntToInt64(v, &any) : !fits);
    }
    vm.Throw(Error::kValueError, "memoryview: invalid value for format '{}'", whole.format);
    return false;
  }
  const uint64_t bits = whole.is_signed ? static_cast<uint64_t>(i) : u;
  std::memcpy(to, &bits, whole.size);  // least byte first, as the machines that we run on
  return true;
}

bool PackReal(Vm& vm, char format, Value v, ItemUse use, char* to) {
  double d;
  if (AsDouble(v, &d)) {
  } else if (IsInt(v)) {
    d = IntToDouble(v);
    if (std::isinf(d)) {
      vm.Raise(Error::kOverflowError, "int too large to convert to float");
      return false;
    }
  } else {
    bool found;
    Value result = vm.CallSpecial(v, vm.names.to_float, nullptr, 0, &found);
    if (found && result.empty()) return false;
    if (!found || !result.IsFloat()) {
      if (use == ItemUse::kView) {
        vm.Throw(Error::kTypeError, "memoryview: invalid type for format '{}'", format);
      } else {
        vm.Throw(Error::kTypeError, "must be real number, not {}", vm.TypeName(v));
      }
      return false;
    }
    d = result.AsFloat();
  }
  if (std::isnan(d)) {
    d = Value::Outside(d);
  }
  if (format == 'd') {
    Store(d, to);
  } else {
    Store(static_cast<float>(d), to);
  }
  return true;
}

}  // namespace

size_t ItemSize(char format) {
  if (format == 'i' || format == 'I') return 4;
  if (const Whole* whole = Find(format)) return whole->size;
  switch (format) {
    case 'd':
      return 8;
    case 'f':
    case 'u':
      return 4;
    case 'c':
    case '?':
      return 1;
    default:
      return 0;
  }
}

Value UnpackItem(Vm& vm, char format, const char* from) {
  switch (format) {
    case 'b':
      return Value::SmallInt(Load<int8_t>(from));
    case 'B':
      return Value::SmallInt(Load<uint8_t>(from));
    case 'h':
      return Value::SmallInt(Load<int16_t>(from));
    case 'H':
      return Value::SmallInt(Load<uint16_t>(from));
    case 'i':
      return Value::SmallInt(Load<int32_t>(from));
    case 'I':
      return Value::SmallInt(Load<uint32_t>(from));
    case 'l':
    case 'q':
    case 'n':
      return vm.NewInt(Load<int64_t>(from));
    case 'f':
      return Value::Float(static_cast<double>(Load<float>(from)));
    case 'd':
      return Value::Float(Load<double>(from));
    case '?':
      return Value::Bool(*from != 0);
    case 'c':
      return vm.NewBytes({from, 1});
    case 'u': {
      const auto code = Load<uint32_t>(from);
      if (code > 0x10FFFF)
        return vm.Throw(Error::kValueError, "character U+{:x} is not in range [U+0000; U+10ffff]",
                        code);
      std::string text;
      AppendUtf8(code, &text);
      return vm.NewString(text);
    }
    default:
      return vm.NewUnsigned(Load<uint64_t>(from));
  }
}

bool PackItem(Vm& vm, char format, Value v, ItemUse use, char* to) {
  if (const Whole* whole = Find(format)) return PackWhole(vm, *whole, v, use, to);
  switch (format) {
    case 'f':
    case 'd':
      return PackReal(vm, format, v, use, to);
    case '?': {
      bool truth;
      if (!vm.Truth(v, &truth)) return false;
      *to = truth ? 1 : 0;
      return true;
    }
    case 'c':
      if (!Is(v, Type::kBytes)) {
        vm.Raise(Error::kTypeError, "memoryview: invalid type for format 'c'");
        return false;
      }
      if (As<BytesObject>(v)->size != 1) {
        vm.Raise(Error::kValueError, "memoryview: invalid value for format 'c'");
        return false;
      }
      *to = As<BytesObject>(v)->data[0];
      return true;
    default: {  // 'u'
      if (!IsStr(v) || As<String>(v)->length != 1) {
        vm.Raise(Error::kTypeError, "array item must be unicode character");
        return false;
      }
      size_t at = 0;
      Store(Utf8Next(Text(v), &at), to);
      return true;
    }
  }
}

}  // namespace ferry::vm
