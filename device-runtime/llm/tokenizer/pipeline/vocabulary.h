// Tokens by id and by bytes: one block of text and an open hash table over it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "device-runtime/llm/tokenizer/bpe/merges.h"
#include "device-runtime/llm/tokenizer/pipeline/parts.h"

namespace ferry::llm {

// Immutable once created.
class Vocabulary {
 public:
  Vocabulary() = default;
  // kMalformed when two kMatched tokens have the same bytes or one has none; kLimitExceeded.
  static Result<Vocabulary> Create(const std::vector<Token>& tokens);

  size_t size() const { return kinds_.size(); }
  Token::Kind kind(uint32_t id) const { return static_cast<Token::Kind>(kinds_[id]); }
  std::string_view text(uint32_t id) const {
    return std::string_view(block_).substr(ends_[id], ends_[id + 1] - ends_[id]);
  }
  // The kMatched token of `bytes`, or kNoToken.
  uint32_t Find(std::string_view bytes) const;

 private:
  size_t SlotOf(std::string_view bytes) const;

  std::string block_;
  std::vector<uint32_t> ends_;  // of the text before: text i is [ends_[i], ends_[i + 1])
  std::vector<uint8_t> kinds_;
  std::vector<uint32_t> slots_;  // ids; a power of two of them, at most half full
};

// A hash of bytes, for tables of one process.
uint64_t HashBytes(std::string_view bytes);

}  // namespace ferry::llm
