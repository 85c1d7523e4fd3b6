#include "pipeline/store/progress.h"

#include <algorithm>

namespace ferry::store {

void Progress::Begin(uint64_t number) {
  const std::lock_guard lock(mutex_);
  if (!events_.empty() && number <= events_.back().number) return;
  events_.push_back({number, false});
}

void Progress::Done(uint64_t number) {
  const std::lock_guard lock(mutex_);
  const auto event =
      std::lower_bound(events_.begin(), events_.end(), number,
                       [](const Event& one, uint64_t wanted) { return one.number < wanted; });
  if (event == events_.end() || event->number != number) return;
  event->done = true;
  while (!events_.empty() && events_.front().done) {
    position_ = events_.front().number;
    events_.pop_front();
  }
}

uint64_t Progress::position() const {
  const std::lock_guard lock(mutex_);
  return position_;
}

}  // namespace ferry::store
