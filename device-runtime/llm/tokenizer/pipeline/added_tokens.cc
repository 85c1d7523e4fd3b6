#include "device-runtime/llm/tokenizer/pipeline/added_tokens.h"

#include <utf8proc.h>

#include <algorithm>

#include "device-runtime/llm/tokenizer/text/utf8.h"

namespace ferry::llm {
namespace {

bool IsSpace(char32_t point) {
  if ((point >= 0x09 && point <= 0x0d) || point == 0x20 || point == 0x85) return true;
  const utf8proc_category_t category = utf8proc_category(static_cast<utf8proc_int32_t>(point));
  return category == UTF8PROC_CATEGORY_ZS || category == UTF8PROC_CATEGORY_ZL ||
         category == UTF8PROC_CATEGORY_ZP;
}

// \w of Unicode Technical Standard 18 but for the join controls and the rare other alphabetics.
bool IsWord(char32_t point) {
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(point))) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_PC:
      return true;
    default:
      return false;
  }
}

// Where the character before `at` > 0 begins.
size_t Before(std::string_view text, size_t at) {
  do {
    --at;
  } while (at > 0 && (static_cast<uint8_t>(text[at]) & 0xc0) == 0x80);
  return at;
}

char32_t PointAt(std::string_view text, size_t at) {
  return NextUtf8(text, at).point;
}

auto LowerBound(const std::vector<std::pair<uint8_t, uint32_t>>& children, uint8_t byte) {
  return std::lower_bound(children.begin(), children.end(), std::pair<uint8_t, uint32_t>{byte, 0});
}

}  // namespace

AddedTokenFinder::AddedTokenFinder(const std::vector<AddedToken>& tokens,
                                   const std::vector<size_t>& which,
                                   const std::vector<std::string>& texts)
    : nodes_(1) {
  for (size_t i = 0; i < which.size(); ++i) {
    uint32_t node = 0;
    for (const char c : texts[i]) {
      const uint8_t byte = static_cast<uint8_t>(c);
      const auto found = LowerBound(nodes_[node].children, byte);
      if (found != nodes_[node].children.end() && found->first == byte) {
        node = found->second;
        continue;
      }
      const uint32_t fresh = static_cast<uint32_t>(nodes_.size());
      nodes_[node].children.insert(found, {byte, fresh});
      nodes_.emplace_back();
      node = fresh;
    }
    if (node == 0) continue;
    starts_[static_cast<uint8_t>(texts[i][0])] = true;
    if (nodes_[node].token == nullptr) nodes_[node].token = &tokens[which[i]];
  }
}

bool AddedTokenFinder::Next(std::string_view text, Match& match) const {
  if (nodes_.size() < 2) return false;
  for (size_t begin = match.end; begin < text.size(); ++begin) {
    if (!starts_[static_cast<uint8_t>(text[begin])]) continue;
    const AddedToken* longest = nullptr;
    size_t end = begin;
    uint32_t node = 0;
    for (size_t at = begin; at < text.size(); ++at) {
      const uint8_t byte = static_cast<uint8_t>(text[at]);
      const auto found = LowerBound(nodes_[node].children, byte);
      if (found == nodes_[node].children.end() || found->first != byte) break;
      node = found->second;
      if (nodes_[node].token != nullptr) {
        longest = nodes_[node].token;
        end = at + 1;
      }
    }
    if (longest != nullptr) {
      match = {longest, begin, end};
      return true;
    }
  }
  return false;
}

bool AddedTokenFinder::Counts(std::string_view text, const Match& match, Specials specials) {
  if (match.token->special && specials == Specials::kAsText) return false;
  if (!match.token->single_word) return true;
  const bool word_before = match.begin > 0 && IsWord(PointAt(text, Before(text, match.begin)));
  return !word_before && !(match.end < text.size() && IsWord(PointAt(text, match.end)));
}

size_t AddedTokenFinder::StripLeft(std::string_view text, const Match& match, size_t done) {
  size_t begin = match.begin;
  while (match.token->left_strip && begin > done) {
    const size_t before = Before(text, begin);
    if (!IsSpace(PointAt(text, before))) break;
    begin = before;
  }
  return begin;
}

size_t AddedTokenFinder::StripRight(std::string_view text, const Match& match) {
  size_t end = match.end;
  while (match.token->right_strip && end < text.size() && IsSpace(PointAt(text, end))) {
    end += NextUtf8(text, end).length;
  }
  return end;
}

}  // namespace ferry::llm
