// What a byte-level BPE tokenizer is made of, however it was written down.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "device-runtime/llm/tokenizer/added_tokens.h"
#include "device-runtime/llm/tokenizer/text/split.h"

namespace ferry::llm {

inline constexpr size_t kMaxTokenBytes = 16 << 10;
inline constexpr size_t kMaxMerges = 1 << 21;
inline constexpr size_t kMaxAddedTokens = 1 << 16;

struct BpeToken {
  enum Kind : uint8_t {
    kAbsent = 0,  // the id stands for nothing
    kBytes = 1,   // `text` is the bytes themselves: merges can reach it
    kPlain = 2,   // written outside of the byte alphabet: only decoded
  };
  Kind kind = kAbsent;
  std::string text;
};

struct BpeParts {
  bool nfc = false;
  bool whole_pieces = false;  // a piece that is a token is that token, whatever the merges say
  std::vector<SplitStep> steps;
  std::vector<BpeToken> tokens;                       // by id
  std::vector<std::pair<uint32_t, uint32_t>> merges;  // pairs of kBytes ids, first merge first
  std::vector<AddedToken> added;                      // by id, ascending
};

}  // namespace ferry::llm
