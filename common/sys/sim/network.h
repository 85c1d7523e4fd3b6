// A network inside one SimWorld: named hosts, delays, cuts.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "common/sys/net.h"
#include "common/sys/sim/world.h"

namespace ferry::sys {

// How lines between a dialer and a server behave from now on.
struct SimLine {
  int64_t min_delay_ms = 1;
  int64_t max_delay_ms = 20;
  double cut_per_frame = 0;  // probability that a frame breaks its channel instead of arriving
  double cut_per_piece = 0;  // the same for each piece of a fetched body
};

class SimNetwork {
 public:
  explicit SimNetwork(SimWorld& world);
  ~SimNetwork();

  using OnChannel = std::function<void(std::unique_ptr<FrameChannel>)>;
  // Serves `at`: new channels come to `on_channel` on `executor`; GETs are answered from `content`
  // (may be null: 404). Until StopListening, which comes before the executor's end.
  void Listen(const Endpoint& at, Executor& executor, OnChannel on_channel, ContentSource* content);
  void StopListening(const Endpoint& at);  // open channels stay
  // A dialer whose callbacks run on `executor`; `host` names it for SetReachable and CutChannels.
  std::unique_ptr<Dialer> MakeDialer(const std::string& host, Executor& executor);

  void SetLine(const SimLine& line);
  // Whether `host` (a dialer's or a server's) reaches the network: when not, its channels break and
  // new dials fail with kUnavailable.
  void SetReachable(const std::string& host, bool reachable);
  // Breaks the open channels of `host`.
  void CutChannels(const std::string& host);
  uint64_t frames_sent() const;

  struct State;  // of network.cc

 private:
  std::shared_ptr<State> state_;
};

}  // namespace ferry::sys
