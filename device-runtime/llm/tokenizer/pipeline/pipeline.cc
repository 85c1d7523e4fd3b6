#include "device-runtime/llm/tokenizer/pipeline/pipeline.h"

#include <algorithm>

#include "common/base/memory.h"
#include "common/crypto/hash.h"
#include "device-runtime/llm/tokenizer/kinds/kinds.h"
#include "device-runtime/llm/tokenizer/pipeline/parts_serial.h"
#include "device-runtime/llm/tokenizer/pipeline/piece_cache.h"
#include "device-runtime/llm/tokenizer/text/utf8.h"

namespace ferry::llm {
namespace {

constexpr size_t kMaxPieceBytes = 16 << 20;  // merging one takes 28 bytes of memory a byte
constexpr size_t kMaxNormalizedBytes = 4 * kMaxEncodeBytes;
constexpr size_t kLargeText = 1 << 20;      // from here on memory is asked for beforehand
constexpr size_t kWorkingBytesPerByte = 8;  // ids, normalized text, working memory of pieces

// kOutOfMemory when so much cannot be had now.
Status ProbeMemory(size_t bytes) {
  void* memory = TryAllocate(bytes);
  if (memory == nullptr) {
    return Status::Of(Code::kOutOfMemory, "{} bytes of working memory for a text", bytes);
  }
  Deallocate(memory);
  return OkStatus();
}

const AddedToken* FindAdded(const std::vector<AddedToken>& added, TokenId id) {
  const auto found =
      std::lower_bound(added.begin(), added.end(), id,
                       [](const AddedToken& token, TokenId wanted) { return token.id < wanted; });
  return found != added.end() && found->id == id ? &*found : nullptr;
}

}  // namespace

std::vector<bool> SpecialIds(const std::vector<AddedToken>& added, size_t vocabulary) {
  std::vector<bool> special(vocabulary);
  for (const AddedToken& token : added) {
    if (token.special && static_cast<size_t>(token.id) < vocabulary) special[token.id] = true;
  }
  return special;
}

struct PipelineTokenizer::Run {
  Run(size_t text_bytes, Specials specials_in)
      : specials(specials_in), normal(text_bytes), split(text_bytes), cache(text_bytes) {}
  Specials specials;
  Normalizer::Scratch normal;
  Splitter::Scratch split;  // its arena holds normalized texts too; the cache points into them
  PieceCache cache;
  ModelScratch model;
  std::vector<TokenId> ids;
  bool piece_too_long = false;
};

Result<std::unique_ptr<Tokenizer>> PipelineTokenizer::Create(TokenizerParts parts,
                                                             const MakeModel& make) {
  auto tokenizer = std::make_unique<PipelineTokenizer>();
  // An added token may stand behind the vocabulary.
  for (const AddedToken& token : parts.added) {
    if (token.id < 0 || token.id >= kMaxVocabulary) {
      return Status::Of(Code::kLimitExceeded, "added token {:?} has id {}, at most {}",
                        token.content, token.id, kMaxVocabulary - 1);
    }
    if (static_cast<size_t>(token.id) >= parts.tokens.size()) parts.tokens.resize(token.id + 1);
  }
  FERRY_ASSIGN_OR_RETURN(Vocabulary vocabulary, Vocabulary::Create(parts.tokens));
  tokenizer->vocabulary_ = std::make_shared<const Vocabulary>(std::move(vocabulary));
  FERRY_ASSIGN_OR_RETURN(tokenizer->normalizer_, Normalizer::Create(std::move(parts.normal)));
  FERRY_ASSIGN_OR_RETURN(tokenizer->splitter_, Splitter::Create(std::move(parts.steps)));
  if (parts.shown.affix.size() > kMaxInsertBytes) {
    return Status::Of(Code::kLimitExceeded, "an affix of {} bytes, at most {}",
                      parts.shown.affix.size(), kMaxInsertBytes);
  }
  tokenizer->shown_as_ = std::move(parts.shown);
  tokenizer->FillShown(parts.tokens);
  FERRY_ASSIGN_OR_RETURN(tokenizer->model_, make(tokenizer->vocabulary_, parts.added));
  FERRY_TRY(tokenizer->FillAdded(std::move(parts.added)));
  tokenizer->digest_ = crypto::Sha256(tokenizer->Serialize());
  return std::unique_ptr<Tokenizer>(std::move(tokenizer));
}

void PipelineTokenizer::FillShown(const std::vector<Token>& tokens) {
  if (shown_as_.style == ShownAs::kAsIs) return;
  shown_ends_.push_back(0);
  for (const Token& token : tokens) {
    shown_ += ShownText(token, shown_as_);
    shown_ends_.push_back(static_cast<uint32_t>(shown_.size()));
  }
}

Status PipelineTokenizer::FillAdded(std::vector<AddedToken> added) {
  if (added.size() > kMaxAddedTokens) {
    return Status::Of(Code::kLimitExceeded, "{} added tokens, at most {}", added.size(),
                      kMaxAddedTokens);
  }
  added_ = std::move(added);
  std::vector<size_t> raw, normalized;
  std::vector<std::string> raw_texts, normalized_texts;
  for (size_t i = 0; i < added_.size(); ++i) {
    const AddedToken& token = added_[i];
    if (i > 0 && token.id <= added_[i - 1].id) {
      return Status::Of(Code::kMalformed, "two added tokens have id {}", token.id);
    }
    if (token.content.empty() || token.content.size() > kMaxAddedTokenBytes) {
      return Status::Of(Code::kLimitExceeded, "added token {} has {} bytes, wanted 1 to {}",
                        token.id, token.content.size(), kMaxAddedTokenBytes);
    }
    if (ValidUtf8Prefix(token.content) != token.content.size()) {
      return Status::Of(Code::kMalformed, "added token {} is no UTF-8", token.id);
    }
    if (!token.normalized) {
      raw.push_back(i);
      raw_texts.push_back(token.content);
      continue;
    }
    Normalizer::Scratch scratch(token.content.size());
    TextArena arena;
    FERRY_ASSIGN_OR_RETURN(
        const std::string_view text,
        normalizer_.Apply(token.content, false, kMaxNormalizedBytes, scratch, arena));
    normalized.push_back(i);
    normalized_texts.emplace_back(text);
  }
  raw_added_ = AddedTokenFinder(added_, raw, raw_texts);
  normalized_added_ = AddedTokenFinder(added_, normalized, normalized_texts);
  return OkStatus();
}

Result<std::vector<TokenId>> PipelineTokenizer::Encode(std::string_view text,
                                                       Specials specials) const {
  if (text.size() > kMaxEncodeBytes) {
    return Status::Of(Code::kLimitExceeded, "a text of {} bytes, at most {}", text.size(),
                      kMaxEncodeBytes);
  }
  const size_t valid = ValidUtf8Prefix(text);
  if (valid != text.size()) {
    return Status::Of(Code::kMalformed, "the text is no UTF-8 at byte {}", valid);
  }
  if (text.size() >= kLargeText) FERRY_TRY(ProbeMemory(kWorkingBytesPerByte * text.size()));
  Run run(text.size(), specials);
  FERRY_TRY(raw_added_.ForEach(text, specials, [&](AddedTokenFinder::Part raw) -> Status {
    if (raw.token == nullptr) return EncodeRaw(raw.text, raw.text.data() == text.data(), run);
    run.ids.push_back(raw.token->id);
    return OkStatus();
  }));
  return std::move(run.ids);
}

Status PipelineTokenizer::EncodeRaw(std::string_view text, bool first, Run& run) const {
  FERRY_ASSIGN_OR_RETURN(
      const std::string_view normal,
      normalizer_.Apply(text, first, kMaxNormalizedBytes, run.normal, run.split.arena));
  return normalized_added_.ForEach(
      normal, run.specials, [&](const AddedTokenFinder::Part& part) -> Status {
        if (part.token == nullptr) {
          return EncodeText(part.text, first && part.text.data() == normal.data(), run);
        }
        run.ids.push_back(part.token->id);
        return OkStatus();
      });
}

Status PipelineTokenizer::EncodeText(std::string_view text, bool first, Run& run) const {
  FERRY_TRY(splitter_.Split(text, first, run.split,
                            [&](std::string_view piece) { EncodePiece(piece, run); }));
  if (!run.piece_too_long) return OkStatus();
  return Status::Of(Code::kLimitExceeded,
                    "a piece of the text that no expression cuts is over {} bytes", kMaxPieceBytes);
}

void PipelineTokenizer::EncodePiece(std::string_view piece, Run& run) const {
  while (!piece.empty()) {
    const std::string_view part = piece.substr(0, model_->FirstPart(piece));
    piece.remove_prefix(part.size());
    if (part.size() > kMaxPieceBytes) run.piece_too_long = true;
    if (run.piece_too_long) return;
    run.cache.Append(part, run.ids, [&] { model_->Encode(part, run.model, run.ids); });
  }
}

std::string_view PipelineTokenizer::TokenBytes(TokenId id) const {
  if (id < 0 || id >= vocabulary()) return {};
  const AddedToken* token = FindAdded(added_, id);
  if (token != nullptr) return token->content;
  if (shown_ends_.empty()) return vocabulary_->text(static_cast<uint32_t>(id));
  return std::string_view(shown_).substr(shown_ends_[id], shown_ends_[id + 1] - shown_ends_[id]);
}

bool PipelineTokenizer::IsSpecial(TokenId id) const {
  const AddedToken* token = FindAdded(added_, id);
  return token != nullptr && token->special;
}

TokenId PipelineTokenizer::SpecialId(std::string_view text) const {
  for (const AddedToken& token : added_) {
    if (token.special && token.content == text) return token.id;
  }
  return -1;
}

Bytes PipelineTokenizer::Serialize() const {
  TokenizerParts parts;
  parts.normal = normalizer_.steps();
  parts.steps = splitter_.steps();
  parts.shown = shown_as_;
  for (uint32_t id = 0; id < vocabulary_->size(); ++id) {
    parts.tokens.push_back({vocabulary_->kind(id), std::string(vocabulary_->text(id))});
  }
  parts.added = added_;
  SerialWriter writer;
  if (model_->WriteVersion1(parts, writer)) return writer.Take();
  WriteTokenizerHeader(model_->kind(), 2, writer);
  WriteTokenizerParts(parts, writer);
  model_->Write(writer);
  return writer.Take();
}

}  // namespace ferry::llm
