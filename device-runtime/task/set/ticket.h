// Events of a set that are not yet done.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <utility>

namespace ferry::task {

struct Waiting {
  std::atomic<size_t> events = 0;
  std::atomic<size_t> bytes = 0;  // event::Event::bytes
};

// Counts one event as waiting for as long as it lives, and says when all that it started is done:
// the set holds it until the event was given to all tasks, then each run until its outcome was
// handed on.
class Ticket {
 public:
  // `done` may be empty.
  Ticket(std::shared_ptr<Waiting> waiting, size_t bytes, std::function<void()> done)
      : waiting_(std::move(waiting)), bytes_(bytes), done_(std::move(done)) {
    ++waiting_->events;
    waiting_->bytes += bytes_;
  }
  Ticket(const Ticket&) = delete;
  Ticket& operator=(const Ticket&) = delete;
  ~Ticket() {
    --waiting_->events;
    waiting_->bytes -= bytes_;
    if (given_ && runs_ == 0 && done_) done_();
  }
  void Given() { given_ = true; }  // all tasks have seen the event
  void RunBegins() { ++runs_; }
  void RunEnded() { --runs_; }  // and is durable; one that stays undone never says so

 private:
  std::shared_ptr<Waiting> waiting_;
  size_t bytes_;
  std::atomic<bool> given_ = false;
  std::atomic<size_t> runs_ = 0;
  std::function<void()> done_;
};

}  // namespace ferry::task
