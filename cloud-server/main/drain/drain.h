// A node that is to go: it takes no more devices and sends away those that it has, evenly over the
// time that the operator gave, so that the other nodes get them at that rate. Transfers of content
// may end meanwhile: it is done when there are none, or when the time is over.
// ---- drain.cc
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>

#include "cloud-server/main/drain/drain_files.h"
#include "common/sys/clock.h"
#include "common/sys/executor.h"

namespace ferry::server {

inline constexpr int64_t kDrainLookMs = 500;

class Drain {
 public:
  struct Parts {
    sys::FileSystem* fs = nullptr;  // borrowed, as all
    std::string directory;
    sys::Clock* clock = nullptr;
    sys::Executor* executor = nullptr;  // where all of it runs; closed before this goes
    std::function<void()> stop_accepting;
    std::function<size_t()> sessions;             // of devices and of the verifier
    std::function<void(size_t count)> send_away;  // some of them
    std::function<size_t()> transfers;
  };
  explicit Drain(Parts parts) : parts_(std::move(parts)) {}

  // Forgets what was asked of the node before, then looks every kDrainLookMs.
  void Start();
  bool draining() const { return draining_; }  // any thread
  // One look; Start makes them.
  Status Step();

 private:
  void Next();

  const Parts parts_;
  std::atomic<bool> draining_{false};
  std::optional<DrainOrder> order_;  // that it follows
  size_t left_at_order_ = 0;         // how many there were when it came
  DrainProgress progress_;
};

}  // namespace ferry::server
