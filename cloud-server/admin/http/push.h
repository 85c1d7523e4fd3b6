// The server's side of an answer that is pushed: a bounded queue between whoever has news and the
// thread of all connections.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "cloud-server/admin/http.h"

namespace ferry::server {

class PushQueue : public Push {
 public:
  explicit PushQueue(bool chunked) : chunked_(chunked) {}

  bool Send(std::shared_ptr<const std::string> text) override;
  void Close() override;
  bool open() const override;

  // From now on `wake` is called when there is something to take or to end, and not again before
  // Heard; under the queue's lock, so that nobody calls it after Detach.
  void Attach(std::function<void()> wake);
  void Detach();
  void Heard();
  // The next piece; null when there is none now. What was taken counts as unread until Taken.
  std::shared_ptr<const std::string> Next();
  void Taken(size_t bytes);
  bool chunked() const { return chunked_; }

 private:
  void Wake();  // with mutex_ held

  const bool chunked_;
  mutable std::mutex mutex_;
  std::function<void()> wake_;
  bool woken_ = false;  // and has not looked yet
  bool open_ = true;
  std::deque<std::shared_ptr<const std::string>> queue_;
  size_t unread_ = 0;
};

}  // namespace ferry::server
