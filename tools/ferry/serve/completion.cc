#include "tools/ferry/serve/completion.h"

namespace ferry::cli {
namespace {

const char* FinishText(const Reply& reply, bool stopped) {
  return stopped || reply.reason == llm::FinishReason::kEndToken ? "stop" : "length";
}

}  // namespace

Completion::Completion(Responder& responder, const CompletionRequest& asked, AnswerWriter writer,
                       HttpReply& reply)
    : responder_(responder),
      asked_(asked),
      writer_(std::move(writer)),
      reply_(reply),
      decoder_(responder.tokenizer()),
      filter_(asked.stop) {}

bool Completion::Emit(const std::string& text) {
  if (!asked_.stream) {
    text_ += text;
    return true;
  }
  if (!begun_) {
    begun_ = true;
    if (!reply_.BeginEvents()) return false;
    if (!reply_.WriteEvent(SseEvent(writer_.First(asked_.include_usage)))) return false;
  }
  return text.empty() || reply_.WriteEvent(SseEvent(writer_.Text(text, asked_.include_usage)));
}

bool Completion::OnToken(llm::TokenId id) {
  return Emit(filter_.Push(decoder_.Push(id))) && !filter_.stopped();
}

void Completion::Finish(const std::string& reason, const Usage& usage) {
  if (!asked_.stream) {
    reply_.Send(200, WriteJson(writer_.Whole(text_, reason, usage)));
    return;
  }
  reply_.WriteEvent(SseEvent(writer_.Last(reason, asked_.include_usage)));
  if (asked_.include_usage) reply_.WriteEvent(SseEvent(writer_.UsageChunk(usage)));
  reply_.WriteEvent(kSseDone);
  reply_.EndEvents();
}

Result<Usage> Completion::Run(const ReplyRequest& request) {
  ReplyEvents events;
  events.on_token = [this](llm::TokenId id) { return OnToken(id); };
  events.wanted = [this] { return reply_.wanted(); };
  events.on_mode = [this](const std::string& mode) { writer_.SetMode(mode); };
  const Result<Reply> answer = responder_.Answer(request, events);
  if (!answer.ok()) {
    if (begun_) {
      reply_.WriteEvent(SseEvent(ErrorOf(answer.status(), "").body));
      reply_.EndEvents();
    }
    return answer.status();
  }
  if (!reply_.wanted()) return Status(Code::kCancelled, "the client has gone");
  Emit(filter_.Push(decoder_.Finish()));
  Emit(filter_.Finish());
  Usage usage;
  usage.prompt_tokens = static_cast<int64_t>(request.prompt.size());
  usage.cached_tokens = answer->reused;
  usage.completion_tokens = static_cast<int64_t>(answer->ids.size());
  Finish(FinishText(*answer, filter_.stopped()), usage);
  return usage;
}

}  // namespace ferry::cli
