// Properties of code points, by Python's names for them. Source: the Unicode character database as
// utf8proc holds it; what utf8proc lacks (numeric types, identifiers' exceptions) stands in tables.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ferry::vm {

bool IsAlpha(uint32_t c);      // categories L*
bool IsDecimal(uint32_t c);    // Nd
bool IsDigit(uint32_t c);      // Nd and digits that form no decimal numbers: superscripts ...
bool IsNumeric(uint32_t c);    // anything with a numeric value
bool IsLower(uint32_t c);      // property Lowercase
bool IsUpper(uint32_t c);      // property Uppercase
bool IsTitle(uint32_t c);      // category Lt
bool IsPrintable(uint32_t c);  // what repr shows as it is
bool IsIdentifierStart(uint32_t c);
bool IsIdentifierPart(uint32_t c);
bool IsCased(uint32_t c);
bool IsCaseIgnorable(uint32_t c);
// The value of a decimal digit, or -1.
int DecimalValue(uint32_t c);

// Mappings of one code point to one: what re's IGNORECASE uses.
uint32_t SimpleLower(uint32_t c);
uint32_t SimpleUpper(uint32_t c);

inline constexpr int kMaxCaseExpansion = 4;
// Full mappings, to at most kMaxCaseExpansion code points; they give how many.
int FullLower(uint32_t c, uint32_t* out);  // of capital sigma the form inside a word
int FullUpper(uint32_t c, uint32_t* out);
int FullTitle(uint32_t c, uint32_t* out);
int FullFold(uint32_t c, uint32_t* out);

inline bool IsAscii(std::string_view text) {
  for (char c : text)
    if (static_cast<unsigned char>(c) >= 0x80) return false;
  return true;
}
// The text with ASCII digits and blanks in place of Unicode's; other characters stay.
std::string AsciiDigits(std::string_view text);

// The text in normal form KC, as names are compared. Of what is no UTF-8: the text as it is.
std::string Composed(std::string_view text);

}  // namespace ferry::vm
