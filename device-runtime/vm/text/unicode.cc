#include "device-runtime/vm/text/unicode.h"

#include <utf8proc.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include "device-runtime/vm/text/text.h"

namespace ferry::vm {
namespace {

struct Span {
  uint32_t first, last;
};

// Digits that are not decimal.
constexpr Span kDigits[] = {
    {0xB2, 0xB3},       {0xB9, 0xB9},       {0x1369, 0x1371},   {0x19DA, 0x19DA},
    {0x2070, 0x2070},   {0x2074, 0x2079},   {0x2080, 0x2089},   {0x2460, 0x2468},
    {0x2474, 0x247C},   {0x2488, 0x2490},   {0x24EA, 0x24EA},   {0x24F5, 0x24FD},
    {0x24FF, 0x24FF},   {0x2776, 0x277E},   {0x2780, 0x2788},   {0x278A, 0x2792},
    {0x10A40, 0x10A43}, {0x10E60, 0x10E68}, {0x11052, 0x1105A}, {0x1F100, 0x1F10A}};

// Ideographs that mean numbers.
constexpr Span kIdeographs[] = {
    {0x3405, 0x3405},   {0x3483, 0x3483},   {0x382A, 0x382A},   {0x3B4D, 0x3B4D},
    {0x4E00, 0x4E00},   {0x4E03, 0x4E03},   {0x4E07, 0x4E07},   {0x4E09, 0x4E09},
    {0x4E5D, 0x4E5D},   {0x4E8C, 0x4E8C},   {0x4E94, 0x4E94},   {0x4E96, 0x4E96},
    {0x4EBF, 0x4EC0},   {0x4EDF, 0x4EDF},   {0x4EE8, 0x4EE8},   {0x4F0D, 0x4F0D},
    {0x4F70, 0x4F70},   {0x5104, 0x5104},   {0x5146, 0x5146},   {0x5169, 0x5169},
    {0x516B, 0x516B},   {0x516D, 0x516D},   {0x5341, 0x5341},   {0x5343, 0x5345},
    {0x534C, 0x534C},   {0x53C1, 0x53C4},   {0x56DB, 0x56DB},   {0x58F1, 0x58F1},
    {0x58F9, 0x58F9},   {0x5E7A, 0x5E7A},   {0x5EFE, 0x5EFF},   {0x5F0C, 0x5F0E},
    {0x5F10, 0x5F10},   {0x62FE, 0x62FE},   {0x634C, 0x634C},   {0x67D2, 0x67D2},
    {0x6F06, 0x6F06},   {0x7396, 0x7396},   {0x767E, 0x767E},   {0x8086, 0x8086},
    {0x842C, 0x842C},   {0x8CAE, 0x8CAE},   {0x8CB3, 0x8CB3},   {0x8D30, 0x8D30},
    {0x9621, 0x9621},   {0x9646, 0x9646},   {0x964C, 0x964C},   {0x9678, 0x9678},
    {0x96F6, 0x96F6},   {0xF96B, 0xF96B},   {0xF973, 0xF973},   {0xF978, 0xF978},
    {0xF9B2, 0xF9B2},   {0xF9D1, 0xF9D1},   {0xF9D3, 0xF9D3},   {0xF9FD, 0xF9FD},
    {0x20001, 0x20001}, {0x20064, 0x20064}, {0x200E2, 0x200E2}, {0x20121, 0x20121},
    {0x2092A, 0x2092A}, {0x20983, 0x20983}, {0x2098C, 0x2098C}, {0x2099C, 0x2099C},
    {0x20AEA, 0x20AEA}, {0x20AFD, 0x20AFD}, {0x20B19, 0x20B19}, {0x22390, 0x22390},
    {0x22998, 0x22998}, {0x23B1B, 0x23B1B}, {0x2626D, 0x2626D}, {0x2F890, 0x2F890}};

// Letters that may not begin identifiers, because their compatibility forms may not.
constexpr Span kNoStart[] = {{0x37A, 0x37A},   {0xE33, 0xE33},   {0xEB3, 0xEB3},   {0x2E2F, 0x2E2F},
                             {0xFC5E, 0xFC63}, {0xFDFA, 0xFDFB}, {0xFE70, 0xFE70}, {0xFE72, 0xFE72},
                             {0xFE74, 0xFE74}, {0xFE76, 0xFE76}, {0xFE78, 0xFE78}, {0xFE7A, 0xFE7A},
                             {0xFE7C, 0xFE7C}, {0xFE7E, 0xFE7E}, {0xFF9E, 0xFF9F}};

template <size_t N>
bool In(const Span (&spans)[N], uint32_t c) {
  const Span* at = std::lower_bound(std::begin(spans), std::end(spans), c,
                                    [](const Span& span, uint32_t x) { return span.last < x; });
  return at != std::end(spans) && at->first <= c;
}

int Category(uint32_t c) {
  return utf8proc_category(static_cast<utf8proc_int32_t>(c));
}

int Fold(uint32_t c, uint32_t* out) {
  utf8proc_int32_t buffer[kMaxCaseExpansion];
  int boundary = 0;
  const auto size = utf8proc_decompose_char(static_cast<utf8proc_int32_t>(c), buffer,
                                            kMaxCaseExpansion, UTF8PROC_CASEFOLD, &boundary);
  if (size < 1 || size > kMaxCaseExpansion) {
    out[0] = c;
    return 1;
  }
  for (int i = 0; i < size; ++i) out[i] = static_cast<uint32_t>(buffer[i]);
  return static_cast<int>(size);
}

constexpr bool Ascii(uint32_t c) {
  return c < 0x80;
}
constexpr bool AsciiLetter(uint32_t c) {
  return (c | 32) >= 'a' && (c | 32) <= 'z';
}

}  // namespace

bool IsAlpha(uint32_t c) {
  if (Ascii(c)) return AsciiLetter(c);
  const int category = Category(c);
  return category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_LO;
}

bool IsDecimal(uint32_t c) {
  return Ascii(c) ? c >= '0' && c <= '9' : Category(c) == UTF8PROC_CATEGORY_ND;
}

bool IsDigit(uint32_t c) {
  return IsDecimal(c) || (!Ascii(c) && In(kDigits, c));
}

bool IsNumeric(uint32_t c) {
  if (Ascii(c)) return c >= '0' && c <= '9';
  const int category = Category(c);
  return (category >= UTF8PROC_CATEGORY_ND && category <= UTF8PROC_CATEGORY_NO) ||
         In(kIdeographs, c);
}

bool IsLower(uint32_t c) {
  if (Ascii(c)) return c >= 'a' && c <= 'z';
  // Lowercase since Unicode 15 only: Python 3.11 has 14.
  if (c == 0x10FC || (c >= 0xA7F2 && c <= 0xA7F4) || c == 0xAB69) return false;
  return utf8proc_islower(static_cast<utf8proc_int32_t>(c)) != 0;
}

bool IsUpper(uint32_t c) {
  if (Ascii(c)) return c >= 'A' && c <= 'Z';
  return utf8proc_isupper(static_cast<utf8proc_int32_t>(c)) != 0;
}

bool IsTitle(uint32_t c) {
  return !Ascii(c) && Category(c) == UTF8PROC_CATEGORY_LT;
}

bool IsPrintable(uint32_t c) {
  if (Ascii(c)) return c >= 0x20 && c < 0x7F;
  switch (Category(c)) {
    case UTF8PROC_CATEGORY_CN:
    case UTF8PROC_CATEGORY_CC:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_CS:
    case UTF8PROC_CATEGORY_CO:
    case UTF8PROC_CATEGORY_ZS:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
      return false;
    default:
      return true;
  }
}

bool IsIdentifierStart(uint32_t c) {
  if (Ascii(c)) return AsciiLetter(c) || c == '_';
  if (c == 0x1885 || c == 0x1886 || c == 0x2118 || c == 0x212E) return true;
  return (IsAlpha(c) || Category(c) == UTF8PROC_CATEGORY_NL) && !In(kNoStart, c);
}

bool IsIdentifierPart(uint32_t c) {
  if (Ascii(c)) return AsciiLetter(c) || c == '_' || (c >= '0' && c <= '9');
  if (c == 0xE33 || c == 0xEB3 || c == 0xFF9E || c == 0xFF9F) return true;
  if (c == 0xB7 || c == 0x387 || (c >= 0x1369 && c <= 0x1371) || c == 0x19DA) return true;
  const int category = Category(c);
  return IsIdentifierStart(c) || category == UTF8PROC_CATEGORY_MN ||
         category == UTF8PROC_CATEGORY_MC || category == UTF8PROC_CATEGORY_ND ||
         category == UTF8PROC_CATEGORY_PC;
}

bool IsCased(uint32_t c) {
  return IsLower(c) || IsUpper(c) || IsTitle(c);
}

bool IsCaseIgnorable(uint32_t c) {
  switch (c) {  // word breaks in the middle of words
    case '\'':
    case '.':
    case ':':
    case 0xB7:
    case 0x387:
    case 0x55F:
    case 0x5F4:
    case 0x2018:
    case 0x2019:
    case 0x2024:
    case 0x2027:
    case 0xFE13:
    case 0xFE52:
    case 0xFE55:
    case 0xFF07:
    case 0xFF0E:
    case 0xFF1A:
      return true;
    default:
      break;
  }
  switch (Category(c)) {
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_SK:
      return true;
    default:
      return false;
  }
}

int DecimalValue(uint32_t c) {
  if (Ascii(c)) return c >= '0' && c <= '9' ? static_cast<int>(c - '0') : -1;
  if (!IsDecimal(c)) return -1;
  if (c >= 0x1D7CE && c <= 0x1D7FF) return static_cast<int>((c - 0x1D7CE) % 10);
  // Decimal digits come in runs of ten.
  uint32_t zero = c;
  while (c - zero < 9 && IsDecimal(zero - 1)) --zero;
  return static_cast<int>(c - zero);
}

uint32_t SimpleLower(uint32_t c) {
  if (Ascii(c)) return c >= 'A' && c <= 'Z' ? c + 32 : c;
  return static_cast<uint32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(c)));
}

