#include "device-runtime/llm/tokenizer/text/normal_form.h"

#include <utf8proc.h>

#include <algorithm>
#include <vector>

#include "device-runtime/llm/tokenizer/text/utf8.h"

namespace ferry::llm {
namespace {

constexpr char32_t kFirstMark = 0x300;  // below it nothing decomposes into marks or composes back
constexpr int kLongestDecomposition = 32;  // U+FDFA has 18 by compatibility
constexpr size_t kPiecePoints = 1 << 12;   // a working piece may end from here on
constexpr auto kOptions = static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE);

int CombiningClass(utf8proc_int32_t point) {
  return utf8proc_get_property(point)->combining_class;
}

// Whether nothing before `point` can join it: letters that are starters and second in no pair.
bool StandsAlone(char32_t point) {
  return point < kFirstMark || (point >= 0x400 && point < 0x483) ||
         (point >= 0x4e00 && point < 0xa000) || (point >= 0x3041 && point < 0x3097) ||
         (point >= 0xac00 && point < 0xd7a4);
}

// Puts each run of non-starters in the order of their classes. utf8proc does that by swaps of
// neighbours, which a long run makes quadratic.
void OrderMarks(std::vector<utf8proc_int32_t>& points) {
  for (size_t i = 0; i < points.size();) {
    if (CombiningClass(points[i]) == 0) {
      ++i;
      continue;
    }
    size_t end = i;
    while (end < points.size() && CombiningClass(points[end]) != 0) ++end;
    std::stable_sort(points.begin() + i, points.begin() + end,
                     [](utf8proc_int32_t a, utf8proc_int32_t b) {
                       return CombiningClass(a) < CombiningClass(b);
                     });
    i = end;
  }
}

void Flush(std::vector<utf8proc_int32_t>& points, std::string& out, bool compose = true) {
  OrderMarks(points);
  const auto size = static_cast<utf8proc_ssize_t>(points.size());
  const utf8proc_ssize_t length =
      compose ? utf8proc_normalize_utf32(points.data(), size, kOptions) : size;
  for (utf8proc_ssize_t i = 0; i < length; ++i) AppendUtf8(points[i], out);
  points.clear();
}

void Decompose(char32_t point, std::vector<utf8proc_int32_t>& points, bool compatible = false) {
  utf8proc_int32_t parts[kLongestDecomposition];
  int boundary = 0;
  const utf8proc_ssize_t count =
      utf8proc_decompose_char(static_cast<utf8proc_int32_t>(point), parts, kLongestDecomposition,
                              static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_DECOMPOSE |
                                                             (compatible ? UTF8PROC_COMPAT : 0)),
                              &boundary);
  if (count <= 0 || count > kLongestDecomposition) {
    points.push_back(static_cast<utf8proc_int32_t>(point));
  } else {
    points.insert(points.end(), parts, parts + count);
  }
}

}  // namespace

bool AppendNfc(std::string_view text, std::string& out) {
  // U+0300 is the first character whose UTF-8 begins with 0xcc.
  const auto high = std::find_if(text.begin(), text.end(),
                                 [](char c) { return static_cast<uint8_t>(c) >= 0xcc; });
  if (high == text.end()) return false;
  out.reserve(out.size() + text.size());
  std::vector<utf8proc_int32_t> points;
  size_t plain = 0;  // start of text not yet copied
  for (size_t at = 0; at < text.size();) {
    const Utf8Step step = NextUtf8(text, at);
    if (step.point < kFirstMark) {
      // Verbatim, unless a mark follows: then this character is the base of what follows.
      const size_t next = at + step.length;
      const bool base = next < text.size() && static_cast<uint8_t>(text[next]) >= 0xcc;
      if (!points.empty()) {
        Flush(points, out);
        plain = at;
      }
      if (base) {
        out.append(text.substr(plain, at - plain));
        Decompose(step.point, points);
      }
    } else {
      if (points.empty()) out.append(text.substr(plain, at - plain));
      if (points.size() >= kPiecePoints && StandsAlone(step.point)) Flush(points, out);
      Decompose(step.point, points);
    }
    at += step.length;
  }
  if (!points.empty()) {
    Flush(points, out);
  } else {
    out.append(text.substr(plain));
  }
  return true;
}

bool AppendNormalForm(std::string_view text, bool compose, bool compatible, std::string& out) {
  const auto ascii = [&](size_t at) { return static_cast<uint8_t>(text[at]) < 0x80; };
  size_t at = 0;
  while (at < text.size() && ascii(at)) ++at;
  if (at == text.size()) return false;
  out.reserve(out.size() + text.size());
  std::vector<utf8proc_int32_t> points;
  size_t plain = 0;  // start of ASCII not yet copied
  for (at = 0; at < text.size();) {
    if (ascii(at)) {
      Flush(points, out, compose);
      plain = at;
      while (at < text.size() && ascii(at)) ++at;
      // The last of them may be the base of marks.
      out.append(text.substr(plain, at - plain - (at < text.size() ? 1 : 0)));
      if (at < text.size()) points.push_back(static_cast<utf8proc_int32_t>(text[at - 1]));
      continue;
    }
    const Utf8Step step = NextUtf8(text, at);
    if (points.size() >= kPiecePoints && StandsAlone(step.point)) Flush(points, out, compose);
    Decompose(step.point, points, compatible);
    at += step.length;
  }
  Flush(points, out, compose);
  return true;
}

}  // namespace ferry::llm
