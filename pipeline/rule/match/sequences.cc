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
  Sequence made;
  made.rule = &rule;
  made.number = number;
  for (const CompiledStep& step : rule.steps) {
    made.letters.push_back(step.fits.letter);
    const size_t letters = std::max<size_t>(waiting_.size(), step.fits.letter + 1);
    waiting_.resize(letters);
    single_.resize(letters);
  }
  made.positions.resize(rule.steps.size() - 1);
  uint32_t place = static_cast<uint32_t>(sequences_.size());
  if (free_.empty()) {
    sequences_.push_back(std::move(made));
  } else {
    place = free_.back();
    free_.pop_back();
    sequences_[place] = std::move(made);
  }
  places_.resize(std::max<size_t>(places_.size(), number + 1), kNone);
  places_[number] = place;
  Wait(place);
}

void Sequences::Wait(uint32_t place) {
  const Sequence& one = sequences_[place];
  if (one.letters.size() == 1)
    single_[one.letters[0]].push_back(one.number);
  else
    waiting_[one.letters[one.at]].push_back(place);
}

void Sequences::Unwait(uint32_t place) {
  const Sequence& one = sequences_[place];
  if (one.letters.size() == 1)
    std::erase(single_[one.letters[0]], one.number);
  else
    std::erase(waiting_[one.letters[one.at]], place);
}

void Sequences::Remove(uint32_t number) {
  const uint32_t place = places_[number];
  Unwait(place);
  std::erase(dirty_, place);
  sequences_[place] = Sequence();
  places_[number] = kNone;
  free_.push_back(place);
}

void Sequences::MarkDirty(uint32_t place) {
  if (sequences_[place].dirty) return;
  sequences_[place].dirty = true;
  dirty_.push_back(place);
}

void Sequences::OnLetter(Letter letter, const Arrival& now, std::vector<uint32_t>* complete) {
  complete->insert(complete->end(), single_[letter].begin(), single_[letter].end());
  if (waiting_[letter].empty()) return;
  scratch_.swap(waiting_[letter]);
  for (const uint32_t place : scratch_) {
    Sequence& one = sequences_[place];
    if (one.moved_seq != now.seq) {  // one event fills one step
      one.moved_seq = now.seq;
      if (one.at + 1 < one.letters.size()) {
        one.positions[one.at++] = {now.event, now.seq, now.by_value};
      } else {
        one.at = 0;
        complete->push_back(one.number);
      }
      if (!one.dirty) MarkDirty(place);
    }
    waiting_[one.letters[one.at]].push_back(place);
  }
  scratch_.clear();
}

void Sequences::Deliver(uint32_t number, const Arrival& now, std::vector<Match>* out) {
  Sequence& one = sequences_[places_[number]];
  ++one.matches;
  Match& match = out->emplace_back();
  match.rule = number;
  match.key = "[]";
  match.time_ms = now.event->time_ms;
  uint32_t end = 0;
  for (Position& position : one.positions) {
    match.events.push_back(std::move(position.event));
    match.ends.push_back(++end);
  }
  match.events.push_back(now.event);
  match.ends.push_back(++end);
}

uint64_t Sequences::oldest() const {
  uint64_t oldest = 0;
  for (const Sequence& one : sequences_)
    for (uint32_t k = 0; k < one.at; ++k)
      if (!one.positions[k].by_value && (oldest == 0 || one.positions[k].event->number < oldest))
        oldest = one.positions[k].event->number;
  return oldest;
}

RuleStats Sequences::stats(uint32_t number) const {
  const Sequence& one = sequences_[places_[number]];
  RuleStats out;
  out.matches = one.matches;
  out.runs = out.keys = one.at > 0 ? 1 : 0;
  out.dropped_runs = one.dropped_runs;
  out.bytes = sizeof(Sequence) + one.letters.size() * sizeof(Letter) +
              one.positions.size() * sizeof(Position);
  return out;
}

}  // namespace ferry::rule
