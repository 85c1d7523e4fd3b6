#include "pipeline/rule/match/runs.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "pipeline/event/event.h"

namespace ferry::rule {
namespace {

constexpr StepMask Bit(size_t step) {
  return StepMask{1} << step;
}
constexpr StepMask Below(size_t step) {
  return Bit(step) - 1;
}

expression::Subject SubjectOf(const event::Event& event) {
  return {&event.data, true, event.id, event.page, event.time_ms};
}

// How many events each step of a chain has.
std::vector<uint32_t> CountsOf(const Link* last, size_t steps) {
  std::vector<uint32_t> counts(steps);
  for (const Link* at = last; at != nullptr; at = at->before.get()) ++counts[at->step];
  return counts;
}

}  // namespace

// A run's events by step, collected when an expression asks first.
class RuleRuns::Captured : public expression::Captures {
 public:
  Captured(const Link* last, size_t steps) : last_(last), lists_(steps) {}
  size_t Count(size_t capture) const override {
    Collect();
    return lists_[capture].size();
  }
  expression::Subject At(size_t capture, size_t index) const override {
    Collect();
    return SubjectOf(*lists_[capture][lists_[capture].size() - 1 - index]);
  }

 private:
  void Collect() const {
    for (; last_ != nullptr; last_ = last_->before.get())
      lists_[last_->step].push_back(last_->event.get());
  }
  mutable const Link* last_;
  mutable std::vector<std::vector<const event::Event*>> lists_;  // newest first
};

RuleRuns::RuleRuns(const CompiledRule& rule, Letters* letters) : rule_(rule), letters_(*letters) {
  for (size_t k = 0; k < rule.steps.size(); ++k) {
    const CompiledStep& step = rule.steps[k];
    if (step.inner == Contiguity::kStrict || step.contiguity == Contiguity::kStrict)
      strict_ |= Bit(k);
    if (step.negated || step.greedy) special_ |= Bit(k);
  }
  one_run_ = rule.rule.within_ms == 0 && rule.rule.max_runs == kDefaultMaxRuns && IsPlain(rule);
}

bool RuleRuns::Begins() const {
  for (size_t k = 0; k < rule_.steps.size(); ++k)
    if ((rule_.first & Bit(k)) != 0 && letters_.Holds(rule_.steps[k].fits.letter)) return true;
  return false;
}

KeyRuns* RuleRuns::Find(const std::string& key) {
  const auto found = keys_.find(key);
  return found == keys_.end() ? nullptr : &found->second;
}

KeyRuns& RuleRuns::Make(const std::string& key) {
  const auto [found, made] = keys_.try_emplace(key);
  if (made) {
    found->second.key = key;
    found->second.place = by_change_.insert(by_change_.end(), &found->second);
  }
  return found->second;
}

bool RuleRuns::Fits(const CompiledCondition& condition, const Link* last, const Arrival& now) {
  if (!letters_.Holds(condition.letter)) return false;
  if (!condition.where) return true;
  const Captured captured(last, rule_.steps.size());
  return condition.where->Decide(SubjectOf(*now.event), &captured) == expression::Answer::kTrue;
}

bool RuleRuns::FitsUntil(size_t step, const Link* last, const Arrival& now) {
  return rule_.steps[step].until && Fits(*rule_.steps[step].until, last, now);
}

// The event becomes the next position of `from` (null: the first of a run), in `step`.
void RuleRuns::Reach(const Run* from, size_t step, const Arrival& now, std::vector<Run>* next,
                     std::vector<Leaving>* leaving) {
  const CompiledStep& spec = rule_.steps[step];
  Run run;
  run.last = std::make_shared<const Link>(Link{now.event, now.seq, static_cast<uint32_t>(step),
                                               now.by_value, from ? from->last : nullptr});
  run.first_seq = from ? from->first_seq : now.seq;
  run.first_ms = from ? from->first_ms : now.event->time_ms;
  run.count = from && from->last->step == step ? from->count + 1 : 1;
  if (run.count < spec.most) run.alive |= Bit(step);
  const bool enough = run.count >= spec.least;
  if (enough) run.alive |= spec.next;
  const int64_t within_ms = rule_.rule.within_ms;
  const bool in_time = within_ms == 0 || now.event->time_ms - run.first_ms <= within_ms;
  if (enough && spec.accepting && in_time) {
    run.waits = rule_.trailing != 0;
    if (!run.waits) leaving->push_back({run.last, {}, now.event->time_ms});
  }
  if (run.alive == 0 && !run.waits) return;
  if (watcher != nullptr) watcher->Reached(run);
  next->push_back(std::move(run));
}

// The steps that may still have a run's next position behind this event, which fits those of
// `fits`.
StepMask RuleRuns::Survivors(const Run& run, StepMask fits, const Arrival& now) {
  const size_t at = run.last->step;
  const CompiledStep& spec = rule_.steps[at];
  StepMask alive = run.alive;
  for (size_t t = at; t < rule_.steps.size(); ++t) {
    if ((alive & Bit(t)) == 0) continue;
    const Contiguity contiguity = t == at ? spec.inner : rule_.steps[t].contiguity;
    if (contiguity == Contiguity::kStrict) alive &= ~Bit(t);
    if (contiguity == Contiguity::kRelaxed && (fits & Bit(t)) != 0) alive &= ~Bit(t);
  }
  if ((alive & Bit(at)) != 0 && FitsUntil(at, run.last.get(), now)) alive &= ~Bit(at);
  if ((alive & ~Bit(at)) == 0) return alive;
  const bool may_repeat = spec.greedy && run.count < spec.most;
  if (may_repeat && ((fits & Bit(at)) != 0 || Fits(spec.fits, run.last.get(), now)))
    return alive & Bit(at);
  for (size_t n = at + 1; n < rule_.steps.size(); ++n) {
    if ((spec.nots & Bit(n)) == 0 || (alive & ~Below(n)) == 0) continue;
    if (Fits(rule_.steps[n].fits, run.last.get(), now)) return alive & Below(n);
  }
  return alive;
}

void RuleRuns::Advance(const Run& run, const Arrival& now, std::vector<Run>* next,
                       std::vector<Leaving>* leaving) {
  StepMask fits = 0;
  for (size_t t = run.last->step; t < rule_.steps.size(); ++t)
    if ((run.alive & Bit(t)) != 0 && Fits(rule_.steps[t].fits, run.last.get(), now)) fits |= Bit(t);
  Run left = run;
  left.alive = Survivors(run, fits, now);
  for (size_t n = 0; left.waits && n < rule_.steps.size(); ++n)
    if ((rule_.trailing & Bit(n)) != 0 && Fits(rule_.steps[n].fits, run.last.get(), now))
      left.waits = false;
  if (left.alive != 0 || left.waits)
    next->push_back(std::move(left));
  else if (watcher != nullptr)
    watcher->Ended(run, now, WhyEnded(run, fits, now));
  for (size_t t = run.last->step; t < rule_.steps.size(); ++t)
    if ((fits & Bit(t)) != 0 && !FitsUntil(t, run.last.get(), now))
      Reach(&run, t, now, next, leaving);
}

void RuleRuns::Begin(const Arrival& now, std::vector<Run>* next, std::vector<Leaving>* leaving) {
  for (size_t t = 0; t < rule_.steps.size(); ++t)
    if ((rule_.first & Bit(t)) != 0 && Fits(rule_.steps[t].fits, nullptr, now) &&
        !FitsUntil(t, nullptr, now))
      Reach(nullptr, t, now, next, leaving);
}

bool RuleRuns::IsTooOld(const Run& run, int64_t latest_ms) const {
  const int64_t within_ms = rule_.rule.within_ms;
  return within_ms > 0 && latest_ms - run.first_ms > within_ms + kLateMs;
}

RuleRuns::Touch RuleRuns::TouchOf() const {
  Touch touch;
  touch.waiting = strict_;
  for (size_t k = 0; k < rule_.steps.size(); ++k) {
    const CompiledStep& step = rule_.steps[k];
    if (letters_.Holds(step.fits.letter)) touch.waiting |= Bit(k);
    if (step.until && letters_.Holds(step.until->letter)) touch.all = true;
  }
  touch.all = touch.all || (touch.waiting & special_) != 0;
  return touch;
}

bool RuleRuns::AdvanceAll(KeyRuns& key, const Arrival& now, std::vector<Leaving>* leaving) {
  const Touch touch = TouchOf();
  const auto touches = [&](const Run& run) {
    return touch.all || (run.alive & touch.waiting) != 0 || IsTooOld(run, now.latest_ms);
  };
  const auto first = std::find_if(key.runs.begin(), key.runs.end(), touches);
  if (first == key.runs.end()) return false;
  bool changed = false;
  std::vector<Run> next;
  next.reserve(static_cast<size_t>(key.runs.end() - first) + 1);
  for (auto run = first; run != key.runs.end(); ++run) {
    if (!touches(*run)) {
      next.push_back(std::move(*run));
      continue;
    }
    const size_t before = next.size();
    if (!IsTooOld(*run, now.latest_ms)) Advance(*run, now, &next, leaving);
    const bool same = next.size() == before + 1 && next.back().last == run->last &&
                      next.back().alive == run->alive && next.back().waits == run->waits;
    changed = changed || !same;
  }
  runs_ += next.size() - static_cast<size_t>(key.runs.end() - first);
  key.runs.erase(first, key.runs.end());
  std::move(next.begin(), next.end(), std::back_inserter(key.runs));
  return changed;
}

void RuleRuns::OnEvent(const std::string& key, const Arrival& now, uint32_t number,
                       std::vector<Match>* out) {
  KeyRuns* found = Find(key);
  std::vector<Leaving> leaving;
  bool changed = found != nullptr && AdvanceAll(*found, now, &leaving);
  std::vector<Run> begun;
  if (one_run_ && found != nullptr && watcher == nullptr)
    changed = changed || Begins();  // the key is one that goes on
  else
    Begin(now, &begun, &leaving);
  if (!changed && begun.empty() && leaving.empty()) return;
  if (found == nullptr && begun.empty()) {  // complete with its first event
    KeyRuns passing;
    passing.key = key;
    Leave(passing, &leaving, number, out);
    return;
  }
  KeyRuns& runs = Make(key);
  runs_ += begun.size();
  std::move(begun.begin(), begun.end(), std::back_inserter(runs.runs));
  Leave(runs, &leaving, number, out);
  Settle(runs, now);
}

void RuleRuns::OnTime(KeyRuns& key, int64_t time_ms, const Arrival& now, uint32_t number,
                      std::vector<Match>* out) {
  std::vector<Leaving> leaving;
  for (Run& run : key.runs) {
    const int64_t end_ms = run.first_ms + rule_.rule.within_ms;
    if (!run.waits || end_ms >= time_ms) continue;
    leaving.push_back({run.last, {}, end_ms});
    run.waits = false;
  }
  const size_t erased = std::erase_if(key.runs, [&](const Run& run) {
    return (run.alive == 0 && !run.waits) || IsTooOld(run, now.latest_ms);
  });
  runs_ -= erased;
  const bool changed = !leaving.empty();
  Leave(key, &leaving, number, out);
  Settle(key, now, changed);
}

// Orders what leaves by positions and lets the rule's skip drop matches and runs.
void RuleRuns::Leave(KeyRuns& key, std::vector<Leaving>* leaving, uint32_t number,
                     std::vector<Match>* out) {
  if (leaving->empty()) return;
  const size_t steps = rule_.steps.size();
  for (Leaving& one : *leaving) {
    for (const Link* at = one.last.get(); at != nullptr; at = at->before.get())
      one.seqs.push_back(at->seq);
    std::reverse(one.seqs.begin(), one.seqs.end());
  }
  std::sort(leaving->begin(), leaving->end(), [steps](const Leaving& a, const Leaving& b) {
    if (a.seqs != b.seqs) return a.seqs < b.seqs;
    return CountsOf(a.last.get(), steps) < CountsOf(b.last.get(), steps);
  });
  uint64_t drop_below = 0;            // matches that start before
  std::set<uint64_t> dropped_starts;  // and those that start there
  for (const Leaving& one : *leaving) {
    const uint64_t start = one.seqs.front();
    if (start < drop_below || dropped_starts.contains(start)) continue;
    ++counts_.matches;
    Match match;
    match.rule = number;
    match.key = key.key;
    match.time_ms = one.time_ms;
    for (const Link* at = one.last.get(); at != nullptr; at = at->before.get())
      match.events.push_back(at->event);
    std::reverse(match.events.begin(), match.events.end());
    uint32_t end = 0;
    for (const uint32_t count : CountsOf(one.last.get(), steps)) match.ends.push_back(end += count);
    const size_t to = rule_.skip_to;
    const uint32_t begin = to == 0 ? 0 : match.ends[to - 1];
    const bool has = match.ends[to] > begin;
    if (rule_.rule.skip == SkipKind::kNext) dropped_starts.insert(start);
    if (rule_.rule.skip == SkipKind::kPastLast)
      drop_below = std::max(drop_below, one.seqs.back() + 1);
    if (rule_.rule.skip == SkipKind::kFirst && has)
      drop_below = std::max(drop_below, one.seqs[begin]);
    if (rule_.rule.skip == SkipKind::kLast && has)
      drop_below = std::max(drop_below, one.seqs[match.ends[to] - 1]);
    out->push_back(std::move(match));
  }
  runs_ -= std::erase_if(key.runs, [&](const Run& run) {
    return run.first_seq < drop_below || dropped_starts.contains(run.first_seq);
  });
}

void RuleRuns::SetDue(KeyRuns& key) {
  int64_t due_ms = INT64_MAX;
  const int64_t within_ms = rule_.rule.within_ms;
  bool strict = false;
  for (const Run& run : key.runs) {
    if (within_ms > 0)
      due_ms = std::min(due_ms, run.first_ms + within_ms + (run.waits ? 0 : kLateMs));
    if ((run.alive & strict_) == 0) continue;
    for (size_t t = run.last->step; !strict && t < rule_.steps.size(); ++t)
      strict = (run.alive & Bit(t)) != 0 &&
               (t == run.last->step ? rule_.steps[t].inner : rule_.steps[t].contiguity) ==
                   Contiguity::kStrict;
  }
  if (strict != key.strict) strict_keys_ += strict ? 1 : size_t(-1);
  key.strict = strict;
  if (due_ms == key.due_ms) return;
  const int64_t before_ms = key.due_ms;
  key.due_ms = due_ms;
  if (on_due) on_due(key, before_ms);
}

void RuleRuns::MarkDirty(KeyRuns& key) {
  if (key.dirty) return;
  key.dirty = true;
  key.dirty_at = dirty_.size();
  dirty_.push_back(&key);
}

void RuleRuns::Settle(KeyRuns& key, const Arrival& now, bool changed) {
  if (key.runs.size() > rule_.rule.max_runs) {
    const size_t over = key.runs.size() - rule_.rule.max_runs;
    key.runs.erase(key.runs.begin(), key.runs.begin() + static_cast<std::ptrdiff_t>(over));
    runs_ -= over;
    counts_.dropped_runs += over;
  }
  if (key.runs.empty()) return Erase(key);
  MarkDirty(key);
  SetDue(key);
  if (!changed) return;
  key.changed_seq = now.seq;
  by_change_.splice(by_change_.end(), by_change_, key.place);
  KeepMaxKeys();
}

void RuleRuns::KeepMaxKeys() {
  while (keys_.size() > rule_.rule.max_keys) {
    KeyRuns& longest_ago = *by_change_.front();
    ++counts_.dropped_keys;
    counts_.dropped_runs += longest_ago.runs.size();
    runs_ -= longest_ago.runs.size();
    longest_ago.runs.clear();
    Erase(longest_ago);
  }
}

void RuleRuns::Erase(KeyRuns& key) {
  SetDue(key);  // no runs: none
  if (key.stored) gone_.push_back(key.key);
  if (key.dirty) {
    dirty_.back()->dirty_at = key.dirty_at;
    dirty_[key.dirty_at] = dirty_.back();
    dirty_.pop_back();
  }
  by_change_.erase(key.place);
  keys_.erase(keys_.find(key.key));
}

uint64_t RuleRuns::oldest() const {
  uint64_t oldest = 0;
  for (const auto& [name, key] : keys_)
    for (const Run& run : key.runs)
      for (const Link* at = run.last.get(); at != nullptr; at = at->before.get())
        if (!at->by_value && (oldest == 0 || at->event->number < oldest))
          oldest = at->event->number;
  return oldest;
}

RuleStats RuleRuns::stats() const {
  RuleStats out = counts_;
  out.runs = runs_;
  out.keys = keys_.size();
  out.bytes = sizeof(*this) + keys_.size() * (sizeof(KeyRuns) + 64) +
              runs_ * (sizeof(Run) + sizeof(Link) + 16);
  return out;
}

}  // namespace ferry::rule
