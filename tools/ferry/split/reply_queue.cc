#include "tools/ferry/split/reply_queue.h"

#include <algorithm>
#include <chrono>

#include "common/base/json.h"

namespace ferry::cli {
namespace {

constexpr auto kAskEvery = std::chrono::milliseconds(50);  // whether the reply is still wanted

llm::FinishReason ReasonOf(const Json& stats) {
  const std::string name = GetStringOr(stats, "reason", "").value_or("");
  for (const auto reason : {llm::FinishReason::kLength, llm::FinishReason::kEndToken,
                            llm::FinishReason::kStopped, llm::FinishReason::kContext})
    if (name == llm::FinishReasonName(reason)) return reason;
  return llm::FinishReason::kStopped;
}

}  // namespace

api::LlmSessionEvents ReplyQueue::Events() {
  return {.on_tokens =
              [this](const std::string&, std::span<const llm::TokenId> ids, llm::TokenSource) {
                Add({Item::Kind::kTokens, {ids.begin(), ids.end()}, "", OkStatus(), {}});
              },
          .on_mode =
              [this](llm::SplitMode mode, const Status& why) {
                Add({Item::Kind::kMode, {}, llm::SplitModeName(mode), why, {}});
              },
          .on_end =
              [this](const Status& status, const Json& stats) {
                Add({Item::Kind::kEnd, {}, "", status, stats});
              }};
}

void ReplyQueue::Add(Item item) {
  const std::lock_guard lock(mutex_);
  items_.push_back(std::move(item));
  filled_.notify_one();
}

bool ReplyQueue::Next(Item* item) {
  std::unique_lock lock(mutex_);
  if (!filled_.wait_for(lock, kAskEvery, [this] { return !items_.empty(); })) return false;
  *item = std::move(items_.front());
  items_.pop_front();
  return true;
}

Result<Reply> ReplyQueue::Collect(api::LlmSession& session, const ReplyRequest& request,
                                  const ReplyEvents& events) {
  Reply reply;
  Json modes = Json::array();
  bool ended = false;  // by us: what still comes is not the reply's
  bool unwanted = false;
  const auto end_as = [&](llm::FinishReason reason) {
    reply.reason = reason;
    ended = true;
    session.Cancel();
  };
  const auto take = [&](llm::TokenId id) {
    reply.ids.push_back(id);
    const bool go_on = !events.on_token || events.on_token(id);
    const auto& more = request.more_end_tokens;
    if (request.stop_at_end_token && std::find(more.begin(), more.end(), id) != more.end())
      return end_as(llm::FinishReason::kEndToken);
    if (!go_on) end_as(llm::FinishReason::kStopped);
  };
  for (;;) {
    if (!ended && events.wanted && !events.wanted()) {
      unwanted = true;
      end_as(llm::FinishReason::kStopped);
    }
    Item item;
    if (!Next(&item)) continue;
    if (item.kind == Item::Kind::kMode) {
      modes.push_back(
          {{"mode", item.mode}, {"at", reply.ids.size()}, {"why", item.status.message()}});
      if (events.on_mode && !ended) events.on_mode(item.mode);
    }
    for (size_t k = 0; k < item.ids.size() && !ended; ++k) take(item.ids[k]);
    if (item.kind != Item::Kind::kEnd) continue;
    if (unwanted) return Status(Code::kCancelled, "nobody wants the reply any more");
    if (!ended && !item.status.ok()) return item.status;
    if (!ended) reply.reason = ReasonOf(item.stats);
    Json figures = std::move(item.stats);
    figures["modes"] = std::move(modes);
    reply.prompt_ms = GetNumberOr(figures, "first_token_ms", 0).value_or(0);
    const double rate = GetNumberOr(figures, "tokens_per_s", 0).value_or(0);
    reply.figures = std::make_shared<const Json>(std::move(figures));
    const double all_ms = rate > 0 ? 1000 * static_cast<double>(reply.ids.size()) / rate : 0;
    reply.answer_ms = std::max(0.0, all_ms - reply.prompt_ms);
    return reply;
  }
}

}  // namespace ferry::cli
