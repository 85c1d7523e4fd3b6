// Many devices in one process that join a server and then keep their lines open, doing nothing.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/crypto/ed25519.h"
#include "common/net/client.h"
#include "common/proto/wire.pb.h"
#include "common/sys/random.h"
#include "common/trust/join.h"

namespace ferry::lines {

struct FleetOptions {
  trust::JoinToken token;
  int64_t count = 0;
  int64_t at_once = 64;   // lines that are being opened
  bool come_back = true;  // a line that breaks is opened again as devices do it
  bool resume = true;     // offer TLS sessions
};

// How the lines stand.
struct FleetState {
  int64_t up = 0;                 // proved themselves and are open
  int64_t broken = 0;             // times that an open line broke
  int64_t failed = 0;             // tries that did not get as far as Welcome
  std::string why;                // of the last failure
  std::vector<int64_t> woken_ns;  // by the monotonic clock, of each wake-up since it was asked for
};

// All on `executor`; drop it there.
class Fleet {
 public:
  Fleet(FleetOptions options, net::IoThreads& io, sys::Executor& executor);
  ~Fleet();
  Status Start();
  const FleetState& state() const { return state_; }

 private:
  struct Device;
  void OpenMore();
  void Dial(Device& device);
  void OnFrame(Device& device, ByteView frame);
  Status Handle(Device& device, const proto::Envelope& message);
  void SayEnroll(Device& device);
  void SayHello(Device& device);
  void Send(Device& device, const proto::Envelope& message);
  void Settle(Device& device);
  void Lost(Device& device, const Status& why);

  const FleetOptions options_;
  net::IoThreads& io_;
  sys::Executor& executor_;
  std::unique_ptr<sys::Dialer> dialer_;
  std::vector<std::unique_ptr<Device>> devices_;
  int64_t opened_ = 0;   // devices that have been dialled at least once
  int64_t opening_ = 0;  // of them, those under way
  FleetState state_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace ferry::lines
