#include "device-runtime/llm/tokenizer/sources/bert.h"

#include "device-runtime/llm/tokenizer/json/parts_json.h"

namespace ferry::llm {

WordPieceParts BertParts(bool lower) {
  WordPieceParts parts;
  parts.normal.emplace_back().kind = NormalStep::kClean;
  parts.normal.emplace_back().kind = NormalStep::kIdeographs;
  if (lower) {
    parts.normal.emplace_back().kind = NormalStep::kNfd;
    NormalStep& marks = parts.normal.emplace_back();
    marks.kind = NormalStep::kDropMarks;
    marks.flags = 1;
    parts.normal.emplace_back().kind = NormalStep::kLower;
  }
  SplitStep& spaces = parts.steps.emplace_back();
  spaces.behavior = SplitStep::kRemoved;
  spaces.pattern = R"(\s+)";
  parts.steps.emplace_back().pattern = kPunctuationExpression;
  parts.shown = {ShownAs::kWordPieces, false, true, true, "##"};
  return parts;
}

void AppendBertToken(std::string_view text, WordPieceParts& parts) {
  const auto id = static_cast<uint32_t>(parts.tokens.size());
  parts.tokens.push_back({text.empty() ? Token::kAbsent : Token::kMatched, std::string(text)});
  if (text == "[UNK]") parts.unknown = id;
  for (const std::string_view special : {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}) {
    if (text != special) continue;
    AddedToken& added = parts.added.emplace_back();
    added.id = static_cast<TokenId>(id);
    added.content = text;
    added.special = true;
  }
}

}  // namespace ferry::llm
