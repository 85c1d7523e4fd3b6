// The byte-level BPE tokenizer itself. Source: Radford et al., "Language Models are Unsupervised
// Multitask Learners" (2019), exact to Hugging Face's tokenizers library.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "device-runtime/llm/tokenizer/bpe/merges.h"
#include "device-runtime/llm/tokenizer/bpe/parts.h"
#include "device-runtime/llm/tokenizer/bpe/vocabulary.h"
#include "device-runtime/llm/tokenizer/serial.h"

namespace ferry::llm {

class ByteBpe : public Tokenizer {
 public:
  // Checks everything: kMalformed (ids, merges, texts that do not fit), kUnsupported,
  // kLimitExceeded.
  static Result<std::unique_ptr<Tokenizer>> Create(BpeParts parts);

  Result<std::vector<TokenId>> Encode(std::string_view text, Specials specials) const override;
  std::string_view TokenBytes(TokenId id) const override;
  bool IsSpecial(TokenId id) const override;
  TokenId SpecialId(std::string_view text) const override;
  int64_t vocabulary() const override { return static_cast<int64_t>(vocabulary_.size()); }
  const Digest& digest() const override { return digest_; }
  Bytes Serialize() const override;

 private:
  struct Run;  // of one Encode
  Status FillMerges(const std::vector<std::pair<uint32_t, uint32_t>>& merges);
  Status FillAdded(std::vector<AddedToken> added);
  Status EncodeText(std::string_view text, Run& run) const;
  void EncodePiece(std::string_view piece, Run& run) const;
  void MergePiece(std::string_view piece, Run& run) const;

  bool nfc_ = false;
  bool whole_pieces_ = false;
  Splitter splitter_;
  BpeVocabulary vocabulary_;
  uint32_t byte_ids_[256];
  std::vector<std::pair<uint32_t, uint32_t>> merge_list_;
  MergeTable merges_;
  std::vector<AddedToken> added_;
  AddedTokenFinder raw_added_;         // looked for in the text as it comes
  AddedTokenFinder normalized_added_;  // and in normalized text
  Digest digest_{};
};

// The form inside a model file, after its header; the reader checks lengths only, Create the rest.
void WriteBpeParts(const BpeParts& parts, SerialWriter& writer);
Result<BpeParts> ReadBpeParts(SerialReader& reader);

}  // namespace ferry::llm
