// What a ferry_sequence handle holds: tokens with their KV cache, kept between calls.
// Internal to the room: apps include ferry.h or ferry.hpp.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "device-runtime/api/runtime/llm/llm_core.h"
#include "device-runtime/llm/sampler/sampler.h"
#include "device-runtime/llm/session.h"

namespace ferry::api {

struct SequenceGeneration {
  llm::SamplerOptions sampler;
  uint64_t seed = 0;
  int64_t max_new = 128;
  bool stop_at_end_token = true;
  // New tokens and what of their text can be shown; false ends the generation.
  std::function<bool(const std::string& text, std::span<const llm::TokenId> ids)> on_tokens;
};

// One thread at a time: the caller's matter. Each step runs on the core's executor, between those
// of the model's sessions.
class LlmSequence {
 public:
  // `context`: most tokens, 0 for the model's. kInvalidArgument, kOutOfMemory.
  static Result<std::unique_ptr<LlmSequence>> Create(std::shared_ptr<LlmCore> core,
                                                     NamedModel model, int64_t context);

  // Reads `ids` behind what is there; after an error it is as before. kInvalidArgument names the
  // id, kLimitExceeded the context; kCancelled.
  Status Append(std::span<const llm::TokenId> ids);
  // kInvalidArgument past its length.
  Status Truncate(size_t length);
  // What follows the last token, [vocabulary]. kFailedPrecondition while it is empty.
  Result<std::vector<float>> Logits();
  const std::vector<llm::TokenId>& tokens() const { return session_->tokens(); }
  // Emits tokens behind what is there, all but the last of which are in it afterwards: the last is
  // appended by whoever goes on. kFailedPrecondition while it is empty.
  Result<llm::FinishReason> Generate(const SequenceGeneration& wanted);
  // Any thread: ends Append and Generate soon, now and from now on.
  void Stop() { stopped_ = true; }

 private:
  LlmSequence() = default;
  Status AppendPiece(std::span<const llm::TokenId> ids);
  Result<llm::TokenId> Next(llm::Sampler& sampler, const llm::TokenId* last);

  std::shared_ptr<LlmCore> core_;
  NamedModel model_;
  int64_t context_ = 0;
  std::unique_ptr<llm::Session> session_;
  std::atomic<bool> stopped_{false};
};

}  // namespace ferry::api
