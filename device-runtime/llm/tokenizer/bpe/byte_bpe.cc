#include "device-runtime/llm/tokenizer/bpe/byte_bpe.h"

#include <algorithm>

#include "common/base/memory.h"
#include "common/crypto/hash.h"
#include "device-runtime/llm/tokenizer/bpe/piece_cache.h"
#include "device-runtime/llm/tokenizer/kinds/kinds.h"
#include "device-runtime/llm/tokenizer/text/normal_form.h"
#include "device-runtime/llm/tokenizer/text/utf8.h"

namespace ferry::llm {
namespace {

constexpr size_t kMaxPieceBytes = 16 << 20;  // merging one takes 28 bytes of memory a byte
constexpr size_t kLargeText = 1 << 20;       // from here on memory is asked for beforehand
constexpr size_t kWorkingBytesPerByte = 8;   // ids, normalized text, working memory of pieces

// kOutOfMemory when so much cannot be had now.
Status ProbeMemory(size_t bytes) {
  void* memory = TryAllocate(bytes);
  if (memory == nullptr) {
    return Status::Of(Code::kOutOfMemory, "{} bytes of working memory for a text", bytes);
  }
  Deallocate(memory);
  return OkStatus();
}

}  // namespace

struct ByteBpe::Run {
  Run(size_t text_bytes, Specials specials_in)
      : specials(specials_in), split(text_bytes), cache(text_bytes) {}
  Specials specials;
  Splitter::Scratch split;
  PieceCache cache;
  Merger merger;
  std::deque<std::string> texts;  // normalized segments; the cache points into them
  std::vector<TokenId> ids;
  bool piece_too_long = false;
};

Result<std::unique_ptr<Tokenizer>> ByteBpe::Create(BpeParts parts) {
  auto tokenizer = std::make_unique<ByteBpe>();
  tokenizer->nfc_ = parts.nfc;
  tokenizer->whole_pieces_ = parts.whole_pieces;
  // An added token may stand behind the vocabulary.
  for (const AddedToken& token : parts.added) {
    if (token.id < 0 || token.id >= kMaxVocabulary) {
      return Status::Of(Code::kLimitExceeded, "added token {:?} has id {}, at most {}",
                        token.content, token.id, kMaxVocabulary - 1);
    }
    if (static_cast<size_t>(token.id) >= parts.tokens.size()) parts.tokens.resize(token.id + 1);
  }
  FERRY_ASSIGN_OR_RETURN(tokenizer->vocabulary_, BpeVocabulary::Create(parts.tokens));
  FERRY_ASSIGN_OR_RETURN(tokenizer->splitter_, Splitter::Create(std::move(parts.steps)));
  for (int byte = 0; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);
    tokenizer->byte_ids_[byte] = tokenizer->vocabulary_.Find(std::string_view(&c, 1));
  }
  FERRY_TRY(tokenizer->FillMerges(parts.merges));
  tokenizer->merge_list_ = std::move(parts.merges);
  FERRY_TRY(tokenizer->FillAdded(std::move(parts.added)));
  tokenizer->digest_ = crypto::Sha256(tokenizer->Serialize());
  return std::unique_ptr<Tokenizer>(std::move(tokenizer));
}

Status ByteBpe::FillMerges(const std::vector<std::pair<uint32_t, uint32_t>>& merges) {
  if (merges.size() > kMaxMerges) {
    return Status::Of(Code::kLimitExceeded, "{} merges, at most {}", merges.size(), kMaxMerges);
  }
  merges_ = MergeTable(merges.size());
  std::string joined;
  for (size_t rank = 0; rank < merges.size(); ++rank) {
    const auto [left, right] = merges[rank];
    if (left >= vocabulary_.size() || right >= vocabulary_.size() ||
        vocabulary_.kind(left) != BpeToken::kBytes || vocabulary_.kind(right) != BpeToken::kBytes) {
      return Status::Of(Code::kMalformed, "merge {} joins ids {} and {}, which are no tokens", rank,
                        left, right);
    }
    joined.assign(vocabulary_.text(left)).append(vocabulary_.text(right));
    const uint32_t id = vocabulary_.Find(joined);
    if (id == kNoToken) {
      return Status::Of(Code::kMalformed, "merge {} makes a token that the vocabulary lacks", rank);
    }
    if (merges_.Find(left, right).rank != kNoToken) {
      return Status::Of(Code::kMalformed, "merge {} stands there twice", rank);
    }
    merges_.Add(left, right, {static_cast<uint32_t>(rank), id});
  }
  return OkStatus();
}

