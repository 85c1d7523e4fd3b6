#include "pipeline/rule/match/keyed/keyed.h"

#include <algorithm>

#include "pipeline/event/event.h"

namespace ferry::rule {

bool KeyedRules::Takes(const CompiledRule& rule) {
  const Rule& spec = rule.rule;
  // Where a rule without a limit of time has a max_runs of its own, runs are counted.
  const bool counts = spec.within_ms == 0 && spec.max_runs != kDefaultMaxRuns;
  return !spec.per.empty() && !counts && IsPlain(rule);
}

Local KeyedRules::LocalOf(KeyedGroup& group, Letter letter) {
  Local local = group.locals.Find(letter);
  if (local != PlaceTable::kNone && group.letters[local].letter == letter &&
      group.letters[local].steps > 0)
    return local;
  local = static_cast<Local>(group.letters.size());
  if (group.free.empty()) {
    group.letters.emplace_back();
  } else {
    local = group.free.back();
    group.free.pop_back();
  }
  group.letters[local].letter = letter;
  group.locals.Set(letter, local);
  routes_.resize(std::max<size_t>(routes_.size(), letter + 1));
  routes_[letter].push_back({&group, local});
  all_letters_.SetKeyed(letter, true);
  return local;
}

void KeyedRules::Add(uint32_t number, const CompiledRule& rule, PerList* per, uint64_t seq) {
  std::unique_ptr<KeyedGroup>& group = groups_[per];
  if (group == nullptr) group = std::make_unique<KeyedGroup>();
  group->per = per;
  rules_.resize(std::max<size_t>(rules_.size(), number + 1));
  rules_[number] = std::make_unique<KeyedRule>(number, rule, seq + 1);
  KeyedRule* const one = rules_[number].get();
  one->group = group.get();
  ++group->rules;
  for (const CompiledStep& step : rule.steps) {
    const Local local = LocalOf(*group, step.fits.letter);
    OfLetter& of = group->letters[local];
    ++of.steps;
    if (rule.steps.size() == 1) of.singles.push_back(one);
    one->letters.push_back(local);
  }
  if (one->single()) return;
  for (size_t k = 0; k + 1 < one->letters.size(); ++k) {
    std::vector<User>& users = group->letters[one->letters[k]].users;
    if (users.empty() || users.back().rule != one) users.push_back({one, one->letters.front()});
  }
  OfLetter& first = group->letters[one->letters.front()];
  const Local second = one->letters.size() > 2 ? one->letters[1] : PlaceTable::kNone;
  first.firsts.push_back({one, number, second, one->since, one->within_ms, one->max_runs});
  SetFullAt(first);
  if (one->within_ms > 0 && (group->within_ms == 0 || one->within_ms < group->within_ms))
    group->within_ms = one->within_ms;
  if (first.keys > first.full_at) full_.emplace_back(group.get(), one->letters.front());
  const Ending ending{one->letters[one->letters.size() - 2], one};
  std::vector<Ending>& endings = group->letters[one->letters.back()].endings;
  const auto behind =
      std::upper_bound(endings.begin(), endings.end(), ending,
                       [](const Ending& a, const Ending& b) { return a.before < b.before; });
  endings.insert(behind, ending);
}

void KeyedRules::Release(KeyedGroup& group, Local local) {
  OfLetter& of = group.letters[local];
  if (--of.steps > 0) return;
  // Keys may still have the letter's list and count it: `keys` stays.
  std::erase_if(routes_[of.letter], [&group](const Route& route) { return route.group == &group; });
  if (routes_[of.letter].empty()) all_letters_.SetKeyed(of.letter, false);
  group.free.push_back(local);
}

void KeyedRules::Remove(uint32_t number) {
  KeyedRule* const one = rules_[number].get();
  KeyedGroup& group = *one->group;
  for (const Local local : one->letters) {
    OfLetter& of = group.letters[local];
    std::erase(of.singles, one);
    std::erase_if(of.users, [one](const User& user) { return user.rule == one; });
    std::erase_if(of.endings, [one](const Ending& ending) { return ending.rule == one; });
    const auto gone =
        std::erase_if(of.firsts, [one](const First& first) { return first.rule == one; });
    if (gone > 0) SetFullAt(of);
  }
  for (const Local local : one->letters) Release(group, local);
  for (const auto& [text, key] : group.keys)
    if (RuleInKey* const own = key->Find(number)) own->rule = PlaceTable::kNone;
  std::erase_if(gone_, [number](const auto& gone) { return gone.first == number; });
  std::erase(leaving_, one);
  rules_[number] = nullptr;
  if (--group.rules == 0) Forget(group);
}

void KeyedRules::Forget(KeyedGroup& group) {
  for (size_t k = dirty_.size(); k > 0; --k)
    if (dirty_[k - 1].first == &group) Undirty(*dirty_[k - 1].second);
  std::erase_if(full_, [&group](const auto& full) { return full.first == &group; });
  groups_.erase(group.per);
}

void KeyedRules::Move(const Arrival& now, std::vector<CompleteRule>* complete) {
  found_.clear();
  for (KeyedGroup* const group : active_) MoveGroup(*group, now, complete);
}

void KeyedRules::MoveGroup(KeyedGroup& group, const Arrival& now,
                           std::vector<CompleteRule>* complete) {
  const auto found = group.keys.find(group.per->Of(now));
  group.now = found == group.keys.end() ? nullptr : found->second.get();
  const bool goes_on = group.now != nullptr && !group.now->empty();
  group.notes = std::any_of(group.held.begin(), group.held.end(), [&](Local local) {
    const OfLetter& of = group.letters[local];
    return !of.firsts.empty() || (goes_on && !of.users.empty());
  });
  for (const Local local : group.held) {
    const OfLetter& of = group.letters[local];
    for (const KeyedRule* const rule : of.singles)
      complete->push_back({.number = rule->number, .way = Way::kKeyed});
    if (goes_on) TryEndings(group, of, now, complete);
  }
}

void KeyedRules::TryEndings(KeyedGroup& group, const OfLetter& of, const Arrival& now,
                            std::vector<CompleteRule>* complete) {
  constexpr size_t kSearched = 16;  // a search costs as much as so many looks
  EventsOfKey& key = *group.now;
  const std::vector<Ending>& endings = of.endings;
  if (endings.size() > kSearched * key.lists().size()) {
    const auto less = [](const Ending& a, const Ending& b) { return a.before < b.before; };
    for (size_t k = 0; k < key.lists().size(); ++k) {
      const Ending same{key.lists()[k].letter, nullptr};
      const auto [begin, end] = std::equal_range(endings.begin(), endings.end(), same, less);
      for (auto ending = begin; ending != end; ++ending) Try(*ending->rule, key, now, complete);
    }
    return;
  }
  for (const Ending& ending : endings) key.Prefetch(ending.before);
  for (const Ending& ending : endings)
    if (key.Of(ending.before) != nullptr) Try(*ending.rule, key, now, complete);
}

void KeyedRules::Try(KeyedRule& rule, EventsOfKey& key, const Arrival& now,
                     std::vector<CompleteRule>* complete) {
  const Place next = key.end() + (rule.group->notes ? 1 : 0);
  const auto place = static_cast<uint32_t>(found_.size());
  const bool whole = KeyedRuns(rule, key).Complete(next, now, &found_);
  if (whole || rule.within_ms > 0) MarkDirty(*rule.group, key);
  if (whole) complete->push_back({.number = rule.number, .way = Way::kKeyed, .place = place});
}

void KeyedRules::Deliver(const CompleteRule& complete, const Arrival& now,
                         std::vector<Match>* out) {
  KeyedRule& rule = *rules_[complete.number];
  ++rule.matches;
  Match& match = out->emplace_back();
  match.rule = complete.number;
  match.key = rule.group->per->key;
  match.time_ms = now.event->time_ms;
  const size_t before = rule.letters.size() - 1;
  for (uint32_t k = 0; k < before; ++k) {
    match.events.push_back(rule.group->now->at(found_[complete.place + k]).event);
    match.ends.push_back(k + 1);
  }
  match.events.push_back(now.event);
  match.ends.push_back(static_cast<uint32_t>(before + 1));
}

void KeyedRules::Note(const Arrival& now) {
  ++changes_;
  for (KeyedGroup* const group : active_) {
    if (group->notes) NoteIn(*group, now);
    group->held.clear();
    group->now = nullptr;
  }
  active_.clear();
  if (trimmed_ms_ == INT64_MIN) trimmed_ms_ = now.latest_ms;
  if (now.latest_ms - trimmed_ms_ >= kLateMs / 8) TrimAll(now.latest_ms);
}

void KeyedRules::NoteIn(KeyedGroup& group, const Arrival& now) {
  if (group.now == nullptr) {
    auto made = std::make_unique<EventsOfKey>(group.per->key);
    group.now = made.get();
    group.keys.emplace(group.per->key, std::move(made));
  }
  EventsOfKey& key = *group.now;
  key.Add({now.event, now.seq, now.event->time_ms, now.by_value});
  key.rests = 0;
  MarkDirty(group, key);
  for (const Local local : group.held) {
    const OfLetter& of = group.letters[local];
    if (of.users.empty()) continue;
    LetterPlaces& list = key.Fulfil(local);
    if (!list.counted && !of.firsts.empty()) Count(group, key, list);
  }
  if (key.end() >= key.trim_at) Trim(group, key, now.latest_ms);
}

void KeyedRules::Count(KeyedGroup& group, EventsOfKey& key, LetterPlaces& list) {
  OfLetter& of = group.letters[list.letter];
  list.counted = true;
  ++key.counted;
  if (++of.keys > of.full_at) full_.emplace_back(&group, list.letter);
}

uint64_t KeyedRules::oldest(int64_t latest_ms) {
  uint64_t oldest = 0;
  // The number of the key's first event of the log, if it is smaller; numbers of the log grow.
  const auto smaller = [&oldest](const EventsOfKey& key) {
    for (const KeyedEvent& one : key.events())
      if (!one.by_value)
        return oldest == 0 || one.event->number < oldest ? one.event->number : uint64_t{0};
    return uint64_t{0};
  };
  for (const auto& [per, group] : groups_)
    for (const auto& [text, key] : group->keys) {
      if (smaller(*key) == 0) continue;
      Trim(*group, *key, latest_ms);
      if (const uint64_t number = smaller(*key); number != 0) oldest = number;
    }
  return oldest;
}

RuleStats KeyedRules::stats(uint32_t number, int64_t latest_ms) {
  KeyedRule& rule = *rules_[number];
  if (rule.group->counted != changes_) CountAll(*rule.group, latest_ms);
  RuleStats out;
  out.runs = rule.runs;
  out.keys = rule.keys;
  out.matches = rule.matches;
  out.dropped_runs = rule.dropped_runs;
  // What it shares with others counts by its share of runs.
  out.bytes = sizeof(KeyedRule) + out.keys * sizeof(RuleInKey) + out.runs * sizeof(Place);
  return out;
}

}  // namespace ferry::rule
