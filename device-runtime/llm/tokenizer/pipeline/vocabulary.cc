#include "device-runtime/llm/tokenizer/pipeline/vocabulary.h"

#include <bit>
#include <cstring>

namespace ferry::llm {

uint64_t HashBytes(std::string_view bytes) {
  uint64_t hash = bytes.size() * 0x9e3779b97f4a7c15u;
  const auto mix = [&hash](uint64_t word) {
    hash = (hash ^ word) * 0xff51afd7ed558ccdu;
    hash ^= hash >> 32;
  };
  while (bytes.size() >= 8) {
    uint64_t word;
    std::memcpy(&word, bytes.data(), 8);
    mix(word);
    bytes.remove_prefix(8);
  }
  uint64_t word = 0;
  for (const char c : bytes) word = word << 8 | static_cast<uint8_t>(c);
  mix(word);
  return hash * 0xc4ceb9fe1a85ec53u;
}

Result<Vocabulary> Vocabulary::Create(const std::vector<Token>& tokens) {
  if (tokens.size() > static_cast<size_t>(kMaxVocabulary)) {
    return Status::Of(Code::kLimitExceeded, "a vocabulary of {} ids, at most {}", tokens.size(),
                      kMaxVocabulary);
  }
  Vocabulary vocabulary;
  vocabulary.slots_.assign(std::bit_ceil(2 * tokens.size() + 2), kNoToken);
  vocabulary.ends_.push_back(0);
  size_t bytes = 0;
  for (const Token& token : tokens) bytes += token.text.size();
  if (bytes > UINT32_MAX) return Status(Code::kLimitExceeded, "a vocabulary of over 4 GiB");
  vocabulary.block_.reserve(bytes);
  for (size_t id = 0; id < tokens.size(); ++id) {
    const Token& token = tokens[id];
    if (token.text.size() > kMaxTokenBytes) {
      return Status::Of(Code::kLimitExceeded, "token {} has {} bytes, at most {}", id,
                        token.text.size(), kMaxTokenBytes);
    }
    vocabulary.block_ += token.text;
    vocabulary.ends_.push_back(static_cast<uint32_t>(vocabulary.block_.size()));
    vocabulary.kinds_.push_back(token.kind);
  }
  for (size_t id = 0; id < tokens.size(); ++id) {
    if (tokens[id].kind != Token::kMatched) continue;
    if (tokens[id].text.empty()) {
      return Status::Of(Code::kMalformed, "token {} stands for no bytes", id);
    }
    uint32_t& slot = vocabulary.slots_[vocabulary.SlotOf(tokens[id].text)];
    if (slot != kNoToken) {
      return Status::Of(Code::kMalformed, "tokens {} and {} stand for the same bytes", slot, id);
    }
    slot = static_cast<uint32_t>(id);
  }
  return vocabulary;
}

size_t Vocabulary::SlotOf(std::string_view bytes) const {
  const size_t mask = slots_.size() - 1;
  size_t slot = HashBytes(bytes) >> 20 & mask;
  while (slots_[slot] != kNoToken && text(slots_[slot]) != bytes) slot = (slot + 1) & mask;
  return slot;
}

uint32_t Vocabulary::Find(std::string_view bytes) const {
  return slots_.empty() ? kNoToken : slots_[SlotOf(bytes)];
}

}  // namespace ferry::llm
