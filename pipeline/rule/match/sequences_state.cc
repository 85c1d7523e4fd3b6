// A plain rule's state is that of one run of one key, as in runs_state.cc.
#include "pipeline/rule/match/sequences.h"

namespace ferry::rule {

void Sequences::SaveChanges(
    const std::function<void(uint32_t number, const std::string& state)>& put) {
  for (Sequence* const place : dirty_) {
    Sequence& one = *place;
    one.dirty = false;
    if (one.at == 0) {
      if (one.stored) put(one.number, "");
      one.stored = false;
      continue;
    }
    KeyRuns key;
    Run& run = key.runs.emplace_back();
    run.alive = StepMask{1} << one.at;
    for (uint32_t k = 0; k < one.at; ++k) {
      const HeldEvent& at = *one.positions()[k];
      run.last = std::make_shared<const Link>(Link{at.event, at.seq, k, at.by_value, run.last});
    }
    put(one.number, StateOf(key));
    one.stored = true;
  }
  dirty_.clear();
}

Status Sequences::Load(uint32_t number, std::string_view state, const Resolver& resolver) {
  Place& place = places_[number];
  Sequence& one = *place.sequence;
  KeyRuns key;
  uint64_t lost = 0;
  const Status bad =
      Status::Of(Code::kMalformed, "state of rule {} is damaged", place.rule->rule.name);
  if (!ReadState(state, one.steps, resolver, &key, &lost)) return bad;
  place.dropped_runs += lost;
  one.stored = true;
  MarkDirty(&one);
  if (key.runs.empty()) return OkStatus();
  std::vector<const Link*> links;  // a run has one event of each step
  for (const Link* link = key.runs[0].last.get(); link != nullptr; link = link->before.get())
    links.push_back(link);
  bool fits = links.size() < one.steps;
  for (size_t k = 0; k < links.size(); ++k) fits = fits && links[k]->step + k + 1 == links.size();
  if (!fits) return bad;
  Unwait(&one);
  for (; !links.empty(); links.pop_back()) {
    const Link& link = *links.back();
    HeldEvent* const held = held_.New(link.event, link.seq, link.by_value);
    held->users = 1;
    one.positions()[one.at++] = held;
  }
  Wait(&one);
  return OkStatus();
}

}  // namespace ferry::rule
