// A link in simulated time between a device and its verifier: datagrams that are late, lost,
// doubled and overtake each other, on a seed.
//
//   SimLink link(device_executor, server_executor, random, {.round_trip_ms = 30, .loss = 0.01});
//   parts.link = &link.device();
#pragma once

#include <cstdint>
#include <memory>

#include "common/sys/executor.h"
#include "common/sys/random.h"
#include "device-runtime/llm/speculative/link.h"

namespace ferry::llm {

struct SimLinkOptions {
  int64_t round_trip_ms = 0;  // half of it each way; an odd millisecond is on the way down
  int64_t jitter_ms = 0;  // up to so much more, each frame by itself: frames overtake each other
  double loss = 0;        // probability that a frame is lost
  double duplicate = 0;   // probability that it arrives twice
  double damage = 0;      // probability that bits of it are flipped
};

// Outlives what uses its ends; dropped before its executors.
class SimLink {
 public:
  SimLink(sys::Executor& device, sys::Executor& server, sys::Random& random,
          const SimLinkOptions& options = {});
  ~SimLink();

  SplitLink& device();
  SplitLink& server();
  // The server's end as an object of its own, for who wants to own it; dropping it unhooks it.
  std::unique_ptr<SplitLink> MakeServerEnd();
  // A server that was started anew has another executor; what was under way to the old one is lost.
  void SetServerExecutor(sys::Executor& executor);

  void SetOptions(const SimLinkOptions& options);
  // While cut, all frames are lost, those under way too. With `tell`, both ends' on_state is
  // called, as a connection that breaks does; without, the link is silent.
  void SetCut(bool cut, bool tell);
  // Puts a frame of a stranger into the link: it arrives at the server (or the device) as any
  // other.
  void Inject(bool to_server, ByteView frame);

  struct State;  // of sim_link.cc

 private:
  std::shared_ptr<State> state_;
};

}  // namespace ferry::llm