uint32_t SimpleUpper(uint32_t c) {
  if (Ascii(c)) return c >= 'a' && c <= 'z' ? c - 32 : c;
  if (c == 0xDF) return c;
  return static_cast<uint32_t>(utf8proc_toupper(static_cast<utf8proc_int32_t>(c)));
}

int FullLower(uint32_t c, uint32_t* out) {
  if (c == 0x130) return Fold(c, out);  // the dot stays, as a mark of its own
  out[0] = SimpleLower(c);
  return 1;
}

// A small letter that folds to several has no capital of its own: its parts have.
int FullUpper(uint32_t c, uint32_t* out) {
  if (!Ascii(c) && Category(c) != UTF8PROC_CATEGORY_LU) {
    const int count = Fold(c, out);
    if (count > 1) {
      for (int i = 0; i < count; ++i) out[i] = SimpleUpper(out[i]);
      return count;
    }
  }
  out[0] = SimpleUpper(c);
  return 1;
}

int FullTitle(uint32_t c, uint32_t* out) {
  constexpr uint32_t kIota = 0x3B9, kIotaBelow = 0x345;
  if (Ascii(c)) {
    out[0] = SimpleUpper(c);
    return 1;
  }
  const auto title = static_cast<uint32_t>(utf8proc_totitle(static_cast<utf8proc_int32_t>(c)));
  if (c != 0xDF && (title != c || Category(c) != UTF8PROC_CATEGORY_LL)) {
    out[0] = title;
    return 1;
  }
  const int count = Fold(c, out);
  if (count == 1) {
    out[0] = title;
    return 1;
  }
  out[0] = SimpleUpper(out[0]);
  if (c == 0x149) out[1] = SimpleUpper(out[1]);
  if (c >= 0x1F00 && c < 0x2000 && out[count - 1] == kIota) out[count - 1] = kIotaBelow;
  return count;
}

int FullFold(uint32_t c, uint32_t* out) {
  if (Ascii(c)) {
    out[0] = SimpleLower(c);
    return 1;
  }
  return Fold(c, out);
}

std::string AsciiDigits(std::string_view text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const size_t start = at;
    const uint32_t c = Utf8Next(text, &at);
    const int digit = c < 0x80 ? -1 : DecimalValue(c);
    if (digit >= 0) {
      out.push_back(static_cast<char>('0' + digit));
    } else if (c >= 0x80 && IsSpace(c)) {
      out.push_back(' ');
    } else {
      out += text.substr(start, at - start);
    }
  }
  return out;
}

std::string Composed(std::string_view text) {
  if (IsAscii(text)) return std::string(text);
  utf8proc_uint8_t* out = nullptr;
  const auto options =
      static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT);
  const auto size = utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                 static_cast<utf8proc_ssize_t>(text.size()), &out, options);
  std::string composed(text);
  if (size >= 0) composed.assign(reinterpret_cast<const char*>(out), static_cast<size_t>(size));
  std::free(out);
  return composed;
}

}  // namespace ferry::vm
