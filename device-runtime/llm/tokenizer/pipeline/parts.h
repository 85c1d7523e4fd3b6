// What every tokenizer is made of, however it was written down: how a text is normalized and cut,
// its tokens, and what they show when ids become text again. A PieceModel (model.h) has the rest.
#pragma once

#include <string>
#include <vector>

#include "device-runtime/llm/tokenizer/pipeline/added_tokens.h"
#include "device-runtime/llm/tokenizer/text/normalizer.h"
#include "device-runtime/llm/tokenizer/text/split.h"

namespace ferry::llm {

inline constexpr size_t kMaxTokenBytes = 16 << 10;
inline constexpr size_t kMaxAddedTokens = 1 << 16;

struct Token {
  enum Kind : uint8_t {
    kAbsent = 0,   // the id stands for nothing
    kMatched = 1,  // `text` is what stands in a piece: the model can reach it
    kPlain = 2,    // only decoded
  };
  Kind kind = kAbsent;
  std::string text;
};

// What a token's text is as text of people.
struct ShownAs {
  enum Style : uint8_t {
    kAsIs = 0,
    kSpaceMarks = 1,  // kSpaceMark is a space, "<0x0A>" a byte (`bytes`)
    kWordPieces = 2,  // a space before what does not begin with `affix`, which is left out
    kWordEnds = 3,    // `affix` at the end is a space
    kLastStyle = kWordEnds,
  };
  Style style = kAsIs;
  bool bytes = false;
  bool drop_first_space = false;  // of a whole text
  bool clean_up = false;          // kWordPieces: no space before punctuation
  std::string affix;

  friend bool operator==(const ShownAs&, const ShownAs&) = default;
};

struct TokenizerParts {
  std::vector<NormalStep> normal;
  std::vector<SplitStep> steps;
  ShownAs shown;
  std::vector<Token> tokens;      // by id
  std::vector<AddedToken> added;  // by id, ascending
};

// The byte that a token of byte fallback stands for ("<0x0A>"), or -1.
int ByteOfToken(std::string_view text);
// What a token (not an added one) shows.
std::string ShownText(const Token& token, const ShownAs& shown);

}  // namespace ferry::llm
