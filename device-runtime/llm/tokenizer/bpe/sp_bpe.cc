#include "device-runtime/llm/tokenizer/bpe/sp_bpe.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "device-runtime/llm/tokenizer/kinds/kinds.h"
#include "device-runtime/llm/tokenizer/pipeline/parts_serial.h"
#include "device-runtime/llm/tokenizer/text/utf8.h"

namespace ferry::llm {

Result<std::unique_ptr<Tokenizer>> SpBpe::Create(SpBpeParts parts) {
  const auto make =
      [&parts](std::shared_ptr<const Vocabulary> vocabulary,
               const std::vector<AddedToken>& added) -> Result<std::unique_ptr<PieceModel>> {
    auto model = std::make_unique<SpBpe>();
    FERRY_ASSIGN_OR_RETURN(model->fallback_, FallbackIds::Create(parts.fallback, *vocabulary));
    model->special_ = SpecialIds(added, vocabulary->size());
    model->vocabulary_ = std::move(vocabulary);
    model->whole_pieces_ = parts.whole_pieces;
    model->by_scores_ = parts.by_scores;
    model->merge_list_ = std::move(parts.merges);
    model->scores_ = std::move(parts.scores);
    if (model->by_scores_) {
      FERRY_TRY(model->FillByScores());
    } else {
      FERRY_ASSIGN_OR_RETURN(model->merges_, MergesOfList(*model->vocabulary_, model->merge_list_));
    }
    for (int c = 0; c < 128; ++c) {
      const char character = static_cast<char>(c);
      model->ascii_[c] = model->SymbolOf(std::string_view(&character, 1));
    }
    if (!model->whole_pieces_) model->cutter_ = Cutter(*model->vocabulary_, parts.fallback.fuse);
    return std::unique_ptr<PieceModel>(std::move(model));
  };
  return PipelineTokenizer::Create(std::move(parts), make);
}

uint32_t SpBpe::SymbolOf(std::string_view part) const {
  const uint32_t id = vocabulary_->Find(part);
  if (id != kNoToken || loose_order_.empty()) return id;
  const auto found = std::lower_bound(
      loose_order_.begin(), loose_order_.end(), part,
      [](const auto& entry, std::string_view wanted) { return entry.first < wanted; });
  return found != loose_order_.end() && found->first == part ? found->second : kNoToken;
}

// Any two symbols join whose text together is a token, the better its score the earlier.
Status SpBpe::FillByScores() {
  const size_t count = vocabulary_->size();
  // Added tokens may stand behind those that have scores.
  if (scores_.size() > count) return Status(Code::kMalformed, "more scores than tokens");
  scores_.resize(count);
  std::vector<float> order;
  std::set<std::string> loose;
  for (uint32_t id = 0; id < count; ++id) {
    if (std::isnan(scores_[id])) {
      return Status::Of(Code::kMalformed, "the score of token {} is no number", id);
    }
    if (vocabulary_->kind(id) != Token::kMatched) continue;
    const std::string_view text = vocabulary_->text(id);
    if (text.size() > kMaxRankedTokenBytes) {
      return Status::Of(Code::kLimitExceeded, "token {} has {} bytes, at most {} with scores", id,
                        text.size(), kMaxRankedTokenBytes);
    }
    order.push_back(scores_[id]);
    if (ValidUtf8Prefix(text) != text.size()) continue;
    for (size_t at = 0; at < text.size();) {
      const std::string_view character = text.substr(at, NextUtf8(text, at).length);
      if (vocabulary_->Find(character) == kNoToken) loose.emplace(character);
      at += character.size();
    }
  }
  std::sort(order.begin(), order.end(), std::greater<>());
  order.erase(std::unique(order.begin(), order.end()), order.end());
  loose_.assign(loose.begin(), loose.end());
  for (size_t i = 0; i < loose_.size(); ++i) {
    loose_order_.emplace_back(loose_[i], static_cast<uint32_t>(count + i));
  }
  struct Pair {
    uint32_t left, right, id;
  };
  std::vector<Pair> pairs;
  for (uint32_t id = 0; id < count; ++id) {
    const std::string_view text = vocabulary_->text(id);
    if (vocabulary_->kind(id) != Token::kMatched || ValidUtf8Prefix(text) != text.size()) continue;
    for (size_t cut = 1; cut < text.size(); ++cut) {
      if ((static_cast<uint8_t>(text[cut]) & 0xc0) == 0x80) continue;
      const uint32_t left = SymbolOf(text.substr(0, cut));
      const uint32_t right = left == kNoToken ? kNoToken : SymbolOf(text.substr(cut));
      if (right != kNoToken) pairs.push_back({left, right, id});
    }
    if (pairs.size() > kMaxPairs) {
      return Status::Of(Code::kLimitExceeded, "tokens make over {} pairs", kMaxPairs);
    }
  }
  merges_ = MergeTable(pairs.size());
  for (const Pair& pair : pairs) {
    const auto rank =
        std::lower_bound(order.begin(), order.end(), scores_[pair.id], std::greater<>()) -
        order.begin();
    merges_.Add(pair.left, pair.right, {static_cast<uint32_t>(rank), pair.id});
  }
  return OkStatus();
}

const TokenizerKind& SpBpe::kind() const {
  return kSpBpeKind;
}

size_t SpBpe::FirstPart(std::string_view piece) const {
  return cutter_.FirstPart(piece, *vocabulary_);
}

void SpBpe::AppendSymbols(std::string_view piece, std::vector<uint32_t>& symbols) const {
  bool unknown = false;
  for (size_t at = 0; at < piece.size();) {
    const auto byte = static_cast<uint8_t>(piece[at]);
    const size_t length = byte < 0x80 ? 1 : NextUtf8(piece, at).length;
    const std::string_view character = piece.substr(at, length);
    const uint32_t symbol = byte < 0x80 ? ascii_[byte] : SymbolOf(character);
    if (symbol != kNoToken) {
      symbols.push_back(symbol);
      unknown = false;
    } else {
      unknown = fallback_.Append(character, unknown, symbols);
    }
    at += length;
  }
}

void SpBpe::Encode(std::string_view piece, ModelScratch& scratch, std::vector<TokenId>& ids) const {
  if (whole_pieces_ && piece.size() <= kMaxTokenBytes) {
    const uint32_t whole = vocabulary_->Find(piece);
    if (whole != kNoToken && !special_[whole]) {
      ids.push_back(static_cast<TokenId>(whole));
      return;
    }
  }
  scratch.symbols.clear();
  AppendSymbols(piece, scratch.symbols);
  const size_t from = ids.size();
  scratch.merger.Append(merges_, scratch.symbols, ids);
  if (!loose_.empty()) ResolveLoose(from, ids);
}

// Loose characters that joined nothing are unknown after all.
void SpBpe::ResolveLoose(size_t from, std::vector<TokenId>& ids) const {
  const auto count = static_cast<TokenId>(vocabulary_->size());
  const auto first =
      std::find_if(ids.begin() + from, ids.end(), [count](TokenId id) { return id >= count; });
  if (first == ids.end()) return;
  std::vector<TokenId> resolved;
  const TokenId unknown_id = static_cast<TokenId>(fallback_.fallback().unknown);
  bool unknown = false;
  for (auto id = ids.begin() + from; id != ids.end(); ++id) {
    if (*id >= count) {
      unknown = fallback_.Append(loose_[*id - count], unknown, resolved);
    } else if (*id == unknown_id && unknown && fallback_.fallback().fuse) {
      continue;
    } else {
      unknown = *id == unknown_id;
      resolved.push_back(*id);
    }
  }
  ids.resize(from);
  ids.insert(ids.end(), resolved.begin(), resolved.end());
}

void SpBpe::Write(SerialWriter& writer) const {
  WriteFallback(fallback_.fallback(), writer);
  writer.U8(whole_pieces_);
  writer.U8(by_scores_);
  if (!by_scores_) return WriteMerges(merge_list_, writer);
  for (const float score : scores_) writer.F32(score);
}

Result<SpBpeParts> ReadSpBpe(TokenizerParts parts, SerialReader& reader) {
  SpBpeParts all;
  static_cast<TokenizerParts&>(all) = std::move(parts);
  FERRY_ASSIGN_OR_RETURN(all.fallback, ReadFallback(reader));
  const uint8_t whole_pieces = reader.U8();
  const uint8_t by_scores = reader.U8();
  if (whole_pieces > 1 || by_scores > 1)
    return WrongSerial(reader, "a flag that is neither 0 nor 1");
  all.whole_pieces = whole_pieces == 1;
  all.by_scores = by_scores == 1;
  if (!all.by_scores) ReadMerges(reader, all.merges);
  for (size_t i = 0; all.by_scores && reader.ok() && i < all.tokens.size(); ++i) {
    all.scores.push_back(reader.F32());
  }
  FERRY_TRY(EndSerial(reader));
  return all;
}

}  // namespace ferry::llm
