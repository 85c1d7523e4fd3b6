#include "device-runtime/llm/tokenizer/text/utf8.h"

#include <cstring>

namespace ferry::llm {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";

// Whether eight bytes from `at` are all ASCII.
bool EightAscii(const char* at) {
  uint64_t word;
  std::memcpy(&word, at, sizeof(word));
  return (word & 0x8080808080808080u) == 0;
}

}  // namespace

Utf8Step NextUtf8(std::string_view text, size_t at) {
  const uint8_t lead = static_cast<uint8_t>(text[at]);
  if (lead < 0x80) return {Utf8Step::kValid, 1, lead};
  if (lead < 0xc2 || lead > 0xf4) return {Utf8Step::kBroken, 1, 0};
  const int wanted = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  char32_t point = lead & (0xff >> (wanted + 1));
  for (int i = 1; i < wanted; ++i) {
    if (at + i == text.size()) return {Utf8Step::kCut, static_cast<uint8_t>(i), 0};
    const uint8_t byte = static_cast<uint8_t>(text[at + i]);
    uint8_t low = 0x80;
    uint8_t high = 0xbf;
    if (i == 1) {  // no longer form than needed, no surrogates, nothing above U+10FFFF
      if (lead == 0xe0) low = 0xa0;
      if (lead == 0xed) high = 0x9f;
      if (lead == 0xf0) low = 0x90;
      if (lead == 0xf4) high = 0x8f;
    }
    if (byte < low || byte > high) return {Utf8Step::kBroken, static_cast<uint8_t>(i), 0};
    point = point << 6 | (byte & 0x3f);
  }
  return {Utf8Step::kValid, static_cast<uint8_t>(wanted), point};
}

void AppendUtf8(char32_t point, std::string& out) {
  if (point < 0x80) {
    out += static_cast<char>(point);
  } else if (point < 0x800) {
    out += static_cast<char>(0xc0 | point >> 6);
    out += static_cast<char>(0x80 | (point & 0x3f));
  } else if (point < 0x10000) {
    out += static_cast<char>(0xe0 | point >> 12);
    out += static_cast<char>(0x80 | (point >> 6 & 0x3f));
    out += static_cast<char>(0x80 | (point & 0x3f));
  } else {
    out += static_cast<char>(0xf0 | point >> 18);
    out += static_cast<char>(0x80 | (point >> 12 & 0x3f));
    out += static_cast<char>(0x80 | (point >> 6 & 0x3f));
    out += static_cast<char>(0x80 | (point & 0x3f));
  }
}

size_t ValidUtf8Prefix(std::string_view text) {
  size_t at = 0;
  while (at < text.size()) {
    if (at + 8 <= text.size() && EightAscii(text.data() + at)) {
      at += 8;
      continue;
    }
    const Utf8Step step = NextUtf8(text, at);
    if (step.state != Utf8Step::kValid) return at;
    at += step.length;
  }
  return at;
}

size_t AppendRepairedUtf8(std::string_view text, bool keep_cut, std::string& out) {
  while (!text.empty()) {
    const size_t valid = ValidUtf8Prefix(text);
    out.append(text.substr(0, valid));
    if (valid == text.size()) return 0;
    const Utf8Step step = NextUtf8(text, valid);
    if (step.state == Utf8Step::kCut && keep_cut) return step.length;
    out.append(kReplacement);
    text.remove_prefix(valid + step.length);
  }
  return 0;
}

}  // namespace ferry::llm
