// That this node serves, said to the database every kNodeBeatMs: who brings a new release sees
// which nodes are there, and no step of the schema leaves one of them behind.
#pragma once

#include <atomic>
#include <functional>
#include <string>

#include "cloud-server/main/gated_executor.h"
#include "cloud-server/store/store.h"

namespace ferry::server {

class Presence {
 public:
  struct Parts {
    Store* store = nullptr;  // borrowed
    NodeRow row;             // as Beat takes it
    // Called once when the database serves this program no more: the node was away for so long that
    // it was taken for gone, and the schema went on. On the thread of the beats.
    std::function<void()> left_behind;
  };
  explicit Presence(Parts parts);
  ~Presence();  // says that it leaves
  // The first beat, which waits for the database, and then one after the other. kUnsupported when
  // the database does not serve this program.
  Status Start();
  // Any thread.
  bool is_left_behind() const { return left_behind_; }

 private:
  Status Say(bool arrives);
  void BeatLater();

  const Parts parts_;
  std::atomic<bool> left_behind_ = false;
  GatedExecutor beats_{"beats"};
};

// This machine's name and the devices' port, as people tell nodes apart.
std::string HostOfNode(uint16_t port);

}  // namespace ferry::server
