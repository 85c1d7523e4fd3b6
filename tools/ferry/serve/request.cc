#include "tools/ferry/serve/request.h"

#include "common/base/json.h"

#include <algorithm>
#include <limits>

namespace ferry::cli {
namespace {

// Fields that would change the answer, with the only value that is supported; null counts as
// missing.
struct Fixed {
  const char* name;
  const char* value;  // JSON
};
constexpr Fixed kFixed[] = {
    {"n", "1"},
    {"best_of", "1"},
    {"presence_penalty", "0"},
    {"frequency_penalty", "0"},
    {"logprobs", "false"},
    {"top_logprobs", "0"},
    {"logit_bias", "{}"},
    {"tools", "[]"},
    {"functions", "[]"},
    {"response_format", R"({"type":"text"})"},
    {"modalities", R"(["text"])"},
    {"suffix", R"("")"},
    {"echo", "false"},
};

constexpr double kDefaultTemperature = 1;  // as the API reference has it

template <typename... A>
Status Wrong(fmt::format_string<A...> format, A&&... args) {
  return Status(Code::kInvalidArgument, fmt::format(format, std::forward<A>(args)...));
}

// Reads members one after another, and remembers which one failed.
class Fields {
 public:
  Fields(const Json& object, std::string* param) : object_(object), param_(param) {}

  // The member; null when it is missing or null.
  const Json* Find(const std::string& name) {
    *param_ = name;
    const auto found = object_.find(name);
    return found == object_.end() || found->is_null() ? nullptr : &*found;
  }
  Status CheckFixed() {
    for (const Fixed& fixed : kFixed) {
      const Json* value = Find(fixed.name);
      if (value != nullptr && *value != Json::parse(fixed.value))
        return Wrong("{}: only {} is supported", fixed.name, fixed.value);
    }
    return OkStatus();
  }
  Status Number(const std::string& name, double low, double high, float* out) {
    const Json* value = Find(name);
    if (value == nullptr) return OkStatus();
    if (!value->is_number()) return Wrong("{}: a number is wanted", name);
    const auto number = value->get<double>();
    if (!(number >= low && number <= high))
      return Wrong("{}: {} is not within {} to {}", name, number, low, high);
    *out = static_cast<float>(number);
    return OkStatus();
  }
  Status Whole(const std::string& name, int64_t low, std::optional<int64_t>* out) {
    const Json* value = Find(name);
    if (value == nullptr) return OkStatus();
    if (!value->is_number_integer() ||
        (value->is_number_unsigned() &&
         value->get<uint64_t>() > uint64_t{std::numeric_limits<int64_t>::max()}))
      return Wrong("{}: a whole number is wanted", name);
    if (value->get<int64_t>() < low) return Wrong("{}: at least {}", name, low);
    *out = value->get<int64_t>();
    return OkStatus();
  }
  Status Flag(const std::string& name, bool* out) {
    const Json* value = Find(name);
    if (value == nullptr) return OkStatus();
    if (!value->is_boolean()) return Wrong("{}: true or false is wanted", name);
    *out = value->get<bool>();
    return OkStatus();
  }
  Status Text(const std::string& name, std::string* out) {
    const Json* value = Find(name);
    if (value == nullptr) return OkStatus();
    if (!value->is_string()) return Wrong("{}: a string is wanted", name);
    *out = value->get<std::string>();
    return OkStatus();
  }
  void Blame(std::string param) { *param_ = std::move(param); }

