#include "pipeline/rule/match/keyed/runs.h"

#include <algorithm>

#include "pipeline/event/event.h"

namespace ferry::rule {

Place KeyedRuns::from() const {
  if (from_ == PlaceTable::kNone) {
    const RuleInKey* const own = key_.Find(rule_.number);
    from_ = own != nullptr ? own->from : key_.PlaceOf(rule_.since);
  }
  return from_;
}

void KeyedRuns::SetFrom(Place from, uint64_t changed_seq) {
  RuleInKey& own = key_.Make(rule_.number, from);
  own.from = from_ = from;
  own.changed = own.stored;
  own.changed_seq = std::max(own.changed_seq, changed_seq);
}

Place KeyedRuns::FirstSince(const LetterPlaces& starts, int64_t time_ms, Place from,
                            Place last) const {
  size_t index = starts.IndexFrom(from);
  const size_t end = starts.IndexFrom(last + 1);
  const auto begin = starts.places.begin();
  const auto before = [&](Place place) { return key_.at(place).time_ms < time_ms; };
  if (key_.InOrderFrom(from))
    index = static_cast<size_t>(std::partition_point(begin + index, begin + end, before) - begin);
  else
    while (index < end && before(starts.places[index])) ++index;
  return index < end ? starts.places[index] : PlaceTable::kNone;
}

bool KeyedRuns::Complete(Place next, const Arrival& now, std::vector<Place>* match) {
  // Backwards from the event: the last start whose run takes it, or took one of those before.
  const size_t before = rule_.letters.size() - 1;
  const LetterPlaces* lists[kMaxSteps];
  Place last = key_.end();
  for (size_t step = before; step > 0; --step) {
    const LetterPlaces* const list = lists[step - 1] = ListOf(step - 1);
    if (list == nullptr) return false;
    const size_t index = list->IndexFrom(last);
    if (index == 0) return false;
    last = list->places[index - 1];
  }
  Place first = from();
  if (last < first) return false;
  const LetterPlaces& starts = *lists[0];
  if (rule_.within_ms > 0) {
    if (starts.size() > rule_.max_runs) {
      Settle(now.latest_ms);
      first = from();
      if (last < first) return false;
    }
    const int64_t since_ms =
        std::max(now.event->time_ms, now.latest_ms - kLateMs) - rule_.within_ms;
    first = FirstSince(starts, since_ms, first, last);
    if (first == PlaceTable::kNone) {
      SetFrom(last + 1, now.seq);
      return false;
    }
  } else {
    first = starts.places[starts.IndexFrom(first)];
  }
  match->push_back(first);
  for (size_t step = 1; step < before; ++step) {
    first = lists[step]->places[lists[step]->IndexFrom(first + 1)];
    match->push_back(first);
  }
  SetFrom(next, now.seq);
  return true;
}

bool KeyedRuns::Settle(int64_t latest_ms) {
  const LetterPlaces* const list = ListOf(0);
  if (list == nullptr) return false;
  const LetterPlaces& starts = *list;
  size_t index = starts.IndexFrom(from());
  if (rule_.within_ms == 0) return index < starts.size();
  const size_t before = index;
  for (; starts.size() - index > rule_.max_runs; ++index) {
    const int64_t over_ms = StartAt(starts, index + rule_.max_runs).time_ms;
    if (!rule_.IsTooOld(StartAt(starts, index).time_ms, over_ms)) ++rule_.dropped_runs;
  }
  while (index < starts.size() && rule_.IsTooOld(StartAt(starts, index).time_ms, latest_ms))
    ++index;
  const bool left = index < starts.size();
  if (index != before) SetFrom(left ? starts.places[index] : key_.end(), 0);
  return left;
}

void KeyedRuns::MarkRun(Place start, PlaceMarks* marks) const {
  FollowRun(start,
            [&](size_t, const LetterPlaces& list, size_t index) { Mark(list, index, marks); });
}

void KeyedRuns::MarkLater(size_t begin, PlaceMarks* marks) const {
  const LetterPlaces& starts = *ListOf(0);
  std::vector<Place> taken(starts.places.begin() + begin, starts.places.end()), next;
  for (size_t step = 1; step + 1 < rule_.letters.size() && !taken.empty(); ++step) {
    const LetterPlaces* const list = ListOf(step);
    if (list == nullptr) return;
    next.clear();
    size_t index = list->IndexFrom(taken[0] + 1);
    for (const Place place : taken) {
      while (index < list->size() && list->places[index] <= place) ++index;
      if (index == list->size()) break;
      if (!next.empty() && next.back() == list->places[index]) continue;
      next.push_back(list->places[index]);
      Mark(*list, index, marks);
    }
    taken.swap(next);
  }
}

}  // namespace ferry::rule
