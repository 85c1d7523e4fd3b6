// Brings what a session of the SDK says on its own thread to the thread that waits for a reply.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <string>
#include <vector>

#include "common/base/json.h"
#include "device-runtime/api/runtime/llm/llm_session.h"
#include "tools/ferry/llm/serve/responder.h"

namespace ferry::cli {

// Of one reply; outlives the session whose events it takes.
class ReplyQueue {
 public:
  api::LlmSessionEvents Events();
  // Hands on tokens and modes on the calling thread until the reply ends.
  Result<Reply> Collect(api::LlmSession& session, const ReplyRequest& request,
                        const ReplyEvents& events);

 private:
  struct Item {
    enum class Kind { kTokens, kMode, kEnd } kind;
    std::vector<llm::TokenId> ids;
    std::string mode;
    Status status;
    Json stats;
  };
  void Add(Item item);
  bool Next(Item* item);  // false: nothing came for a while

  std::mutex mutex_;
  std::condition_variable filled_;
  std::deque<Item> items_;
};

}  // namespace ferry::cli
