#include "tools/ferry/serve/service.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "common/base/bytes.h"
#include "common/net/http_head.h"
#include "common/sys/clock.h"
#include "common/sys/random.h"
#include "tools/ferry/serve/completion.h"
#include "tools/ferry/text/visible.h"

namespace ferry::cli {
namespace {

constexpr std::string_view kModels = "/v1/models";
constexpr size_t kShownNameBytes = 64;  // of a model that is not served

std::string UniqueText() {
  std::array<uint8_t, 12> bytes{};
  sys::SystemRandom().Fill(bytes);
  return ToHex(bytes);
}

// The host of "host:port", "[::1]:80" or "host", without brackets.
std::string_view HostOf(std::string_view header) {
  if (header.starts_with('[')) return header.substr(1, header.find(']') - 1);
  return header.substr(0, header.find(':'));
}

void SendError(const Status& status, const std::string& param, HttpReply& reply) {
  const ApiError error = ErrorOf(status, param);
  reply.Send(error.status, WriteJson(error.body));
}

}  // namespace

Service::Service(Responder& responder, ServiceOptions options)
    : responder_(responder),
      options_(std::move(options)),
      adapters_(responder.adapters()),
      created_(sys::SystemClock().NowUnixMs() / 1000) {
  if (responder.chat_template() != nullptr)
    chat_ = std::make_unique<ChatPrompt>(responder.tokenizer(), *responder.chat_template());
}

// A page of another origin, or one whose name was pointed at this machine, is no client.
Status Service::CheckOrigin(const HttpCall& call) const {
  const bool named = call.host.empty() ||  // HTTP/1.0
                     (options_.only_loopback ? net::IsLoopback(HostOf(call.host))
                                             : net::IsOwnHost(call.host, options_.names));
  const bool other_page = !call.origin.empty() && !net::IsOwnOrigin(call.origin, call.host);
  if (call.foreign || other_page || !named)
    return Status(Code::kPermissionDenied, "calls for pages of other origins are not answered");
  return OkStatus();
}

bool Service::Serves(const std::string& name) const {
  return name == options_.model ||
         std::find(adapters_.begin(), adapters_.end(), name) != adapters_.end();
}

Json Service::ModelCard(const std::string& name) const {
  return {{"id", name},
          {"object", "model"},
          {"created", created_},
          {"owned_by", "ferry"},
          {"context_length", responder_.context()}};
}

Json Service::Health() const {
  return {{"status", "ok"},
          {"model", options_.model},
          {"mode", responder_.mode()},
          {"stats", responder_.Stats()}};
}

void Service::Handle(const HttpCall& call, HttpReply& reply) {
  if (const Status status = CheckOrigin(call); !status.ok()) return SendError(status, "", reply);
  const bool chat = call.path == "/v1/chat/completions";
  const bool text = call.path == "/v1/completions";
  const std::string models = std::string(kModels) + "/";
  const std::string one = call.path.starts_with(models) ? call.path.substr(models.size()) : "";
  const bool known = chat || text || call.path == "/health" || call.path == kModels || Serves(one);
  if (!known)
    return SendError(Status::Of(Code::kNotFound, "there is no {} here", call.path), "", reply);
  const std::string wanted = chat || text ? "POST" : "GET";
  if (call.method != wanted) {
    const Status status = Status::Of(Code::kInvalidArgument, "{} takes {}", call.path, wanted);
    return reply.Send(405, WriteJson(ErrorOf(status, "").body));
  }
  if (chat || text)
    return Complete(chat ? CompletionKind::kChat : CompletionKind::kText, call, reply);
  if (call.path == "/health") return reply.Send(200, WriteJson(Health()));
  if (!one.empty()) return reply.Send(200, WriteJson(ModelCard(one)));
  Json cards = Json::array({ModelCard(options_.model)});
  for (const std::string& adapter : adapters_) cards.push_back(ModelCard(adapter));
  reply.Send(200, WriteJson({{"object", "list"}, {"data", std::move(cards)}}));
}

Result<std::vector<llm::TokenId>> Service::ToPrompt(const CompletionRequest& asked,
                                                    std::string* param) const {
  if (asked.kind == CompletionKind::kChat) {
    *param = "messages";
    if (chat_ == nullptr)
      return Status(Code::kUnsupported, "this model has no chat template: use /v1/completions");
    return chat_->Render(asked.messages);
  }
  *param = "prompt";
  if (!asked.prompt_ids.empty()) return asked.prompt_ids;
  return responder_.tokenizer().Encode(asked.prompt);
}

Result<ReplyRequest> Service::ToRequest(const CompletionRequest& asked, const std::string& client,
                                        std::string* param) const {
  if (!asked.model.empty() && !Serves(asked.model)) {
    *param = "model";
    return Status::Of(Code::kNotFound, "model {:?} is not served here, {:?} is",
                      asked.model.substr(0, kShownNameBytes), options_.model);
  }
  ReplyRequest request;
  request.client = client;
  if (asked.model != options_.model) request.adapter = asked.model;
  FERRY_ASSIGN_OR_RETURN(request.prompt, ToPrompt(asked, param));
  const auto size = static_cast<int64_t>(request.prompt.size());
  if (size == 0) return Status(Code::kInvalidArgument, "the prompt has no tokens");
  if (size >= responder_.context())
    return Status::Of(Code::kLimitExceeded, "the prompt has {} tokens; the context is {}", size,
                      responder_.context());
  request.sampler = asked.sampler;
  request.seed = asked.seed ? *asked.seed : sys::SystemRandom().Next64();
  const bool chat = asked.kind == CompletionKind::kChat;
  request.max_new =
      std::min(asked.max_tokens.value_or(chat ? options_.chat_max_tokens : kDefaultTextTokens),
               responder_.context() - size);
  if (chat) request.more_end_tokens = chat_->turn_ends();
  param->clear();
  return request;
}

void Service::Complete(CompletionKind kind, const HttpCall& call, HttpReply& reply) {
  std::string param;
  const auto fail = [&](const Status& status) {
    Log(call, status.ToString());
    SendError(status, param, reply);
  };
  const Result<CompletionRequest> asked = ParseCompletion(kind, call.body, &param);
  if (!asked.ok()) return fail(asked.status());
  const Result<ReplyRequest> request =
      ToRequest(*asked, call.peer + " " + call.authorization, &param);
  if (!request.ok()) return fail(request.status());
  const int64_t start = sys::SystemClock().MonotonicNs();
  AnswerWriter writer(kind, UniqueText(), sys::SystemClock().NowUnixMs() / 1000,
                      request->adapter.empty() ? options_.model : request->adapter);
  if (responder_.mode() != "local") writer.SetMode(responder_.mode());
  Completion completion(responder_, *asked, std::move(writer), reply);
  const Result<Usage> usage = completion.Run(*request);
  if (!usage.ok() && !completion.begun()) return fail(usage.status());
  if (!usage.ok()) return Log(call, usage.status().ToString());
  const auto ns = static_cast<double>(sys::SystemClock().MonotonicNs() - start);
  Log(call, fmt::format("{} + {} tokens in {:.2f} s", usage->prompt_tokens,
                        usage->completion_tokens, ns / 1e9));
}

void Service::Log(const HttpCall& call, const std::string& how) const {
  if (options_.log)
    std::fprintf(stderr, "%s: %s\n", Visible(call.path).c_str(), Visible(how).c_str());
}

}  // namespace ferry::cli
