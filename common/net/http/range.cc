#include "common/net/http/range.h"

#include <algorithm>
#include <charconv>

namespace ferry::net {
namespace {

constexpr std::string_view kUnit = "bytes=";
constexpr std::string_view kAnswerUnit = "bytes ";

// Digits only, no sign, no overflow.
std::optional<uint64_t> Number(std::string_view text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

}  // namespace

RangeAnswer AnswerRange(std::string_view header, uint64_t size) {
  const RangeAnswer whole{200, 0, size};
  if (!header.starts_with(kUnit)) return whole;
  const std::string_view range = header.substr(kUnit.size());
  const size_t dash = range.find('-');
  if (dash == std::string_view::npos) return whole;
  const auto first = Number(range.substr(0, dash));
  const auto last = Number(range.substr(dash + 1));
  if (dash == 0) {  // the last N bytes
    if (!last.has_value()) return whole;
    if (*last == 0 || size == 0) return {416, 0, 0};
    return {206, size - std::min(*last, size), size};
  }
  const bool open = dash + 1 == range.size();
  if (!first.has_value() || (!open && !last.has_value())) return whole;
  if (!open && *last < *first) return whole;
  if (*first >= size) return {416, 0, 0};
  return {206, *first, open ? size : std::min(*last, size - 1) + 1};
}

std::optional<ContentRange> ParseContentRange(std::string_view header) {
  const size_t slash = header.rfind('/');
  if (!header.starts_with(kAnswerUnit) || slash == std::string_view::npos) return std::nullopt;
  if (slash < kAnswerUnit.size()) return std::nullopt;
  const std::string_view range = header.substr(kAnswerUnit.size(), slash - kAnswerUnit.size());
  const auto size = Number(header.substr(slash + 1));
  if (!size.has_value()) return std::nullopt;
  if (range == "*") return ContentRange{std::nullopt, *size};
  const size_t dash = range.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const auto begin = Number(range.substr(0, dash)), end = Number(range.substr(dash + 1));
  if (!begin.has_value() || !end.has_value() || *end < *begin || *end >= *size) {
    return std::nullopt;
  }
  return ContentRange{begin, *size};
}

}  // namespace ferry::net
