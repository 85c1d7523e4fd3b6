// SentencePiece's unigram model: of all ways to cut a piece into tokens the one whose scores add up
// to most. Source: Kudo, "Subword Regularization" (2018); exact to Hugging Face's tokenizers
// library.
#pragma once

#include "device-runtime/llm/tokenizer/pipeline/cutter.h"
#include "device-runtime/llm/tokenizer/pipeline/fallback.h"
#include "device-runtime/llm/tokenizer/pipeline/pipeline.h"
#include "device-runtime/llm/tokenizer/pipeline/trie.h"

namespace ferry::llm {

inline constexpr size_t kMaxUnigramTokenBytes = 1 << 10;

struct UnigramParts : TokenizerParts {
  Fallback fallback;
  std::vector<double> scores;  // of each token
};

class Unigram : public PieceModel {
 public:
  static Result<std::unique_ptr<Tokenizer>> Create(UnigramParts parts);

  const TokenizerKind& kind() const override;
  void Encode(std::string_view piece, ModelScratch& scratch,
              std::vector<TokenId>& ids) const override;
  size_t FirstPart(std::string_view piece) const override;
  void Write(SerialWriter& writer) const override;

 private:
  Status FillTrie(const std::vector<bool>& special);
  void FindBest(std::string_view piece, std::vector<ModelScratch::Step>& steps) const;

  std::shared_ptr<const Vocabulary> vocabulary_;
  FallbackIds fallback_;
  std::vector<double> scores_;
  double unknown_score_ = 0;
  TokenTrie trie_;
  Cutter cutter_;
};

Result<UnigramParts> ReadUnigram(TokenizerParts parts, SerialReader& reader);

}  // namespace ferry::llm
