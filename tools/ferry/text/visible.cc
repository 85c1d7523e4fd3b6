#include "tools/ferry/text/visible.h"

#include <fmt/format.h>
#include <utf8proc.h>

#include <algorithm>

namespace ferry::cli {
namespace {

constexpr std::string_view kEllipsis = "…";
constexpr utf8proc_int32_t kZeroWidthNonJoiner = 0x200C, kZeroWidthJoiner = 0x200D;
// Signs of Arabic, Syriac and Kaithi numbers: of the category of format characters, but seen.
constexpr utf8proc_int32_t kSeenFormats[] = {0x600, 0x601, 0x602, 0x603, 0x604,   0x605,  0x6DD,
                                             0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD};

// Of a letter at the start of `text`; bytes that are no UTF-8 count one by one.
struct Letter {
  utf8proc_int32_t code = -1;  // negative: no UTF-8
  size_t bytes = 1;
};

Letter FirstOf(std::string_view text) {
  Letter out;
  const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
  const utf8proc_ssize_t used =
      utf8proc_iterate(bytes, static_cast<utf8proc_ssize_t>(text.size()), &out.code);
  if (used > 0) out.bytes = static_cast<size_t>(used);
  if (used <= 0) out.code = -1;
  return out;
}

bool IsSeen(utf8proc_int32_t code) {
  switch (utf8proc_category(code)) {
    case UTF8PROC_CATEGORY_CC:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
    case UTF8PROC_CATEGORY_CS:
      return false;
    case UTF8PROC_CATEGORY_CF:
      return code == kZeroWidthNonJoiner || code == kZeroWidthJoiner ||
             std::find(std::begin(kSeenFormats), std::end(kSeenFormats), code) !=
                 std::end(kSeenFormats);
    default:
      return true;
  }
}

std::string Escaped(const Letter& letter, char byte) {
  if (letter.code < 0) return fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
  if (letter.code == '\n') return "\\n";
  if (letter.code == '\r') return "\\r";
  if (letter.code == '\t') return "\\t";
  if (letter.code < 0x80) return fmt::format("\\x{:02x}", letter.code);
  return fmt::format("\\u{{{:x}}}", letter.code);
}

std::string Escape(std::string_view text, bool one_line) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Letter letter = FirstOf(text);
    const bool layout = !one_line && (letter.code == '\n' || letter.code == '\t');
    if (layout || (letter.code >= 0 && IsSeen(letter.code))) {
      out += text.substr(0, letter.bytes);
    } else {
      out += Escaped(letter, text.front());
    }
    text.remove_prefix(letter.bytes);
  }
  return out;
}

size_t WidthOf(const Letter& letter) {
  return letter.code < 0 ? 1 : static_cast<size_t>(std::max(0, utf8proc_charwidth(letter.code)));
}

}  // namespace

std::string Visible(std::string_view text) {
  return Escape(text, /*one_line=*/true);
}

std::string VisibleLines(std::string_view text) {
  return Escape(text, /*one_line=*/false);
}

size_t ColumnsOf(std::string_view visible) {
  size_t columns = 0;
  while (!visible.empty()) {
    const Letter letter = FirstOf(visible);
    columns += WidthOf(letter);
    visible.remove_prefix(letter.bytes);
  }
  return columns;
}

std::string CutToColumns(std::string_view visible, size_t most) {
  // Marks without end on one letter take no column, but are no text either.
  constexpr size_t kMostBytesOfColumn = 32;
  most = std::max<size_t>(most, 1);
  const size_t most_bytes = most * kMostBytesOfColumn;
  if (visible.size() <= most_bytes && ColumnsOf(visible) <= most) return std::string(visible);
  size_t columns = 0, bytes = 0;
  while (bytes < visible.size()) {
    const Letter letter = FirstOf(visible.substr(bytes));
    const size_t width = WidthOf(letter);
    if (columns + width > most - 1 || bytes + letter.bytes > most_bytes) break;
    columns += width;
    bytes += letter.bytes;
  }
  return std::string(visible.substr(0, bytes)).append(kEllipsis);
}

}  // namespace ferry::cli
