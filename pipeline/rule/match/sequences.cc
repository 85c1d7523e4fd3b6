#include "pipeline/rule/match/sequences.h"

#include <algorithm>

#include "pipeline/event/event.h"

namespace ferry::rule {

bool Sequences::Takes(const CompiledRule& rule) {
  const Rule& spec = rule.rule;
  if (!spec.per.empty() || spec.within_ms != 0 || spec.skip != SkipKind::kPastLast ||
      spec.max_runs != kDefaultMaxRuns)
    return false;
  for (size_t k = 0; k < spec.steps.size(); ++k) {
    const Step& step = spec.steps[k];
    const bool follows = k == 0 || step.contiguity == Contiguity::kRelaxed;
    if (!follows || step.most != 1 || step.optional || step.negated || step.until ||
        rule.steps[k].fits.where)
      return false;
  }
  return true;
}

void Sequences::Add(uint32_t number, const CompiledRule& rule) {
  const size_t steps = rule.steps.size();
  Sequence made;
  made.number = number;
  made.steps = static_cast<uint8_t>(steps);
  if (free_begins_[steps].empty()) {
    made.begin = static_cast<uint32_t>(letters_.size());
    letters_.resize(letters_.size() + steps);
    positions_.resize(letters_.size());
  } else {
    made.begin = free_begins_[steps].back();
    free_begins_[steps].pop_back();
  }
  for (size_t k = 0; k < steps; ++k) {
    const Letter letter = rule.steps[k].fits.letter;
    letters_[made.begin + k] = letter;
    lists_.resize(std::max<size_t>(lists_.size(), letter + 1));
  }
  uint32_t place = static_cast<uint32_t>(sequences_.size());
  if (free_.empty()) {
    sequences_.emplace_back();
    dropped_runs_.emplace_back();
    rules_.emplace_back();
  } else {
    place = free_.back();
    free_.pop_back();
  }
  sequences_[place] = made;
  dropped_runs_[place] = 0;
  rules_[place] = &rule;
  places_.resize(std::max<size_t>(places_.size(), number + 1), kNone);
  places_[number] = place;
  matches_.resize(places_.size());
  matches_[number] = 0;
  Wait(place);
}

void Sequences::Wait(uint32_t place) {
  const Sequence& one = sequences_[place];
  const Letter letter = LettersOf(one)[one.at];
  Lists& lists = lists_[letter];
  if (lists.waiting.empty() && lists.single.empty()) all_letters_.Watch(letter, 1);
  if (one.steps == 1)
    lists.single.push_back({one.number, kNone});
  else
    lists.waiting.push_back(place);
}

void Sequences::Unwait(uint32_t place) {
  const Sequence& one = sequences_[place];
  const Letter letter = LettersOf(one)[one.at];
  Lists& lists = lists_[letter];
  if (one.steps == 1)
    std::erase_if(lists.single, [&one](const Complete& at) { return at.number == one.number; });
  else
    std::erase(lists.waiting, place);
  if (lists.waiting.empty() && lists.single.empty()) all_letters_.Watch(letter, -1);
}

void Sequences::Remove(uint32_t number) {
  const uint32_t place = places_[number];
  Sequence& one = sequences_[place];
  Unwait(place);
  std::erase(dirty_, place);
  std::fill_n(PositionsOf(one), one.steps, Position());
  free_begins_[one.steps].push_back(one.begin);
  one = Sequence();
  rules_[place] = nullptr;
  places_[number] = kNone;
  free_.push_back(place);
}

void Sequences::MarkDirty(uint32_t place) {
  if (sequences_[place].dirty) return;
  sequences_[place].dirty = true;
  dirty_.push_back(place);
}

void Sequences::OnLetter(Letter letter, const Arrival& now, std::vector<Complete>* complete) {
  const std::vector<Complete>& single = lists_[letter].single;
  complete->insert(complete->end(), single.begin(), single.end());
  if (lists_[letter].waiting.empty()) return;
  scratch_.swap(lists_[letter].waiting);
  if (single.empty()) all_letters_.Watch(letter, -1);
  constexpr size_t kAhead = 6;  // rules lie apart in memory: the next ones are called early
  const size_t count = scratch_.size();
  for (size_t k = 0; k < count; ++k) {
    if (k + kAhead < count) __builtin_prefetch(&sequences_[scratch_[k + kAhead]], 1);
    const uint32_t place = scratch_[k];
    Sequence& one = sequences_[place];
    if (one.moved_seq != now.seq) {  // one event fills one step
      one.moved_seq = now.seq;
      if (one.at + 1 < one.steps) {
        PositionsOf(one)[one.at++] = {now.event, now.seq, now.by_value};
      } else {
        one.at = 0;
        complete->push_back({one.number, place});
      }
      if (!one.dirty) MarkDirty(place);
    }
    Wait(place);
  }
  scratch_.clear();
}

void Sequences::Deliver(const Complete& complete, const Arrival& now, std::vector<Match>* out) {
  ++matches_[complete.number];
  Match& match = out->emplace_back();
  match.rule = complete.number;
  match.key = "[]";
  match.time_ms = now.event->time_ms;
  uint32_t end = 0;
  if (complete.place != kNone) {
    const Sequence& one = sequences_[complete.place];
    for (Position* at = PositionsOf(one); end + 1 < one.steps; ++at) {
      match.events.push_back(std::move(at->event));
      match.ends.push_back(++end);
    }
  }
  match.events.push_back(now.event);
  match.ends.push_back(++end);
}

uint64_t Sequences::oldest() const {
  uint64_t oldest = 0;
  for (const Sequence& one : sequences_)
    for (uint32_t k = 0; k < one.at; ++k) {
      const Position& position = positions_[one.begin + k];
      if (position.by_value || (oldest != 0 && position.event->number >= oldest)) continue;
      oldest = position.event->number;
    }
  return oldest;
}

RuleStats Sequences::stats(uint32_t number) const {
  const uint32_t place = places_[number];
  const Sequence& one = sequences_[place];
  RuleStats out;
  out.matches = matches_[number];
  out.runs = out.keys = one.at > 0 ? 1 : 0;
  out.dropped_runs = dropped_runs_[place];
  out.bytes = sizeof(Sequence) + sizeof(CompiledRule*) + 2 * sizeof(uint64_t) +
              one.steps * (sizeof(Letter) + sizeof(Position));
  return out;
}

}  // namespace ferry::rule
