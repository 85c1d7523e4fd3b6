#include "device-runtime/llm/tokenizer/pipeline/cutter.h"

#include "device-runtime/llm/tokenizer/text/split.h"
#include "device-runtime/llm/tokenizer/text/utf8.h"

namespace ferry::llm {
namespace {

constexpr size_t kNeighbourBits = 1 << 20;
constexpr size_t kLongPart = 48;  // bytes; from here on any place will do

size_t BitOf(char32_t left, char32_t right) {
  const uint64_t hash = (uint64_t{left} << 32 | right) * 0x9e3779b97f4a7c15u;
  return hash >> 44 & (kNeighbourBits - 1);
}

size_t CharacterBefore(std::string_view text, size_t at) {
  do {
    --at;
  } while (at > 0 && (static_cast<uint8_t>(text[at]) & 0xc0) == 0x80);
  return at;
}

}  // namespace

Cutter::Cutter(const Vocabulary& vocabulary, bool keep_unknown) : keep_unknown_(keep_unknown) {
  neighbours_.assign(kNeighbourBits / 64, 0);
  for (uint32_t id = 0; id < vocabulary.size(); ++id) {
    if (vocabulary.kind(id) != Token::kMatched) continue;
    const std::string_view text = vocabulary.text(id);
    if (ValidUtf8Prefix(text) != text.size()) continue;  // no text holds it
    char32_t left = 0;
    for (size_t at = 0; at < text.size();) {
      const Utf8Step step = NextUtf8(text, at);
      if (at > 0) {
        const size_t bit = BitOf(left, step.point);
        neighbours_[bit / 64] |= uint64_t{1} << bit % 64;
      }
      left = step.point;
      at += step.length;
    }
  }
}

bool Cutter::MayCut(std::string_view piece, size_t at, const Vocabulary& vocabulary) const {
  const size_t before = CharacterBefore(piece, at);
  const Utf8Step left = NextUtf8(piece, before);
  const Utf8Step right = NextUtf8(piece, at);
  const size_t bit = BitOf(left.point, right.point);
  if ((neighbours_[bit / 64] >> bit % 64 & 1) != 0) return false;
  if (!keep_unknown_) return true;
  return vocabulary.Find(piece.substr(before, left.length)) != kNoToken ||
         vocabulary.Find(piece.substr(at, right.length)) != kNoToken;
}

size_t Cutter::FirstPart(std::string_view piece, const Vocabulary& vocabulary) const {
  if (neighbours_.empty()) return piece.size();
  // Looking further for a mark would read a long text again for each of its parts.
  const std::string_view head = piece.substr(0, kLongPart);
  for (size_t at = head.find(kSpaceMark, 1); at != std::string_view::npos;
       at = head.find(kSpaceMark, at + 1)) {
    if (MayCut(piece, at, vocabulary)) return at;
  }
  for (size_t at = kLongPart; at < piece.size(); ++at) {
    const bool begins = (static_cast<uint8_t>(piece[at]) & 0xc0) != 0x80;
    if (begins && MayCut(piece, at, vocabulary)) return at;
  }
  return piece.size();
}

}  // namespace ferry::llm
