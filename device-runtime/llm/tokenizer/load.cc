// Where tokenizers come from: a folder, tokenizer.json, a model file.
#include "device-runtime/llm/tokenizer/bpe/byte_bpe.h"
#include "device-runtime/llm/tokenizer/bpe/parts_json.h"
#include "device-runtime/llm/tokenizer/kinds/kinds.h"

namespace ferry::llm {
namespace {

constexpr std::string_view kMagic = "FTOK";
constexpr uint32_t kVersion = 1;

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

Result<Json> ReadJson(sys::FileSystem& fs, const std::string& path) {
  FERRY_ASSIGN_OR_RETURN(const Bytes bytes, sys::ReadFile(fs, path, kMaxJsonBytes));
  return ParseJson(AsText(bytes)).Context("{}", path);
}

Result<std::unique_ptr<Tokenizer>> FromVocabAndMerges(sys::FileSystem& fs,
                                                      const std::string& folder) {
  FERRY_ASSIGN_OR_RETURN(const Json vocab, ReadJson(fs, sys::JoinPath(folder, "vocab.json")));
  FERRY_ASSIGN_OR_RETURN(const Bytes merges,
                         sys::ReadFile(fs, sys::JoinPath(folder, "merges.txt"), kMaxJsonBytes));
  Json config;
  const std::string config_path = sys::JoinPath(folder, "tokenizer_config.json");
  if (sys::Exists(fs, config_path)) {
    FERRY_ASSIGN_OR_RETURN(config, ReadJson(fs, config_path));
  }
  FERRY_ASSIGN_OR_RETURN(BpeParts parts, BpePartsFromFiles(vocab, AsText(merges), config));
  return ByteBpe::Create(std::move(parts));
}

}  // namespace

Result<std::unique_ptr<Tokenizer>> LoadTokenizerFolder(sys::FileSystem& fs,
                                                       const std::string& folder) {
  const std::string json_path = sys::JoinPath(folder, "tokenizer.json");
  if (sys::Exists(fs, json_path)) {
    FERRY_ASSIGN_OR_RETURN(const Bytes json, sys::ReadFile(fs, json_path, kMaxJsonBytes));
    return TokenizerFromJson(json).Context("{}", json_path);
  }
  if (!sys::Exists(fs, sys::JoinPath(folder, "vocab.json")) ||
      !sys::Exists(fs, sys::JoinPath(folder, "merges.txt"))) {
    return Status::Of(Code::kNotFound,
                      "{} has neither tokenizer.json nor vocab.json and merges.txt", folder);
  }
  return FromVocabAndMerges(fs, folder).Context("{}", folder);
}

Result<std::unique_ptr<Tokenizer>> TokenizerFromJson(ByteView json) {
  FERRY_ASSIGN_OR_RETURN(const Json value, ParseJson(AsText(json)));
  if (!value.is_object()) return Status(Code::kMalformed, "a tokenizer is a JSON object");
  for (const TokenizerKind* kind : kKinds) {
    if (kind->claims(value)) return kind->from_json(value);
  }
  FERRY_ASSIGN_OR_RETURN(const Json* model, GetObject(value, "model"));
  FERRY_ASSIGN_OR_RETURN(const std::string type, GetStringOr(*model, "type", "(unnamed)"));
  return Status::Of(Code::kUnsupported, "tokenizer model {:?}; supported: {}", type, KindNames());
}

void WriteTokenizerHeader(const TokenizerKind& kind, SerialWriter& writer) {
  writer.Raw(kMagic);
  writer.U32(kVersion);
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
  if (!reader.ok() || version != kVersion) {
    return Status::Of(Code::kUnsupported, "a serialized tokenizer of version {}; known: {}",
                      version, kVersion);
  }
  const std::string_view name = reader.Text();
  for (const TokenizerKind* kind : kKinds) {
    if (name == kind->name) return kind->from_serialized(reader);
  }
  return Status::Of(Code::kUnsupported, "a serialized tokenizer of kind {:?}; known: {}", name,
                    KindNames());
}

}  // namespace ferry::llm
