#include <algorithm>
#include <unordered_map>

#include "pipeline/event/event.h"
#include "pipeline/trigger/trigger.h"

namespace ferry::trigger {
namespace {

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
std::string Key(std::string_view event, std::string_view page) {
  std::string key;
  key.reserve(event.size() + page.size() + 1);
  key.append(event).append("\n").append(page);
  return key;
}

}  // namespace

// All places of all triggers hang under the names that fill them: one event asks for (event, page),
// (event, any) and (any, page), and touches nothing else.
struct Matcher::Impl {
  std::vector<Running> triggers;
  std::vector<size_t> free;  // indices of `triggers` that Remove gave back
  std::unordered_map<std::string, std::vector<Place>> places;
  std::vector<Place> touched;  // scratch

  void Collect(std::string_view event, std::string_view page) {
    const auto found = places.find(Key(event, page));
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
      return false;
    }
    const int64_t took_ms = event->time_ms - next->first_ms;
    if (running.spec.within_ms > 0 && took_ms > running.spec.within_ms) return false;
    *chain = std::move(next);
    return true;
  }
};

Matcher::Matcher() : impl_(std::make_unique<Impl>()) {}
Matcher::~Matcher() = default;

Result<size_t> Matcher::Add(Trigger trigger) {
  if (trigger.steps.empty()) return Status(Code::kInvalidArgument, "a trigger without steps");
  if (trigger.steps.size() > kMaxSteps)
    return Status::Of(Code::kLimitExceeded, "{} steps, the limit is {}", trigger.steps.size(),
                      kMaxSteps);
  if (impl_->free.empty() && impl_->triggers.size() >= kMaxTriggers)
    return Status::Of(Code::kLimitExceeded, "{} triggers are the limit", kMaxTriggers);
  for (const Step& step : trigger.steps)
    if (step.event.empty() && step.page.empty())
      return Status(Code::kInvalidArgument, "a step names neither event nor page");
  const size_t index = impl_->free.empty() ? impl_->triggers.size() : impl_->free.back();
  for (size_t k = 0; k < trigger.steps.size(); ++k)
    impl_->places[Key(trigger.steps[k].event, trigger.steps[k].page)].push_back(
        {static_cast<uint32_t>(index), static_cast<uint32_t>(k)});
  std::vector<ChainPtr> reached(trigger.steps.size());
  if (impl_->free.empty()) {
    impl_->triggers.push_back({std::move(trigger), std::move(reached)});
  } else {
    impl_->free.pop_back();
    impl_->triggers[index] = {std::move(trigger), std::move(reached)};
  }
  return index;
}

void Matcher::Remove(size_t trigger) {
  Running& running = impl_->triggers[trigger];
  for (const Step& step : running.spec.steps) {
    const auto found = impl_->places.find(Key(step.event, step.page));
    if (found == impl_->places.end()) continue;  // two steps of one name: gone with the first
    std::erase_if(found->second,
                  [trigger](const Place& place) { return place.trigger == trigger; });
    if (found->second.empty()) impl_->places.erase(found);
  }
  running = {};
  impl_->free.push_back(trigger);
}

void Matcher::OnEvent(const EventPtr& event, std::vector<Match>* out,
                      const std::function<bool(size_t)>& blind) {
  std::vector<Place>& touched = impl_->touched;
  touched.clear();
  impl_->Collect(event->id, event->page);
  if (!event->page.empty()) {
    impl_->Collect(event->id, "");
    impl_->Collect("", event->page);
  }
  // Later steps first: one event fills one place of a chain only.
  std::sort(touched.begin(), touched.end(), [](const Place& a, const Place& b) {
    return a.trigger != b.trigger ? a.trigger < b.trigger : a.step > b.step;
  });
  const auto is_last = [&touched](size_t k) {
    return k + 1 == touched.size() || touched[k + 1].trigger != touched[k].trigger;
  };
  for (size_t k = 0; k < touched.size(); ++k) {
    const bool first = k == 0 || touched[k - 1].trigger != touched[k].trigger;
    if (first && blind && blind(touched[k].trigger)) {
      while (!is_last(k)) ++k;
      continue;
    }
    ChainPtr chain;
    if (!impl_->Fill(touched[k], event, &chain)) continue;
    Running& running = impl_->triggers[touched[k].trigger];
    Match match;
    match.trigger = touched[k].trigger;
    for (const Chain* at = chain.get(); at != nullptr; at = at->before.get())
      match.events.push_back(at->event);
    std::reverse(match.events.begin(), match.events.end());
    out->push_back(std::move(match));
    if (running.spec.keep) continue;
    // Used up: this event does not begin the next chain either.
    std::fill(running.reached.begin(), running.reached.end(), nullptr);
    while (!is_last(k)) ++k;
  }
}

void Matcher::Reset() {
  for (Running& running : impl_->triggers)
    std::fill(running.reached.begin(), running.reached.end(), nullptr);
}

}  // namespace ferry::trigger
