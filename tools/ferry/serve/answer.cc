#include "tools/ferry/serve/answer.h"

namespace ferry::cli {
namespace {

constexpr const char* kTextObject = "text_completion";  // of whole texts and of chunks

Json UsageJson(const Usage& usage) {
  return {{"prompt_tokens", usage.prompt_tokens},
          {"completion_tokens", usage.completion_tokens},
          {"total_tokens", usage.prompt_tokens + usage.completion_tokens},
          {"prompt_tokens_details", {{"cached_tokens", usage.cached_tokens}}}};
}

struct Kind {
  int status;
  const char* type;
  const char* code;  // null: none
};

Kind KindOf(Code code) {
  switch (code) {
    case Code::kInvalidArgument:
    case Code::kMalformed:
    case Code::kUnsupported:
    case Code::kFailedPrecondition:
      return {400, "invalid_request_error", nullptr};
    case Code::kLimitExceeded:
      return {400, "invalid_request_error", "context_length_exceeded"};
    case Code::kPermissionDenied:
      return {403, "invalid_request_error", nullptr};
    case Code::kNotFound:
      return {404, "invalid_request_error", "not_found"};
    case Code::kQuotaUsed:
      return {429, "rate_limit_error", "rate_limit_exceeded"};
    case Code::kUnavailable:
    case Code::kOutOfMemory:
      return {503, "server_error", "overloaded"};
    default:
      return {500, "server_error", nullptr};
  }
}

}  // namespace

AnswerWriter::AnswerWriter(CompletionKind kind, const std::string& unique, int64_t created,
                           std::string model)
    : kind_(kind),
      id_((kind == CompletionKind::kChat ? "chatcmpl-" : "cmpl-") + unique),
      created_(created),
      model_(std::move(model)) {}

Json AnswerWriter::Envelope(bool chunk) const {
  const char* object = kind_ == CompletionKind::kText ? kTextObject
                       : chunk                        ? "chat.completion.chunk"
                                                      : "chat.completion";
  Json json = {{"id", id_}, {"object", object}, {"created", created_}, {"model", model_}};
  if (!mode_.empty()) json["ferry_mode"] = mode_;
  return json;
}

Json AnswerWriter::Chunk(Json choice, bool usage_follows) const {
  Json json = Envelope(true);
  choice["index"] = 0;
  choice["logprobs"] = nullptr;
  json["choices"] = Json::array({std::move(choice)});
  if (usage_follows) json["usage"] = nullptr;
  return json;
}

Json AnswerWriter::Whole(const std::string& text, const std::string& reason,
                         const Usage& usage) const {
  Json json = Envelope(false);
  Json choice = {{"index", 0}, {"logprobs", nullptr}, {"finish_reason", reason}};
  if (kind_ == CompletionKind::kChat) {
    choice["message"] = {{"role", "assistant"}, {"content", text}};
  } else {
    choice["text"] = text;
  }
  json["choices"] = Json::array({std::move(choice)});
  json["usage"] = UsageJson(usage);
  return json;
}

Json AnswerWriter::First(bool usage_follows) const {
  if (kind_ == CompletionKind::kText) return Text("", usage_follows);
  const Json delta = {{"role", "assistant"}, {"content", ""}};
  return Chunk({{"delta", delta}, {"finish_reason", nullptr}}, usage_follows);
}

Json AnswerWriter::Text(const std::string& text, bool usage_follows) const {
  if (kind_ == CompletionKind::kText)
    return Chunk({{"text", text}, {"finish_reason", nullptr}}, usage_follows);
  return Chunk({{"delta", {{"content", text}}}, {"finish_reason", nullptr}}, usage_follows);
}

Json AnswerWriter::Last(const std::string& reason, bool usage_follows) const {
  if (kind_ == CompletionKind::kText)
    return Chunk({{"text", ""}, {"finish_reason", reason}}, usage_follows);
  return Chunk({{"delta", Json::object()}, {"finish_reason", reason}}, usage_follows);
}

Json AnswerWriter::UsageChunk(const Usage& usage) const {
  Json json = Envelope(true);
  json["choices"] = Json::array();
  json["usage"] = UsageJson(usage);
  return json;
}

ApiError ErrorOf(const Status& status, const std::string& param) {
  const Kind kind = KindOf(status.code());
  ApiError error;
  error.status = kind.status;
  Json& inner = error.body["error"];
  inner = {{"message",
            status.message().empty() ? std::string(InfoOf(status.code()).text) : status.message()},
           {"type", kind.type},
           {"param", nullptr},
           {"code", nullptr}};
  if (!param.empty()) inner["param"] = param;
  if (kind.code != nullptr) inner["code"] = kind.code;
  return error;
}

std::string SseEvent(const Json& data) {
  return "data: " + WriteJson(data) + "\n\n";
}

}  // namespace ferry::cli
