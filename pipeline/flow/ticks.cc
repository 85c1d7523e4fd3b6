#include <algorithm>
#include <charconv>

#include "pipeline/event/event.h"
#include "pipeline/flow/flow_impl.h"
#include "pipeline/flow/keys.h"

namespace ferry::flow {

void Flow::Impl::Tick(int64_t now_ms, const std::function<void(const EventPtr&)>& give) {
  for (auto& [every_ms, clock] : clocks) {
    const int64_t due_ms = now_ms - now_ms % every_ms;
    const bool first = clock.last_ms < 0;
    if (due_ms <= clock.last_ms) continue;
    // After a pause the last one stands for those that were missed.
    clock.last_ms = due_ms;
    clock.changed = true;
    if (first) continue;  // the first whole period begins now
    auto event = std::make_shared<event::Event>();
    event->id = kEveryPrefix + std::to_string(every_ms);
    event->time_ms = due_ms;
    give(event);
  }
}

int64_t Flow::next_tick_ms() const {
  int64_t next_ms = INT64_MAX;
  for (const auto& [every_ms, clock] : impl_->clocks)
    next_ms = std::min(next_ms, clock.last_ms < 0 ? INT64_MIN : clock.last_ms + every_ms);
  return next_ms;
}

void Flow::Impl::SaveTicks(event::StateWriter& out) {
  for (auto& [every_ms, clock] : clocks) {
    if (!clock.changed) continue;
    clock.changed = false;
    out.Put(kClockKey + std::to_string(every_ms), std::to_string(clock.last_ms));
  }
}

}  // namespace ferry::flow
