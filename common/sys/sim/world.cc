#include "common/sys/sim/world.h"

#include <algorithm>
#include <vector>

namespace ferry::sys {

constexpr int64_t kNsPerMs = 1'000'000;

class SimWorld::SimClock : public Clock {
 public:
  explicit SimClock(const SimWorld& world) : world_(world) {}
  int64_t NowUnixMs() const override {
    return world_.start_unix_ms_ + world_.wall_offset_ms_ + world_.now_ns_ / kNsPerMs;
  }
  int64_t MonotonicNs() const override { return world_.now_ns_; }

 private:
  const SimWorld& world_;
};

class SimExecutor : public Executor {
 public:
  explicit SimExecutor(SimWorld& world) : world_(world) {}
  ~SimExecutor() override { world_.RemoveAll(this); }
  void Post(Task task) override { world_.Add(this, 0, std::move(task)); }
  TimerId PostAfter(int64_t delay_ms, Task task) override {
    return world_.Add(this, delay_ms, std::move(task));
  }
  void Cancel(TimerId id) override { world_.Remove(id); }

 private:
  SimWorld& world_;
};

SimWorld::SimWorld(uint64_t seed, int64_t start_unix_ms)
    : clock_(std::make_unique<SimClock>(*this)), random_(seed), start_unix_ms_(start_unix_ms) {}

SimWorld::~SimWorld() {
  // Captures may post while they die.
  while (!queue_.empty()) {
    auto dropped = std::move(queue_);
    queue_.clear();
    due_.clear();
  }
}

Clock& SimWorld::clock() {
  return *clock_;
}

std::unique_ptr<Executor> SimWorld::MakeExecutor() {
  return std::make_unique<SimExecutor>(*this);
}

uint64_t SimWorld::Add(const void* owner, int64_t delay_ms, Task task) {
  const uint64_t id = next_id_++;
  const int64_t bounded = std::clamp<int64_t>(delay_ms, 0, INT64_MAX / 4 / kNsPerMs);
  const int64_t due = now_ns_ + bounded * kNsPerMs;
  queue_.emplace(Key{due, id}, Event{owner, std::move(task)});
  due_.emplace(id, due);
  return id;
}

void SimWorld::Remove(uint64_t id) {
  const auto found = due_.find(id);
  if (found == due_.end()) return;
  auto dropped = queue_.extract(Key{found->second, id});
  due_.erase(found);
}

void SimWorld::RemoveAll(const void* owner) {
  std::vector<Task> dropped;
  for (auto at = queue_.begin(); at != queue_.end();) {
    if (at->second.owner != owner) {
      ++at;
      continue;
    }
    dropped.push_back(std::move(at->second.task));
    due_.erase(at->first.second);
    at = queue_.erase(at);
  }
}

bool SimWorld::Step() {
  if (queue_.empty()) return false;
  auto node = queue_.extract(queue_.begin());
  due_.erase(node.key().second);
  now_ns_ = std::max(now_ns_, node.key().first);
  ++steps_;
  node.mapped().task();
  return true;
}

void SimWorld::RunFor(int64_t ms) {
  const int64_t end = now_ns_ + ms * kNsPerMs;
  while (!queue_.empty() && queue_.begin()->first.first <= end) Step();
  now_ns_ = std::max(now_ns_, end);
}

bool SimWorld::RunUntil(const std::function<bool()>& done, int64_t limit_ms) {
  const int64_t end = now_ns_ + limit_ms * kNsPerMs;
  while (!done()) {
    if (queue_.empty() || queue_.begin()->first.first > end) return false;
    Step();
  }
  return true;
}

}  // namespace ferry::sys
