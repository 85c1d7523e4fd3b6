#include <algorithm>

#include "device-runtime/llm/session.h"

namespace ferry::llm {

const char* FinishReasonName(FinishReason reason) {
  switch (reason) {
    case FinishReason::kLength:
      return "length";
    case FinishReason::kEndToken:
      return "stop";
    case FinishReason::kStopped:
      return "cancelled";
    case FinishReason::kContext:
      break;
  }
  return "context";
}

Result<Generated> Generate(Session& session, Sampler& sampler, const GenerateOptions& options) {
  if (session.length() == 0) {
    return Status(Code::kFailedPrecondition, "nothing to continue: the session is empty");
  }
  const ModelConfig& config = session.model().config();
  const auto& ends = config.end_tokens;
  Generated out;
  while (static_cast<int64_t>(out.ids.size()) < options.max_new) {
    if (session.length() + (out.ids.empty() ? 0 : 1) >= config.context) {
      out.reason = FinishReason::kContext;
      return out;
    }
    if (!out.ids.empty()) FERRY_TRY(session.Append({&out.ids.back(), 1}));
    FERRY_ASSIGN_OR_RETURN(const std::span<const float> logits, session.logits());
    const TokenId token =
        sampler.Sample(logits, session.tokens(), static_cast<uint64_t>(session.length()));
    out.ids.push_back(token);
    const bool end =
        options.stop_at_end_token && std::find(ends.begin(), ends.end(), token) != ends.end();
    const bool go_on = !options.on_token || options.on_token(token);
    if (end || !go_on) {
      out.reason = end ? FinishReason::kEndToken : FinishReason::kStopped;
      return out;
    }
  }
  return out;
}

}  // namespace ferry::llm
