// UTF-8 forwards, one character at a time, and its repair. Source: Unicode 15, chapter 3.9 (table
// 3-7; "substitution of maximal subparts", which the WHATWG decoder follows too).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ferry::llm {

struct Utf8Step {
  enum State : uint8_t {
    kValid,
    kBroken,  // `length` bytes are the maximal subpart of no character: one U+FFFD
    kCut,     // all bytes so far begin a character, and the text ends
  };
  State state;
  uint8_t length;  // bytes, at least 1
  char32_t point;  // of kValid
};

// What stands at `at` < text.size().
Utf8Step NextUtf8(std::string_view text, size_t at);
void AppendUtf8(char32_t point, std::string& out);
// Length of the longest valid prefix: text.size() when all is well.
size_t ValidUtf8Prefix(std::string_view text);
// Appends `text` with U+FFFD for each broken part. With `keep_cut`, a character that the end of the
// text cuts is left out; returns how many bytes that is, 0 without `keep_cut`.
size_t AppendRepairedUtf8(std::string_view text, bool keep_cut, std::string& out);

}  // namespace ferry::llm
