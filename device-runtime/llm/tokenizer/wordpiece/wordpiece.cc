#include "device-runtime/llm/tokenizer/wordpiece/wordpiece.h"

#include <algorithm>

#include "device-runtime/llm/tokenizer/kinds/kinds.h"
#include "device-runtime/llm/tokenizer/pipeline/parts_serial.h"

namespace ferry::llm {

Result<std::unique_ptr<Tokenizer>> WordPiece::Create(WordPieceParts parts) {
  const auto make =
      [&parts](std::shared_ptr<const Vocabulary> vocabulary,
               const std::vector<AddedToken>& added) -> Result<std::unique_ptr<PieceModel>> {
    auto model = std::make_unique<WordPiece>();
    const std::vector<bool> special = SpecialIds(added, vocabulary->size());
    std::vector<std::pair<std::string_view, uint32_t>> first, others;
    for (uint32_t id = 0; id < vocabulary->size(); ++id) {
      if (vocabulary->kind(id) != Token::kMatched || special[id]) continue;
      const std::string_view text = vocabulary->text(id);
      first.emplace_back(text, id);
      if (text.starts_with(parts.going_on)) {
        others.emplace_back(text.substr(parts.going_on.size()), id);
      }
    }
    model->first_ = TokenTrie(std::move(first));
    model->others_ = TokenTrie(std::move(others));
    model->unknown_ = parts.unknown;
    model->most_characters_ = parts.most_characters;
    model->going_on_ = parts.going_on;
    if (parts.unknown >= vocabulary->size()) {
      return Status(Code::kMalformed, "WordPiece whose unknown token is not in the vocabulary");
    }
    model->vocabulary_ = std::move(vocabulary);
    return std::unique_ptr<PieceModel>(std::move(model));
  };
  if (parts.most_characters > kMaxWordCharacters || parts.going_on.size() > kMaxInsertBytes) {
    return Status::Of(Code::kLimitExceeded, "words of {} characters, at most {}",
                      parts.most_characters, kMaxWordCharacters);
  }
  return PipelineTokenizer::Create(std::move(parts), make);
}

const TokenizerKind& WordPiece::kind() const {
  return kWordPieceKind;
}

void WordPiece::Encode(std::string_view piece, ModelScratch&, std::vector<TokenId>& ids) const {
  const size_t before = ids.size();
  const auto characters = std::count_if(
      piece.begin(), piece.end(), [](char c) { return (static_cast<uint8_t>(c) & 0xc0) != 0x80; });
  bool known = static_cast<size_t>(characters) <= most_characters_;
  for (size_t at = 0; at < piece.size() && known;) {
    size_t longest = 0;
    uint32_t token = kNoToken;
    const TokenTrie& trie = at == 0 ? first_ : others_;
    trie.ForEachPrefix(piece.substr(at), [&](size_t size, uint32_t id) {
      longest = size;
      token = id;
    });
    known = longest > 0;
    if (known) ids.push_back(static_cast<TokenId>(token));
    at += longest;
  }
  if (known) return;
  ids.resize(before);
  ids.push_back(static_cast<TokenId>(unknown_));
}

void WordPiece::Write(SerialWriter& writer) const {
  writer.U32(unknown_);
  writer.U32(most_characters_);
  writer.Text(going_on_);
}

Result<WordPieceParts> ReadWordPiece(TokenizerParts parts, SerialReader& reader) {
  WordPieceParts all;
  static_cast<TokenizerParts&>(all) = std::move(parts);
  all.unknown = reader.U32();
  all.most_characters = reader.U32();
  all.going_on = reader.Text();
  FERRY_TRY(EndSerial(reader));
  return all;
}

}  // namespace ferry::llm
