#include "device-runtime/vm/text/number_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>

namespace ferry::vm {
namespace {

// No double has more digits than this before its zeros begin.
constexpr int kMostDigits = 1100;

// Digits without a point, and the place of the point among them (as exponent of the first + 1).
struct Digits {
  std::string text;
  int point = 0;
};

Digits Split(std::string_view scientific) {
  Digits out;
  const size_t e = scientific.find('e');
  for (char c : scientific.substr(0, e))
    if (c != '.') out.text.push_back(c);
  int exponent = 0;
  const char* first = scientific.data() + e + 1;
  if (*first == '+') ++first;
  std::from_chars(first, scientific.data() + scientific.size(), exponent);
  out.point = exponent + 1;
  return out;
}

// Rounded to `count` >= 1 digits; count 0: as few as read back the same.
Digits DigitsOf(double d, int count) {
  char buffer[kMostDigits + 16];
  const auto end = count == 0
                       ? std::to_chars(buffer, std::end(buffer), d, std::chars_format::scientific)
                       : std::to_chars(buffer, std::end(buffer), d, std::chars_format::scientific,
                                       std::min(count, kMostDigits) - 1);
  Digits out = Split({buffer, static_cast<size_t>(end.ptr - buffer)});
  if (count > kMostDigits) out.text.append(static_cast<size_t>(count - kMostDigits), '0');
  return out;
}

std::string Fixed(double d, int precision) {
  char buffer[kMostDigits + 400];
  const int kept = std::min(precision, kMostDigits);
  const auto end = std::to_chars(buffer, std::end(buffer), d, std::chars_format::fixed, kept);
  std::string out(buffer, end.ptr);
  out.append(static_cast<size_t>(precision - kept), '0');
  return out;
}

std::string Exponent(int exponent) {
  std::string digits = std::to_string(std::abs(exponent));
  if (digits.size() < 2) digits.insert(0, "0");
  return (exponent < 0 ? "e-" : "e+") + digits;
}

std::string Scientific(const Digits& digits, bool alternate) {
  std::string out = digits.text.substr(0, 1);
  if (digits.text.size() > 1 || alternate) out += "." + digits.text.substr(1);
  return out + Exponent(digits.point - 1);
}

std::string Plain(const Digits& digits, const DoubleForm& form) {
  const int count = static_cast<int>(digits.text.size());
  std::string out;
  if (digits.point <= 0) {
    out = "0." + std::string(static_cast<size_t>(-digits.point), '0') + digits.text;
  } else if (digits.point >= count) {
    out = digits.text + std::string(static_cast<size_t>(digits.point - count), '0');
    if (form.point_zero) {
      out += ".0";
    } else if (form.alternate) {
      out += ".";
    }
  } else {
    out = digits.text;
    out.insert(static_cast<size_t>(digits.point), ".");
  }
  return out;
}

}  // namespace

std::string FormatDouble(double d, const DoubleForm& form) {
  d = std::fabs(d);
  if (std::isnan(d)) return "nan";
  if (std::isinf(d)) return "inf";
  if (form.type == 'f') {
    std::string out = Fixed(d, form.precision);
    if (form.alternate && form.precision == 0) out.push_back('.');
    return out;
  }
  if (form.type == 'e') return Scientific(DigitsOf(d, form.precision + 1), form.alternate);
  const bool shortest = form.type == 'r';
  const int precision = shortest ? 17 : std::max(form.precision, 1);
  Digits digits = DigitsOf(d, shortest ? 0 : precision);
  if (!form.alternate || shortest) {
    size_t used = digits.text.size();
    while (used > 1 && digits.text[used - 1] == '0') --used;
    digits.text.resize(used);
  }
  const int most = shortest ? 16 : precision - (form.point_zero ? 1 : 0);
  if (digits.point <= -4 || digits.point > most) return Scientific(digits, form.alternate);
  return Plain(digits, form);
}

}  // namespace ferry::vm
