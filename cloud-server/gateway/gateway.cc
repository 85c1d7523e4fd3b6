#include "cloud-server/gateway/gateway.h"

#include "cloud-server/gateway/session.h"

namespace ferry::server {

Gateway::Gateway(const Options& options)
    : options_(options),
      device_refusals_("gateway", *options.clock),
      content_(*options.store, *options.blobs, *options.clock, *options.content_secret) {}

Gateway::~Gateway() = default;

void Gateway::Accept(std::unique_ptr<sys::FrameChannel> channel, sys::Executor& executor) {
  auto session = std::make_shared<Session>(*this, std::move(channel), executor);
  bool full;
  {
    std::lock_guard lock(mutex_);
    full = sessions_.size() >= kMaxSessions;
    if (!full) sessions_.emplace(session.get(), session);
  }
  if (full) {
    refusals_.Note("sessions", "all", fmt::format("a session above {}", kMaxSessions));
    return;
  }
  session->Start();
}

size_t Gateway::sessions() const {
  std::lock_guard lock(mutex_);
  return sessions_.size();
}

void Gateway::Register(const std::string& device, const std::shared_ptr<Session>& session) {
  std::shared_ptr<Session> before;
  {
    std::lock_guard lock(mutex_);
    std::weak_ptr<Session>& slot = by_device_[device];
    before = slot.lock();
    slot = session;
  }
  if (before == nullptr || before == session) return;
  before->executor().Post([weak = std::weak_ptr<Session>(before)] {
    if (const auto old = weak.lock()) {
      old->Fail(Status(Code::kConflict, "a newer connection of this device took over"));
    }
  });
}

void Gateway::Forget(Session* session) {
  std::shared_ptr<Session> dying;  // dies after the lock
  std::lock_guard lock(mutex_);
  const auto at = sessions_.find(session);
  if (at == sessions_.end()) return;
  dying = std::move(at->second);
  sessions_.erase(at);
  const auto entry = by_device_.find(session->device());
  if (entry == by_device_.end()) return;
  // The device may have a newer session already.
  if (entry->second.expired() || entry->second.lock() == dying) by_device_.erase(entry);
}

}  // namespace ferry::server
