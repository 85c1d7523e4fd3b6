// The tokenizer of every kind: finds added tokens, normalizes, cuts, and lets a PieceModel make ids
// of the pieces. Source: exact to the order of Hugging Face's tokenizers library.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "device-runtime/llm/tokenizer/pipeline/model.h"

namespace ferry::llm {

class PipelineTokenizer : public Tokenizer {
 public:
  // Makes the model over a vocabulary that lives as long as it; the parts' tokens and added tokens
  // are checked then.
  using MakeModel = std::function<Result<std::unique_ptr<PieceModel>>(
      std::shared_ptr<const Vocabulary> vocabulary, const std::vector<AddedToken>& added)>;
  // Checks everything: kMalformed, kUnsupported, kLimitExceeded.
  static Result<std::unique_ptr<Tokenizer>> Create(TokenizerParts parts, const MakeModel& make);

  Result<std::vector<TokenId>> Encode(std::string_view text, Specials specials) const override;
  std::string_view TokenBytes(TokenId id) const override;
  bool IsSpecial(TokenId id) const override;
  TokenId SpecialId(std::string_view text) const override;
  int64_t vocabulary() const override { return static_cast<int64_t>(vocabulary_->size()); }
  const Digest& digest() const override { return digest_; }
  Bytes Serialize() const override;
  bool DropsFirstSpace() const override { return shown_as_.drop_first_space; }

 private:
  struct Run;  // of one Encode
  Status FillAdded(std::vector<AddedToken> added);
  void FillShown(const std::vector<Token>& tokens);
  Status EncodeRaw(std::string_view text, bool first, Run& run) const;
  Status EncodeText(std::string_view text, bool first, Run& run) const;
  void EncodePiece(std::string_view piece, Run& run) const;

  Normalizer normalizer_;
  Splitter splitter_;
  ShownAs shown_as_;
  std::shared_ptr<const Vocabulary> vocabulary_;
  std::string shown_;                 // what the tokens show, where that is not their text
  std::vector<uint32_t> shown_ends_;  // of the text before: i's is [i], [i + 1]
  std::vector<AddedToken> added_;
  AddedTokenFinder raw_added_;         // looked for in the text as it comes
  AddedTokenFinder normalized_added_;  // and in normalized text
  std::unique_ptr<PieceModel> model_;
  Digest digest_{};
};

}  // namespace ferry::llm
