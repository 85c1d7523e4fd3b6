// Brackets and escapes.
#include "device-runtime/vm/exec/state.h"
#include "device-runtime/vm/regex/parser.h"

namespace ferry::vm::regex {

uint8_t CategoryOf(uint32_t letter) {
  switch (letter) {
    case 'd':
      return static_cast<uint8_t>(Category::kDigit);
    case 'D':
      return static_cast<uint8_t>(Category::kNotDigit);
    case 's':
      return static_cast<uint8_t>(Category::kSpace);
    case 'S':
      return static_cast<uint8_t>(Category::kNotSpace);
    case 'w':
      return static_cast<uint8_t>(Category::kWord);
    case 'W':
      return static_cast<uint8_t>(Category::kNotWord);
    default:
      return 0;
  }
}

// One item after its first character `c`.
bool Parser::SetItem(uint32_t c, CharSet* set, Escape* out, int64_t start) {
  (void)set;
  if (c == kEnd) {
    Wrong("unterminated character set", start);
    return false;
  }
  *out = {Escape::kLiteral, c};
  return c != '\\' || EscapeIn(true, out);
}

uint32_t Parser::Set() {
  const int64_t start = in.place() - 1;
  CharSet set;
  set.negated = in.Take('^');
  const auto add = [&](const Escape& item) {
    if (item.kind == Escape::kCategory) {
      set.categories |= static_cast<uint8_t>(item.value);
    } else {
      set.ranges.emplace_back(item.value, item.value);
    }
  };
  for (bool empty = true;; empty = false) {
    const int64_t from = in.place();
    const size_t offset = in.offset();
    const uint32_t c = in.Next();
    if (c == ']' && !empty) break;
    Escape low;
    if (!SetItem(c, &set, &low, start)) return 0;
    const std::string shown(in.Since(offset));
    if (!in.Take('-')) {
      add(low);
      continue;
    }
    const size_t second = in.offset();
    const uint32_t d = in.Next();
    if (d == ']') {
      add(low);
      add({Escape::kLiteral, '-'});
      break;
    }
    Escape high;
    if (!SetItem(d, &set, &high, start)) return 0;
    if (low.kind != Escape::kLiteral || high.kind != Escape::kLiteral || low.value > high.value)
      return Wrong("bad character range " + shown + "-" + std::string(in.Since(second)), from);
    set.ranges.emplace_back(low.value, high.value);
  }
  tree_.sets.push_back(std::move(set));
  return Add(NodeKind::kSet, static_cast<uint32_t>(tree_.sets.size() - 1));
}

bool Parser::HexEscape(uint32_t kind, Escape* out, int64_t start) {
  const int digits = kind == 'x' ? 2 : kind == 'u' ? 4 : 8;
  uint64_t value = 0;
  std::string shown = std::string("\\") + static_cast<char>(kind);
  int count = 0;
  for (; count < digits && HexValue(in.Peek()) >= 0; ++count) {
    shown.push_back(static_cast<char>(in.Peek()));
    value = value * 16 + static_cast<uint64_t>(HexValue(in.Next()));
  }
  if (count < digits) {
    Wrong("incomplete escape " + shown, start);
  } else if (value > 0x10FFFF) {
    Wrong("bad escape " + shown, start);
  }
  *out = {Escape::kLiteral, static_cast<uint32_t>(value)};
  return ok();
}

// Octal characters and references; `c` is the first digit.
bool Parser::NumericEscape(uint32_t c, bool in_set, Escape* out, int64_t start) {
  std::string digits(1, static_cast<char>(c));
  const auto take = [&] { digits.push_back(static_cast<char>(in.Next())); };
  bool octal = c == '0' || in_set;
  if (octal) {
    for (int i = 0; i < 2 && IsOctal(in.Peek()); ++i) take();
  } else if (IsAsciiDigit(in.Peek())) {
    take();
    if (IsOctal(c) && IsOctal(static_cast<uint32_t>(digits[1])) && IsOctal(in.Peek())) {
      take();
      octal = true;
    }
  }
  if (octal) {
    uint32_t value = 0;
    for (char digit : digits) value = value * 8 + static_cast<uint32_t>(digit - '0');
    if (value > 0377) Wrong("octal escape value \\" + digits + " outside of range 0-0o377", start);
    *out = {Escape::kLiteral, value};
    return ok();
  }
  const auto group = static_cast<uint32_t>(std::atoi(digits.c_str()));
  if (group > tree_.groups) {
    Wrong("invalid group reference " + std::to_string(group), start + 1);
    return false;
  }
  if (IsOpen(group)) {
    Wrong("cannot refer to an open group", start);
    return false;
  }
  Reference(group, 0);
  *out = {Escape::kReference, group};
  return ok();
}

// After a backslash.
bool Parser::EscapeIn(bool in_set, Escape* out) {
  const int64_t start = in.place() - 1;
  const uint32_t c = in.Next();
  if (c == kEnd) {
    Wrong("bad escape (end of pattern)", start);
    return false;
  }
  static constexpr std::string_view kFrom = "afnrtv\\", kTo = "\a\f\n\r\t\v\\";
  static constexpr std::string_view kPlaces = "AbBZ";
  static constexpr At kAts[] = {At::kBeginString, At::kBoundary, At::kNotBoundary, At::kEndString};
  const char letter = c < 128 ? static_cast<char>(c) : '\0';
  if (letter != 0 && kFrom.find(letter) != std::string_view::npos) {
    *out = {Escape::kLiteral, static_cast<uint32_t>(kTo[kFrom.find(letter)])};
    return true;
  }
  if (in_set && c == 'b') {
    *out = {Escape::kLiteral, '\b'};
    return true;
  }
  if (CategoryOf(c) != 0) {
    *out = {Escape::kCategory, CategoryOf(c)};
    return true;
  }
  if (!in_set && letter != 0 && kPlaces.find(letter) != std::string_view::npos) {
    *out = {Escape::kAt, static_cast<uint32_t>(kAts[kPlaces.find(letter)])};
    return true;
  }
  if (c == 'x' || (!in.bytes() && (c == 'u' || c == 'U'))) return HexEscape(c, out, start);
  if (IsAsciiDigit(c) && (!in_set || IsOctal(c))) return NumericEscape(c, in_set, out, start);
  if (IsAsciiLetter(c) || (in_set && IsAsciiDigit(c))) {
    Wrong("bad escape \\" + Shown(c, in.bytes()), start);
    return false;
  }
  *out = {Escape::kLiteral, c};
  return true;
}

}  // namespace ferry::vm::regex
