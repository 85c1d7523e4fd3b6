#include "pipeline/rule/match/sequences.h"

#include <algorithm>
#include <cstddef>
#include <new>
#include <utility>

#include "pipeline/event/event.h"

namespace ferry::rule {
namespace {

constexpr std::align_val_t kCacheLine{64};  // a rule of four steps takes one

}  // namespace

bool Sequences::Takes(const CompiledRule& rule) {
  const Rule& spec = rule.rule;
  const bool timed = spec.within_ms != 0 && spec.steps.size() > 1;  // one event takes no time
  return spec.per.empty() && !timed && spec.max_runs == kDefaultMaxRuns && IsPlain(rule);
}

size_t Sequence::BytesOf(size_t steps) {
  static_assert(sizeof(Sequence) % alignof(HeldEvent*) == 0);
  static_assert(2 * sizeof(Letter) % alignof(HeldEvent*) == 0);
  return sizeof(Sequence) + (steps + 1) / 2 * 2 * sizeof(Letter) + (steps - 1) * sizeof(HeldEvent*);
}

Sequence* Sequence::Make(uint32_t number, size_t steps) {
  void* const room = ::operator new(BytesOf(steps), kCacheLine);
  auto* made = new (room) Sequence;
  made->number = number;
  made->steps = static_cast<uint8_t>(steps);
  return made;
}

void Sequence::Delete::operator()(Sequence* sequence) const {
  ::operator delete(sequence, kCacheLine);
}

void Sequences::Add(uint32_t number, const CompiledRule& rule) {
  Place made{SequencePtr(Sequence::Make(number, rule.steps.size())), &rule};
  Sequence* const one = made.sequence.get();
  for (size_t k = 0; k < rule.steps.size(); ++k) one->letters()[k] = rule.steps[k].fits.letter;
  if (one->steps == 1) {
    const Letter letter = one->letters()[0];
    singles_.resize(std::max<size_t>(singles_.size(), letter + 1));
    singles_[letter].numbers.push_back(number);
    made.fired_before = singles_[letter].fired;
    all_letters_.SetSingle(letter, true);
  } else {
    Wait(one);
  }
  places_.resize(std::max<size_t>(places_.size(), number + 1));
  places_[number] = std::move(made);
}

void Sequences::Unwait(Sequence* one) {
  const Letter letter = one->letters()[one->at];
  if (one->steps == 1) {
    std::erase(singles_[letter].numbers, one->number);
    all_letters_.SetSingle(letter, !singles_[letter].numbers.empty());
    return;
  }
  all_letters_.waiting(letter).Erase(one);
}

void Sequences::Release(Sequence* one) {
  for (; one->at > 0; --one->at) held_.Drop(one->positions()[one->at - 1]);
}

void Sequences::Remove(uint32_t number) {
  Place& place = places_[number];
  Unwait(place.sequence.get());
  Release(place.sequence.get());
  std::erase(dirty_, place.sequence.get());
  place = {};
}

void Sequences::MarkDirty(Sequence* one) {
  if (one->dirty) return;
  one->dirty = true;
  dirty_.push_back(one);
}

void Sequences::CompleteSingles(Letter letter, std::vector<CompleteRule>* complete) {
  Singles& singles = singles_[letter];
  ++singles.fired;
  for (const uint32_t number : singles.numbers) complete->push_back({.number = number});
}

void Sequences::Move(const Arrival& now, std::vector<CompleteRule>* complete) {
  constexpr size_t kAhead = 8;  // rules lie apart in memory: the next ones are called early
  HeldEvent* held = nullptr;
  for (size_t k = 0; k < std::min(kAhead, taken_.size()); ++k) __builtin_prefetch(taken_[k], 1);
  for (size_t k = 0; k < taken_.size(); ++k) {
    if (k + kAhead < taken_.size()) __builtin_prefetch(taken_[k + kAhead], 1);
    Sequence* const one = taken_[k];
    if (one->at + 1 < one->steps) {
      if (held == nullptr) held = held_.New(now.event, now.seq, now.by_value);
      ++held->users;
      one->positions()[one->at++] = held;
    } else {
      for (uint32_t step = 0; step < one->at; ++step) __builtin_prefetch(one->positions()[step], 1);
      one->at = 0;
      complete->push_back({.number = one->number, .sequence = one});
    }
    MarkDirty(one);
    Wait(one);
  }
  taken_.clear();
}

void Sequences::Deliver(const CompleteRule& complete, const Arrival& now, std::vector<Match>* out) {
  Match& match = out->emplace_back();
  match.rule = complete.number;
  match.time_ms = now.event->time_ms;
  uint32_t end = 0;
  if (Sequence* const one = complete.sequence; one != nullptr) {
    ++one->matches;
    for (HeldEvent** at = one->positions(); end + 1u < one->steps; ++at) {
      match.events.push_back(held_.Take(*at));
      match.ends.push_back(++end);
    }
  }
  match.events.push_back(now.event);
  match.ends.push_back(++end);
}

uint64_t Sequences::oldest() const {
  uint64_t oldest = 0;
  for (const Place& place : places_)
    for (uint32_t k = 0; place.sequence != nullptr && k < place.sequence->at; ++k) {
      const HeldEvent& held = *place.sequence->positions()[k];
      if (held.by_value || (oldest != 0 && held.event->number >= oldest)) continue;
      oldest = held.event->number;
    }
  return oldest;
}

RuleStats Sequences::stats(uint32_t number) const {
  const Place& place = places_[number];
  Sequence& one = *place.sequence;
  RuleStats out;
  out.matches =
      one.steps == 1 ? singles_[one.letters()[0]].fired - place.fired_before : one.matches;
  out.runs = out.keys = one.at > 0 ? 1 : 0;
  out.dropped_runs = place.dropped_runs;
  out.bytes = sizeof(Place) + Sequence::BytesOf(one.steps);
  return out;
}

}  // namespace ferry::rule
