#include <algorithm>
#include <iterator>

#include "device-runtime/llm/tokenizer/pipeline/parts.h"

namespace ferry::llm {
namespace {

constexpr std::string_view kHexDigits = "0123456789ABCDEF";
constexpr std::string_view kWithoutSpace[] = {" .",   " ?",  " !",  " ,",   " ' ",
                                              " n't", " 'm", " 's", " 've", " 're"};

// A word's own piece: a space before it, but where that is cleaned up.
std::string SpacedPiece(std::string_view text, bool clean_up) {
  std::string spaced = " " + std::string(text);
  if (!clean_up) return spaced;
  if (spaced == " do not") return " don't";
  const bool joined = std::any_of(std::begin(kWithoutSpace), std::end(kWithoutSpace),
                                  [&](std::string_view form) { return spaced == form; });
  return joined ? spaced.substr(1) : spaced;
}

}  // namespace

int ByteOfToken(std::string_view text) {
  if (text.size() != 6 || !text.starts_with("<0x") || text[5] != '>') return -1;
  const size_t high = kHexDigits.find(text[3]);
  const size_t low = kHexDigits.find(text[4]);
  if (high == std::string_view::npos || low == std::string_view::npos) return -1;
  return static_cast<int>(16 * high + low);
}

std::string ShownText(const Token& token, const ShownAs& shown) {
  std::string text = token.text;
  switch (shown.style) {
    case ShownAs::kAsIs:
      break;
    case ShownAs::kSpaceMarks:
      if (const int byte = shown.bytes ? ByteOfToken(text) : -1; byte >= 0) {
        return std::string(1, static_cast<char>(byte));
      }
      for (size_t at = text.find(kSpaceMark); at != std::string::npos;
           at = text.find(kSpaceMark, at)) {
        text.replace(at, kSpaceMark.size(), " ");
      }
      break;
    case ShownAs::kWordPieces:
      if (token.kind == Token::kAbsent) break;
      if (!shown.affix.empty() && text.starts_with(shown.affix)) {
        return text.substr(shown.affix.size());
      }
      return SpacedPiece(text, shown.clean_up);
    case ShownAs::kWordEnds:
      if (!shown.affix.empty() && text.ends_with(shown.affix)) {
        text.resize(text.size() - shown.affix.size());
        text += ' ';
      }
      break;
  }
  return text;
}

}  // namespace ferry::llm
