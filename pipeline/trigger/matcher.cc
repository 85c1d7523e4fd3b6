#include "pipeline/trigger/trigger.h"

#include "pipeline/trigger/matcher_impl.h"

namespace ferry::trigger {

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
    impl_->places[PlaceKey(trigger.steps[k].event, trigger.steps[k].page)].push_back(
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
    const auto found = impl_->places.find(PlaceKey(step.event, step.page));
    if (found == impl_->places.end()) continue;  // two steps of one name: gone with the first
    std::erase_if(found->second,
                  [trigger](const Place& place) { return place.trigger == trigger; });
    if (found->second.empty()) impl_->places.erase(found);
  }
  running = {};
  impl_->changed.erase(trigger);
  impl_->free.push_back(trigger);
}

void Matcher::OnEvent(const EventPtr& event, std::vector<Match>* out,
                      const std::function<bool(size_t)>& blind) {
  if (impl_->places.empty()) return;
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
    impl_->changed.insert(touched[k].trigger);
    while (!is_last(k)) ++k;
  }
}

void Matcher::Reset() {
  for (size_t k = 0; k < impl_->triggers.size(); ++k) {
    std::vector<ChainPtr>& reached = impl_->triggers[k].reached;
    std::fill(reached.begin(), reached.end(), nullptr);
    impl_->changed.insert(k);
  }
}

}  // namespace ferry::trigger
