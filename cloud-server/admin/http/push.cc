#include "cloud-server/admin/http/push.h"

#include <array>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <utility>

#include "cloud-server/admin/http/sessions.h"

namespace ferry::server {

bool PushQueue::Send(std::shared_ptr<const std::string> text) {
  const std::lock_guard lock(mutex_);
  if (!open_) return false;
  if (unread_ > 0 && unread_ + text->size() > kMaxPushBacklog) {
    open_ = false;
    Wake();
    return false;
  }
  unread_ += text->size();
  queue_.push_back(std::move(text));
  Wake();
  return true;
}

void PushQueue::Close() {
  const std::lock_guard lock(mutex_);
  open_ = false;
  Wake();
}

bool PushQueue::open() const {
  const std::lock_guard lock(mutex_);
  return open_;
}

void PushQueue::Attach(std::function<void()> wake) {
  const std::lock_guard lock(mutex_);
  wake_ = std::move(wake);
  Wake();
}

void PushQueue::Detach() {
  const std::lock_guard lock(mutex_);
  open_ = false;
  wake_ = nullptr;
  queue_.clear();
}

void PushQueue::Heard() {
  const std::lock_guard lock(mutex_);
  woken_ = false;
}

std::shared_ptr<const std::string> PushQueue::Next() {
  const std::lock_guard lock(mutex_);
  if (!open_ || queue_.empty()) return nullptr;
  auto text = std::move(queue_.front());
  queue_.pop_front();
  return text;
}

void PushQueue::Taken(size_t bytes) {
  const std::lock_guard lock(mutex_);
  unread_ -= bytes;
}

void PushQueue::Wake() {
  if (!wake_ || std::exchange(woken_, true)) return;
  wake_();
}

// On a worker: the queue of an answer whose head was just written.
std::shared_ptr<PushQueue> Sessions::MakePush(bool chunked) {
  auto push = std::make_shared<PushQueue>(chunked);
  const std::lock_guard lock(pushes_mutex_);
  std::erase_if(pushes_, [](const auto& weak) { return weak.expired(); });
  pushes_.push_back(push);
  return push;
}

void Sessions::EndPushes() {
  const std::lock_guard lock(pushes_mutex_);
  for (const auto& weak : pushes_)
    if (const auto push = weak.lock()) push->Detach();
}

// The rest runs on the thread of all connections. The line lives as long as its reader is awaited.
void Sessions::BeginPush(const LinePtr& line, const std::shared_ptr<PushQueue>& push) {
  ListenPush(line, push);
  push->Attach([this, weak_line = std::weak_ptr<Line>(line), weak = std::weak_ptr(push)] {
    asio::post(io_, [this, weak_line, weak] {
      const LinePtr to = weak_line.lock();
      const auto from = weak.lock();
      if (to && from) PushNext(to, from);
    });
  });
}

// Who asked has nothing more to say: this hears when it goes.
void Sessions::ListenPush(const LinePtr& line, const std::shared_ptr<PushQueue>& push) {
  line->wire.AsyncDiscard(line->eager, [this, line, push](NetError error, size_t) {
    if (!error && !stopping_ && push->open()) return ListenPush(line, push);
    EndPush(line, push);
  });
}

void Sessions::PushNext(const LinePtr& line, const std::shared_ptr<PushQueue>& push) {
  push->Heard();
  // Also while a piece is being written: it may be stuck for good.
  if (!push->open()) return EndPush(line, push);
  if (line->pushing) return;
  const std::shared_ptr<const std::string> text = push->Next();
  if (!text) return;
  line->pushing = true;
  SetDeadline(line, net::kHttpStallMs, "a live stream that is not read");
  // Kept with the piece until both are written.
  const auto size = std::make_shared<std::string>(
      push->chunked() ? fmt::format("{:x}\r\n", text->size()) : std::string());
  const std::string_view end = push->chunked() ? "\r\n" : "";
  const std::array<asio::const_buffer, 3> buffers = {asio::buffer(*size), asio::buffer(*text),
                                                     asio::buffer(end.data(), end.size())};
  asio::async_write(line->wire, buffers, [this, line, push, text, size](NetError error, size_t) {
    line->timer.cancel();
    line->pushing = false;
    push->Taken(text->size());
    if (error) return EndPush(line, push);
    PushNext(line, push);
  });
}

void Sessions::EndPush(const LinePtr& line, const std::shared_ptr<PushQueue>& push) {
  push->Detach();
  line->timer.cancel();
  line->wire.Shutdown(asio::socket_base::shutdown_both);
}

}  // namespace ferry::server
