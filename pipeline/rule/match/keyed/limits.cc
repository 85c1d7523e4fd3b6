// What keyed rules let go: events that no run needs, keys without runs, rules with too many keys.
#include <algorithm>

#include "pipeline/rule/match/keyed/keyed.h"

namespace ferry::rule {

void KeyedRules::MarkDirty(KeyedGroup& group, EventsOfKey& key) {
  if (key.dirty_at != PlaceTable::kNone) return;
  key.dirty_at = static_cast<uint32_t>(dirty_.size());
  dirty_.emplace_back(&group, &key);
}

void KeyedRules::Undirty(EventsOfKey& key) {
  if (key.dirty_at == PlaceTable::kNone) return;
  dirty_.back().second->dirty_at = key.dirty_at;
  dirty_[key.dirty_at] = dirty_.back();
  dirty_.pop_back();
  key.dirty_at = PlaceTable::kNone;
}

bool KeyedRules::Settle(KeyedRule& rule, EventsOfKey& key, int64_t latest_ms) {
  const bool any = KeyedRuns(rule, key).Settle(latest_ms);
  const RuleInKey* const own = key.Find(rule.number);
  if (own != nullptr && own->changed) MarkDirty(*rule.group, key);
  return any;
}

size_t KeyedRules::FirstStart(const First& first, EventsOfKey& key, const LetterPlaces& starts,
                              int64_t latest_ms) {
  const auto index = [&] {
    const RuleInKey* const own = key.Find(first.number);
    return starts.IndexFrom(own != nullptr ? own->from : key.PlaceOf(first.since));
  };
  const size_t begin = index();
  if (first.within_ms == 0 || begin == starts.size()) return begin;
  const int64_t old_ms = latest_ms - key.at(starts.places[begin]).time_ms;
  if (starts.size() - begin <= first.max_runs && old_ms <= first.within_ms + kLateMs) return begin;
  Settle(*first.rule, key, latest_ms);
  return index();
}

void KeyedRules::CountAll(KeyedGroup& group, int64_t latest_ms) {
  group.counted = changes_;
  for (const OfLetter& of : group.letters)
    for (const First& first : of.firsts) first.rule->runs = first.rule->keys = 0;
  for (const auto& [text, key] : group.keys)
    for (const LetterPlaces& list : key->lists())
      for (const First& first : group.letters[list.letter].firsts) {
        KeyedRule& rule = *first.rule;
        const size_t begin = FirstStart(first, *key, list, latest_ms);
        if (begin == list.size()) continue;
        ++rule.keys;
        const auto is_alive = [&, &key = key](Place place) {
          return !rule.IsTooOld(key->at(place).time_ms, latest_ms);
        };
        rule.runs += first.within_ms == 0
                         ? 1
                         : static_cast<uint64_t>(std::count_if(list.places.begin() + begin,
                                                               list.places.end(), is_alive));
      }
}

bool KeyedRules::MarkOf(KeyedGroup& group, EventsOfKey& key, size_t at, int64_t latest_ms) {
  const LetterPlaces& list = key.lists()[at];
  size_t begin = list.size();  // of what a rule with a limit of time needs
  bool any = false;
  for (const First& first : group.letters[list.letter].firsts) {
    const size_t index = FirstStart(first, key, list, latest_ms);
    if (index == list.size()) continue;
    any = true;
    const bool goes_on = first.second != PlaceTable::kNone && key.Of(first.second) != nullptr;
    if (first.within_ms == 0) {
      marks_.Mark(at, index);
      marks_.Mark(at, list.size() - 1);  // tells when the key went on
      if (goes_on) KeyedRuns(*first.rule, key).MarkRun(list.places[index], &marks_);
    } else {
      begin = std::min(begin, index);
      if (goes_on) KeyedRuns(*first.rule, key).MarkLater(index, &marks_);
    }
  }
  for (; begin < list.size(); ++begin) marks_.Mark(at, begin);
  return any;
}

void KeyedRules::Trim(KeyedGroup& group, EventsOfKey& key, int64_t latest_ms) {
  // An event of a few fields takes about as much memory as some runs.
  constexpr size_t kFewEvents = 2, kRulesAnEvent = 4;
  marks_.Reset(key.lists());
  size_t looked_at = 0;
  for (size_t k = 0; k < key.lists().size(); ++k) {
    LetterPlaces& list = key.lists()[k];
    looked_at += group.letters[list.letter].firsts.size();
    if (!MarkOf(group, key, k, latest_ms)) Uncount(group, key, list);
  }
  key.Keep(marks_);
  for (RuleInKey& own : key.rules()) {
    if (own.stored || own.rule == PlaceTable::kNone) continue;
    const uint64_t first_seq = key.empty() ? UINT64_MAX : key.at(0).seq;
    if (own.from == 0 && rules_[own.rule]->since <= first_seq && own.changed_seq < first_seq)
      own.rule = PlaceTable::kNone;
  }
  const size_t left = key.end();
  key.trim_at = std::max(2 * left, left + kFewEvents + looked_at / kRulesAnEvent);
}

void KeyedRules::Uncount(KeyedGroup& group, EventsOfKey& key, LetterPlaces& list) {
  if (!list.counted) return;
  list.counted = false;
  --key.counted;
  --group.letters[list.letter].keys;
}

KeyedRules::Keys::iterator KeyedRules::Drop(KeyedGroup& group, Keys::iterator at) {
  EventsOfKey& key = *at->second;
  for (const RuleInKey& own : key.rules())
    if (own.rule != PlaceTable::kNone && own.stored) gone_.emplace_back(own.rule, key.key());
  Undirty(key);
  return group.keys.erase(at);
}

// When nothing has come for a while, once; and when half of what there is is so old that the rule
// with the shortest limit of time has let it go.
bool KeyedRules::IsWorthALook(const KeyedGroup& group, EventsOfKey& key, int64_t latest_ms) {
  constexpr uint8_t kRests = 2;
  if (key.rests < kRests && ++key.rests == kRests) return true;
  return group.within_ms > 0 && !key.empty() &&
         latest_ms - key.at(key.end() / 2).time_ms > group.within_ms + kLateMs;
}

void KeyedRules::TrimAll(int64_t latest_ms) {
  trimmed_ms_ = latest_ms;
  for (const auto& [per, group] : groups_)
    for (auto at = group->keys.begin(); at != group->keys.end();) {
      if (IsWorthALook(*group, *at->second, latest_ms)) Trim(*group, *at->second, latest_ms);
      at = at->second->empty() ? Drop(*group, at) : std::next(at);
    }
}

void KeyedRules::SetFullAt(OfLetter& of) {
  of.full_at = UINT64_MAX;
  for (const First& first : of.firsts) {
    const uint64_t max_keys = first.rule->max_keys;
    if (!first.rule->leaving) of.full_at = std::min(of.full_at, max_keys - max_keys / 8);
  }
}

void KeyedRules::LookAtFull(KeyedGroup& group, Local local, int64_t latest_ms) {
  OfLetter& of = group.letters[local];
  for (auto at = group.keys.begin(); at != group.keys.end();) {
    EventsOfKey& key = *at->second;
    LetterPlaces* const list = key.Of(local);
    const auto begins = [&](const First& first) { return Settle(*first.rule, key, latest_ms); };
    if (list != nullptr && list->counted &&
        std::none_of(of.firsts.begin(), of.firsts.end(), begins))
      Uncount(group, key, *list);
    at = key.counted == 0 ? Drop(group, at) : std::next(at);
  }
  // Not all the way, so that it is long until the next look at all keys.
  for (const First& first : of.firsts) {
    if (first.rule->leaving || 4 * of.keys <= 3 * first.rule->max_keys) continue;
    first.rule->leaving = true;
    leaving_.push_back(first.rule);
  }
  SetFullAt(of);
}

std::vector<uint32_t> KeyedRules::TakeOverfull(int64_t latest_ms) {
  for (const auto& [group, local] : std::exchange(full_, {}))
    if (group->letters[local].keys > group->letters[local].full_at)
      LookAtFull(*group, local, latest_ms);
  std::vector<uint32_t> out;
  for (const KeyedRule* const rule : leaving_) {
    const bool now = rule->group->letters[rule->letters[0]].keys > rule->max_keys;
    if (now || rule == leaving_.back()) out.push_back(rule->number);
  }
  return out;
}

void KeyedRules::HandOver(uint32_t number, int64_t latest_ms, RuleRuns* runs) {
  KeyedRule& rule = *rules_[number];
  for (const auto& [text, key] : rule.group->keys) {
    Settle(rule, *key, latest_ms);
    const RuleInKey* const own = key->Find(number);
    KeyRuns of;
    of.key = text;
    KeyedRuns(rule, *key).Save(&of);
    of.stored = own != nullptr && own->stored;
    of.dirty = !of.stored || own->changed || of.changed_seq > key->saved_seq;
    runs->Take(std::move(of));
  }
  for (const auto& [gone, text] : gone_) {
    KeyRuns of;
    of.key = text;
    of.stored = true;
    if (gone == number) runs->Take(std::move(of));
  }
  ++changes_;
  runs->counts().matches = rule.matches;
  runs->counts().dropped_runs = rule.dropped_runs;
  Remove(number);
}

}  // namespace ferry::rule
