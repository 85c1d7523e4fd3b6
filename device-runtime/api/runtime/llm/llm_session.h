// What a ferry_session handle holds: generations with one model, alone or split with the cloud.
// Internal to the room: apps include ferry.h or ferry.hpp.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/json_fwd.h"
#include "device-runtime/api/runtime/llm/llm_core.h"
#include "device-runtime/llm/speculative/device.h"

namespace ferry::api {

inline constexpr size_t kMaxMessages = 10'000;  // of one conversation

struct LlmSessionOptions {
  llm::SplitMode mode = llm::SplitMode::kDeviceOnly;
  bool pipelined = false;
  bool fallback = true;
  bool stop_at_end_token = true;
  uint64_t seed = 0;
  llm::SamplerOptions sampler;
  int64_t max_new = 128;
  int64_t draft_tokens = 0;  // of one round; 0: chosen
  int64_t memory_bytes = 0;  // of the KV cache; 0: shared with the model's other sessions
  std::string target;        // package; empty: the server's only one
  std::shared_ptr<const llm::AdapterSet> adapters;  // of the model; null: none
};

// On the core's callback thread, in order. on_end comes once for each start that succeeded.
struct LlmSessionEvents {
  std::function<void(const std::string& text, std::span<const llm::TokenId> ids,
                     llm::TokenSource source)>
      on_tokens;
  std::function<void(llm::SplitMode mode, const Status& why)> on_mode;
  std::function<void(const Status& status, const Json& stats)> on_end;
};

// Any thread may call, callbacks too; but no callback may drop it or wait.
class LlmSession {
 public:
  // kFailedPrecondition: a mode that needs a server, and there is none; kInvalidArgument names the
  // option.
  static Result<std::unique_ptr<LlmSession>> Create(std::shared_ptr<LlmCore> core, NamedModel model,
                                                    const LlmSessionOptions& options,
                                                    LlmSessionEvents events);
  // Ends what runs; no callback follows.
  ~LlmSession();

  // Each begins a generation: kFailedPrecondition while one runs.
  Status StartText(std::string_view text);
  // [{"role","content"}, ..]: rendered by the model's chat template.
  Status StartChat(const Json& messages);
  Status StartIds(std::vector<llm::TokenId> ids);
  // For this generation and those that follow; amid one, from its next token on.
  Status SetMode(llm::SplitMode mode);
  // kCancelled is the status of on_end that follows; nothing without a generation.
  void Cancel();
  // Of the running generation, or the last.
  Json StatsJson();
  // Until no generation runs and its callbacks are done; kDeadlineExceeded.
  Status Wait(int64_t timeout_ms);

  const NamedModel& model() const;

  struct State;

 private:
  explicit LlmSession(std::shared_ptr<State> state) : state_(std::move(state)) {}
  std::shared_ptr<State> state_;
};

Json SplitStatsToJson(const llm::SplitStats& stats);

}  // namespace ferry::api
