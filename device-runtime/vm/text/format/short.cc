#include "device-runtime/vm/text/format/short.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>

#include "device-runtime/vm/text/builder.h"

namespace ferry::vm {
namespace {

constexpr int kMostWidth = 100;
constexpr int kMostPrecision = 15;
constexpr uint64_t kPowers[] = {1,
                                10,
                                100,
                                1000,
                                10000,
                                100000,
                                1000000,
                                10000000,
                                100000000,
                                1000000000,
                                10000000000,
                                100000000000,
                                1000000000000,
                                10000000000000,
                                100000000000000,
                                1000000000000000};
constexpr char kPairs[] =
    "00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445"
    "46474849505152535455565758596061626364656667686970717273747576777879808182838485868788899091"
    "9293949596979899";

// The digits of `i` before `end`; where they begin.
char* DigitsBefore(uint64_t i, char* end) {
  while (i >= 100) {
    end -= 2;
    std::memcpy(end, kPairs + 2 * (i % 100), 2);
    i /= 100;
  }
  if (i >= 10) {
    end -= 2;
    std::memcpy(end, kPairs + 2 * i, 2);
  } else {
    *--end = static_cast<char>('0' + i);
  }
  return end;
}

// A number without its sign.
struct Body {
  char data[64];
  size_t size = 0;
  bool negative = false;
};

// |d| rounded to `precision` places behind the point, by exact arithmetic; false: too large.
bool Fixed(double d, int precision, Body* out) {
  const auto bits = std::bit_cast<uint64_t>(d);
  out->negative = (bits >> 63) != 0;
  const int exponent = static_cast<int>(bits >> 52 & 0x7FF);
  uint64_t mantissa = bits & ((uint64_t{1} << 52) - 1);
  if (exponent == 0x7FF) return false;
  if (exponent > 0) mantissa |= uint64_t{1} << 52;
  const int shift = 1075 - (exponent == 0 ? 1 : exponent);  // |d| = mantissa / 2**shift
  if (shift < 0 || (precision > 10 && shift < 10)) return false;
  const uint64_t power = kPowers[precision];
  const unsigned __int128 scaled = static_cast<unsigned __int128>(mantissa) * power;
  unsigned __int128 rounded = 0;
  if (shift < 120) {
    rounded = scaled >> shift;
    const unsigned __int128 rest = scaled - (rounded << shift);
    const unsigned __int128 half =
        shift == 0 ? 0 : static_cast<unsigned __int128>(1) << (shift - 1);
    if (shift > 0 && (rest > half || (rest == half && (rounded & 1) != 0))) ++rounded;
  }
  if (rounded >> 64 != 0) return false;
  const auto all = static_cast<uint64_t>(rounded);
  char digits[48];
  char* const end = digits + sizeof digits;
  char* at = end;
  if (precision > 0) {
    at = DigitsBefore(all % power, end);
    while (end - at < precision) *--at = '0';
    *--at = '.';
  }
  at = DigitsBefore(all / power, at);
  out->size = static_cast<size_t>(end - at);
  std::memcpy(out->data, at, out->size);
  return true;
}

bool Whole(Value v, const ShortFormat& format, Body* out) {
  const int64_t i = v.AsSmallInt();
  out->negative = i < 0;
  const uint64_t magnitude = i < 0 ? -static_cast<uint64_t>(i) : static_cast<uint64_t>(i);
  char digits[64];
  char* const end = digits + sizeof digits;
  char* at = end;
  const int bits = format.type == 'b' ? 1 : format.type == 'o' ? 3 : 4;
  if (format.type == 'd') {
    at = DigitsBefore(magnitude, end);
  } else {
    const char* const names = format.type == 'X' ? "0123456789ABCDEF" : "0123456789abcdef";
    uint64_t left = magnitude;
    do {
      *--at = names[left & ((1u << bits) - 1)];
      left >>= bits;
    } while (left != 0);
  }
  out->size = static_cast<size_t>(end - at);
  std::memcpy(out->data, at, out->size);
  return true;
}

// Commas between each three digits before the point.
void Group(Body* body) {
  size_t whole = 0;
  while (whole < body->size && body->data[whole] != '.') ++whole;
  char grouped[64];
  size_t to = 0;
  for (size_t i = 0; i < body->size; ++i) {
    if (i > 0 && i < whole && (whole - i) % 3 == 0) grouped[to++] = ',';
    grouped[to++] = body->data[i];
  }
  std::memcpy(body->data, grouped, to);
  body->size = to;
}

bool Pad(const ShortFormat& format, std::string_view sign, std::string_view body, char align,
         ShortText* out) {
  const size_t size = sign.size() + body.size();
  const auto width = static_cast<size_t>(format.width);
  const size_t fill = width > size ? width - size : 0;
  if (size + fill > ShortText::kMost) return false;
  const size_t before = align == '>' ? fill : align == '^' ? fill / 2 : 0;
  const size_t between = align == '=' ? fill : 0;
  char* at = out->data;
  const auto put = [&at](std::string_view text) {
    if (text.empty()) return;
    std::memcpy(at, text.data(), text.size());
    at += text.size();
  };
  const auto pad = [&at, &format](size_t count) {
    if (count == 0) return;
    std::memset(at, format.fill, count);
    at += count;
  };
  pad(before);
  put(sign);
  pad(between);
  put(body);
  pad(fill - before - between);
  out->size = size + fill;
  return true;
}

}  // namespace

bool ReadShortFormat(std::string_view spec, ShortFormat* out) {
  size_t i = 0;
  const auto is_align = [](char c) { return c == '<' || c == '>' || c == '^' || c == '='; };
  if (spec.size() > 24) return false;
  if (spec.size() >= 2 && is_align(spec[1])) {
    if (static_cast<unsigned char>(spec[0]) >= 128) return false;
    out->fill = spec[0];
    out->align = spec[1];
    i = 2;
  } else if (!spec.empty() && is_align(spec[0])) {
    out->align = spec[0];
    i = 1;
  }
  if (i < spec.size() && spec[i] == '+') {
    out->plus = true;
    ++i;
  }
  if (i < spec.size() && spec[i] == '0') {
    if (out->align != 0) return false;
    out->zero = true;
    out->fill = '0';
    ++i;
  }
  const auto number = [&](int most, int* value) {
    const size_t start = i;
    int n = 0;
    for (; i < spec.size() && spec[i] >= '0' && spec[i] <= '9' && n <= most; ++i)
      n = n * 10 + (spec[i] - '0');
    if (i > start) *value = n;
    return n <= most && i > start;
  };
  if (i < spec.size() && spec[i] >= '1' && spec[i] <= '9' && !number(kMostWidth, &out->width))
    return false;
  if (i < spec.size() && spec[i] == ',') {
    out->group = true;
    ++i;
  }
  if (i < spec.size() && spec[i] == '.') {
    ++i;
    if (!number(kMostPrecision, &out->precision)) return false;
  }
  if (i < spec.size()) out->type = spec[i++];
  return i == spec.size() && static_cast<unsigned char>(out->type) < 128;
}

bool WriteShort(Value v, const ShortFormat& format, ShortText* out) {
  if (IsExact(v, Type::kString)) {
    const auto* string = As<String>(v);
    if ((format.type != 0 && format.type != 's') || format.precision >= 0 || format.plus ||
        format.group || format.zero || format.align == '=' || !string->ascii() ||
        string->size > ShortText::kMost)
      return false;
    return Pad(format, "", string->view(), format.align == 0 ? '<' : format.align, out);
  }
  Body body;
  ShortFormat numeric = format;
  if (v.IsSmallInt()) {
    if (format.type == 0) numeric.type = 'd';
    const bool bits =
        numeric.type == 'x' || numeric.type == 'X' || numeric.type == 'b' || numeric.type == 'o';
    if (numeric.type == 'f') {
      if (!Fixed(static_cast<double>(v.AsSmallInt()), format.precision < 0 ? 6 : format.precision,
                 &body))
        return false;
    } else if (format.precision >= 0 || (numeric.type != 'd' && !bits) || (bits && format.group)) {
      return false;
    } else {
      Whole(v, numeric, &body);
    }
  } else if (!v.IsFloat() || format.type != 'f' ||
             !Fixed(v.AsFloat(), format.precision < 0 ? 6 : format.precision, &body)) {
    return false;
  }
  if (format.group && (format.zero || body.size > 40)) return false;
  if (format.group) Group(&body);
  const char align = format.align != 0 ? format.align : format.zero ? '=' : '>';
  return Pad(format,
             body.negative ? "-"
             : format.plus ? "+"
                           : "",
             {body.data, body.size}, align, out);
}

// A float of up to six digits behind the point and fifteen in all: no other text of that many
// digits reads as the same float, so it is the shortest.
static bool ShortFraction(double d, ShortText* out) {
  const double size = std::fabs(d);
  if (!(size >= 1e-4 && size < 1e9)) return false;
  for (size_t places = 1; places <= 6; ++places) {
    const auto power = static_cast<double>(kPowers[places]);
    // NOLINTNEXTLINE(bugprone-incorrect-roundings): looked at below
    const auto whole = static_cast<uint64_t>(size * power + 0.5);
    if (static_cast<double>(whole) / power != size) continue;
    char digits[24];
    char* const end = digits + sizeof digits;
    char* at = DigitsBefore(whole % kPowers[places], end);
    while (end - at < static_cast<int64_t>(places)) *--at = '0';
    *--at = '.';
    at = DigitsBefore(whole / kPowers[places], at);
    if (std::signbit(d)) *--at = '-';
    out->size = static_cast<size_t>(end - at);
    std::memcpy(out->data, at, out->size);
    return true;
  }
  return false;
}

bool ShortStr(Value v, ShortText* out) {
  if (v.IsSmallInt()) {
    const int64_t i = v.AsSmallInt();
    char digits[24];
    char* const end = digits + sizeof digits;
    char* at = DigitsBefore(i < 0 ? -static_cast<uint64_t>(i) : static_cast<uint64_t>(i), end);
    if (i < 0) *--at = '-';
    out->size = static_cast<size_t>(end - at);
    std::memcpy(out->data, at, out->size);
    return true;
  }
  if (!v.IsFloat()) return false;
  const double d = v.AsFloat();
  // Whole numbers and those of few digits; the others' shortest digits are for text/number_text.cc.
  if (!(std::fabs(d) < 1e15)) return false;
  if (d != static_cast<double>(static_cast<int64_t>(d))) return ShortFraction(d, out);
  ShortFormat format;
  format.type = 'f';
  format.precision = 1;
  return WriteShort(v, format, out);
}

Value NewAscii(Vm& vm, std::string_view text) {
  if (text.size() <= 1) return vm.NewString(text);
  char* out;
  const Value made = NewText(vm, text.size(), text.size(), &out);
  if (!made.empty()) std::memcpy(out, text.data(), text.size());
  return made;
}

}  // namespace ferry::vm
