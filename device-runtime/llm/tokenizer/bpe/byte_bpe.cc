#include "device-runtime/llm/tokenizer/bpe/byte_bpe.h"

#include <algorithm>

#include "device-runtime/llm/tokenizer/bpe/merge_list.h"
#include "device-runtime/llm/tokenizer/kinds/kinds.h"
#include "device-runtime/llm/tokenizer/pipeline/parts_serial.h"

namespace ferry::llm {

Result<std::unique_ptr<Tokenizer>> ByteBpe::Create(BpeParts parts) {
  const auto make =
      [&parts](std::shared_ptr<const Vocabulary> vocabulary,
               const std::vector<AddedToken>& added) -> Result<std::unique_ptr<PieceModel>> {
    auto model = std::make_unique<ByteBpe>();
    model->special_ = SpecialIds(added, vocabulary->size());
    model->vocabulary_ = std::move(vocabulary);
    model->whole_pieces_ = parts.whole_pieces;
    model->word_end_ = parts.word_end;
    model->merge_list_ = std::move(parts.merges);
    model->FillBytes();
    FERRY_ASSIGN_OR_RETURN(model->merges_, MergesOfList(*model->vocabulary_, model->merge_list_));
    return std::unique_ptr<PieceModel>(std::move(model));
  };
  if (parts.word_end.size() > kMaxInsertBytes) {
    return Status(Code::kLimitExceeded, "end_of_word_suffix is too long");
  }
  return PipelineTokenizer::Create(std::move(parts), make);
}

Result<std::unique_ptr<Tokenizer>> ByteBpe::CreateByIds(TokenizerParts parts) {
  const auto make =
      [](std::shared_ptr<const Vocabulary> vocabulary,
         const std::vector<AddedToken>& added) -> Result<std::unique_ptr<PieceModel>> {
    auto model = std::make_unique<ByteBpe>();
    model->special_ = SpecialIds(added, vocabulary->size());
    model->vocabulary_ = std::move(vocabulary);
    model->by_ids_ = true;
    model->whole_pieces_ = true;
    model->FillBytes();
    FERRY_TRY(model->FillById());
    return std::unique_ptr<PieceModel>(std::move(model));
  };
  return PipelineTokenizer::Create(std::move(parts), make);
}

void ByteBpe::FillBytes() {
  for (int byte = 0; byte < 256; ++byte) {
    const std::string text(1, static_cast<char>(byte));
    byte_ids_[byte] = vocabulary_->Find(text);
    last_byte_ids_[byte] = vocabulary_->Find(text + word_end_);
  }
}

Status ByteBpe::FillById() {
  const auto each_split = [this](auto&& use) {
    for (uint32_t id = 0; id < vocabulary_->size(); ++id) {
      if (vocabulary_->kind(id) != Token::kMatched) continue;
      const std::string_view text = vocabulary_->text(id);
      for (size_t cut = 1; cut < text.size(); ++cut) {
        const uint32_t left = vocabulary_->Find(text.substr(0, cut));
        const uint32_t right = vocabulary_->Find(text.substr(cut));
        if (left != kNoToken && right != kNoToken) use(left, right, id);
      }
    }
  };
  size_t count = 0;
  for (uint32_t id = 0; id < vocabulary_->size(); ++id) {
    if (vocabulary_->text(id).size() > kMaxRankedTokenBytes) {
      return Status::Of(Code::kLimitExceeded, "token {} has {} bytes, at most {} with ranks", id,
                        vocabulary_->text(id).size(), kMaxRankedTokenBytes);
    }
  }
  each_split([&count](uint32_t, uint32_t, uint32_t) { ++count; });
  if (count > kMaxPairs) {
    return Status::Of(Code::kLimitExceeded, "tokens make {} pairs, at most {}", count, kMaxPairs);
  }
  merges_ = MergeTable(count);
  each_split([this](uint32_t left, uint32_t right, uint32_t id) {
    merges_.Add(left, right, {id, id});
  });
  return OkStatus();
}

const TokenizerKind& ByteBpe::kind() const {
  return by_ids_ ? kTiktokenKind : kByteBpeKind;
}

void ByteBpe::Encode(std::string_view piece, ModelScratch& scratch,
                     std::vector<TokenId>& ids) const {
  if (whole_pieces_ && piece.size() <= kMaxTokenBytes) {
    const uint32_t whole = vocabulary_->Find(piece);
    // What stands for itself as text must not become the special token of the same spelling.
    if (whole != kNoToken && !special_[whole]) {
      ids.push_back(static_cast<TokenId>(whole));
      return;
    }
  }
  scratch.symbols.clear();
  for (size_t i = 0; i < piece.size(); ++i) {
    const auto byte = static_cast<uint8_t>(piece[i]);
    const uint32_t id = i + 1 < piece.size() ? byte_ids_[byte] : last_byte_ids_[byte];
    if (id != kNoToken) scratch.symbols.push_back(id);
  }
  scratch.merger.Append(merges_, scratch.symbols, ids);
}

void ByteBpe::Write(SerialWriter& writer) const {
  if (by_ids_) return;
  writer.U8(whole_pieces_);
  writer.Text(word_end_);
  WriteMerges(merge_list_, writer);
}

bool ByteBpe::WriteVersion1(const TokenizerParts& parts, SerialWriter& writer) const {
  if (by_ids_ || !word_end_.empty() || !(parts.shown == ShownAs())) return false;
  NormalStep nfc;
  if (!parts.normal.empty() && !(parts.normal.size() == 1 && parts.normal[0] == nfc)) return false;
  const bool old_steps =
      std::all_of(parts.steps.begin(), parts.steps.end(), [](const SplitStep& step) {
        return step.kind <= SplitStep::kSpaceBefore && step.behavior <= SplitStep::kContiguous;
      });
  if (!old_steps) return false;
  BpeParts all;
  static_cast<TokenizerParts&>(all) = parts;
  all.whole_pieces = whole_pieces_;
  all.merges = merge_list_;
  WriteTokenizerHeader(kByteBpeKind, 1, writer);
  WriteBpeVersion1(all, !parts.normal.empty(), writer);
  return true;
}

Result<BpeParts> ReadBpe(TokenizerParts parts, SerialReader& reader) {
  BpeParts all;
  static_cast<TokenizerParts&>(all) = std::move(parts);
  const uint8_t whole_pieces = reader.U8();
  if (whole_pieces > 1) return WrongSerial(reader, "a flag that is neither 0 nor 1");
  all.whole_pieces = whole_pieces == 1;
  all.word_end = reader.Text();
  ReadMerges(reader, all.merges);
  FERRY_TRY(EndSerial(reader));
  return all;
}

}  // namespace ferry::llm
