#include "device-runtime/llm/template/values/python_text.h"

#include <utf8proc.h>

#include "device-runtime/llm/tokenizer/text/utf8.h"

namespace ferry::llm::jinja {
namespace {

// The character at `at`; a broken byte stands for itself (U+FFFD keeps its place).
char32_t PointAt(std::string_view text, size_t at, size_t* length) {
  const Utf8Step step = NextUtf8(text, at);
  *length = step.length;
  return step.state == Utf8Step::kValid ? step.point : 0xfffd;
}

template <typename Change>
std::string Changed(std::string_view text, Change change) {
  std::string out;
  for (size_t at = 0, length = 0; at < text.size(); at += length) {
    AppendUtf8(change(PointAt(text, at, &length)), out);
  }
  return out;
}

char32_t UpperPoint(char32_t point) {
  return static_cast<char32_t>(utf8proc_toupper(static_cast<utf8proc_int32_t>(point)));
}
char32_t LowerPoint(char32_t point) {
  return static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(point)));
}

bool HasCase(char32_t point) {
  return UpperPoint(point) != point || LowerPoint(point) != point;
}

bool Strips(char32_t point, std::string_view letter, const std::string* chars) {
  return chars == nullptr ? IsPythonSpace(point) : chars->find(letter) != std::string::npos;
}

}  // namespace

bool IsPythonSpace(char32_t point) {
  return (point >= 9 && point <= 13) || (point >= 28 && point <= 32) || point == 0x85 ||
         point == 0xa0 || point == 0x1680 || (point >= 0x2000 && point <= 0x200a) ||
         point == 0x2028 || point == 0x2029 || point == 0x202f || point == 0x205f ||
         point == 0x3000;
}

std::string_view Strip(std::string_view text, const std::string* chars, bool left, bool right) {
  while (left && !text.empty()) {
    size_t length = 0;
    const char32_t point = PointAt(text, 0, &length);
    if (!Strips(point, text.substr(0, length), chars)) break;
    text.remove_prefix(length);
  }
  while (right && !text.empty()) {
    size_t at = text.size() - 1;
    while (at > 0 && (static_cast<uint8_t>(text[at]) & 0xc0) == 0x80) --at;
    size_t length = 0;
    const char32_t point = PointAt(text, at, &length);
    if (!Strips(point, text.substr(at), chars)) break;
    text.remove_suffix(text.size() - at);
  }
  return text;
}

std::string Upper(std::string_view text) {
  return Changed(text, UpperPoint);
}

std::string Lower(std::string_view text) {
  return Changed(text, LowerPoint);
}

std::string Title(std::string_view text) {
  bool inside = false;  // a word
  return Changed(text, [&inside](char32_t point) {
    const char32_t out = inside ? LowerPoint(point) : UpperPoint(point);
    inside = HasCase(point);
    return out;
  });
}

std::string Capitalized(std::string_view text) {
  bool first = true;
  return Changed(text, [&first](char32_t point) {
    const char32_t out = first ? UpperPoint(point) : LowerPoint(point);
    first = false;
    return out;
  });
}

size_t Length(std::string_view text) {
  size_t count = 0;
  for (size_t at = 0; at < text.size(); at += NextUtf8(text, at).length) ++count;
  return count;
}

size_t OffsetOf(std::string_view text, size_t index) {
  size_t at = 0;
  for (; index > 0 && at < text.size(); --index) at += NextUtf8(text, at).length;
  return at;
}

std::string Replaced(std::string_view text, std::string_view old, std::string_view fresh,
                     int64_t count) {
  std::string out;
  size_t done = 0;
  for (; count != 0; --count) {
    const size_t found = text.find(old, done);
    if (found == std::string_view::npos) break;
    out.append(text.substr(done, found - done)).append(fresh);
    done = found + old.size();
  }
  return out.append(text.substr(done));
}

size_t Occurrences(std::string_view text, std::string_view part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string_view::npos;
       at = text.find(part, at + part.size())) {
    ++count;
  }
  return count;
}

}  // namespace ferry::llm::jinja
