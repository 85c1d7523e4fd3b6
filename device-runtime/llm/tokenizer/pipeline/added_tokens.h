// Tokens that are found in the text before anything else ("<|im_end|>"). Source: the behaviour of
// Hugging Face's tokenizers library.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "device-runtime/llm/tokenizer/tokenizer.h"

namespace ferry::llm {

inline constexpr size_t kMaxAddedTokenBytes = 512;

struct AddedToken {
  TokenId id = 0;
  std::string content;
  bool special = false;
  bool left_strip = false;   // takes the white space before it with it
  bool right_strip = false;  // and after it
  bool single_word = false;  // not inside a word
  bool normalized = false;   // looked for in the normalized text, in its own normalized form
};

// Finds tokens in a text: the leftmost, and of those the longest. Immutable; any thread.
class AddedTokenFinder {
 public:
  AddedTokenFinder() = default;
  // Entries point at tokens of `tokens`, which must outlive the finder; `texts[i]` is what
  // `tokens[which[i]]` looks like.
  AddedTokenFinder(const std::vector<AddedToken>& tokens, const std::vector<size_t>& which,
                   const std::vector<std::string>& texts);

  struct Part {
    const AddedToken* token;  // null: text between tokens
    std::string_view text;    // may be empty only for a token
  };
  // Calls emit(Part) -> Status for tokens and the text between them, from left to right. Special
  // tokens stay text with kAsText.
  template <typename Emit>
  Status ForEach(std::string_view text, Specials specials, Emit emit) const {
    size_t done = 0;
    for (Match match; Next(text, match);) {
      if (!Counts(text, match, specials)) continue;
      const size_t begin = StripLeft(text, match, done);
      const size_t end = StripRight(text, match);
      if (done < begin) FERRY_TRY(emit(Part{nullptr, text.substr(done, begin - done)}));
      FERRY_TRY(emit(Part{match.token, text.substr(begin, end - begin)}));
      done = end;
      match.end = std::max(match.end, end);
    }
    return done < text.size() ? emit(Part{nullptr, text.substr(done)}) : OkStatus();
  }

 private:
  struct Match {
    const AddedToken* token = nullptr;
    size_t begin = 0;
    size_t end = 0;  // where the next search begins
  };
  struct Node {
    std::vector<std::pair<uint8_t, uint32_t>> children;  // sorted
    const AddedToken* token = nullptr;
  };

  bool Next(std::string_view text, Match& match) const;
  static bool Counts(std::string_view text, const Match& match, Specials specials);
  static size_t StripLeft(std::string_view text, const Match& match, size_t done);
  static size_t StripRight(std::string_view text, const Match& match);

  std::vector<Node> nodes_;  // a trie over bytes; nodes_[0] is its root
  bool starts_[256] = {};
};

}  // namespace ferry::llm
