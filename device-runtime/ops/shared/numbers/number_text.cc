#include "device-runtime/ops/shared/numbers/number_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include "device-runtime/ops/shared/places/index.h"

namespace ferry::ops {
namespace {

using tensor::DType;

// Digits d1 d2 ... and exponent e of d1.d2... * 10^e, from "d.ddde-XX".
std::string LayOutDigits(std::string_view scientific) {
  std::string out;
  if (scientific.starts_with('-')) {
    out = "-";
    scientific.remove_prefix(1);
  }
  const size_t e = scientific.find('e');
  int exponent = 0;
  std::string_view number = scientific.substr(e + 1);
  if (number.starts_with('+')) number.remove_prefix(1);
  std::from_chars(number.data(), number.data() + number.size(), exponent);
  std::string digits;
  for (char c : scientific.substr(0, e)) {
    if (c != '.') digits += c;
  }
  if (exponent < -4 || exponent >= 16) {
    out += digits.substr(0, 1);
    if (digits.size() > 1) out += "." + digits.substr(1);
    return out + fmt::format("e{}{:02}", exponent < 0 ? '-' : '+', std::abs(exponent));
  }
  if (exponent < 0)
    return out + "0." + std::string(static_cast<size_t>(-exponent - 1), '0') + digits;
  const auto whole = static_cast<size_t>(exponent) + 1;
  if (digits.size() < whole) digits.append(whole - digits.size(), '0');
  out += digits.substr(0, whole) + ".";
  return out + (digits.size() > whole ? digits.substr(whole) : "0");
}

template <typename T>
std::string Shortest(T value) {
  char buffer[64];
  const auto end = std::to_chars(buffer, std::end(buffer), value, std::chars_format::scientific);
  return LayOutDigits({buffer, static_cast<size_t>(end.ptr - buffer)});
}

// Of a narrow type: the first precision whose text gives the element back.
std::string ShortestNarrow(const tensor::Tensor& tensor, int64_t index) {
  const double value = tensor.Number(index);
  uint64_t element = 0;
  auto single = tensor::Tensor::View(tensor.dtype(), {}, &element);
  for (int precision = 0;; ++precision) {
    char buffer[64];
    const auto end =
        std::to_chars(buffer, std::end(buffer), value, std::chars_format::scientific, precision);
    double read = 0;
    std::from_chars(buffer, end.ptr, read);
    single.SetNumber(0, read);
    if (single.Number(0) == value || precision > 17) {
      return LayOutDigits({buffer, static_cast<size_t>(end.ptr - buffer)});
    }
  }
}

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return lower;
}

// All of `text` as a T.
template <typename T>
bool Read(std::string_view text, T& value) {
  const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
  return end.ec == std::errc() && end.ptr == text.data() + text.size();
}

// Out of range of double: infinity, or 0 when the exponent is negative.
bool ReadDouble(std::string_view text, double& value) {
  const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end.ptr != text.data() + text.size()) return false;
  if (end.ec == std::errc()) return true;
  if (end.ec != std::errc::result_out_of_range) return false;
  const bool tiny = text.find("e-") != std::string_view::npos;
  value = tiny ? 0.0 : std::numeric_limits<double>::infinity();
  if (text.starts_with('-')) value = -value;
  return true;
}

}  // namespace

std::string TextOfNumber(const tensor::Tensor& tensor, int64_t index) {
  const DType dtype = tensor.dtype();
  if (dtype == DType::kBool) return tensor.Integer(index) != 0 ? "True" : "False";
  if (dtype == DType::kU64) return fmt::format("{}", static_cast<uint64_t>(tensor.Integer(index)));
  if (!tensor::IsFloat(dtype)) return fmt::format("{}", tensor.Integer(index));
  const double value = tensor.Number(index);
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  if (dtype == DType::kF64) return Shortest(value);
  if (dtype == DType::kF32) return Shortest(static_cast<float>(value));
  return ShortestNarrow(tensor, index);
}

Status StoreText(std::string_view text, tensor::Tensor& to, int64_t index) {
  std::string lower = Lower(text);
  std::string_view number = lower;
  while (number.starts_with(' ')) number.remove_prefix(1);
  while (number.ends_with(' ')) number.remove_suffix(1);
  if (number.starts_with('+')) number.remove_prefix(1);
  if (to.dtype() == DType::kBool && (number == "true" || number == "false")) {
    to.SetInteger(index, number == "true" ? 1 : 0);
    return OkStatus();
  }
  int64_t whole = 0;
  uint64_t big = 0;
  if (!tensor::IsFloat(to.dtype()) && Read(number, whole)) {
    to.SetInteger(index, whole);
    return OkStatus();
  }
  if (!tensor::IsFloat(to.dtype()) && Read(number, big)) {
    to.SetInteger(index, static_cast<int64_t>(big));
    return OkStatus();
  }
  double value = 0;
  if (!ReadDouble(number, value)) {
    constexpr size_t kMostShown = 40;
    return Status::Of(Code::kInvalidArgument, "'{}' is no number", text.substr(0, kMostShown));
  }
  to.SetNumber(index, value);
  return OkStatus();
}

}  // namespace ferry::ops
