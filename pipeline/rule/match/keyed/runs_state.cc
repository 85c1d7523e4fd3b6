// Runs that follow from a key's events as runs one by one, the form in which they are stored.
#include <algorithm>

#include "pipeline/event/event.h"
#include "pipeline/rule/match/keyed/runs.h"

namespace ferry::rule {
namespace {

void ExtendBy(const KeyedEvent& one, size_t step, Run* run) {
  run->last = std::make_shared<const Link>(
      Link{one.event, one.seq, static_cast<uint32_t>(step), one.by_value, std::move(run->last)});
  run->alive = StepMask{2} << step;
  if (step > 0) return;
  run->first_seq = one.seq;
  run->first_ms = one.time_ms;
}

std::vector<uint64_t> SeqsOf(const Run& run) {
  std::vector<uint64_t> out;
  for (const Link* at = run.last.get(); at != nullptr; at = at->before.get())
    out.push_back(at->seq);
  std::reverse(out.begin(), out.end());
  return out;
}

}  // namespace

Place KeyedRuns::LastTaken(size_t step, Place end) const {
  const LetterPlaces* const list = ListOf(step);
  if (list == nullptr) return PlaceTable::kNone;
  const size_t index = list->IndexFrom(end);
  if (index == 0) return PlaceTable::kNone;
  const Place last = list->places[index - 1];
  if (step == 0) return last >= from() ? last : PlaceTable::kNone;
  const Place before = LastTaken(step - 1, last);
  return before == PlaceTable::kNone ? before : list->places[list->IndexFrom(before + 1)];
}

uint64_t KeyedRuns::changed_seq() const {
  const RuleInKey* const own = key_.Find(rule_.number);
  uint64_t changed_seq = own == nullptr ? 0 : own->changed_seq;
  const auto take = [&](Place place) { changed_seq = std::max(changed_seq, key_.at(place).seq); };
  if (rule_.within_ms > 0) {
    for (size_t step = 0; step + 1 < rule_.letters.size(); ++step)
      if (const Place place = LastTaken(step, key_.end()); place != PlaceTable::kNone) take(place);
  } else if (const LetterPlaces* const starts = ListOf(0)) {
    const size_t first = starts->IndexFrom(from());
    if (first == starts->size()) return changed_seq;
    take(starts->places.back());  // begins no run, and shows that the key goes on
    FollowRun(starts->places[first],
              [&](size_t, const LetterPlaces& list, size_t index) { take(list.places[index]); });
  }
  return changed_seq;
}

void KeyedRuns::Save(KeyRuns* out) const {
  const LetterPlaces* const starts = ListOf(0);
  if (starts == nullptr) return;
  out->changed_seq = changed_seq();
  for (size_t k = starts->IndexFrom(from()); k < starts->size(); ++k) {
    Run& run = out->runs.emplace_back();
    FollowRun(starts->places[k], [&](size_t step, const LetterPlaces& list, size_t index) {
      ExtendBy(key_.at(list.places[index]), step, &run);
    });
    if (rule_.within_ms == 0) return;
  }
}

bool KeyedRuns::Fit(const KeyRuns& runs, const KeyedRule& rule) {
  uint64_t first_seq = 0;
  for (const Run& run : runs.runs) {
    uint32_t positions = 0;
    for (const Link* at = run.last.get(); at != nullptr; at = at->before.get()) {
      ++positions;
      const uint32_t expected = at->before == nullptr ? 0 : at->before->step + 1;
      if (at->step != expected) return false;
    }
    if (run.waits || positions >= rule.letters.size() || run.alive != StepMask{1} << positions ||
        run.first_seq <= first_seq)
      return false;
    first_seq = run.first_seq;
  }
  return true;
}

bool KeyedRuns::Are(const KeyRuns& runs) const {
  KeyRuns mine;
  Save(&mine);
  const size_t count = rule_.within_ms == 0 ? 1 : runs.runs.size();
  if (mine.runs.size() != count) return false;
  for (size_t k = 0; k < count; ++k)
    if (SeqsOf(mine.runs[k]) != SeqsOf(runs.runs[k])) return false;
  return true;
}

}  // namespace ferry::rule
