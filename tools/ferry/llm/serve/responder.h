// Who answers in `ferry chat` and `ferry serve`: a model on this machine, or a draft here with its
// target in the cloud.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/base/json_fwd.h"
#include "device-runtime/llm/model.h"
#include "device-runtime/llm/sampler/sampler.h"
#include "device-runtime/llm/session.h"
#include "device-runtime/llm/template/chat_template.h"
#include "device-runtime/llm/tokenizer/tokenizer.h"

namespace ferry::cli {

struct ReplyRequest {
  std::string client;                // who asks: clients take turns, and share no prefixes
  std::string adapter;               // one of Responder::adapters(); empty: none of them
  std::vector<llm::TokenId> prompt;  // the whole sequence so far; not empty
  llm::SamplerOptions sampler;
  uint64_t seed = 0;  // PrfKey::FromSeed
  int64_t max_new = 0;
  bool stop_at_end_token = true;
  std::vector<llm::TokenId>
      more_end_tokens;  // end the reply as the model's own do, and are emitted
};

struct ReplyEvents {
  // Each token as it is emitted, on the calling thread; false ends the reply (kStopped).
  std::function<bool(llm::TokenId)> on_token;
  // Asked now and then, also before the first token, on any thread; false ends it with kCancelled.
  std::function<bool()> wanted;
  // The mode that tokens come from changed ("device-only", "split", "cloud-only"); on the calling
  // thread. Never called by a model that is only local.
  std::function<void(const std::string& mode)> on_mode;
};

struct Reply {
  std::vector<llm::TokenId> ids;  // an end token is the last of them
  llm::FinishReason reason = llm::FinishReason::kLength;
  int64_t reused = 0;    // tokens of the prompt that were not computed again
  double prompt_ms = 0;  // until the first token
  double answer_ms = 0;  // from the first token to the last
  // More of this reply, an object: rounds, acceptance, bytes ... Null: nothing.
  std::shared_ptr<const Json> figures;
};

// Any thread may call any member.
class Responder {
 public:
  virtual ~Responder() = default;
  virtual const llm::Tokenizer& tokenizer() const = 0;
  virtual const llm::ChatTemplate* chat_template() const = 0;  // null: the model has none
  virtual int64_t context() const = 0;                         // most positions, the reply included
  // Names of adapters of which a request may choose one.
  virtual std::vector<std::string> adapters() const { return {}; }
  // Waits for the reply; several threads may wait at once. kLimitExceeded (context, or a prompt
  // that no memory would hold), kUnavailable (too many wait), kOutOfMemory, kInvalidArgument
  // (sampler).
  virtual Result<Reply> Answer(const ReplyRequest& request, const ReplyEvents& events) = 0;
  // "device-only", "split" or "cloud-only", also amid a reply; kUnsupported without a cloud.
  virtual Status SetMode(const std::string& mode) = 0;
  virtual std::string mode() const = 0;  // "local" without a cloud
  // Figures since the start: passes, tokens, memory, link ...
  virtual Json Stats() const = 0;
};

}  // namespace ferry::cli
