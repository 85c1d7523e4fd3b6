// The serialized form, version 1. Model files hold it for ever: never change what is here, add a
// version.
//
//   u8 nfc, u8 whole_pieces
//   u32 steps, each: u8 kind, u8 behavior, u8 invert, u32 length and pattern
//   u32 tokens, each: u8 kind; then each: u16 length; then the texts
//   u32 merges, each: u32 left, u32 right
//   u32 added tokens, each: u32 id, u8 flags, u32 length and content
#include "device-runtime/llm/tokenizer/bpe/byte_bpe.h"

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

Status Wrong(const SerialReader& reader, std::string_view what) {
  return Status::Of(Code::kMalformed, "tokenizer at byte {}: {}", reader.at(), what);
}

uint8_t FlagsOf(const AddedToken& token) {
  return static_cast<uint8_t>(
      (token.special ? kSpecialFlag : 0) | (token.left_strip ? kLeftStripFlag : 0) |
      (token.right_strip ? kRightStripFlag : 0) | (token.single_word ? kSingleWordFlag : 0) |
      (token.normalized ? kNormalizedFlag : 0));
}

Status ReadSteps(SerialReader& reader, std::vector<SplitStep>& steps) {
  const size_t count = reader.Count(7);
  for (size_t i = 0; i < count && reader.ok(); ++i) {
    const uint8_t kind = reader.U8();
    const uint8_t behavior = reader.U8();
    const uint8_t invert = reader.U8();
    if (kind > SplitStep::kSpaceBefore || behavior > SplitStep::kContiguous || invert > 1) {
      return Wrong(reader, "an unknown pre-tokenizer");
    }
    steps.push_back({static_cast<SplitStep::Kind>(kind), static_cast<SplitStep::Behavior>(behavior),
                     invert == 1, std::string(reader.Text())});
  }
  return OkStatus();
}

Status ReadTokens(SerialReader& reader, std::vector<BpeToken>& tokens) {
  const size_t count = reader.Count(3);
  if (count > static_cast<size_t>(kMaxVocabulary)) return Wrong(reader, "too many tokens");
  tokens.resize(count);
  for (BpeToken& token : tokens) {
    const uint8_t kind = reader.U8();
    if (kind > BpeToken::kPlain) return Wrong(reader, "an unknown kind of token");
    token.kind = static_cast<BpeToken::Kind>(kind);
  }
  std::vector<uint16_t> lengths(count);
  for (uint16_t& length : lengths) length = reader.U16();
  for (size_t i = 0; i < count; ++i) tokens[i].text = reader.Raw(lengths[i]);
  return OkStatus();
}

Status ReadAdded(SerialReader& reader, std::vector<AddedToken>& added) {
  const size_t count = reader.Count(9);
  for (size_t i = 0; i < count && reader.ok(); ++i) {
    AddedToken token;
    const uint32_t id = reader.U32();
    const uint8_t flags = reader.U8();
    if (id >= static_cast<uint32_t>(kMaxVocabulary) || flags > kAllFlags) {
      return Wrong(reader, "an added token that cannot be");
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

}  // namespace

void WriteBpeParts(const BpeParts& parts, SerialWriter& writer) {
  writer.U8(parts.nfc);
  writer.U8(parts.whole_pieces);
  writer.U32(static_cast<uint32_t>(parts.steps.size()));
  for (const SplitStep& step : parts.steps) {
    writer.U8(step.kind);
    writer.U8(step.behavior);
    writer.U8(step.invert);
    writer.Text(step.pattern);
  }
  writer.U32(static_cast<uint32_t>(parts.tokens.size()));
  for (const BpeToken& token : parts.tokens) writer.U8(token.kind);
  static_assert(kMaxTokenBytes <= UINT16_MAX);
  for (const BpeToken& token : parts.tokens) {
    writer.U16(static_cast<uint16_t>(token.text.size()));
  }
  for (const BpeToken& token : parts.tokens) writer.Raw(token.text);
  writer.U32(static_cast<uint32_t>(parts.merges.size()));
  for (const auto& [left, right] : parts.merges) {
    writer.U32(left);
    writer.U32(right);
  }
  writer.U32(static_cast<uint32_t>(parts.added.size()));
  for (const AddedToken& token : parts.added) {
    writer.U32(static_cast<uint32_t>(token.id));
    writer.U8(FlagsOf(token));
    writer.Text(token.content);
  }
}

Result<BpeParts> ReadBpeParts(SerialReader& reader) {
  BpeParts parts;
  const uint8_t nfc = reader.U8();
  const uint8_t whole_pieces = reader.U8();
  if (nfc > 1 || whole_pieces > 1) return Wrong(reader, "a flag that is neither 0 nor 1");
  parts.nfc = nfc == 1;
  parts.whole_pieces = whole_pieces == 1;
  FERRY_TRY(ReadSteps(reader, parts.steps));
  FERRY_TRY(ReadTokens(reader, parts.tokens));
  parts.merges.resize(reader.Count(8));
  for (auto& [left, right] : parts.merges) {
    left = reader.U32();
    right = reader.U32();
  }
  FERRY_TRY(ReadAdded(reader, parts.added));
  if (!reader.ok()) return Wrong(reader, "it ends too early");
  if (reader.left() != 0) return Wrong(reader, "bytes after its end");
  return parts;
}

}  // namespace ferry::llm
