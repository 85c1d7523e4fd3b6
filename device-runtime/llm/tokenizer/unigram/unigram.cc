#include "device-runtime/llm/tokenizer/unigram/unigram.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "device-runtime/llm/tokenizer/kinds/kinds.h"
#include "device-runtime/llm/tokenizer/pipeline/parts_serial.h"
#include "device-runtime/llm/tokenizer/text/utf8.h"

namespace ferry::llm {
namespace {

constexpr double kUnknownPenalty = 10;  // below the least score
constexpr double kUnreached = -std::numeric_limits<double>::infinity();

}  // namespace

Result<std::unique_ptr<Tokenizer>> Unigram::Create(UnigramParts parts) {
  const auto make =
      [&parts](std::shared_ptr<const Vocabulary> vocabulary,
               const std::vector<AddedToken>& added) -> Result<std::unique_ptr<PieceModel>> {
    auto model = std::make_unique<Unigram>();
    FERRY_ASSIGN_OR_RETURN(model->fallback_, FallbackIds::Create(parts.fallback, *vocabulary));
    model->vocabulary_ = std::move(vocabulary);
    model->scores_ = std::move(parts.scores);
    FERRY_TRY(model->FillTrie(SpecialIds(added, model->vocabulary_->size())));
    model->cutter_ = Cutter(*model->vocabulary_, true);
    return std::unique_ptr<PieceModel>(std::move(model));
  };
  return PipelineTokenizer::Create(std::move(parts), make);
}

Status Unigram::FillTrie(const std::vector<bool>& special) {
  const size_t count = vocabulary_->size();
  // Added tokens may stand behind those that have scores.
  if (scores_.size() > count) return Status(Code::kMalformed, "more scores than tokens");
  scores_.resize(count);
  double least = 0;
  std::vector<std::pair<std::string_view, uint32_t>> entries;
  for (uint32_t id = 0; id < count; ++id) {
    if (!std::isfinite(scores_[id])) {
      return Status::Of(Code::kMalformed, "the score of token {} is no number", id);
    }
    if (vocabulary_->kind(id) != Token::kMatched) continue;
    if (vocabulary_->text(id).size() > kMaxUnigramTokenBytes) {
      return Status::Of(Code::kLimitExceeded, "token {} has {} bytes, at most {} with scores", id,
                        vocabulary_->text(id).size(), kMaxUnigramTokenBytes);
    }
    least = std::min(least, scores_[id]);
    if (!special[id]) entries.emplace_back(vocabulary_->text(id), id);
  }
  unknown_score_ = least - kUnknownPenalty;
  trie_ = TokenTrie(std::move(entries));
  return OkStatus();
}

const TokenizerKind& Unigram::kind() const {
  return kUnigramKind;
}

size_t Unigram::FirstPart(std::string_view piece) const {
  return cutter_.FirstPart(piece, *vocabulary_);
}

// steps[i]: the best way to place i and its last token; of equal ones that whose last token begins
// first.
void Unigram::FindBest(std::string_view piece, std::vector<ModelScratch::Step>& steps) const {
  steps.assign(piece.size() + 1, {kUnreached, 0, kNoToken});
  steps[0].score = 0;
  for (size_t begin = 0; begin < piece.size();) {
    const size_t length = NextUtf8(piece, begin).length;
    const double score = steps[begin].score;
    const auto offer = [&](size_t end, double more, uint32_t token) {
      if (score + more > steps[end].score) {
        steps[end] = {score + more, static_cast<uint32_t>(begin), token};
      }
    };
    bool single = false;
    trie_.ForEachPrefix(piece.substr(begin), [&](size_t size, uint32_t token) {
      offer(begin + size, scores_[token], token);
      single = single || size == length;
    });
    if (!single) offer(begin + length, unknown_score_, kNoToken);
    begin += length;
  }
}

void Unigram::Encode(std::string_view piece, ModelScratch& scratch,
                     std::vector<TokenId>& ids) const {
  FindBest(piece, scratch.steps);
  // The ends of the tokens, last first.
  scratch.symbols.clear();
  for (size_t end = piece.size(); end > 0; end = scratch.steps[end].begin) {
    scratch.symbols.push_back(static_cast<uint32_t>(end));
  }
  std::reverse(scratch.symbols.begin(), scratch.symbols.end());
  // Unknown characters in a row are one unknown text.
  size_t unknown_from = piece.size();
  const auto flush = [&](size_t end) {
    if (unknown_from >= end) return;
    fallback_.Append(piece.substr(unknown_from, end - unknown_from), false, ids);
    unknown_from = piece.size();
  };
  for (const uint32_t end : scratch.symbols) {
    const ModelScratch::Step& step = scratch.steps[end];
    if (step.token == kNoToken) {
      unknown_from = std::min<size_t>(unknown_from, step.begin);
      if (!fallback_.fallback().fuse) flush(end);
      continue;
    }
    flush(step.begin);
    ids.push_back(static_cast<TokenId>(step.token));
  }
  if (unknown_from < piece.size()) {
    fallback_.Append(piece.substr(unknown_from), false, ids);
  }
}

void Unigram::Write(SerialWriter& writer) const {
  WriteFallback(fallback_.fallback(), writer);
  for (const double score : scores_) writer.F64(score);
}

Result<UnigramParts> ReadUnigram(TokenizerParts parts, SerialReader& reader) {
  UnigramParts all;
  static_cast<TokenizerParts&>(all) = std::move(parts);
  FERRY_ASSIGN_OR_RETURN(all.fallback, ReadFallback(reader));
  for (size_t i = 0; reader.ok() && i < all.tokens.size(); ++i) {
    all.scores.push_back(reader.F64());
  }
  FERRY_TRY(EndSerial(reader));
  return all;
}

}  // namespace ferry::llm
