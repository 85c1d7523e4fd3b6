// Checks of signed documents, which are most of what devices compute: on other threads where there
// are some. What comes out of a check depends on the document alone, and is taken when the device
// would have it, so that no run depends on the number of threads.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "common/trust/desired.h"
#include "common/trust/root.h"

namespace ferry::fleetsim {

class Checker {
 public:
  struct Check {
    Bytes document;
    bool check_signature = true;
    Status status;
    bool is_signed = false;  // by the director, whether that was asked or not
    trust::Desired desired;
    enum class State { kWaiting, kTaken, kDone } state = State::kWaiting;  // under the lock
  };
  using Ticket = std::shared_ptr<Check>;

  explicit Checker(int threads);
  ~Checker();
  // By whose keys; before the first Begin.
  void Use(const trust::Root& root) { root_ = root; }
  Ticket Begin(Bytes document, bool check_signature);
  // Waits for it, or does it here when nobody has begun.
  void Finish(const Ticket& ticket);

 private:
  void Work();
  void Do(Check& check) const;

  trust::Root root_;
  std::mutex mutex_;  // of the members below, and of Check::state
  std::condition_variable changed_;
  std::deque<Ticket> waiting_;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace ferry::fleetsim
