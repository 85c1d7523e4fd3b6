// UTF-8 helpers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ferry::vm {

size_t CodePoints(std::string_view utf8);
bool IsUtf8(std::string_view bytes);
// The same, but lone surrogates in three bytes may stand in it, as in strings of scripts.
bool IsText(std::string_view bytes);
std::string RepairUtf8(std::string_view bytes);  // U+FFFD for what is wrong
// The byte offset of code point `index` (<= length).
size_t Utf8Offset(std::string_view utf8, size_t index);
// Decodes one code point at *at and moves on.
uint32_t Utf8Next(std::string_view utf8, size_t* at);
inline size_t Utf8Size(char lead) {
  const auto c = static_cast<unsigned char>(lead);
  return c < 0x80 ? 1 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : 4;
}
bool IsSpace(uint32_t c);
// Quoted as Python's repr does; `ascii`: as ascii() does.
void AppendQuoted(std::string_view utf8, bool ascii, std::string* out);
// Shortest text that reads back as the same double, in Python's form.
std::string FloatRepr(double d);

struct Vm;
class Value;

// ---- repr.cc ----
// ascii(): repr(v) with escapes for what is not ASCII.
bool AsciiRepr(Vm& vm, Value v, std::string* out);

}  // namespace ferry::vm
