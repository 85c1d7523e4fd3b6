// A keyed rule's state is that of the runs of its keys, as in runs_state.cc.
#include <algorithm>
#include <set>

#include "pipeline/event/event.h"
#include "pipeline/rule/match/keyed/keyed.h"

namespace ferry::rule {

void KeyedRules::BeginBehind(uint64_t seq) {
  loaded_seq_ = seq;
  for (const auto& one : rules_)
    if (one != nullptr) one->since = seq + 1;
  for (const auto& [per, group] : groups_)
    for (OfLetter& of : group->letters)
      for (First& first : of.firsts) first.since = seq + 1;
}

void KeyedRules::SaveChanges(const Arrival& now, const PutState& put) {
  for (const auto& [number, text] : gone_) put(number, text, "");
  gone_.clear();
  for (size_t k = 0; k < dirty_.size(); ++k) SaveKey(*dirty_[k].first, *dirty_[k].second, now, put);
  for (const auto& [group, key] : dirty_) key->dirty_at = PlaceTable::kNone;
  dirty_.clear();
}

void KeyedRules::SaveKey(KeyedGroup& group, EventsOfKey& key, const Arrival& now,
                         const PutState& put) {
  ++saved_keys_;
  std::vector<KeyedRule*> rules;
  const auto add = [&](KeyedRule* rule) {
    if (rule->looked_at == saved_keys_) return;
    rule->looked_at = saved_keys_;
    rules.push_back(rule);
  };
  for (const LetterPlaces& list : key.lists())
    if (key.at(list.places.back()).seq > key.saved_seq)
      for (const User& user : group.letters[list.letter].users)
        if (key.Of(user.first) != nullptr) add(user.rule);
  for (const RuleInKey& own : key.rules())
    if (own.changed && own.rule != PlaceTable::kNone) add(rules_[own.rule].get());
  for (KeyedRule* const rule : rules) {
    KeyedRuns runs(*rule, key);
    const bool any = runs.Settle(now.latest_ms);
    RuleInKey* own = key.Find(rule->number);
    const bool stored = own != nullptr && own->stored;
    if (any && stored && !own->changed && runs.changed_seq() <= key.saved_seq) continue;
    if (any) {
      KeyRuns state;
      runs.Save(&state);
      const Place from = runs.from();
      own = &key.Make(rule->number, from);
      put(rule->number, key.key(), StateOf(state));
    } else if (stored) {
      put(rule->number, key.key(), "");
    }
    if (own == nullptr) continue;
    own->stored = any;
    own->changed = false;
  }
  key.saved_seq = now.seq;
}

Status KeyedRules::Load(uint32_t number, const std::string& key, std::string_view state,
                        const Resolver& resolver) {
  KeyedRule& rule = *rules_[number];
  KeyRuns runs;
  uint64_t lost = 0;
  if (!ReadState(state, rule.letters.size(), resolver, &runs, &lost) || !KeyedRuns::Fit(runs, rule))
    return Status::Of(Code::kMalformed, "state of rule {} is damaged", rule.rule->rule.name);
  rule.dropped_runs += lost;
  runs.key = key;
  runs.stored = true;
  runs.dirty = lost > 0;
  if (runs.runs.empty())
    gone_.emplace_back(number, key);
  else
    rule.group->loading[key].push_back({&rule, std::move(runs)});
  loading_ = true;
  return OkStatus();
}

void KeyedRules::FinishLoad(
    const std::function<void(uint32_t number, std::vector<KeyRuns> runs)>& misfit) {
  loading_ = false;
  ++changes_;
  std::vector<uint32_t> misfits;
  for (const auto& [per, group] : groups_)
    for (const auto& [text, loads] : group->loading) Build(*group, text, loads, &misfits);
  std::sort(misfits.begin(), misfits.end());
  misfits.erase(std::unique(misfits.begin(), misfits.end()), misfits.end());
  std::map<uint32_t, std::vector<KeyRuns>> runs;
  for (const auto& [per, group] : groups_)
    for (auto& [text, loads] : std::exchange(group->loading, {}))
      for (Loading& one : loads)
        if (std::binary_search(misfits.begin(), misfits.end(), one.rule->number))
          runs[one.rule->number].push_back(std::move(one.runs));
  for (auto& [number, of] : runs) misfit(number, std::move(of));
}

void KeyedRules::Build(KeyedGroup& group, const std::string& text,
                       const std::vector<Loading>& loads, std::vector<uint32_t>* misfits) {
  std::map<uint64_t, KeyedEvent> events;  // by seq
  std::map<uint64_t, std::set<Local>> fulfilled;
  for (const Loading& one : loads)
    for (const Run& run : one.runs.runs)
      for (const Link* at = run.last.get(); at != nullptr; at = at->before.get()) {
        events[at->seq] = {at->event, at->seq, at->event->time_ms, at->by_value};
        fulfilled[at->seq].insert(one.rule->letters[at->step]);
      }
  auto made = std::make_unique<EventsOfKey>(text);
  EventsOfKey& key = *made;
  group.keys[text] = std::move(made);
  for (auto& [seq, event] : events) {
    key.Add(std::move(event));
    for (const Local local : fulfilled[seq]) {
      LetterPlaces& list = key.Fulfil(local);
      if (!list.counted && !group.letters[local].firsts.empty()) Count(group, key, list);
    }
  }
  key.saved_seq = loaded_seq_;
  key.trim_at = 2 * key.end();
  for (const Loading& one : loads) {
    RuleInKey& own = key.Make(one.rule->number, key.PlaceOf(one.runs.runs[0].first_seq));
    own.stored = true;
    own.changed = one.runs.dirty;
    own.changed_seq = one.runs.changed_seq;
    if (own.changed) MarkDirty(group, key);
  }
  for (const Loading& one : loads)
    if (!KeyedRuns(*one.rule, key).Are(one.runs)) misfits->push_back(one.rule->number);
}

std::vector<std::string> KeyedRules::StoredKeys(uint32_t number) const {
  std::vector<std::string> out;
  for (const auto& [gone, text] : gone_)
    if (gone == number) out.push_back(text);
  for (const auto& [text, key] : rules_[number]->group->keys)
    if (const RuleInKey* const own = key->Find(number); own != nullptr && own->stored)
      out.push_back(text);
  return out;
}

}  // namespace ferry::rule
