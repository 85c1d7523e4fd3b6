// Byte-level BPE: pieces are bytes that join by a list of merges, or (tiktoken) by the ids of what
// they make. Source: Radford et al., "Language Models are Unsupervised Multitask Learners" (2019),
// exact to Hugging Face's tokenizers library and to OpenAI's tiktoken.
#pragma once

#include "device-runtime/llm/tokenizer/pipeline/pipeline.h"

namespace ferry::llm {

struct BpeParts : TokenizerParts {
  bool whole_pieces = false;  // a piece that is a token is that token, whatever the merges say
  std::string word_end;       // stands behind the last byte of a piece in tokens' texts
  std::vector<std::pair<uint32_t, uint32_t>> merges;  // pairs of kMatched ids, first merge first
};

class ByteBpe : public PieceModel {
 public:
  static Result<std::unique_ptr<Tokenizer>> Create(BpeParts parts);
  // Without merges: two tokens join when what they make is one, the lowest id first.
  static Result<std::unique_ptr<Tokenizer>> CreateByIds(TokenizerParts parts);

  const TokenizerKind& kind() const override;
  void Encode(std::string_view piece, ModelScratch& scratch,
              std::vector<TokenId>& ids) const override;
  void Write(SerialWriter& writer) const override;
  bool WriteVersion1(const TokenizerParts& parts, SerialWriter& writer) const override;

 private:
  Status FillById();
  void FillBytes();

  std::shared_ptr<const Vocabulary> vocabulary_;
  bool by_ids_ = false;
  bool whole_pieces_ = false;
  std::string word_end_;
  uint32_t byte_ids_[256];
  uint32_t last_byte_ids_[256];  // with word_end_ behind
  std::vector<std::pair<uint32_t, uint32_t>> merge_list_;
  MergeTable merges_;
  std::vector<bool> special_;
};

// From what Write wrote, after the parts.
Result<BpeParts> ReadBpe(TokenizerParts parts, SerialReader& reader);
// Version 1 of the serialized form (version_1.cc).
void WriteBpeVersion1(const BpeParts& parts, bool nfc, SerialWriter& writer);
Result<BpeParts> ReadBpeVersion1(SerialReader& reader);

}  // namespace ferry::llm
