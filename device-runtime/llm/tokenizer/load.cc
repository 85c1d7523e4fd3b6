// The kinds by their names and claims: tokenizer.json and the serialized form.
#include "device-runtime/llm/tokenizer/kinds/kinds.h"

namespace ferry::llm {
namespace {

constexpr std::string_view kMagic = "FTOK";

constexpr const TokenizerKind* kKinds[] = {
#define FERRY_TOKENIZER_KIND(Name) &k##Name##Kind,
#include "device-runtime/llm/tokenizer/kinds/list.inc"
#undef FERRY_TOKENIZER_KIND
};

std::string KindNames() {
  std::string names;
  for (const TokenizerKind* kind : kKinds) {
    if (!names.empty()) names += ", ";
    names += kind->name;
  }
  return names;
}

}  // namespace

Result<std::unique_ptr<Tokenizer>> TokenizerFromJson(ByteView json) {
  FERRY_ASSIGN_OR_RETURN(const TokenizerJson value, ReadTokenizerJson(json));
  for (const TokenizerKind* kind : kKinds) {
    if (kind->claims(value)) return kind->from_json(value);
  }
  FERRY_ASSIGN_OR_RETURN(const Json* model, GetObject(value.json, "model"));
  FERRY_ASSIGN_OR_RETURN(const std::string type, GetStringOr(*model, "type", "(unnamed)"));
  return Status::Of(Code::kUnsupported, "tokenizer model {:?}; supported: {}", type, KindNames());
}

void WriteTokenizerHeader(const TokenizerKind& kind, uint32_t version, SerialWriter& writer) {
  writer.Raw(kMagic);
  writer.U32(version);
  writer.Text(kind.name);
}

Bytes SerializeTokenizer(const Tokenizer& tokenizer) {
  return tokenizer.Serialize();
}

Result<std::unique_ptr<Tokenizer>> TokenizerFromSerialized(ByteView bytes) {
  SerialReader reader(bytes);
  if (reader.Raw(kMagic.size()) != kMagic) {
    return Status(Code::kMalformed, "these bytes are no serialized tokenizer");
  }
  const uint32_t version = reader.U32();
  if (!reader.ok() || version < 1 || version > kLastTokenizerVersion) {
    return Status::Of(Code::kUnsupported, "a serialized tokenizer of version {}; known: 1 to {}",
                      version, kLastTokenizerVersion);
  }
  const std::string_view name = reader.Text();
  for (const TokenizerKind* kind : kKinds) {
    // Version 1 had one kind.
    if (name == kind->name && (version > 1 || kind == &kByteBpeKind)) {
      return kind->from_serialized(version, reader);
    }
  }
  return Status::Of(Code::kUnsupported, "a serialized tokenizer of kind {:?}; known: {}", name,
                    KindNames());
}

}  // namespace ferry::llm
