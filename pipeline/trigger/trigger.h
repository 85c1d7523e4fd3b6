// Triggers: sequences of events that start tasks, many matched at once. Pure; one thread at a time.
// Source: Walle (OSDI 2022) section 5 for conditions as sequences of event and page ids.
//
// A step matches an event with its event id and its page (each only if the step names it). At an
// event e that matches the last step, take the latest event before e (and after the trigger's last
// firing) that matches the step before, then the latest before that, and so on to the first step:
// other events may lie between. The trigger fires if there is such a chain and e.time -
// first.time <= within_ms. So the captured events are the freshest. Events count in the order of
// arrival. After firing a trigger starts afresh, unless it keeps its beginning.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/base/json_fwd.h"
#include "common/base/status.h"
#include "pipeline/event/state.h"

namespace ferry::event {
struct Event;
}

namespace ferry::trigger {

inline constexpr size_t kMaxSteps = 32;
inline constexpr size_t kMaxTriggers = 100'000;

struct Step {
  std::string event;  // empty: any event of the page
  std::string page;   // empty: any page
};

struct Trigger {
  std::vector<Step> steps;
  int64_t within_ms = 0;  // from the first to the last event; 0: no limit
  // After firing keep the events before the last step: every further last event fires again.
  bool keep = false;
};

// {"sequence":[{"event":"page_enter","page":"scan"},{"event":"image"}],"within_ms":60000,
// "after_match":"restart"|"keep"}, and no other members. kMalformed names the step.
Result<Trigger> TriggerFromJson(const Json& json);
Json TriggerToJson(const Trigger& trigger);

using EventPtr = std::shared_ptr<const event::Event>;

struct Match {
  size_t trigger = 0;            // index given by Add
  std::vector<EventPtr> events;  // one a step
};

// Matches all triggers with one look-up by the event's names: triggers that an event does not
// concern cost nothing.
class Matcher {
 public:
  Matcher();
  ~Matcher();
  // kInvalidArgument for a trigger without steps or a step without names; kLimitExceeded. The index
  // may be one that Remove gave back.
  Result<size_t> Add(Trigger trigger);
  // Forgets the trigger and what it has seen. `trigger` is an index that Add gave and that was not
  // removed since.
  void Remove(size_t trigger);
  // Appends what fires, in the order of the indices. A trigger that the event concerns and for
  // which `blind`, when given, returns true does not see this event; `blind` is asked once for
  // each.
  void OnEvent(const EventPtr& event, std::vector<Match>* out,
               const std::function<bool(size_t trigger)>& blind = nullptr);
  // Forgets all that was seen.
  void Reset();

  // ---- state.cc
  // Writes the begun sequences that changed since the last call, under the names that `name` gives
  // triggers; events by value.
  void SaveChanges(const std::function<std::string(size_t trigger)>& name, event::StateWriter& out);
  // What SaveChanges wrote for this trigger, which has seen nothing. State of another trigger, or
  // damaged, is kMalformed and changes nothing.
  Status Load(size_t trigger, std::string_view state);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ferry::trigger
