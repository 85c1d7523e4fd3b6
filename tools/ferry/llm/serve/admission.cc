#include "tools/ferry/llm/serve/admission.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace ferry::cli {
namespace {

constexpr std::chrono::milliseconds kAskWantedEvery(100);

}  // namespace

Admission::Place::Place(Place&& other) noexcept
    : owner_(std::exchange(other.owner_, nullptr)),
      client_(std::move(other.client_)),
      bytes_(other.bytes_) {}

Admission::Place::~Place() {
  if (owner_ == nullptr) return;
  const std::lock_guard lock(owner_->mutex_);
  const auto client = owner_->clients_.find(client_);
  --client->second.running;
  owner_->Forget(client);
  --owner_->running_;
  ++owner_->finished_;
  owner_->bytes_ -= bytes_;
  owner_->changed_.notify_all();
}

std::list<Admission::Ticket>::const_iterator Admission::Next() const {
  return std::min_element(waiting_.begin(), waiting_.end(), [](const Ticket& a, const Ticket& b) {
    const Client& of_a = a.client->second;
    const Client& of_b = b.client->second;
    return std::pair(of_a.running, of_a.turn) < std::pair(of_b.running, of_b.turn);
  });
}

void Admission::Forget(std::map<std::string, Client>::iterator client) {
  if (client->second.running == 0 && client->second.waiting == 0) clients_.erase(client);
}

Result<Admission::Place> Admission::Enter(const std::string& client, int64_t bytes,
                                          const std::function<bool()>& wanted) {
  std::unique_lock lock(mutex_);
  const auto waiting = static_cast<int64_t>(waiting_.size());
  const auto fits = [&] { return running_ < limits_.running && bytes_ + bytes <= limits_.bytes; };
  const bool at_once = waiting == 0 && fits();
  const auto own = clients_.try_emplace(client).first;
  if (!at_once && waiting >= limits_.waiting) {
    Forget(own);
    return Status::Of(Code::kUnavailable, "{} requests run and {} wait: try again later", running_,
                      waiting);
  }
  if (!at_once && own->second.waiting >= limits_.waiting_each) {
    const int64_t own_waiting = own->second.waiting;
    Forget(own);
    return Status::Of(Code::kQuotaUsed, "{} requests of this client wait, at most {} may",
                      own_waiting, limits_.waiting_each);
  }
  const auto mine = waiting_.insert(waiting_.end(), Ticket{own});
  ++own->second.waiting;
  while (Next() != mine || !fits()) {
    lock.unlock();
    const bool still = !wanted || wanted();
    lock.lock();
    if (!still) {
      waiting_.erase(mine);
      --own->second.waiting;
      Forget(own);
      changed_.notify_all();
      return Status(Code::kCancelled, "given up while waiting");
    }
    changed_.wait_for(lock, kAskWantedEvery);
  }
  waiting_.erase(mine);
  --own->second.waiting;
  ++own->second.running;
  own->second.turn = ++turns_;
  ++running_;
  bytes_ += bytes;
  changed_.notify_all();
  return Place(this, client, bytes);
}

Admission::Stats Admission::stats() const {
  const std::lock_guard lock(mutex_);
  return {running_, static_cast<int64_t>(waiting_.size()), finished_};
}

}  // namespace ferry::cli