 private:
  const Json& object_;
  std::string* param_;
};

// A string, or an array of {"type":"text","text":...}.
Result<std::string> ContentText(const Json& content, const std::string& where) {
  if (content.is_string()) return content.get<std::string>();
  if (!content.is_array()) return Wrong("{}: a string or an array of parts is wanted", where);
  std::string text;
  for (const Json& part : content) {
    const Result<std::string> type =
        part.is_object() ? GetString(part, "type") : Result<std::string>(std::string("?"));
    const bool is_text = type.ok() && *type == "text";
    const Result<std::string> piece =
        is_text ? GetString(part, "text") : Result<std::string>(std::string());
    if (!is_text || !piece.ok())
      return Wrong("{}: only parts of type \"text\" are supported", where);
    text += *piece;
  }
  return text;
}

Status ReadMessages(Fields& fields, CompletionRequest* request) {
  const Json* messages = fields.Find("messages");
  if (messages == nullptr || !messages->is_array() || messages->empty())
    return Wrong("messages: an array of at least one message is wanted");
  if (messages->size() > kMaxMessages)
    return Wrong("messages: {} are over the limit of {}", messages->size(), kMaxMessages);
  for (size_t i = 0; i < messages->size(); ++i) {
    const Json& message = (*messages)[i];
    const std::string where = fmt::format("messages[{}]", i);
    fields.Blame(where);
    if (!message.is_object()) return Wrong("{}: an object is wanted", where);
    fields.Blame(where + ".role");
    const Result<std::string> role = GetString(message, "role");
    if (!role.ok()) return Wrong("{}.role: a string is wanted", where);
    llm::ChatMessage read{*role == "developer" ? "system" : *role, ""};
    if (read.role != "system" && read.role != "user" && read.role != "assistant")
      return Wrong("{}.role: system, developer, user or assistant is wanted", where);
    fields.Blame(where + ".content");
    const auto content = message.find("content");
    const bool none = content == message.end() || content->is_null();
    if (none && read.role != "assistant") return Wrong("{}.content: it is missing", where);
    if (!none) {
      FERRY_ASSIGN_OR_RETURN(read.content, ContentText(*content, where + ".content"));
    }
    request->messages.push_back(std::move(read));
  }
  return OkStatus();
}

Status ReadIds(const Json& ids, CompletionRequest* request) {
  for (const Json& id : ids) {
    const bool fits = id.is_number_integer() && id >= 0 && id < llm::kMaxVocabulary;
    if (!fits) return Wrong("prompt: a string or an array of token ids is wanted");
    request->prompt_ids.push_back(id.get<llm::TokenId>());
  }
  return OkStatus();
}

Status ReadPrompt(Fields& fields, CompletionRequest* request) {
  const Json* prompt = fields.Find("prompt");
  if (prompt == nullptr) return Wrong("prompt: it is missing");
  if (prompt->is_array() && !prompt->empty() && !prompt->front().is_number()) {
    if (prompt->size() != 1) return Wrong("prompt: only one prompt in a call is supported");
    prompt = &prompt->front();
  }
  if (prompt->is_array()) {
    FERRY_TRY(ReadIds(*prompt, request));
  } else if (prompt->is_string()) {
    request->prompt = prompt->get<std::string>();
  } else {
    return Wrong("prompt: a string or an array of token ids is wanted");
  }
  if (request->prompt.empty() && request->prompt_ids.empty()) return Wrong("prompt: it is empty");
  return OkStatus();
}

Status ReadStops(Fields& fields, CompletionRequest* request) {
  const Json* stop = fields.Find("stop");
  if (stop == nullptr) return OkStatus();
  const Json list = stop->is_array() ? *stop : Json::array({*stop});
  if (list.size() > kMaxStops) return Wrong("stop: at most {} are supported", kMaxStops);
  for (const Json& text : list) {
    if (!text.is_string() || text.get_ref<const std::string&>().empty())
      return Wrong("stop: a string or an array of strings is wanted, none of them empty");
    if (text.get_ref<const std::string&>().size() > kMaxStopBytes)
      return Wrong("stop: at most {} bytes each", kMaxStopBytes);
    request->stop.push_back(text.get<std::string>());
  }
  return OkStatus();
}

Status ReadSampling(Fields& fields, CompletionRequest* request) {
  llm::SamplerOptions& sampler = request->sampler;
  sampler.temperature = kDefaultTemperature;
  std::optional<int64_t> top_k;
  FERRY_TRY(fields.Number("temperature", 0, 2, &sampler.temperature));
  FERRY_TRY(fields.Number("repetition_penalty", 0, 100, &sampler.repetition_penalty));
  FERRY_TRY(fields.Whole("top_k", 0, &top_k));
  sampler.top_k = top_k.value_or(0);
  FERRY_TRY(fields.Number("top_p", 0, 1, &sampler.top_p));
  const Json* seed = fields.Find("seed");
  if (seed != nullptr && !seed->is_number_integer()) return Wrong("seed: a whole number is wanted");
  if (seed != nullptr)
    request->seed = seed->is_number_unsigned() ? seed->get<uint64_t>()
                                               : static_cast<uint64_t>(seed->get<int64_t>());
  fields.Blame("");
  return sampler.Check();
}

Status ReadStreaming(Fields& fields, CompletionRequest* request) {
  FERRY_TRY(fields.Flag("stream", &request->stream));
  const Json* options = fields.Find("stream_options");
  if (options == nullptr) return OkStatus();
  if (!request->stream) return Wrong("stream_options: only with \"stream\": true");
  if (!options->is_object()) return Wrong("stream_options: an object is wanted");
  const Result<bool> include = GetBoolOr(*options, "include_usage", false);
  if (!include.ok()) return Wrong("stream_options.include_usage: true or false is wanted");
  request->include_usage = *include;
  return OkStatus();
}

}  // namespace

Result<CompletionRequest> ParseCompletion(CompletionKind kind, std::string_view body,
                                          std::string* param) {
  param->clear();
  const Result<Json> parsed = ParseJson(body);
  if (!parsed.ok()) return Status(Code::kMalformed, "the body: " + parsed.status().message());
  const Json& object = *parsed;
  if (!object.is_object()) return Status(Code::kMalformed, "the body is no JSON object");
  Fields fields(object, param);
  CompletionRequest request;
  request.kind = kind;
  FERRY_TRY(fields.CheckFixed());
  FERRY_TRY(fields.Text("model", &request.model));
  const bool chat = kind == CompletionKind::kChat;
  FERRY_TRY(chat ? ReadMessages(fields, &request) : ReadPrompt(fields, &request));
  FERRY_TRY(fields.Whole("max_tokens", 1, &request.max_tokens));
  FERRY_TRY(fields.Whole("max_completion_tokens", 1, &request.max_tokens));
  FERRY_TRY(ReadStops(fields, &request));
  FERRY_TRY(ReadStreaming(fields, &request));
  FERRY_TRY(ReadSampling(fields, &request));
  param->clear();
  return request;
}

}  // namespace ferry::cli
