// tokenizer.json of byte-level BPE (GPT-2, Qwen, Llama 3 and their kin), and its serialized form.
#include "device-runtime/llm/tokenizer/bpe/byte_bpe.h"
#include "device-runtime/llm/tokenizer/bpe/parts_json.h"
#include "device-runtime/llm/tokenizer/kinds/kinds.h"

namespace ferry::llm {
namespace {

bool Claims(const Json& json) {
  const auto model = json.find("model");
  if (model == json.end() || !model->is_object()) return false;
  const auto type = model->find("type");
  if (type != model->end()) return *type == "BPE";
  return model->contains("merges");  // older files do not say
}

Result<std::unique_ptr<Tokenizer>> FromJson(const Json& json) {
  FERRY_ASSIGN_OR_RETURN(BpeParts parts, BpePartsFromJson(json));
  return ByteBpe::Create(std::move(parts));
}

Result<std::unique_ptr<Tokenizer>> FromSerialized(SerialReader& reader) {
  FERRY_ASSIGN_OR_RETURN(BpeParts parts, ReadBpeParts(reader));
  return ByteBpe::Create(std::move(parts));
}

}  // namespace

const TokenizerKind kByteBpeKind = {"byte_bpe", Claims, FromJson, FromSerialized};

}  // namespace ferry::llm