Status ByteBpe::FillAdded(std::vector<AddedToken> added) {
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
    std::string text;
    if (!token.normalized || !nfc_ || !AppendNfc(token.content, text)) text = token.content;
    (token.normalized ? normalized : raw).push_back(i);
    (token.normalized ? normalized_texts : raw_texts).push_back(std::move(text));
  }
  raw_added_ = AddedTokenFinder(added_, raw, raw_texts);
  normalized_added_ = AddedTokenFinder(added_, normalized, normalized_texts);
  return OkStatus();
}

Result<std::vector<TokenId>> ByteBpe::Encode(std::string_view text, Specials specials) const {
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
    if (raw.token != nullptr) {
      run.ids.push_back(raw.token->id);
      return OkStatus();
    }
    std::string normal;
    if (nfc_ && AppendNfc(raw.text, normal)) raw.text = run.texts.emplace_back(std::move(normal));
    return normalized_added_.ForEach(raw.text, specials,
                                     [&](const AddedTokenFinder::Part& part) -> Status {
                                       if (part.token == nullptr) return EncodeText(part.text, run);
                                       run.ids.push_back(part.token->id);
                                       return OkStatus();
                                     });
  }));
  return std::move(run.ids);
}

Status ByteBpe::EncodeText(std::string_view text, Run& run) const {
  FERRY_TRY(
      splitter_.Split(text, run.split, [&](std::string_view piece) { EncodePiece(piece, run); }));
  if (!run.piece_too_long) return OkStatus();
  return Status::Of(Code::kLimitExceeded,
                    "a piece of the text that no expression cuts is over {} bytes", kMaxPieceBytes);
}

void ByteBpe::EncodePiece(std::string_view piece, Run& run) const {
  if (piece.size() > kMaxPieceBytes) run.piece_too_long = true;
  if (run.piece_too_long) return;
  run.cache.Append(piece, run.ids, [&] { MergePiece(piece, run); });
}

void ByteBpe::MergePiece(std::string_view piece, Run& run) const {
  if (whole_pieces_ && piece.size() <= kMaxTokenBytes) {
    const uint32_t whole = vocabulary_.Find(piece);
    // What stands for itself as text must not become the special token of the same spelling.
    if (whole != kNoToken && !IsSpecial(static_cast<TokenId>(whole))) {
      run.ids.push_back(static_cast<TokenId>(whole));
      return;
    }
  }
  run.merger.Append(merges_, byte_ids_, piece, run.ids);
}

namespace {

const AddedToken* FindAdded(const std::vector<AddedToken>& added, TokenId id) {
  const auto found =
      std::lower_bound(added.begin(), added.end(), id,
                       [](const AddedToken& token, TokenId wanted) { return token.id < wanted; });
  return found != added.end() && found->id == id ? &*found : nullptr;
}

}  // namespace

std::string_view ByteBpe::TokenBytes(TokenId id) const {
  if (id < 0 || id >= vocabulary()) return {};
  const AddedToken* token = FindAdded(added_, id);
  return token != nullptr ? token->content : vocabulary_.text(static_cast<uint32_t>(id));
}

bool ByteBpe::IsSpecial(TokenId id) const {
  const AddedToken* token = FindAdded(added_, id);
  return token != nullptr && token->special;
}

TokenId ByteBpe::SpecialId(std::string_view text) const {
  for (const AddedToken& token : added_) {
    if (token.special && token.content == text) return token.id;
  }
  return -1;
}

Bytes ByteBpe::Serialize() const {
  BpeParts parts;
  parts.nfc = nfc_;
  parts.whole_pieces = whole_pieces_;
  parts.steps = splitter_.steps();
  for (uint32_t id = 0; id < vocabulary_.size(); ++id) {
    parts.tokens.push_back({vocabulary_.kind(id), std::string(vocabulary_.text(id))});
  }
  parts.merges = merge_list_;
  parts.added = added_;
  SerialWriter writer;
  WriteTokenizerHeader(kByteBpeKind, writer);
  WriteBpeParts(parts, writer);
  return writer.Take();
}

}  // namespace ferry::llm
