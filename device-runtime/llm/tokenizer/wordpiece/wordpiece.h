// WordPiece: the longest token that a word begins with, then the longest that goes on, and so on.
// Source: Devlin et al., "BERT" (2019); exact to Hugging Face's tokenizers library.
#pragma once

#include "device-runtime/llm/tokenizer/pipeline/fallback.h"
#include "device-runtime/llm/tokenizer/pipeline/pipeline.h"
#include "device-runtime/llm/tokenizer/pipeline/trie.h"

namespace ferry::llm {

inline constexpr uint32_t kMaxWordCharacters = 1 << 12;

struct WordPieceParts : TokenizerParts {
  uint32_t unknown = kNoToken;
  uint32_t most_characters = 100;  // a longer word is unknown
  std::string going_on = "##";     // before tokens that do not begin a word
};

class WordPiece : public PieceModel {
 public:
  static Result<std::unique_ptr<Tokenizer>> Create(WordPieceParts parts);

  const TokenizerKind& kind() const override;
  void Encode(std::string_view piece, ModelScratch& scratch,
              std::vector<TokenId>& ids) const override;
  void Write(SerialWriter& writer) const override;

 private:
  std::shared_ptr<const Vocabulary> vocabulary_;
  uint32_t unknown_ = kNoToken;
  uint32_t most_characters_ = 0;
  std::string going_on_;
  TokenTrie first_;
  TokenTrie others_;
};

Result<WordPieceParts> ReadWordPiece(TokenizerParts parts, SerialReader& reader);

}  // namespace ferry::llm
