// A stacked rule's state is that of the runs of one key, as in runs_state.cc.
#include "pipeline/rule/match/stacked.h"

namespace ferry::rule {

void StackedRules::SaveChanges(
    int64_t latest_ms, const std::function<void(uint32_t number, const std::string& state)>& put) {
  for (const Letter letter : dirty_letters_) {
    of_letters_[letter].dirty = false;
    for (One* const one : of_letters_[letter].firsts) MarkDirty(*one);
  }
  dirty_letters_.clear();
  for (size_t k = 0; k < dirty_.size(); ++k) {
    One& one = *dirty_[k];
    Settle(one, latest_ms);
    KeyRuns key;
    one.runs.Save(one.plain, StartsOf(one), &key);
    one.dirty = false;
    if (!key.runs.empty())
      put(one.number, StateOf(key));
    else if (one.stored)
      put(one.number, "");
    one.stored = !key.runs.empty();
  }
  dirty_.clear();
}

void StackedRules::BeginBehind(uint64_t seq) {
  for (const auto& one : rules_)
    if (one != nullptr) one->runs.Clear(seq + 1, &held_);
}

bool StackedRules::TakeStarts(One& one, std::vector<Starts::Start> starts) {
  Starts& all = StartsOf(one);
  const size_t both = std::min(starts.size(), all.size());
  const bool same =
      std::equal(starts.end() - static_cast<std::ptrdiff_t>(both), starts.end(),
                 all.list().end() - static_cast<std::ptrdiff_t>(both),
                 [](const Starts::Start& a, const Starts::Start& b) { return a.seq == b.seq; });
  const size_t older = same ? starts.size() - both : 0;
  for (size_t k = older; k < starts.size(); ++k) held_.Drop(starts[k].held);
  starts.resize(older);
  if (older > 0) all.Prepend(std::move(starts));
  last_start_[one.plain.letters[0]] = all.last_seq();
  return same;
}

Status StackedRules::Load(uint32_t number, std::string_view state, const Resolver& resolver) {
  One& one = *rules_[number];
  const std::string& name = one.plain.rule->rule.name;
  KeyRuns key;
  uint64_t lost = 0;
  std::vector<Starts::Start> starts;
  if (!ReadState(state, one.plain.steps(), resolver, &key, &lost) ||
      !one.runs.Load(key, &held_, &starts))
    return Status::Of(Code::kMalformed, "state of rule {} is damaged", name);
  const bool none = starts.empty();
  if (!none && !TakeStarts(one, std::move(starts)))
    return Status::Of(Code::kFailedPrecondition, "rule {} came behind events", name);
  one.dropped_runs += lost;
  one.stored = true;
  if (lost > 0) MarkDirty(one);
  if (none) return OkStatus();
  for (Second& second : of_letters_[one.plain.letters[1]].seconds)
    if (second.rule == &one) second.since = one.runs.from();
  for (size_t step = 2; step < one.plain.steps(); ++step) Await(one, step);
  return OkStatus();
}

}  // namespace ferry::rule
