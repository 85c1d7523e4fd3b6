// Closes a socket that takes too long. For this room only.
#pragma once

#include <algorithm>
#include <chrono>
#include <memory>

#include "common/net/io/stream.h"

namespace ferry::net {

// Lives on the strand of its stream. Each deadline is moved by progress; the earliest counts.
class Watchdog : public std::enable_shared_from_this<Watchdog> {
 public:
  using Time = std::chrono::steady_clock::time_point;
  enum Deadline { kRead, kWrite, kDeadlines };

  explicit Watchdog(std::shared_ptr<Stream> stream)
      : stream_(std::move(stream)), timer_(stream_->get_executor()) {
    std::fill(deadlines_, deadlines_ + kDeadlines, Time::max());
  }
  void Set(Deadline which, int64_t ms_from_now);
  void Clear(Deadline which) { deadlines_[which] = Time::max(); }
  // Ends it; the stream is not closed by it any more.
  void Stop();
  bool fired() const { return fired_; }

 private:
  void Arm();
  std::shared_ptr<Stream> stream_;
  asio::steady_timer timer_;
  Time deadlines_[kDeadlines];
  Time armed_ = Time::max();
  bool fired_ = false;
  bool stopped_ = false;
};

// Closes the socket at once; pending operations end with an error.
void CloseSocket(Stream& stream);

}  // namespace ferry::net
