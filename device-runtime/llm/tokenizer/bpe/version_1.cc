// The serialized form of byte-level BPE, version 1. Model files hold it for ever: never change what
// is here.
//
//   u8 nfc, u8 whole_pieces
//   u32 steps, each: u8 kind, u8 behavior, u8 invert, u32 length and pattern
//   u32 tokens, each: u8 kind; then each: u16 length; then the texts
//   u32 merges, each: u32 left, u32 right
//   u32 added tokens, each: u32 id, u8 flags, u32 length and content
#include "device-runtime/llm/tokenizer/bpe/byte_bpe.h"
#include "device-runtime/llm/tokenizer/bpe/merge_list.h"
#include "device-runtime/llm/tokenizer/pipeline/parts_serial.h"

namespace ferry::llm {
namespace {

Status ReadOldSteps(SerialReader& reader, std::vector<SplitStep>& steps) {
  const size_t count = reader.Count(7);
  for (size_t i = 0; i < count && reader.ok(); ++i) {
    const uint8_t kind = reader.U8();
    const uint8_t behavior = reader.U8();
    const uint8_t invert = reader.U8();
    if (kind > SplitStep::kSpaceBefore || behavior > SplitStep::kContiguous || invert > 1) {
      return WrongSerial(reader, "an unknown pre-tokenizer");
    }
    SplitStep& step = steps.emplace_back();
    step.kind = static_cast<SplitStep::Kind>(kind);
    step.behavior = static_cast<SplitStep::Behavior>(behavior);
    step.invert = invert == 1;
    step.pattern = reader.Text();
  }
  return OkStatus();
}

}  // namespace

void WriteBpeVersion1(const BpeParts& parts, bool nfc, SerialWriter& writer) {
  writer.U8(nfc);
  writer.U8(parts.whole_pieces);
  writer.U32(static_cast<uint32_t>(parts.steps.size()));
  for (const SplitStep& step : parts.steps) {
    writer.U8(step.kind);
    writer.U8(step.behavior);
    writer.U8(step.invert);
    writer.Text(step.pattern);
  }
  WriteTokens(parts.tokens, writer);
  WriteMerges(parts.merges, writer);
  WriteAdded(parts.added, writer);
}

Result<BpeParts> ReadBpeVersion1(SerialReader& reader) {
  BpeParts parts;
  const uint8_t nfc = reader.U8();
  const uint8_t whole_pieces = reader.U8();
  if (nfc > 1 || whole_pieces > 1) return WrongSerial(reader, "a flag that is neither 0 nor 1");
  if (nfc == 1) parts.normal.emplace_back();
  parts.whole_pieces = whole_pieces == 1;
  FERRY_TRY(ReadOldSteps(reader, parts.steps));
  FERRY_TRY(ReadTokens(reader, parts.tokens));
  ReadMerges(reader, parts.merges);
  FERRY_TRY(ReadAdded(reader, parts.added));
  FERRY_TRY(EndSerial(reader));
  return parts;
}

}  // namespace ferry::llm
