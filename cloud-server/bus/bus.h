// Wake-ups between the parts and the nodes of a server: "device D has something newer than before".
// They carry no truth: a lost one costs only latency, since devices also poll.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>

#include "common/base/status.h"

namespace ferry::server {

// In the place of an epoch: the root or what the server knows of the device changed.
inline constexpr uint64_t kLookAgain = 0;

// A wish to be woken; dropping it ends it. No call of its handler starts afterwards, and one that
// runs on another thread has ended when the destructor returns (do not drop it from its handler).
class BusSubscription {
 public:
  virtual ~BusSubscription() = default;
};

// Any thread.
class Bus {
 public:
  // `epoch`: the assignment counter that the device may now poll for, or kLookAgain. Called on the
  // publisher's thread, or one of the bus: post onward and return.
  using OnWake = std::function<void(const std::string& device_id, uint64_t epoch)>;
  virtual ~Bus() = default;
  virtual void Publish(const std::string& device_id, uint64_t epoch) = 0;
  [[nodiscard]] virtual std::unique_ptr<BusSubscription> Subscribe(const std::string& device_id,
                                                                   OnWake handler) = 0;
  // Devices with a subscription in this process: their line is open.
  virtual std::set<std::string> Listening() const = 0;
  // Tells the other nodes that what devices shall have changed for many of them: each looks at
  // those that listen there.
  virtual void PublishLook() {}
  // What this node does then, on the bus's thread: post onward and return. One at a time; null ends
  // it, and waits for one that runs.
  virtual void OnLook(std::function<void()> /*handler*/) {}
  // Whether other nodes hear of what is published now.
  virtual bool connected() const { return true; }
  // Whether it is one of them; for who asks about few of very many.
  virtual bool IsListening(const std::string& device_id) const = 0;
};

// Within one process.
std::unique_ptr<Bus> MakeInprocBus();

// Between the nodes of `cluster` (letters and digits), which share a NATS server:
// "nats://HOST:PORT", with USER:PASSWORD@ where it wants one. kUnavailable when it does not answer
// now; when it goes away later it is tried again for ever.
Result<std::unique_ptr<Bus>> ConnectNatsBus(const std::string& url, const std::string& cluster);

}  // namespace ferry::server
