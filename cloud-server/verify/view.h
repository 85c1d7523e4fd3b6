// What operators see of the verifier.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/json_fwd.h"

namespace ferry::server {

inline constexpr int64_t kVerifyViewMs = 500;

struct VerifySessionView {
  std::string device;
  std::string session;  // hex of its number
  std::string target;   // "name version"
  std::string draft;    // "package version", as the device says
  std::string mode;     // "split", "cloud-only", "idle", "opening", "waiting" (for memory)
  bool connected = false;
  int64_t length = 0;    // tokens, the context included
  int64_t emitted = 0;   // chosen by the target
  int64_t compared = 0;  // drafts looked at
  int64_t accepted = 0;  // drafts that agreed
  int64_t rounds = 0;    // draft frames taken in
  int64_t passes = 0;    // forward passes that had rows of this session
  int64_t bytes_up = 0;  // frames with their lengths, from the device
  int64_t bytes_down = 0;
  double round_trip_ms = -1;  // -1: not measured
  double tokens_per_s = 0;    // over the last seconds
  int64_t kv_tokens = 0;      // positions in the KV cache
  int64_t idle_ms = 0;
};

struct VerifyTargetView {
  std::string name;
  std::string version;
  std::string digest;   // first bytes, hex
  std::string weights;  // "bfloat16", "8 bit", ...
  int64_t parameters = 0;
  int64_t weight_bytes = 0;
  int64_t sessions = 0;
  int64_t kv_used_bytes = 0;
  int64_t kv_kept_bytes = 0;
  int64_t kv_limit_bytes = 0;
  int64_t passes = 0;
  int64_t tokens = 0;  // read by those passes
  int64_t requests = 0;
  int64_t largest_batch = 0;  // sequences in one pass
  double busy_ms = 0;
};

struct VerifyView {
  std::vector<VerifyTargetView> targets;
  std::vector<VerifySessionView> sessions;
  int64_t connections = 0;
  int64_t refused = 0;  // sessions and rounds
  int64_t dropped = 0;  // frames that were garbage or late
  int64_t evicted = 0;  // KV caches given up
  int64_t opened = 0;   // sessions that began, or came back
};

// {"targets":[...]} and {"sessions":[...],"connections",...}, members as above.
Json VerifyTargetsJson(const VerifyView& view);
Json VerifySessionsJson(const VerifyView& view);

}  // namespace ferry::server
