// SentencePiece's BPE: pieces are characters that join, by a list of merges (tokenizer.json) or the
// best score of what they make first. Source: Kudo and Richardson, "SentencePiece" (2018); exact to
// sentencepiece and to Hugging Face's tokenizers library.
#pragma once

#include "device-runtime/llm/tokenizer/bpe/merge_list.h"
#include "device-runtime/llm/tokenizer/pipeline/cutter.h"
#include "device-runtime/llm/tokenizer/pipeline/fallback.h"
#include "device-runtime/llm/tokenizer/pipeline/pipeline.h"

namespace ferry::llm {

struct SpBpeParts : TokenizerParts {
  Fallback fallback;
  bool whole_pieces = false;
  bool by_scores = false;
  MergePairs merges;          // unless by_scores
  std::vector<float> scores;  // of each token, when by_scores
};

class SpBpe : public PieceModel {
 public:
  static Result<std::unique_ptr<Tokenizer>> Create(SpBpeParts parts);

  const TokenizerKind& kind() const override;
  void Encode(std::string_view piece, ModelScratch& scratch,
              std::vector<TokenId>& ids) const override;
  size_t FirstPart(std::string_view piece) const override;
  void Write(SerialWriter& writer) const override;

 private:
  Status FillByScores();
  uint32_t SymbolOf(std::string_view part) const;  // a token, a loose character, or kNoToken
  void AppendSymbols(std::string_view piece, std::vector<uint32_t>& symbols) const;
  void ResolveLoose(size_t from, std::vector<TokenId>& ids) const;

  std::shared_ptr<const Vocabulary> vocabulary_;
  FallbackIds fallback_;
  bool whole_pieces_ = false;
  bool by_scores_ = false;
  MergePairs merge_list_;
  std::vector<float> scores_;
  std::vector<bool> special_;
  MergeTable merges_;
  Cutter cutter_;
  uint32_t ascii_[128];
  // Characters that only stand inside of tokens: as symbols they have ids behind the vocabulary.
  std::vector<std::string> loose_;
  std::vector<std::pair<std::string_view, uint32_t>> loose_order_;  // sorted by text
};

Result<SpBpeParts> ReadSpBpe(TokenizerParts parts, SerialReader& reader);

}  // namespace ferry::llm
