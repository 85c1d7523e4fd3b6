#include "pipeline/rule/match/keyed/key_events.h"

#include <algorithm>

#include "pipeline/event/event.h"

namespace ferry::rule {

size_t LetterPlaces::IndexFrom(Place place) const {
  // Steps that grow, from the end, then by halves: what is asked for is seldom far from the end.
  size_t after = places.size(), step = 1;
  while (after >= step && places[after - step] >= place) {
    after -= step;
    step *= 2;
  }
  const size_t before = after >= step ? after - step + 1 : 0;
  return static_cast<size_t>(
      std::lower_bound(places.begin() + before, places.begin() + after, place) - places.begin());
}

void PlaceMarks::Reset(std::span<const LetterPlaces> lists) {
  begins_.clear();
  size_t end = 0;
  for (const LetterPlaces& list : lists) {
    begins_.push_back(end);
    end += list.size();
  }
  marks_.assign(end, 0);
}

Place EventsOfKey::PlaceOf(uint64_t seq) const {
  if (events_.empty() || seq <= events_.front().seq) return 0;
  const auto found =
      std::lower_bound(events_.begin(), events_.end(), seq,
                       [](const KeyedEvent& one, uint64_t bound) { return one.seq < bound; });
  return static_cast<Place>(found - events_.begin());
}

void EventsOfKey::Add(KeyedEvent event) {
  if (!events_.empty() && event.time_ms < events_.back().time_ms) disorder_ = end();
  events_.push_back(std::move(event));
}

LetterPlaces& EventsOfKey::Fulfil(Local letter) {
  uint32_t at = by_letter_.Find(letter);
  if (at == PlaceTable::kNone) {
    at = static_cast<uint32_t>(lists_.size());
    by_letter_.Set(letter, at);
    lists_.emplace_back().letter = letter;
  }
  lists_[at].places.push_back(end() - 1);
  return lists_[at];
}

RuleInKey& EventsOfKey::Make(uint32_t rule, Place from) {
  if (RuleInKey* const found = Find(rule)) return *found;
  by_rule_.Set(rule, static_cast<uint32_t>(rules_.size()));
  return rules_.emplace_back(RuleInKey{rule, from});
}

void EventsOfKey::Keep(const PlaceMarks& marks) {
  std::vector<Place> moved(events_.size() + 1);  // the new place of each; first: whether it stays
  for (size_t k = 0; k < lists_.size(); ++k)
    for (size_t n = 0; n < lists_[k].size(); ++n)
      if (marks.marked(k, n)) moved[lists_[k].places[n]] = 1;
  Place kept = 0;
  for (size_t k = 0; k < events_.size(); ++k) {
    const bool stays = moved[k] != 0;
    moved[k] = kept;
    if (!stays) continue;
    if (kept != k) events_[kept] = std::move(events_[k]);
    ++kept;
  }
  moved.back() = kept;
  events_.resize(kept);
  by_letter_.Clear();
  size_t lists = 0;
  for (size_t k = 0; k < lists_.size(); ++k) {
    LetterPlaces& list = lists_[k];
    size_t places = 0;
    for (size_t n = 0; n < list.size(); ++n)
      if (marks.marked(k, n)) list.places[places++] = moved[list.places[n]];
    list.places.resize(places);
    if (places == 0) continue;
    by_letter_.Set(list.letter, static_cast<uint32_t>(lists));
    if (lists != k) lists_[lists] = std::move(list);
    ++lists;
  }
  lists_.resize(lists);
  by_rule_.Clear();
  size_t rules = 0;
  for (RuleInKey& one : rules_) {
    if (one.rule == PlaceTable::kNone) continue;
    one.from = moved[one.from];
    by_rule_.Set(one.rule, static_cast<uint32_t>(rules));
    rules_[rules++] = one;
  }
  rules_.resize(rules);
  disorder_ = 0;
  for (Place k = 1; k < kept; ++k)
    if (events_[k].time_ms < events_[k - 1].time_ms) disorder_ = k;
}

}  // namespace ferry::rule
