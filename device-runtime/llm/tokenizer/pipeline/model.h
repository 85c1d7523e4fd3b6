// What makes ids of a piece of text: one class a kind of tokenizer behind this interface.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "device-runtime/llm/tokenizer/bpe/merges.h"
#include "device-runtime/llm/tokenizer/pipeline/parts.h"
#include "device-runtime/llm/tokenizer/pipeline/serial.h"
#include "device-runtime/llm/tokenizer/pipeline/vocabulary.h"

namespace ferry::llm {

struct TokenizerKind;

// Working memory of encoding; one thread.
struct ModelScratch {
  struct Step {  // of the best way to a place in a piece
    double score;
    uint32_t begin;  // where its last token begins
    uint32_t token;
  };
  Merger merger;
  std::vector<uint32_t> symbols;
  std::vector<Step> steps;
};

// Immutable; any thread.
class PieceModel {
 public:
  virtual ~PieceModel() = default;
  virtual const TokenizerKind& kind() const = 0;
  // Appends the ids of `piece` (valid UTF-8, not empty). Never an id outside of the vocabulary.
  virtual void Encode(std::string_view piece, ModelScratch& scratch,
                      std::vector<TokenId>& ids) const = 0;
  // Bytes of a first part of `piece` that has the same ids alone as in it, as have those behind it;
  // all of it where no such part is known.
  virtual size_t FirstPart(std::string_view piece) const { return piece.size(); }
  // Its own section of the serialized form, behind that of the parts.
  virtual void Write(SerialWriter& writer) const = 0;
  // Writes the whole in the form of version 1; false when that cannot say it.
  virtual bool WriteVersion1(const TokenizerParts&, SerialWriter&) const { return false; }
};

// The special tokens among `added`, which no text may become by a model's own ways.
std::vector<bool> SpecialIds(const std::vector<AddedToken>& added, size_t vocabulary);

}  // namespace ferry::llm
