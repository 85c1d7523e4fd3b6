// How far a log of events was worked off, when events end in another order than they began.
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>

namespace ferry::store {

// Any thread may call.
class Progress {
 public:
  // All events up to and with `position` are done.
  explicit Progress(uint64_t position) : position_(position) {}

  // An event begins; numbers grow from call to call and are above the position. One that began
  // before is ignored.
  void Begin(uint64_t number);
  // Its work is done and durable. A number that did not begin is ignored.
  void Done(uint64_t number);
  // All events up to and with the answered number are done.
  uint64_t position() const;

 private:
  struct Event {
    uint64_t number = 0;
    bool done = false;
  };
  mutable std::mutex mutex_;
  uint64_t position_;
  std::deque<Event> events_;  // that began, above the position
};

}  // namespace ferry::store
