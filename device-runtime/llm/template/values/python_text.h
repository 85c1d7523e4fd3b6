// What Python's str does, on UTF-8.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ferry::llm::jinja {

// str.isspace of one character.
bool IsPythonSpace(char32_t point);
// Without white space, or the characters of `chars` (null: white space), at the ends asked for.
std::string_view Strip(std::string_view text, const std::string* chars, bool left, bool right);
std::string Upper(std::string_view text);
std::string Lower(std::string_view text);
std::string Title(std::string_view text);
std::string Capitalized(std::string_view text);
// Characters, not bytes.
size_t Length(std::string_view text);
// Byte offset of character `index`, text.size() behind the end.
size_t OffsetOf(std::string_view text, size_t index);
// `old` -> `fresh`, at most `count` times (negative: all). `old` is not empty.
std::string Replaced(std::string_view text, std::string_view old, std::string_view fresh,
                     int64_t count);
// How often `part`, not empty, is in the text, without overlaps.
size_t Occurrences(std::string_view text, std::string_view part);

}  // namespace ferry::llm::jinja
