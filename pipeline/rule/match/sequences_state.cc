// A plain rule's state is that of one run of one key, as in runs_state.cc.
#include "pipeline/rule/match/sequences.h"

namespace ferry::rule {

void Sequences::SaveChanges(
    const std::function<void(uint32_t number, const std::string& state)>& put) {
  for (const uint32_t place : dirty_) {
    Sequence& one = sequences_[place];
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
      const Position& at = PositionsOf(one)[k];
      run.last = std::make_shared<const Link>(Link{at.event, at.seq, k, at.by_value, run.last});
    }
    put(one.number, StateOf(key));
    one.stored = true;
  }
  dirty_.clear();
}

Status Sequences::Load(uint32_t number, std::string_view state, const Resolver& resolver) {
  const uint32_t place = places_[number];
  Sequence& one = sequences_[place];
  KeyRuns key;
  uint64_t lost = 0;
  const Status bad =
      Status::Of(Code::kMalformed, "state of rule {} is damaged", rules_[place]->rule.name);
  if (!ReadState(state, one.steps, resolver, &key, &lost)) return bad;
  dropped_runs_[place] += lost;
  one.stored = true;
  MarkDirty(place);
  if (key.runs.empty()) return OkStatus();
  Unwait(place);
  const LinkPtr& last = key.runs[0].last;
  const uint32_t at = last->step + 1;
  uint32_t left = at;  // a run has one event of each step
  for (const Link* link = last.get(); link != nullptr; link = link->before.get()) {
    if (link->step + 1 != left || at == one.steps) break;
    PositionsOf(one)[--left] = {link->event, link->seq, link->by_value};
  }
  one.at = left == 0 ? static_cast<uint8_t>(at) : 0;
  Wait(place);
  return left == 0 ? OkStatus() : bad;
}

}  // namespace ferry::rule
