// Events that runs of plain rules hold. Internal to the room.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "pipeline/rule/rule.h"

namespace ferry::rule {

// An event that runs refer to, counted without atomics.
struct HeldEvent {
  EventPtr event;
  uint64_t seq = 0;
  uint32_t users = 0;
  bool by_value = false;
};

// The events that runs hold, in blocks of memory that are used again.
class HeldEvents {
 public:
  // A held event without users.
  HeldEvent* New(EventPtr event, uint64_t seq, bool by_value) {
    if (free_.empty()) {
      blocks_.push_back(std::make_unique<HeldEvent[]>(kBlock));
      for (size_t k = kBlock; k > 0; --k) free_.push_back(&blocks_.back()[k - 1]);
    }
    HeldEvent* const held = free_.back();
    free_.pop_back();
    *held = {std::move(event), seq, 0, by_value};
    return held;
  }
  // One user less; gives the event to it.
  EventPtr Take(HeldEvent* held) {
    if (--held->users > 0) return held->event;
    free_.push_back(held);
    return std::move(held->event);
  }
  // One user less.
  void Drop(HeldEvent* held) {
    if (--held->users > 0) return;
    free_.push_back(held);
    held->event = nullptr;
  }

 private:
  static constexpr size_t kBlock = 256;
  std::vector<std::unique_ptr<HeldEvent[]>> blocks_;
  std::vector<HeldEvent*> free_;
};

}  // namespace ferry::rule
