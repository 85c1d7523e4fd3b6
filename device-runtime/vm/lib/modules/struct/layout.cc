#include "device-runtime/vm/lib/modules/struct/layout.h"

#include <algorithm>

#include "device-runtime/vm/exec/collections/item.h"

namespace ferry::vm {
namespace {

constexpr int64_t kMaxItemsOfFormat = 1 << 16;
constexpr int64_t kMaxSize = INT64_MAX / 4;

// Bytes of a code; 0: there is none.
int64_t SizeOf(char code, bool native) {
  switch (code) {
    case 'x':
    case 'c':
    case 's':
    case 'p':
      return 1;
    case 'e':
      return 2;
    case 'l':
    case 'L':
      return native ? 8 : 4;
    case 'n':
    case 'N':
    case 'P':
      return native ? 8 : 0;
    case 'u':
      return 0;
    default:
      return static_cast<int64_t>(ItemSize(code));
  }
}

struct Sizes {
  uint8_t standard[128], native[128];
};
int64_t CodeSize(char code, bool native) {
  static const Sizes kSizes = [] {
    Sizes sizes;
    for (int c = 0; c < 128; ++c) {
      sizes.standard[c] = static_cast<uint8_t>(SizeOf(static_cast<char>(c), false));
      sizes.native[c] = static_cast<uint8_t>(SizeOf(static_cast<char>(c), true));
    }
    return sizes;
  }();
  const auto at = static_cast<unsigned char>(code);
  return at >= 128 ? 0 : (native ? kSizes.native : kSizes.standard)[at];
}

}  // namespace

const RecordType kStructError = {"struct", "error", {}};

bool ReadLayout(Vm& vm, Value format, StructLayout* out) {
  if (!IsStr(format) && !Is(format, Type::kBytes)) {
    vm.Throw(Error::kTypeError, "Struct() argument 1 must be a str or bytes object, not {}",
             vm.TypeName(format));
    return false;
  }
  const std::string_view s = IsStr(format) ? Text(format) : As<BytesObject>(format)->view();
  if (!vm.ChargeSteps(static_cast<int64_t>(s.size() / 8))) return false;
  size_t i = 0;
  if (!s.empty() && (s[0] == '@' || (s[0] >= '<' && s[0] <= '>') || s[0] == '!')) {
    out->native = s[0] == '@';
    out->big = s[0] == '>' || s[0] == '!';
    i = 1;
  }
  const auto fail = [&](std::string_view text) {
    RaiseError(vm, kStructError, text);
    return false;
  };
  for (; i < s.size(); ++i) {
    if (s[i] == ' ' || (s[i] >= 9 && s[i] <= 13)) continue;
    int64_t count = 1;
    if (s[i] >= '0' && s[i] <= '9') {
      for (count = 0; i < s.size() && s[i] >= '0' && s[i] <= '9'; ++i) {
        const int64_t digit = s[i] - '0';
        if (count > (kMaxSize - digit) / 10) return fail("overflow in item count");
        count = count * 10 + digit;
      }
      if (i >= s.size()) return fail("repeat count given without format specifier");
    }
    const int64_t size = CodeSize(s[i], out->native);
    if (size == 0) return fail("bad char in struct format");
    if (out->native) out->size = (out->size + size - 1) / size * size;
    if (count > (kMaxSize - out->size) / size) return fail("total struct size too long");
    const bool text = s[i] == 's' || s[i] == 'p';
    if (s[i] != 'x' && (count > 0 || text)) {
      if (out->items.size() >= static_cast<size_t>(kMaxItemsOfFormat))
        return fail("struct format has too many items");
      out->items.push_back({s[i], static_cast<uint8_t>(size), out->size, count, text ? 1 : count});
      out->values += text ? 1 : count;
    }
    out->size += count * size;
  }
  return true;
}

}  // namespace ferry::vm
