// The device's half of a split session: drafts ahead with the small model, sends ids, takes
// verdicts, and always knows which tokens are final. One state machine on one executor. README.md
// of this folder draws the protocol.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "common/base/status.h"
#include "common/sys/clock.h"
#include "common/sys/executor.h"
#include "common/sys/random.h"
#include "device-runtime/llm/session.h"
#include "device-runtime/llm/speculative/drafter.h"
#include "device-runtime/llm/speculative/link.h"

namespace ferry::llm {

enum class SplitMode { kDeviceOnly, kSplit, kCloudOnly };
const char* SplitModeName(SplitMode mode);              // "device-only", "split", "cloud-only"
enum class TokenSource { kVerified, kCloud, kDevice };  // kDevice: the draft's own word, unverified

inline constexpr int64_t kLinkGoneMs = 500;  // a link silent for max(3 round trips, this) is gone

struct SplitOptions {
  SplitMode mode = SplitMode::kSplit;
  bool pipelined = false;    // draft on while a verification is under way
  int64_t draft_tokens = 0;  // of one round; 0: chosen from round trip, acceptance and costs (C4)
  bool fallback = true;      // link gone: go on alone, marked; false: wait and retransmit
  SamplerOptions sampler;
  PrfKey key;
  std::string target;                          // package name; empty: the server's only one
  std::vector<uint8_t> target_digest;          // first bytes of Model::digest; empty: any
  std::string draft_name;                      // "package version"
  std::shared_ptr<const AdapterSet> adapters;  // of the draft; null: none
  int64_t max_new = 128;
  bool stop_at_end_token = true;
  // Simulations: milliseconds that a draft token takes beyond its computation. Null: none.
  std::function<double()> draft_cost_ms;
};

struct SplitStats {
  int64_t emitted = 0;
  int64_t compared = 0;  // drafts that the target looked at
  int64_t accepted = 0;
  int64_t drafted = 0;  // discarded ones included
  int64_t rounds = 0;   // draft frames sent for the first time
  int64_t retransmits = 0;
  int64_t reopens = 0;
  int64_t fallbacks = 0;
  int64_t bytes_up = 0;  // all frames, lengths included
  int64_t bytes_down = 0;
  int64_t setup_bytes_up = 0;  // of these, control frames (open, context, ping)
  int64_t setup_bytes_down = 0;
  double round_trip_ms = 0;  // smoothed
};

struct SplitEvents {
  // Final tokens, in order, each once.
  std::function<void(std::span<const TokenId> ids, TokenSource source)> on_tokens;
  // The mode in force changed, by SetMode or because the link went or came back; `why` for people.
  std::function<void(SplitMode mode, const Status& why)> on_mode;
  // Last: kLength, kEndToken, kContext, kStopped, or an error (refused, and no fallback).
  std::function<void(Result<FinishReason> end)> on_end;
};

struct SplitParts {
  sys::Executor* executor = nullptr;  // everything happens here; all outlive the session
  sys::Clock* clock = nullptr;
  sys::Random* random = nullptr;
  sys::Parallel* parallel = nullptr;  // for the draft; may be null
  SplitLink* link = nullptr;          // null: device-only
  Drafter* drafter = nullptr;         // null: one over the draft model
  uint8_t stream = 0;
};

// Made, used and dropped on its executor; events may call it, but only on_end may drop it.
class SplitSession {
 public:
  // `draft` may be null for cloud-only use by ids.
  static Result<std::unique_ptr<SplitSession>> Create(std::shared_ptr<const Model> draft,
                                                      std::shared_ptr<KvPool> pool,
                                                      const SplitParts& parts,
                                                      const SplitOptions& options,
                                                      SplitEvents events);
  ~SplitSession();
  // Begins to emit behind `prompt` (not empty).
  Status Start(std::vector<TokenId> prompt);
  // From the next token on; no token is lost or doubled.
  void SetMode(SplitMode mode);
  void Cancel();  // on_end with kStopped follows

  SplitMode mode() const;                      // in force now
  const std::vector<TokenId>& tokens() const;  // prompt and final tokens
  SplitStats stats() const;

 private:
  struct Impl;
  explicit SplitSession(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace ferry::llm
