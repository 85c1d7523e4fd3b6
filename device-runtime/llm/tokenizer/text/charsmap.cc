#include "device-runtime/llm/tokenizer/text/charsmap.h"

#include "common/base/bytes.h"
#include "device-runtime/llm/tokenizer/text/utf8.h"

namespace ferry::llm {
namespace {

bool HasLeaf(uint32_t unit) {
  return (unit >> 8 & 1) == 1;
}

// What a byte must be for the unit to be its own; no byte for a leaf.
uint32_t LabelOf(uint32_t unit) {
  return unit & (uint32_t{1} << 31 | 0xff);
}

uint32_t OffsetOf(uint32_t unit) {
  return unit >> 10 << ((unit & uint32_t{1} << 9) >> 6);
}

}  // namespace

uint32_t Charsmap::Unit(uint64_t at) const {
  // Outside: a unit that is no byte's.
  if (at >= units_) return uint32_t{1} << 31;
  return GetU32(reinterpret_cast<const uint8_t*>(blob_.data()) + 4 + 4 * at);
}

Charsmap::Match Charsmap::Longest(std::string_view text) const {
  Match match;
  uint64_t node = OffsetOf(Unit(0));
  for (size_t i = 0; i < text.size() && i < kMaxCharsmapKey; ++i) {
    const auto byte = static_cast<uint8_t>(text[i]);
    node ^= byte;
    const uint32_t unit = Unit(node);
    if (LabelOf(unit) != byte) break;
    node ^= OffsetOf(unit);
    if (!HasLeaf(unit)) continue;
    const size_t at = Unit(node) & ~(uint32_t{1} << 31);
    if (at >= blob_.size() - values_) continue;
    const std::string_view rest = std::string_view(blob_).substr(values_ + at);
    match = {i + 1, rest.substr(0, rest.find('\0'))};
  }
  return match;
}

Result<Charsmap> Charsmap::Create(std::string blob) {
  if (blob.size() > kMaxCharsmapBytes) {
    return Status::Of(Code::kLimitExceeded, "a normalization of {} bytes, at most {}", blob.size(),
                      kMaxCharsmapBytes);
  }
  Charsmap map;
  const auto* bytes = reinterpret_cast<const uint8_t*>(blob.data());
  const size_t trie = blob.size() < 4 ? 0 : GetU32(bytes);
  if (trie == 0 || trie % 4 != 0 || trie > blob.size() - 4) {
    return Status::Of(Code::kMalformed, "a normalization of {} bytes holds no table of {}",
                      blob.size(), trie);
  }
  map.blob_ = std::move(blob);
  map.units_ = trie / 4;
  map.values_ = 4 + trie;
  if (ValidUtf8Prefix(std::string_view(map.blob_).substr(map.values_)) !=
      map.blob_.size() - map.values_) {
    return Status(Code::kMalformed, "a normalization makes text that is no UTF-8");
  }
  for (int first = 0; first < 128; ++first) {
    char pair[2] = {static_cast<char>(first), 0};
    map.plain_[first] = map.Longest(std::string_view(pair, 1)).length == 0;
    for (int second = 0; second < 128 && map.plain_[first]; ++second) {
      pair[1] = static_cast<char>(second);
      map.plain_[first] = map.Longest(std::string_view(pair, 2)).length == 0;
    }
  }
  return map;
}

bool Charsmap::Append(std::string_view text, std::string& out) const {
  bool changed = false;
  size_t plain = 0;  // start of text not yet copied
  for (size_t at = 0; at < text.size();) {
    const auto byte = static_cast<uint8_t>(text[at]);
    const bool before_ascii = at + 1 == text.size() || static_cast<uint8_t>(text[at + 1]) < 0x80;
    if (byte < 0x80 && before_ascii && plain_[byte]) {
      ++at;
      continue;
    }
    // A key that ends inside a character would break it.
    const Match match = Longest(text.substr(at));
    const size_t end = at + match.length;
    const bool whole = end == text.size() || (static_cast<uint8_t>(text[end]) & 0xc0) != 0x80;
    if (match.length == 0 || !whole) {
      at += NextUtf8(text, at).length;
      continue;
    }
    out.append(text.substr(plain, at - plain));
    out.append(match.value);
    changed = true;
    plain = at = end;
  }
  if (changed) out.append(text.substr(plain));
  return changed;
}

}  // namespace ferry::llm
