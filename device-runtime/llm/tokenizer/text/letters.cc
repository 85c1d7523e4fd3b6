#include "device-runtime/llm/tokenizer/text/letters.h"

#include <utf8proc.h>

#include "device-runtime/llm/tokenizer/text/utf8.h"

namespace ferry::llm {
namespace {

utf8proc_category_t CategoryOf(char32_t point) {
  return utf8proc_category(static_cast<utf8proc_int32_t>(point));
}

bool IsControl(char32_t point) {
  if (point == '\t' || point == '\n' || point == '\r') return false;
  switch (CategoryOf(point)) {
    case UTF8PROC_CATEGORY_CC:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_CO:
    case UTF8PROC_CATEGORY_CS:
      return true;
    default:
      return false;
  }
}

bool IsIdeograph(char32_t point) {
  return (point >= 0x4e00 && point <= 0x9fff) || (point >= 0x3400 && point <= 0x4dbf) ||
         (point >= 0x20000 && point <= 0x2a6df) || (point >= 0x2a700 && point <= 0x2b73f) ||
         (point >= 0x2b740 && point <= 0x2b81f) || (point >= 0x2b820 && point <= 0x2ceaf) ||
         (point >= 0xf900 && point <= 0xfaff) || (point >= 0x2f800 && point <= 0x2fa1f);
}

// Appends what `change(point, raw)` appends for each character, from the first that it changes on:
// it returns false, with nothing appended, for a character that stays.
template <typename Change>
bool AppendChanged(std::string_view text, std::string& out, Change change) {
  bool changed = false;
  size_t plain = 0;
  for (size_t at = 0; at < text.size();) {
    const Utf8Step step = NextUtf8(text, at);
    const size_t size = out.size();
    if (!change(step.point, out)) {
      at += step.length;
      continue;
    }
    // What stayed before it goes in between.
    if (plain < at) out.insert(size, text.substr(plain, at - plain));
    changed = true;
    at += step.length;
    plain = at;
  }
  if (changed) out.append(text.substr(plain));
  return changed;
}

}  // namespace

bool IsWhiteSpace(char32_t point) {
  if ((point >= 0x09 && point <= 0x0d) || point == 0x20 || point == 0x85) return true;
  if (point < 0xa0) return false;
  const utf8proc_category_t category = CategoryOf(point);
  return category == UTF8PROC_CATEGORY_ZS || category == UTF8PROC_CATEGORY_ZL ||
         category == UTF8PROC_CATEGORY_ZP;
}

bool IsMark(char32_t point, bool nonspacing) {
  if (point < 0x300) return false;
  const utf8proc_category_t category = CategoryOf(point);
  return category == UTF8PROC_CATEGORY_MN ||
         (!nonspacing && (category == UTF8PROC_CATEGORY_MC || category == UTF8PROC_CATEGORY_ME));
}

bool AppendLower(std::string_view text, std::string& out) {
  return AppendChanged(text, out, [](char32_t point, std::string& to) {
    if (point < 0x80) {
      if (point < 'A' || point > 'Z') return false;
      to += static_cast<char>(point + ('a' - 'A'));
      return true;
    }
    if (point == 0x130) {  // the one letter whose lower case is two characters everywhere
      to += "i\xcc\x87";
      return true;
    }
    const auto lower =
        static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(point)));
    if (lower == point) return false;
    AppendUtf8(lower, to);
    return true;
  });
}

bool AppendWithoutMarks(std::string_view text, bool nonspacing, std::string& out) {
  return AppendChanged(
      text, out, [nonspacing](char32_t point, std::string&) { return IsMark(point, nonspacing); });
}

bool AppendStripped(std::string_view text, bool left, bool right, std::string& out) {
  size_t begin = 0;
  while (left && begin < text.size()) {
    const Utf8Step step = NextUtf8(text, begin);
    if (!IsWhiteSpace(step.point)) break;
    begin += step.length;
  }
  size_t end = text.size();
  while (right && end > begin) {
    size_t before = end - 1;
    while (before > begin && (static_cast<uint8_t>(text[before]) & 0xc0) == 0x80) --before;
    if (!IsWhiteSpace(NextUtf8(text, before).point)) break;
    end = before;
  }
  if (begin == 0 && end == text.size()) return false;
  out.append(text.substr(begin, end - begin));
  return true;
}

bool AppendClean(std::string_view text, std::string& out) {
  return AppendChanged(text, out, [](char32_t point, std::string& to) {
    if (point >= 0x20 && point < 0x7f) return false;
    if (point == 0xfffd || IsControl(point)) return true;
    if (!IsWhiteSpace(point)) return false;
    to += ' ';
    return true;
  });
}

bool AppendSpacedIdeographs(std::string_view text, std::string& out) {
  return AppendChanged(text, out, [](char32_t point, std::string& to) {
    if (point < 0x3400 || !IsIdeograph(point)) return false;
    to += ' ';
    AppendUtf8(point, to);
    to += ' ';
    return true;
  });
}

bool AppendSqueezed(std::string_view text, std::string& out) {
  size_t end = text.size();
  while (end > 0 && text[end - 1] == ' ') --end;
  bool changed = end != text.size();
  for (size_t i = 0; i < end && !changed; ++i) {
    changed = text[i] == ' ' && (i == 0 || text[i - 1] == ' ');
  }
  if (!changed) return false;
  const size_t first = out.size();
  for (size_t i = 0; i < end; ++i) {
    const bool extra = text[i] == ' ' && (out.size() == first || out.back() == ' ');
    if (!extra) out += text[i];
  }
  return true;
}

}  // namespace ferry::llm
