// Byte-level BPE (GPT-2, Qwen, Llama 3, CLIP and their kin).
#include "device-runtime/llm/tokenizer/bpe/byte_bpe.h"

#include "device-runtime/llm/tokenizer/bpe/byte_bpe_json.h"
#include "device-runtime/llm/tokenizer/kinds/kinds.h"
#include "device-runtime/llm/tokenizer/pipeline/parts_serial.h"

namespace ferry::llm {
namespace {

bool HasByteLevel(const Json& json) {
  if (Member(json, "type") == "ByteLevel") return true;
  for (const Json& part : Member(json, "pretokenizers")) {
    if (Member(part, "type") == "ByteLevel") return true;
  }
  return false;
}

bool ClaimsByteBpe(const TokenizerJson& tokenizer) {
  const Json& json = tokenizer.json;
  const Json& model = Member(json, "model");
  const Json& type = Member(model, "type");
  // Older files do not say it.
  const bool bpe = type == "BPE" || (type.is_null() && model.contains("merges"));
  return bpe &&
         (HasByteLevel(Member(json, "decoder")) || HasByteLevel(Member(json, "pre_tokenizer")));
}

Result<std::unique_ptr<Tokenizer>> ByteBpeFromJson(const TokenizerJson& json) {
  FERRY_ASSIGN_OR_RETURN(BpeParts parts, BpePartsFromJson(json));
  return ByteBpe::Create(std::move(parts));
}

Result<std::unique_ptr<Tokenizer>> ByteBpeFromSerialized(uint32_t version, SerialReader& reader) {
  if (version == 1) {
    FERRY_ASSIGN_OR_RETURN(BpeParts parts, ReadBpeVersion1(reader));
    return ByteBpe::Create(std::move(parts));
  }
  FERRY_ASSIGN_OR_RETURN(TokenizerParts common, ReadTokenizerParts(reader));
  FERRY_ASSIGN_OR_RETURN(BpeParts parts, ReadBpe(std::move(common), reader));
  return ByteBpe::Create(std::move(parts));
}

}  // namespace

const TokenizerKind kByteBpeKind = {"byte_bpe", ClaimsByteBpe, ByteBpeFromJson,
                                    ByteBpeFromSerialized};

}  // namespace ferry::llm
