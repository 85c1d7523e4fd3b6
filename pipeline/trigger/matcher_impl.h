// The inside of trigger::Matcher, for its two files.
#pragma once

#include <algorithm>
#include <set>
#include <unordered_map>

#include "pipeline/event/event.h"
#include "pipeline/trigger/trigger.h"

namespace ferry::trigger {

// The events of a begun sequence, newest first; beginnings are shared between its continuations.
struct Chain {
  EventPtr event;
  std::shared_ptr<const Chain> before;
  int64_t first_ms = 0;
};
using ChainPtr = std::shared_ptr<const Chain>;

// A place in a trigger that an event may fill.
struct Place {
  uint32_t trigger;
  uint32_t step;
};

struct Running {
  Trigger spec;
  std::vector<ChainPtr> reached;  // [k]: the freshest chain of the first k + 1 steps, or null
};

// "event\npage"; names hold no line break.
inline std::string PlaceKey(std::string_view event, std::string_view page) {
  std::string key;
  key.reserve(event.size() + page.size() + 1);
  key.append(event).append("\n").append(page);
  return key;
}

// All places of all triggers hang under the names that fill them: one event asks for (event, page),
// (event, any) and (any, page), and touches nothing else.
struct Matcher::Impl {
  std::vector<Running> triggers;
  std::vector<size_t> free;  // indices of `triggers` that Remove gave back
  std::unordered_map<std::string, std::vector<Place>> places;
  std::vector<Place> touched;  // scratch
  std::set<size_t> changed;    // since SaveChanges

  void Collect(std::string_view event, std::string_view page) {
    const auto found = places.find(PlaceKey(event, page));
    if (found != places.end())
      touched.insert(touched.end(), found->second.begin(), found->second.end());
  }

  // Fills one place; true when the trigger is complete (`chain` is then the whole chain).
  bool Fill(const Place& place, const EventPtr& event, ChainPtr* chain) {
    Running& running = triggers[place.trigger];
    ChainPtr before;
    if (place.step > 0) {
      before = running.reached[place.step - 1];
      if (before == nullptr) return false;
    }
    auto next = std::make_shared<Chain>();
    next->event = event;
    next->first_ms = before == nullptr ? event->time_ms : before->first_ms;
    next->before = std::move(before);
    const bool complete = place.step + 1 == running.spec.steps.size();
    if (!complete) {
      running.reached[place.step] = std::move(next);
      changed.insert(place.trigger);
      return false;
    }
    const int64_t took_ms = event->time_ms - next->first_ms;
    if (running.spec.within_ms > 0 && took_ms > running.spec.within_ms) return false;
    *chain = std::move(next);
    return true;
  }
};

}  // namespace ferry::trigger
