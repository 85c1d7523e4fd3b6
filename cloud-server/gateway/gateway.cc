#include "cloud-server/gateway/gateway.h"

#include <vector>

#include "cloud-server/gateway/session.h"

namespace ferry::server {
namespace {

Status NoRoom() {
  return Status(Code::kUnavailable, "this server has no room for more devices: come back later");
}

Status Going() {
  return Status(Code::kUnavailable, "this server is being taken out of service: come back");
}

}  // namespace

Gateway::Gateway(const Options& options)
    : options_(options),
      device_refusals_("gateway", *options.clock),
      content_(*options.store, *options.blobs, *options.clock, *options.content_secret,
               options.redirects) {}

Gateway::~Gateway() = default;

void Gateway::Accept(std::unique_ptr<sys::FrameChannel> channel, sys::Executor& executor) {
  auto session = std::make_shared<Session>(*this, std::move(channel), executor);
  bool full;
  const bool going = !accepting_;
  {
    std::lock_guard lock(mutex_);
    full = sessions_.size() >= options_.max_sessions;
    (full || going ? leaving_ : sessions_).emplace(session.get(), session);
  }
  session->Start();
  if (going) return session->SendAway(Going(), kSoonComeBackMs);
  if (!full) return;
  refusals_.Note("sessions", "all", fmt::format("a session above {}", options_.max_sessions));
  session->SendAway(NoRoom(), kFullComeBackMs);
}

void Gateway::SendAway(size_t count) {
  std::vector<std::shared_ptr<Session>> chosen;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [key, session] : sessions_) {
      if (chosen.size() == count) break;
      if (session->Choose()) chosen.push_back(session);
    }
  }
  for (const auto& session : chosen)
    session->executor().Post([weak = std::weak_ptr<Session>(session)] {
      if (const auto one = weak.lock()) one->SendAway(Going(), kSoonComeBackMs);
    });
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
  for (auto* sessions : {&sessions_, &leaving_}) {
    const auto at = sessions->find(session);
    if (at == sessions->end()) continue;
    dying = std::move(at->second);
    sessions->erase(at);
    break;
  }
  if (dying == nullptr) return;
  const auto entry = by_device_.find(session->device());
  if (entry == by_device_.end()) return;
  // The device may have a newer session already.
  if (entry->second.expired() || entry->second.lock() == dying) by_device_.erase(entry);
}

}  // namespace ferry::server
