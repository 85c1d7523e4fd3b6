// The cloud's half of split language models: sessions of many devices, verified together. Knows no
// sockets: a SplitLink is a device's connection. The protocol is drawn in
// device-runtime/llm/speculative/README.md, the comparison is in
// device-runtime/llm/speculative/target.h.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "cloud-server/verify/view.h"
#include "common/base/status.h"
#include "common/sys/clock.h"
#include "common/sys/executor.h"
#include "common/sys/net.h"
#include "device-runtime/llm/model.h"
#include "device-runtime/llm/speculative/frames.h"
#include "device-runtime/llm/speculative/link.h"

namespace ferry::server {

inline constexpr size_t kMaxVerifyFrame = llm::kMaxSplitFrame;
inline constexpr int64_t kDefaultVerifyKvBytes = int64_t{1} << 30;

struct VerifyLimits {
  int64_t sessions = 4096;  // of all devices
  int64_t sessions_per_device = 16;
  int64_t lines_per_device = 4;         // connections; a further one ends the oldest
  int64_t tokens_per_minute = 120'000;  // of one device: read and chosen by the target
  int64_t opens_per_minute = 1'200;     // of one device
  int64_t idle_ms = 60'000;             // a session at rest for so long keeps its log only
  int64_t forget_ms = 900'000;          // and for so long nothing: it is opened with its context
  int64_t yield_ms = 2'000;             // when memory is short: the same as idle_ms
  int64_t memory_wait_ms = 1'000;       // a round waits so long for memory, then it is refused
};

struct VerifyOptions {
  // Everything but forward passes happens here; outlives the verifier.
  sys::Executor* executor = nullptr;
  // Forward passes are computed here, so that connections are served meanwhile; null: on
  // `executor`. Outlives the verifier, or has stopped before it ends.
  sys::Executor* passes = nullptr;
  sys::Clock* clock = nullptr;
  sys::Parallel* parallel = nullptr;  // for forward passes; may be null
  VerifyLimits limits;
  int64_t ping_ms = 5'000;  // between measures of the round trip; 0: none
  // The device that a SplitHello's token proves. Null: no strangers.
  std::function<Result<std::string>(const std::string& token)> authenticate;
  // Asked at each SplitOpen and every kAllowedMs, so that a blocked device is refused; may be null.
  std::function<Status(const std::string& device)> authorize;
  // Whose prompts may make a device's begin sooner, and the other way round: those of its tenant.
  // Asked as a session begins. Null: all devices are of one.
  std::function<std::string(const std::string& device)> tenant_of;
  // Simulations: what a forward pass takes beyond its computation (BatcherOptions).
  std::function<double(int64_t tokens, int64_t sequences)> extra_cost_ms;
};

struct VerifyTarget {
  std::string name;     // package name
  std::string version;  // for the operator's eyes
  std::shared_ptr<const llm::Model> model;
  int64_t kv_bytes = kDefaultVerifyKvBytes;
};

// Made, used and dropped on its executor, or dropped after that stopped.
class Verifier {
 public:
  explicit Verifier(const VerifyOptions& options);
  ~Verifier();

  // Serves `target` from now on; one of the same name takes its place for sessions that begin
  // later.
  Status SetTarget(const VerifyTarget& target);
  // A device's connection. `device` empty: its first frame has to be a SplitHello. `peer`: for
  // logs.
  void Accept(std::unique_ptr<llm::SplitLink> link, const std::string& device,
              const std::string& peer = "");
  // The same for a channel on this executor, of a device that says hello.
  void Accept(std::unique_ptr<sys::FrameChannel> channel);
  // So many connections are told to go on elsewhere, and end: first those where nothing runs.
  void SendAway(int64_t count);
  // Any thread: how things stood at most kVerifyViewMs ago.
  VerifyView View() const;

 private:
  std::shared_ptr<class VerifyService> service_;
};

}  // namespace ferry::server
