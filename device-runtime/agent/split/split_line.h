// The device's connection to the verifier: dials, proves who the device is, keeps the line alive,
// comes back after losses with full-jitter back-off, and carries the frames of many split sessions,
// a stream each. The frames are those of device-runtime/llm/speculative/frames.h.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "common/base/json_fwd.h"
#include "common/base/status.h"
#include "common/sys/clock.h"
#include "common/sys/executor.h"
#include "common/sys/net.h"
#include "common/sys/random.h"
#include "device-runtime/agent/line/backoff.h"
#include "device-runtime/llm/speculative/link.h"

namespace ferry::agent {

inline constexpr int kMaxSplitStreams = 31;  // sessions at once: streams 1 to 31, 0 is the line's
inline constexpr int64_t kSplitWelcomeMs = 10'000;  // a handshake that takes longer is given up
inline constexpr int64_t kSplitPingMs =
    5'000;  // a line from which nothing came for so long is asked
inline constexpr int64_t kSplitPongMs = 5'000;  // ... and left when it does not answer
inline constexpr int64_t kSplitTokenMs = 500;   // how soon the token is asked for again

struct SplitLineParts {
  sys::Executor* executor = nullptr;  // everything happens here; all outlive the line
  sys::Clock* clock = nullptr;
  sys::Random* random = nullptr;
  sys::Dialer* dialer = nullptr;  // of that executor, for the split's protocol
  sys::Endpoint endpoint;
  // Gives what proves this device (Agent::content_token), on the executor: "" while the agent has
  // no line. May answer at once or later.
  std::function<void(std::function<void(std::string)>)> ask_token;
  BackoffOptions backoff{200, 10'000};
};

// A stream: the way of one split session. Dropping it gives the number back.
class SplitStream : public llm::SplitLink {
 public:
  virtual uint8_t id() const = 0;  // for SplitParts::stream
};

class SplitLine {
 public:
  explicit SplitLine(const SplitLineParts& parts);
  ~SplitLine();  // closes; streams that still live hear on_state(false), what they send is lost

  void Start();
  bool ready() const;
  // kLimitExceeded when all streams are in use. on_state(true) comes when the line is open, or once
  // it is; on_state(false) when a dial failed or the line broke.
  Result<std::unique_ptr<SplitStream>> Open();
  // {"ready":bool,"streams":n,"connects":n,"bytes_up","bytes_down","last_error":text}
  Json StatusJson() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace ferry::agent
