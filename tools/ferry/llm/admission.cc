#include "tools/ferry/llm/admission.h"

#include <chrono>
#include <utility>

namespace ferry::cli {
namespace {

constexpr std::chrono::milliseconds kAskWantedEvery(100);

}  // namespace

Admission::Place::Place(Place&& other) noexcept
    : owner_(std::exchange(other.owner_, nullptr)), bytes_(other.bytes_) {}

Admission::Place::~Place() {
  if (owner_ == nullptr) return;
  const std::lock_guard lock(owner_->mutex_);
  --owner_->running_;
  ++owner_->finished_;
  owner_->bytes_ -= bytes_;
  owner_->changed_.notify_all();
}

Result<Admission::Place> Admission::Enter(int64_t bytes, const std::function<bool()>& wanted) {
  std::unique_lock lock(mutex_);
  const auto waiting = static_cast<int64_t>(waiting_.size());
  const auto fits = [&] { return running_ < limits_.running && bytes_ + bytes <= limits_.bytes; };
  if (waiting >= limits_.waiting && !(waiting == 0 && fits()))
    return Status::Of(Code::kUnavailable, "{} requests run and {} wait: try again later", running_,
                      waiting);
  const auto mine = waiting_.insert(waiting_.end(), next_ticket_++);
  while (waiting_.begin() != mine || !fits()) {
    lock.unlock();
    const bool still = !wanted || wanted();
    lock.lock();
    if (!still) {
      waiting_.erase(mine);
      changed_.notify_all();
      return Status(Code::kCancelled, "given up while waiting");
    }
    changed_.wait_for(lock, kAskWantedEvery);
  }
  waiting_.erase(mine);
  ++running_;
  bytes_ += bytes;
  changed_.notify_all();
  return Place(this, bytes);
}

Admission::Stats Admission::stats() const {
  const std::lock_guard lock(mutex_);
  return {running_, static_cast<int64_t>(waiting_.size()), finished_};
}

}  // namespace ferry::cli
