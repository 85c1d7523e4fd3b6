// Names of characters for \N{...}: those that texts of programs name, not all that Unicode has.
// Source: the Unicode character database.
#include "device-runtime/vm/syntax/names.h"

#include <utf8proc.h>

#include <array>
#include <cstdlib>

namespace ferry::vm {
namespace {

constexpr std::string_view kSingle =
    "20 SPACE|21 EXCLAMATION MARK|22 QUOTATION MARK|23 NUMBER SIGN|24 DOLLAR SIGN|"
    "25 PERCENT SIGN|26 AMPERSAND|27 APOSTROPHE|28 LEFT PARENTHESIS|29 RIGHT PARENTHESIS|"
    "2A ASTERISK|2B PLUS SIGN|2C COMMA|2D HYPHEN-MINUS|2E FULL STOP|2F SOLIDUS|30 DIGIT ZERO|"
    "31 DIGIT ONE|32 DIGIT TWO|33 DIGIT THREE|34 DIGIT FOUR|35 DIGIT FIVE|36 DIGIT SIX|"
    "37 DIGIT SEVEN|38 DIGIT EIGHT|39 DIGIT NINE|3A COLON|3B SEMICOLON|3C LESS-THAN SIGN|"
    "3D EQUALS SIGN|3E GREATER-THAN SIGN|3F QUESTION MARK|40 COMMERCIAL AT|"
    "5B LEFT SQUARE BRACKET|5C REVERSE SOLIDUS|5D RIGHT SQUARE BRACKET|5E CIRCUMFLEX ACCENT|"
    "5F LOW LINE|60 GRAVE ACCENT|7B LEFT CURLY BRACKET|7C VERTICAL LINE|7D RIGHT CURLY BRACKET|"
    "7E TILDE|A0 NO-BREAK SPACE|A1 INVERTED EXCLAMATION MARK|A2 CENT SIGN|A3 POUND SIGN|"
    "A4 CURRENCY SIGN|A5 YEN SIGN|A6 BROKEN BAR|A7 SECTION SIGN|A8 DIAERESIS|A9 COPYRIGHT SIGN|"
    "AA FEMININE ORDINAL INDICATOR|AB LEFT-POINTING DOUBLE ANGLE QUOTATION MARK|AC NOT SIGN|"
    "AD SOFT HYPHEN|AE REGISTERED SIGN|AF MACRON|B0 DEGREE SIGN|B1 PLUS-MINUS SIGN|"
    "B2 SUPERSCRIPT TWO|B3 SUPERSCRIPT THREE|B4 ACUTE ACCENT|B5 MICRO SIGN|B6 PILCROW SIGN|"
    "B7 MIDDLE DOT|B8 CEDILLA|B9 SUPERSCRIPT ONE|BA MASCULINE ORDINAL INDICATOR|"
    "BB RIGHT-POINTING DOUBLE ANGLE QUOTATION MARK|BC VULGAR FRACTION ONE QUARTER|"
    "BD VULGAR FRACTION ONE HALF|BE VULGAR FRACTION THREE QUARTERS|BF INVERTED QUESTION MARK|"
    "D7 MULTIPLICATION SIGN|F7 DIVISION SIGN|C6 LATIN CAPITAL LETTER AE|"
    "E6 LATIN SMALL LETTER AE|D0 LATIN CAPITAL LETTER ETH|F0 LATIN SMALL LETTER ETH|"
    "DE LATIN CAPITAL LETTER THORN|FE LATIN SMALL LETTER THORN|DF LATIN SMALL LETTER SHARP S|"
    "D8 LATIN CAPITAL LETTER O WITH STROKE|F8 LATIN SMALL LETTER O WITH STROKE|"
    "141 LATIN CAPITAL LETTER L WITH STROKE|142 LATIN SMALL LETTER L WITH STROKE|"
    "131 LATIN SMALL LETTER DOTLESS I|152 LATIN CAPITAL LIGATURE OE|"
    "153 LATIN SMALL LIGATURE OE|110 LATIN CAPITAL LETTER D WITH STROKE|"
    "111 LATIN SMALL LETTER D WITH STROKE|2010 HYPHEN|2011 NON-BREAKING HYPHEN|"
    "2012 FIGURE DASH|2013 EN DASH|2014 EM DASH|2015 HORIZONTAL BAR|"
    "2018 LEFT SINGLE QUOTATION MARK|2019 RIGHT SINGLE QUOTATION MARK|"
    "201A SINGLE LOW-9 QUOTATION MARK|201B SINGLE HIGH-REVERSED-9 QUOTATION MARK|"
    "201C LEFT DOUBLE QUOTATION MARK|201D RIGHT DOUBLE QUOTATION MARK|"
    "201E DOUBLE LOW-9 QUOTATION MARK|2020 DAGGER|2021 DOUBLE DAGGER|2022 BULLET|"
    "2026 HORIZONTAL ELLIPSIS|2028 LINE SEPARATOR|2029 PARAGRAPH SEPARATOR|2030 PER MILLE SIGN|"
    "2032 PRIME|2033 DOUBLE PRIME|2039 SINGLE LEFT-POINTING ANGLE QUOTATION MARK|"
    "203A SINGLE RIGHT-POINTING ANGLE QUOTATION MARK|200B ZERO WIDTH SPACE|"
    "200C ZERO WIDTH NON-JOINER|200D ZERO WIDTH JOINER|200E LEFT-TO-RIGHT MARK|"
    "200F RIGHT-TO-LEFT MARK|2002 EN SPACE|2003 EM SPACE|2009 THIN SPACE|"
    "202F NARROW NO-BREAK SPACE|FEFF ZERO WIDTH NO-BREAK SPACE|FFFD REPLACEMENT CHARACTER|"
    "3000 IDEOGRAPHIC SPACE|2044 FRACTION SLASH|20AC EURO SIGN|20BD RUBLE SIGN|"
    "20B9 INDIAN RUPEE SIGN|2116 NUMERO SIGN|2122 TRADE MARK SIGN|2126 OHM SIGN|"
    "212B ANGSTROM SIGN|2190 LEFTWARDS ARROW|2191 UPWARDS ARROW|2192 RIGHTWARDS ARROW|"
    "2193 DOWNWARDS ARROW|2194 LEFT RIGHT ARROW|21D0 LEFTWARDS DOUBLE ARROW|"
    "21D2 RIGHTWARDS DOUBLE ARROW|21D4 LEFT RIGHT DOUBLE ARROW|2200 FOR ALL|"
    "2202 PARTIAL DIFFERENTIAL|2203 THERE EXISTS|2205 EMPTY SET|2206 INCREMENT|2207 NABLA|"
    "2208 ELEMENT OF|2209 NOT AN ELEMENT OF|220F N-ARY PRODUCT|2211 N-ARY SUMMATION|"
    "2212 MINUS SIGN|2213 MINUS-OR-PLUS SIGN|2218 RING OPERATOR|221A SQUARE ROOT|221E INFINITY|"
    "2227 LOGICAL AND|2228 LOGICAL OR|2229 INTERSECTION|222A UNION|222B INTEGRAL|"
    "2248 ALMOST EQUAL TO|2260 NOT EQUAL TO|2261 IDENTICAL TO|2264 LESS-THAN OR EQUAL TO|"
    "2265 GREATER-THAN OR EQUAL TO|2282 SUBSET OF|2286 SUBSET OF OR EQUAL TO|22C5 DOT OPERATOR|"
    "2500 BOX DRAWINGS LIGHT HORIZONTAL|2502 BOX DRAWINGS LIGHT VERTICAL|"
    "250C BOX DRAWINGS LIGHT DOWN AND RIGHT|2510 BOX DRAWINGS LIGHT DOWN AND LEFT|"
    "2514 BOX DRAWINGS LIGHT UP AND RIGHT|2518 BOX DRAWINGS LIGHT UP AND LEFT|2588 FULL BLOCK|"
    "2591 LIGHT SHADE|25A0 BLACK SQUARE|25A1 WHITE SQUARE|25B2 BLACK UP-POINTING TRIANGLE|"
    "25B6 BLACK RIGHT-POINTING TRIANGLE|25BC BLACK DOWN-POINTING TRIANGLE|25C6 BLACK DIAMOND|"
    "25CB WHITE CIRCLE|25CF BLACK CIRCLE|2605 BLACK STAR|2606 WHITE STAR|2603 SNOWMAN|"
    "2600 BLACK SUN WITH RAYS|2601 CLOUD|260E BLACK TELEPHONE|2620 SKULL AND CROSSBONES|"
    "263A WHITE SMILING FACE|2639 WHITE FROWNING FACE|2660 BLACK SPADE SUIT|"
    "2663 BLACK CLUB SUIT|2665 BLACK HEART SUIT|2666 BLACK DIAMOND SUIT|266A EIGHTH NOTE|"
    "266B BEAMED EIGHTH NOTES|2713 CHECK MARK|2714 HEAVY CHECK MARK|2717 BALLOT X|"
    "2764 HEAVY BLACK HEART|1F389 PARTY POPPER|1F40D SNAKE|1F44D THUMBS UP SIGN|"
    "1F496 SPARKLING HEART|1F4A9 PILE OF POO|1F600 GRINNING FACE|"
    "1F601 GRINNING FACE WITH SMILING EYES|1F602 FACE WITH TEARS OF JOY|"
    "1F604 SMILING FACE WITH OPEN MOUTH AND SMILING EYES|1F609 WINKING FACE|"
    "1F60A SMILING FACE WITH SMILING EYES|1F60D SMILING FACE WITH HEART-SHAPED EYES|"
    "1F60E SMILING FACE WITH SUNGLASSES|1F622 CRYING FACE|1F62D LOUDLY CRYING FACE|"
    "1F680 ROCKET|1F914 THINKING FACE|1F525 FIRE|1F308 RAINBOW|300 COMBINING GRAVE ACCENT|"
    "301 COMBINING ACUTE ACCENT|302 COMBINING CIRCUMFLEX ACCENT|303 COMBINING TILDE|"
    "308 COMBINING DIAERESIS|327 COMBINING CEDILLA|";
// In the order of the code points from alpha and a on; capitals lie 32 before them.
constexpr std::string_view kGreek =
    "ALPHA|BETA|GAMMA|DELTA|EPSILON|ZETA|ETA|THETA|IOTA|KAPPA|LAMDA|MU|NU|XI|OMICRON|PI|RHO|"
    "FINAL SIGMA|SIGMA|TAU|UPSILON|PHI|CHI|PSI|OMEGA|";
constexpr std::string_view kCyrillic =
    "A|BE|VE|GHE|DE|IE|ZHE|ZE|I|SHORT I|KA|EL|EM|EN|O|PE|ER|ES|TE|U|EF|HA|TSE|CHE|SHA|SHCHA|"
    "HARD SIGN|YERU|SOFT SIGN|E|YU|YA|";
constexpr uint32_t kAlpha = 0x3B1, kCyrillicA = 0x430;

struct Mark {
  std::string_view name;
  uint32_t code;
};
constexpr Mark kMarks[] = {{"GRAVE", 0x300},      {"ACUTE", 0x301},        {"CIRCUMFLEX", 0x302},
                           {"TILDE", 0x303},      {"MACRON", 0x304},       {"BREVE", 0x306},
                           {"DOT ABOVE", 0x307},  {"DIAERESIS", 0x308},    {"HOOK ABOVE", 0x309},
                           {"RING ABOVE", 0x30A}, {"DOUBLE ACUTE", 0x30B}, {"CARON", 0x30C},
                           {"DOT BELOW", 0x323},  {"CEDILLA", 0x327},      {"OGONEK", 0x328}};

bool Take(std::string_view* name, std::string_view start) {
  if (!name->starts_with(start)) return false;
  name->remove_prefix(start.size());
  return true;
}

// The place of the name among those that `|` ends; -1: nowhere.
int PlaceOf(std::string_view list, std::string_view name) {
  for (int place = 0; !list.empty(); ++place) {
    const size_t end = list.find('|');
    if (list.substr(0, end) == name) return place;
    list.remove_prefix(end + 1);
  }
  return -1;
}

uint32_t Single(std::string_view name) {
  for (std::string_view list = kSingle; !list.empty();) {
    const std::string_view row = list.substr(0, list.find('|'));
    const size_t space = row.find(' ');
    if (row.substr(space + 1) == name)
      return static_cast<uint32_t>(std::strtoul(row.data(), nullptr, 16));
    list.remove_prefix(row.size() + 1);
  }
  return 0;
}

uint32_t Composed(uint32_t letter, std::string_view mark) {
  for (const Mark& one : kMarks) {
    if (one.name != mark) continue;
    std::array<utf8proc_int32_t, 2> pair = {static_cast<utf8proc_int32_t>(letter),
                                            static_cast<utf8proc_int32_t>(one.code)};
    const auto left = utf8proc_normalize_utf32(
        pair.data(), 2, static_cast<utf8proc_option_t>(UTF8PROC_COMPOSE | UTF8PROC_STABLE));
    return left == 1 ? static_cast<uint32_t>(pair[0]) : 0;
  }
  return 0;
}

uint32_t Latin(std::string_view name, bool small) {
  const std::string_view letter = name.substr(0, 1);
  if (letter.empty() || letter[0] < 'A' || letter[0] > 'Z') return 0;
  const auto code = static_cast<uint32_t>(letter[0] + (small ? 32 : 0));
  name.remove_prefix(1);
  if (name.empty()) return code;
  return Take(&name, " WITH ") ? Composed(code, name) : 0;
}

uint32_t Letter(std::string_view list, uint32_t first, std::string_view name, bool small) {
  const int place = PlaceOf(list, name);
  return place < 0 ? 0 : first + static_cast<uint32_t>(place) - (small ? 0 : 32);
}

}  // namespace

uint32_t NamedCharacter(std::string_view given) {
  std::string upper;
  for (char c : given) upper.push_back(c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c);
  std::string_view name = upper;
  if (const uint32_t found = Single(name); found != 0) return found;
  const auto letter = [&](std::string_view script, bool* small) {
    if (!Take(&name, script)) return false;
    *small = Take(&name, " SMALL LETTER ");
    return *small || Take(&name, " CAPITAL LETTER ");
  };
  bool small;
  if (letter("LATIN", &small)) return Latin(name, small);
  if (letter("GREEK", &small)) return Letter(kGreek, kAlpha, name, small);
  if (letter("CYRILLIC", &small)) return Letter(kCyrillic, kCyrillicA, name, small);
  return 0;
}

}  // namespace ferry::vm
