#include "device-runtime/vm/number/real.h"

#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "device-runtime/vm/exec/failure/warnings.h"
#include "device-runtime/vm/number/bigint.h"

namespace ferry::vm {
namespace {

constexpr int64_t kMaxPlaces = 323, kMinPlaces = -308;

bool IsHex(char c) {
  const char low = static_cast<char>(c | 0x20);
  return (c >= '0' && c <= '9') || (low >= 'a' && low <= 'f');
}

bool SameWord(std::string_view s, std::string_view word) {
  if (s.size() != word.size()) return false;
  for (size_t i = 0; i < s.size(); ++i)
    if ((s[i] | 0x20) != word[i]) return false;
  return true;
}

}  // namespace

Value Value::OfNan(double d) {
  constexpr uint64_t kKept = kSign | kPayload;
  return Value((std::bit_cast<uint64_t>(d) & kKept) | kNanBits);
}

double RoundDouble(double d, int64_t digits) {
  if (!std::isfinite(d) || d == 0 || digits > kMaxPlaces) return d;
  if (digits < kMinPlaces) return std::copysign(0.0, d);
  // printf rounds the exact value, halves to even.
  char text[700];
  if (digits >= 0) {
    std::snprintf(text, sizeof text, "%.*f", static_cast<int>(digits), d);
    return std::strtod(text, nullptr);
  }
  std::snprintf(text, sizeof text, "%.17e", d);
  const std::string_view shown(text);
  const int exponent = std::atoi(text + shown.find('e') + 1);
  const auto kept = exponent + 1 + static_cast<int>(digits);
  if (kept < 0) return std::copysign(0.0, d);
  if (kept == 0) {
    std::snprintf(text, sizeof text, "5e%d", exponent);
    const double half = std::strtod(text, nullptr);
    std::snprintf(text, sizeof text, "1e%d", exponent + 1);
    return std::copysign(std::fabs(d) > half ? std::strtod(text, nullptr) : 0.0, d);
  }
  std::snprintf(text, sizeof text, "%.*e", kept - 1, d);
  return std::strtod(text, nullptr);
}

std::string DoubleToHex(double d) {
  if (std::isnan(d)) return "nan";
  const std::string sign = std::signbit(d) ? "-" : "";
  if (std::isinf(d)) return sign + "inf";
  if (d == 0) return sign + "0x0.0p+0";
  const auto bits = std::bit_cast<uint64_t>(d);
  const auto raw = static_cast<int>(bits >> 52 & 0x7FF);
  return fmt::format("{}0x{}.{:013x}p{:+d}", sign, raw == 0 ? 0 : 1, bits & ((1ull << 52) - 1),
                     raw == 0 ? -1022 : raw - 1023);
}

Value DoubleFromHex(Vm& vm, std::string_view text) {
  constexpr std::string_view kSpace = " \t\n\r\x0b\f";
  const auto bad = [&] {
    return vm.Raise(Error::kValueError, "invalid hexadecimal floating-point string");
  };
  const size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return bad();
  std::string_view s = text.substr(first, text.find_last_not_of(kSpace) + 1 - first);
  const bool negative = s[0] == '-';
  if (s[0] == '-' || s[0] == '+') s.remove_prefix(1);
  if (SameWord(s, "nan")) return Value::NewNan(++vm.nans, negative);
  if (SameWord(s, "inf") || SameWord(s, "infinity"))
    return Value::Float(negative ? -HUGE_VAL : HUGE_VAL);
  if (s.size() > 1 && s[0] == '0' && (s[1] | 0x20) == 'x') s.remove_prefix(2);
  size_t i = 0, digits = 0;
  for (; i < s.size() && IsHex(s[i]); ++i) ++digits;
  if (i < s.size() && s[i] == '.')
    for (++i; i < s.size() && IsHex(s[i]); ++i) ++digits;
  if (digits == 0) return bad();
  if (i < s.size()) {
    if ((s[i++] | 0x20) != 'p') return bad();
    if (i < s.size() && (s[i] == '+' || s[i] == '-')) ++i;
    const size_t from = i;
    while (i < s.size() && s[i] >= '0' && s[i] <= '9') ++i;
    if (i == from || i != s.size()) return bad();
  }
  const double d = std::strtod(("0x" + std::string(s)).c_str(), nullptr);
  if (std::isinf(d))
    return vm.Raise(Error::kOverflowError, "hexadecimal value too large to represent as a float");
  return Value::Float(negative ? -d : d);
}

// Plain decimals of few digits: a whole number and a power of ten that doubles hold exactly, so
// that one operation rounds once. Source: Clinger, "How to Read Floating Point Numbers Accurately".
static bool ShortDecimal(std::string_view s, double* out) {
  static constexpr double kPowers[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                       1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
  if (s.empty() || s.size() > 17) return false;
  const bool negative = s[0] == '-';
  size_t count = 0, after = 0;
  uint64_t whole = 0;
  bool point = false;
  for (const char c : s.substr(negative)) {
    if (c == '.' && !point) {
      point = true;
      continue;
    }
    if (c < '0' || c > '9' || ++count > 15) return false;
    whole = whole * 10 + static_cast<uint64_t>(c - '0');
    after += point;
  }
  if (count == 0) return false;
  const double d = static_cast<double>(whole) / kPowers[after];
  *out = negative ? -d : d;
  return true;
}

bool ParseDouble(std::string_view s, double* out) {
  if (ShortDecimal(s, out)) return true;
  std::string clean;
  size_t i = 0;
  const auto digit = [&](size_t k) { return k < s.size() && s[k] >= '0' && s[k] <= '9'; };
  // Digits with single underscores between them.
  const auto digits = [&] {
    size_t count = 0;
    for (; digit(i) || (i < s.size() && s[i] == '_' && count > 0 && digit(i - 1) && digit(i + 1));
         ++i)
      if (s[i] != '_') {
        clean.push_back(s[i]);
        ++count;
      }
    return count;
  };
  if (i < s.size() && (s[i] == '+' || s[i] == '-')) clean.push_back(s[i++]);
  const std::string_view rest = s.substr(i);
  if (SameWord(rest, "inf") || SameWord(rest, "infinity") || SameWord(rest, "nan")) {
    *out = SameWord(rest, "nan") ? NAN : HUGE_VAL;
    if (!clean.empty() && clean[0] == '-') *out = -*out;
    return true;
  }
  size_t count = digits();
  if (i < s.size() && s[i] == '.') {
    clean.push_back(s[i++]);
    count += digits();
  }
  if (count == 0) return false;
  if (i < s.size() && (s[i] | 0x20) == 'e') {
    clean.push_back(s[i++]);
    if (i < s.size() && (s[i] == '+' || s[i] == '-')) clean.push_back(s[i++]);
    if (digits() == 0) return false;
  }
  if (i != s.size()) return false;
  *out = std::strtod(clean.c_str(), nullptr);
  return true;
}

bool ToReal(Vm& vm, Value v, double* out, bool ask) {
  if (!(ask && Derived(v)) && AsDouble(v, out)) return true;
  if (!IsInt(v) || Derived(v)) {
    bool found;
    Value result = vm.CallSpecial(v, vm.names.to_float, nullptr, 0, &found);
    if (found) {
      if (result.empty()) return false;
      return (result.IsFloat() ||
              CheckReturned(vm, fmt::format("{}.__float__", vm.TypeName(v)), &result, "float")) &&
             AsDouble(result, out);
    }
  }
  if (AsDouble(v, out)) return true;
  if (!IsInt(v)) {
    bool found;
    Value result = vm.CallSpecial(v, vm.names.index, nullptr, 0, &found);
    if (found && result.empty()) return false;
    if (!found || !IsInt(result)) {
      vm.Throw(Error::kTypeError, "must be real number, not {}", vm.TypeName(v));
      return false;
    }
    v = result;
  }
  *out = IntToDouble(v);
  if (std::isfinite(*out)) return true;
  vm.Raise(Error::kOverflowError, "int too large to convert to float");
  return false;
}

}  // namespace ferry::vm
