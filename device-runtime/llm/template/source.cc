#include "device-runtime/llm/template/source.h"

#include "device-runtime/llm/tokenizer/text/utf8.h"

namespace ferry::llm {
namespace {

constexpr std::string_view kTokenVariables[] = {"bos_token", "eos_token", "unk_token", "pad_token",
                                                "sep_token", "cls_token", "mask_token"};

struct GgufToken {
  std::string_view variable;
  const char* key;
};
constexpr GgufToken kGgufTokens[] = {{"bos_token", "tokenizer.ggml.bos_token_id"},
                                     {"eos_token", "tokenizer.ggml.eos_token_id"},
                                     {"unk_token", "tokenizer.ggml.unknown_token_id"},
                                     {"pad_token", "tokenizer.ggml.padding_token_id"}};

Result<Json> ReadTemplateJson(sys::FileSystem& fs, const std::string& path) {
  FERRY_ASSIGN_OR_RETURN(const Bytes text, sys::ReadFile(fs, path, kMaxJsonBytes));
  FERRY_ASSIGN_OR_RETURN(Json json, ParseJson(AsText(text)).Context("{}", path));
  if (json.is_object()) return json;
  return Status::Of(Code::kMalformed, "{}: wanted an object, found {}", path, json.type_name());
}

// "chat_template": a text, or a list of named ones.
Result<std::string> NamedTemplate(const Json& json, const std::string& name) {
  const auto it = json.find("chat_template");
  if (it == json.end() || it->is_null()) {
    return Status(Code::kFailedPrecondition, "has no chat_template");
  }
  if (!it->is_array()) {
    FERRY_ASSIGN_OR_RETURN(std::string source, GetString(json, "chat_template"));
    if (name == "default") return source;
  } else {
    for (const Json& entry : *it) {
      FERRY_ASSIGN_OR_RETURN(const std::string entry_name, GetString(entry, "name"));
      if (entry_name == name) return GetString(entry, "template");
    }
  }
  return Status::Of(Code::kFailedPrecondition, "chat_template has no entry {:?}", name);
}

// A token is a text, or an object with its text.
void AddTokenVariables(const Json& config, Json& variables) {
  for (const std::string_view name : kTokenVariables) {
    const auto token = config.find(name);
    if (token == config.end()) continue;
    if (token->is_string()) {
      variables[name] = *token;
    } else if (token->is_object()) {
      const auto content = token->find("content");
      if (content != token->end() && content->is_string()) variables[name] = *content;
    }
  }
}

Result<TemplateSource> FromConfig(const Json& config, const std::string& name) {
  TemplateSource source;
  FERRY_ASSIGN_OR_RETURN(const std::string text, NamedTemplate(config, name));
  FERRY_ASSIGN_OR_RETURN(source.chat_template, ChatTemplate::Parse(text));
  AddTokenVariables(config, source.variables);
  return source;
}

}  // namespace

Result<TemplateSource> LoadTemplateFolder(sys::FileSystem& fs, const std::string& folder,
                                          const std::string& name) {
  const auto path = [&](const char* file) { return sys::JoinPath(folder, file); };
  const std::string config_path = path("tokenizer_config.json");
  Json config = Json::object();
  if (sys::Exists(fs, config_path)) {
    FERRY_ASSIGN_OR_RETURN(config, ReadTemplateJson(fs, config_path));
  }
  const std::string own = path("chat_template.jinja");
  if (name == "default" && sys::Exists(fs, own)) {
    TemplateSource source;
    FERRY_ASSIGN_OR_RETURN(const Bytes text, sys::ReadFile(fs, own, kMaxTemplateBytes));
    FERRY_ASSIGN_OR_RETURN(source.chat_template,
                           ChatTemplate::Parse(AsText(text)).Context("{}", own));
    AddTokenVariables(config, source.variables);
    return source;
  }
  const std::string json_path = path("chat_template.json");
  if (sys::Exists(fs, json_path)) {
    FERRY_ASSIGN_OR_RETURN(const Json json, ReadTemplateJson(fs, json_path));
    FERRY_ASSIGN_OR_RETURN(TemplateSource source, FromConfig(json, name).Context("{}", json_path));
    AddTokenVariables(config, source.variables);
    return source;
  }
  if (!sys::Exists(fs, config_path)) {
    return Status::Of(Code::kFailedPrecondition, "{} has no chat template", folder);
  }
  return FromConfig(config, name).Context("{}", config_path);
}

Result<TemplateSource> TemplateFromGguf(const formats::Gguf& gguf, const std::string& name) {
  const std::string key =
      "tokenizer.chat_template" + (name == "default" ? std::string() : "." + name);
  const formats::GgufValue* value = gguf.Find(key);
  if (value == nullptr) {
    return Status::Of(Code::kFailedPrecondition, "the GGUF file has no {}", key);
  }
  const auto text = value->Text();
  if (!text) return Status::Of(Code::kMalformed, "{} is no text", key);
  TemplateSource source;
  FERRY_ASSIGN_OR_RETURN(source.chat_template, ChatTemplate::Parse(*text).Context("{}", key));
  const formats::GgufValue* tokens = gguf.Find("tokenizer.ggml.tokens");
  const auto texts = tokens == nullptr ? std::nullopt : tokens->Texts();
  for (const GgufToken& token : kGgufTokens) {
    const formats::GgufValue* id = gguf.Find(token.key);
    const int64_t place = id == nullptr ? -1 : id->Integer().value_or(-1);
    if (!texts || place < 0 || static_cast<size_t>(place) >= texts->size()) continue;
    const std::string_view shown = (*texts)[static_cast<size_t>(place)];
    if (ValidUtf8Prefix(shown) == shown.size()) source.variables[token.variable] = shown;
  }
  return source;
}

Result<TemplateSource> LoadTemplateFile(sys::FileSystem& fs, const std::string& path,
                                        const std::string& name) {
  FERRY_ASSIGN_OR_RETURN(const auto file, fs.Map(path));
  if (formats::Gguf::IsGguf(file->bytes())) {
    FERRY_ASSIGN_OR_RETURN(const formats::Gguf gguf, formats::Gguf::Read(file->bytes(), path));
    return TemplateFromGguf(gguf, name).Context("{}", path);
  }
  if (path.ends_with(".json")) {
    FERRY_ASSIGN_OR_RETURN(const Json config, ReadTemplateJson(fs, path));
    return FromConfig(config, name).Context("{}", path);
  }
  TemplateSource source;
  FERRY_ASSIGN_OR_RETURN(source.chat_template,
                         ChatTemplate::Parse(AsText(file->bytes())).Context("{}", path));
  return source;
}

}  // namespace ferry::llm
