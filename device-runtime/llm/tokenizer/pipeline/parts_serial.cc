#include "device-runtime/llm/tokenizer/pipeline/parts_serial.h"

namespace ferry::llm {
namespace {

enum AddedFlag : uint8_t {
  kSpecialFlag = 1,
  kLeftStripFlag = 2,
  kRightStripFlag = 4,
  kSingleWordFlag = 8,
  kNormalizedFlag = 16,
  kAllFlags = 31,
};

enum ShownFlag : uint8_t { kBytesFlag = 1, kDropFlag = 2, kCleanFlag = 4, kAllShownFlags = 7 };

uint8_t FlagsOf(const AddedToken& token) {
  return static_cast<uint8_t>(
      (token.special ? kSpecialFlag : 0) | (token.left_strip ? kLeftStripFlag : 0) |
      (token.right_strip ? kRightStripFlag : 0) | (token.single_word ? kSingleWordFlag : 0) |
      (token.normalized ? kNormalizedFlag : 0));
}

Status ReadNormal(SerialReader& reader, std::vector<NormalStep>& steps) {
  const size_t count = reader.Count(10);
  for (size_t i = 0; i < count && reader.ok(); ++i) {
    NormalStep& step = steps.emplace_back();
    const uint8_t kind = reader.U8();
    step.flags = reader.U8();
    if (kind > NormalStep::kLast || step.flags > 3) {
      return WrongSerial(reader, "an unknown normalizer");
    }
    step.kind = static_cast<NormalStep::Kind>(kind);
    step.pattern = reader.Text();
    step.content = reader.Text();
  }
  return OkStatus();
}

Status ReadSplit(SerialReader& reader, std::vector<SplitStep>& steps) {
  const size_t count = reader.Count(8);
  for (size_t i = 0; i < count && reader.ok(); ++i) {
    SplitStep& step = steps.emplace_back();
    const uint8_t kind = reader.U8();
    const uint8_t behavior = reader.U8();
    const uint8_t invert = reader.U8();
    const uint8_t mark = reader.U8();
    if (kind > SplitStep::kLastKind || behavior > SplitStep::kLastBehavior || invert > 1 ||
        mark > SplitStep::kAlways) {
      return WrongSerial(reader, "an unknown pre-tokenizer");
    }
    step.kind = static_cast<SplitStep::Kind>(kind);
    step.behavior = static_cast<SplitStep::Behavior>(behavior);
    step.invert = invert == 1;
    step.mark = static_cast<SplitStep::Mark>(mark);
    step.pattern = reader.Text();
  }
  return OkStatus();
}

Status ReadShown(SerialReader& reader, ShownAs& shown) {
  const uint8_t style = reader.U8();
  const uint8_t flags = reader.U8();
  if (style > ShownAs::kLastStyle || flags > kAllShownFlags) {
    return WrongSerial(reader, "an unknown decoder");
  }
  shown.style = static_cast<ShownAs::Style>(style);
  shown.bytes = (flags & kBytesFlag) != 0;
  shown.drop_first_space = (flags & kDropFlag) != 0;
  shown.clean_up = (flags & kCleanFlag) != 0;
  shown.affix = reader.Text();
  return OkStatus();
}

}  // namespace

Status WrongSerial(const SerialReader& reader, std::string_view what) {
  return Status::Of(Code::kMalformed, "tokenizer at byte {}: {}", reader.at(), what);
}

Status EndSerial(const SerialReader& reader) {
  if (!reader.ok()) return WrongSerial(reader, "it ends too early");
  if (reader.left() != 0) return WrongSerial(reader, "bytes after its end");
  return OkStatus();
}

void WriteTokens(const std::vector<Token>& tokens, SerialWriter& writer) {
  writer.U32(static_cast<uint32_t>(tokens.size()));
  for (const Token& token : tokens) writer.U8(token.kind);
  static_assert(kMaxTokenBytes <= UINT16_MAX);
  for (const Token& token : tokens) writer.U16(static_cast<uint16_t>(token.text.size()));
  for (const Token& token : tokens) writer.Raw(token.text);
}

Status ReadTokens(SerialReader& reader, std::vector<Token>& tokens) {
  const size_t count = reader.Count(3);
  if (count > static_cast<size_t>(kMaxVocabulary)) return WrongSerial(reader, "too many tokens");
  tokens.resize(count);
  for (Token& token : tokens) {
    const uint8_t kind = reader.U8();
    if (kind > Token::kPlain) return WrongSerial(reader, "an unknown kind of token");
    token.kind = static_cast<Token::Kind>(kind);
  }
  std::vector<uint16_t> lengths(count);
  for (uint16_t& length : lengths) length = reader.U16();
  for (size_t i = 0; i < count; ++i) tokens[i].text = reader.Raw(lengths[i]);
  return OkStatus();
}

void WriteAdded(const std::vector<AddedToken>& added, SerialWriter& writer) {
  writer.U32(static_cast<uint32_t>(added.size()));
  for (const AddedToken& token : added) {
    writer.U32(static_cast<uint32_t>(token.id));
    writer.U8(FlagsOf(token));
    writer.Text(token.content);
  }
}

Status ReadAdded(SerialReader& reader, std::vector<AddedToken>& added) {
  const size_t count = reader.Count(9);
  for (size_t i = 0; i < count && reader.ok(); ++i) {
    AddedToken token;
    const uint32_t id = reader.U32();
    const uint8_t flags = reader.U8();
    if (id >= static_cast<uint32_t>(kMaxVocabulary) || flags > kAllFlags) {
      return WrongSerial(reader, "an added token that cannot be");
    }
    token.id = static_cast<TokenId>(id);
    token.special = flags & kSpecialFlag;
    token.left_strip = flags & kLeftStripFlag;
    token.right_strip = flags & kRightStripFlag;
    token.single_word = flags & kSingleWordFlag;
    token.normalized = flags & kNormalizedFlag;
    token.content = reader.Text();
    added.push_back(std::move(token));
  }
  return OkStatus();
}

void WriteTokenizerParts(const TokenizerParts& parts, SerialWriter& writer) {
  writer.U32(static_cast<uint32_t>(parts.normal.size()));
  for (const NormalStep& step : parts.normal) {
    writer.U8(step.kind);
    writer.U8(step.flags);
    writer.Text(step.pattern);
    writer.Text(step.content);
  }
  writer.U32(static_cast<uint32_t>(parts.steps.size()));
  for (const SplitStep& step : parts.steps) {
    writer.U8(step.kind);
    writer.U8(step.behavior);
    writer.U8(step.invert);
    writer.U8(step.mark);
    writer.Text(step.pattern);
  }
  const ShownAs& shown = parts.shown;
  writer.U8(shown.style);
  writer.U8(static_cast<uint8_t>((shown.bytes ? kBytesFlag : 0) |
                                 (shown.drop_first_space ? kDropFlag : 0) |
                                 (shown.clean_up ? kCleanFlag : 0)));
  writer.Text(shown.affix);
  WriteTokens(parts.tokens, writer);
  WriteAdded(parts.added, writer);
}

Result<TokenizerParts> ReadTokenizerParts(SerialReader& reader) {
  TokenizerParts parts;
  FERRY_TRY(ReadNormal(reader, parts.normal));
  FERRY_TRY(ReadSplit(reader, parts.steps));
  FERRY_TRY(ReadShown(reader, parts.shown));
  FERRY_TRY(ReadTokens(reader, parts.tokens));
  FERRY_TRY(ReadAdded(reader, parts.added));
  return parts;
}

}  // namespace ferry::llm
