#include "pipeline/rule/matcher.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "pipeline/event/event.h"
#include "pipeline/rule/match/bytes.h"
#include "pipeline/rule/match/compile.h"
#include "pipeline/rule/match/keyed/keyed.h"
#include "pipeline/rule/match/letters.h"
#include "pipeline/rule/match/per_list.h"
#include "pipeline/rule/match/runs.h"
#include "pipeline/rule/match/sequences.h"
#include "pipeline/rule/match/stacked.h"

namespace ferry::rule {
namespace {

// The first byte of a pair's key says what it is.
constexpr char kRunsTag = 'R', kNameTag = 'N', kMarkTag = 'M';
constexpr size_t kDigestBytes = 16;
constexpr std::string_view kOnlyKey = "[]";  // of rules without `per`

std::string NameKey(std::string_view owner, std::string_view name) {
  return std::string(1, kNameTag).append(owner).append("\n").append(name);
}

}  // namespace

struct Slot {
  CompiledRule rule;
  std::unique_ptr<RuleRuns> runs;  // null: a plain rule, of one of the evaluators for those
  PerList* per = nullptr;
  uint64_t touched_seq = 0;
  uint64_t state_reset = 0;
  bool changed = false;  // since the last SaveChanges; of `runs`
};

struct Matcher::Impl {
  Letters letters;
  std::vector<std::unique_ptr<Slot>> slots;
  std::vector<uint32_t> free;
  std::vector<std::vector<uint32_t>> by_letter;
  std::map<std::vector<std::string>, PerList> per_lists;
  std::map<std::string, uint32_t> by_name;  // NameKey
  std::set<uint32_t> strict;                // rules with a run that needs the key's next event
  std::set<std::tuple<int64_t, uint32_t, KeyRuns*>> timers;
  Sequences sequences{&letters};
  StackedRules stacked{&letters};
  KeyedRules keyed{&letters};
  std::vector<uint32_t> touched, changed;
  std::vector<CompleteRule> complete;
  Arrival now;
  uint64_t last_number = 0;
  bool mark_dirty = false;
  bool keep_by_value = false;
  bool seen = false;  // an event
  // State that no rule has taken up: pairs by digest, digests by NameKey.
  std::map<std::string, std::vector<StatePair>> unclaimed;
  std::map<std::string, std::string> stored_names;
  Resolver resolver;
  std::vector<std::string> deletes;
  std::map<std::string, std::string> name_puts;

  void Touch(uint32_t number) {
    Slot& slot = *slots[number];
    if (slot.touched_seq == now.seq) return;
    slot.touched_seq = now.seq;
    touched.push_back(number);
  }

  // After runs of a rule may have changed.
  void Note(uint32_t number) {
    if (!slots[number]->changed) {
      slots[number]->changed = true;
      changed.push_back(number);
    }
    if (slots[number]->runs->strict_keys() > 0)
      strict.insert(number);
    else
      strict.erase(number);
  }

  // Rules that wait for a time below `time_ms`, in the order of their numbers and keys.
  void Time(int64_t time_ms, std::vector<Match>* out) {
    std::vector<std::tuple<uint32_t, std::string, KeyRuns*>> due;
    for (const auto& [due_ms, number, key] : timers) {
      if (due_ms >= time_ms) break;
      due.emplace_back(number, key->key, key);
    }
    std::sort(due.begin(), due.end());
    for (const auto& [number, name, key] : due) {
      slots[number]->runs->OnTime(*key, time_ms, now, number, out);
      Note(number);
    }
  }

  void Deliver(const CompleteRule& one, std::vector<Match>* out) {
    if (one.way == Way::kKeyed)
      keyed.Deliver(one, now, out);
    else if (one.way == Way::kStacked)
      stacked.Deliver(one, now, out);
    else
      sequences.Deliver(one, now, out);
  }

  // A rule with runs sees the event.
  void GoOn(uint32_t number, std::vector<Match>* out) {
    Slot& slot = *slots[number];
    const bool begins = slot.runs->Begins();
    if (!begins && slot.runs->empty()) return;
    const std::string& key = slot.per->Of(now);
    if (!begins && slot.runs->Find(key) == nullptr) return;
    slot.runs->OnEvent(key, now, number, out);
    Note(number);
  }

  void Arrive(const EventPtr& event) {
    seen = true;
    now.event = event;
    ++now.seq;
    now.by_value = keep_by_value || event->number <= last_number;
    last_number = std::max(last_number, event->number);
    now.latest_ms = std::max(now.latest_ms, event->time_ms);
    mark_dirty = true;
  }

  // The rule goes the way of any rule from now on.
  void MakeRuns(uint32_t number, Slot& slot) {
    slot.runs = std::make_unique<RuleRuns>(slot.rule, &letters);
    slot.runs->on_due = [this, number](KeyRuns& key, int64_t before_ms) {
      if (before_ms != INT64_MAX) timers.erase({before_ms, number, &key});
      if (key.due_ms != INT64_MAX) timers.emplace(key.due_ms, number, &key);
    };
    for (const Letter letter : LettersOf(slot.rule)) {
      by_letter[letter].push_back(number);
      letters.Watch(letter, 1);
    }
  }

  // A keyed rule goes the way of any rule from now on.
  void HandOver(uint32_t number) {
    MakeRuns(number, *slots[number]);
    keyed.HandOver(number, now.latest_ms, slots[number]->runs.get());
    slots[number]->runs->Loaded();
    Note(number);
  }

  void HandOverFull() {
    if (!keyed.full()) return;
    for (const uint32_t number : keyed.TakeOverfull(now.latest_ms)) HandOver(number);
  }

  // Before anything else after Load and Add.
  void FinishLoad() {
    if (!keyed.loading()) return;
    keyed.FinishLoad([this](uint32_t number, std::vector<KeyRuns> runs) {
      keyed.Remove(number);
      MakeRuns(number, *slots[number]);
      for (KeyRuns& one : runs) slots[number]->runs->Take(std::move(one));
      slots[number]->runs->Loaded();
      Note(number);
    });
    HandOverFull();
  }

  Status LoadPair(uint32_t number, std::string_view key, std::string_view state) {
    Slot& slot = *slots[number];
    if (sequences.has(number)) return sequences.Load(number, state, resolver);
    if (keyed.has(number)) return keyed.Load(number, std::string(key), state, resolver);
    if (stacked.has(number)) {
      const Status taken = stacked.Load(number, state, resolver);
      if (taken.code() != Code::kFailedPrecondition) return taken;
      stacked.Remove(number);
      MakeRuns(number, slot);
    }
    return slot.runs->Load(std::string(key), state, resolver);
  }

  void Claim(uint32_t number) {
    Slot& slot = *slots[number];
    const std::string name = NameKey(slot.rule.owner, slot.rule.rule.name);
    const auto stored = stored_names.find(name);
    if (stored != stored_names.end() && stored->second != slot.rule.digest) {
      slot.state_reset = 1;
      Drop(stored->second);
    }
    stored_names.erase(name);
    name_puts[name] = slot.rule.digest;
    const auto found = unclaimed.find(slot.rule.digest);
    if (found == unclaimed.end()) return;
    if (seen && keyed.has(number)) HandOver(number);  // others' events are none that it has seen
    for (const auto& [key, state] : found->second) {
      const Status taken = LoadPair(number, std::string_view(key).substr(1 + kDigestBytes), state);
      if (!taken.ok()) deletes.push_back(key);
    }
    if (slot.runs != nullptr) {
      slot.runs->Loaded();
      Note(number);
    }
    unclaimed.erase(found);
  }

  void Drop(const std::string& digest) {
    const auto found = unclaimed.find(digest);
    if (found == unclaimed.end()) return;
    for (const auto& [key, state] : found->second) deletes.push_back(key);
    unclaimed.erase(found);
  }
};

Matcher::Matcher() : impl_(std::make_unique<Impl>()) {}
Matcher::~Matcher() = default;

void Matcher::KeepByValue() {
  impl_->keep_by_value = true;
}

Result<uint32_t> Matcher::Add(Rule rule, std::string_view owner) {
  Impl& impl = *impl_;
  FERRY_TRY(CheckRule(rule));
  if (impl.slots.size() - impl.free.size() >= kMaxRules)
    return Status::Of(Code::kLimitExceeded, "{} rules are the limit", kMaxRules);
  const std::string name = NameKey(owner, rule.name);
  if (impl.by_name.contains(name))
    return Status::Of(Code::kAlreadyExists, "there is a rule {} already", rule.name);
  auto slot = std::make_unique<Slot>();
  FERRY_ASSIGN_OR_RETURN(slot->rule, CompileRule(std::move(rule), owner, &impl.letters));
  uint32_t number = static_cast<uint32_t>(impl.slots.size());
  if (impl.free.empty()) {
    impl.slots.emplace_back();
  } else {
    number = impl.free.back();
    impl.free.pop_back();
  }
  const std::vector<std::string>& per = slot->rule.rule.per;
  slot->per = &impl.per_lists.try_emplace(per, PerList{per, 0, "[]"}).first->second;
  impl.by_letter.resize(std::max(impl.by_letter.size(), impl.letters.size()));
  if (Sequences::Takes(slot->rule)) {
    impl.sequences.Add(number, slot->rule);
  } else if (StackedRules::Takes(slot->rule)) {
    impl.stacked.Add(number, slot->rule, impl.now.seq);
  } else if (KeyedRules::Takes(slot->rule)) {
    impl.keyed.Add(number, slot->rule, slot->per, impl.now.seq);
  } else {
    impl.MakeRuns(number, *slot);
  }
  impl.by_name[name] = number;
  impl.slots[number] = std::move(slot);
  impl.Claim(number);
  return number;
}

void Matcher::Remove(uint32_t rule) {
  Impl& impl = *impl_;
  impl.FinishLoad();
  Slot& slot = *impl.slots[rule];
  const std::string prefix = std::string(1, kRunsTag) + slot.rule.digest;
  for (const Letter letter : LettersOf(slot.rule))
    if (std::erase(impl.by_letter[letter], rule) > 0) impl.letters.Watch(letter, -1);
  if (impl.sequences.has(rule)) {
    if (impl.sequences.stored(rule)) impl.deletes.push_back(std::string(prefix).append(kOnlyKey));
    impl.sequences.Remove(rule);
  } else if (impl.stacked.has(rule)) {
    if (impl.stacked.stored(rule)) impl.deletes.push_back(std::string(prefix).append(kOnlyKey));
    impl.stacked.Remove(rule);
  } else if (impl.keyed.has(rule)) {
    for (const std::string& key : impl.keyed.StoredKeys(rule)) impl.deletes.push_back(prefix + key);
    impl.keyed.Remove(rule);
  } else {
    for (const std::string& key : slot.runs->StoredKeys()) impl.deletes.push_back(prefix + key);
  }
  const std::string name = NameKey(slot.rule.owner, slot.rule.rule.name);
  impl.deletes.push_back(name);
  impl.name_puts.erase(name);
  impl.by_name.erase(name);
  std::erase_if(impl.timers, [rule](const auto& timer) { return std::get<1>(timer) == rule; });
  impl.strict.erase(rule);
  std::erase(impl.changed, rule);
  ReleaseRule(slot.rule, &impl.letters);
  impl.slots[rule] = nullptr;
  impl.free.push_back(rule);
}

const Rule& Matcher::rule(uint32_t rule) const {
  return impl_->slots[rule]->rule.rule;
}

void Matcher::OnEvent(const EventPtr& event, std::vector<Match>* out) {
  Impl& impl = *impl_;
  impl.FinishLoad();
  impl.Arrive(event);
  impl.Time(event->time_ms, out);
  impl.letters.Read(*event);
  impl.touched.clear();
  impl.complete.clear();
  for (const Letter letter : impl.letters.candidates()) impl.stacked.Prefetch(letter);
  for (const Letter letter : impl.letters.candidates())
    if (impl.letters.stacked(letter)) impl.stacked.PrefetchLists(letter);
  for (const Letter letter : impl.letters.candidates()) {
    if (!impl.letters.Holds(letter)) continue;
    impl.sequences.OnLetter(letter, &impl.complete);
    if (impl.letters.stacked(letter)) impl.stacked.OnLetter(letter, impl.now.seq);
    if (impl.letters.keyed(letter)) impl.keyed.OnLetter(letter);
    if (!impl.letters.has_rules(letter)) continue;
    for (const uint32_t number : impl.by_letter[letter]) impl.Touch(number);
  }
  impl.sequences.Move(impl.now, &impl.complete);
  impl.stacked.Move(impl.now, &impl.complete);
  if (impl.keyed.any()) impl.keyed.Move(impl.now, &impl.complete);
  for (const uint32_t number : impl.strict) impl.Touch(number);
  std::sort(impl.touched.begin(), impl.touched.end());
  std::sort(impl.complete.begin(), impl.complete.end());
  auto complete = impl.complete.begin();
  for (const uint32_t number : impl.touched) {
    for (; complete != impl.complete.end() && complete->number < number; ++complete)
      impl.Deliver(*complete, out);
    impl.GoOn(number, out);
  }
  for (; complete != impl.complete.end(); ++complete) impl.Deliver(*complete, out);
  if (!impl.keyed.any()) return;
  impl.keyed.Note(impl.now);
  impl.HandOverFull();
}

void Matcher::AdvanceTo(int64_t time_ms, std::vector<Match>* out) {
  impl_->FinishLoad();
  impl_->Time(time_ms, out);
}

int64_t Matcher::next_time_ms() const {
  impl_->FinishLoad();
  return impl_->timers.empty() ? INT64_MAX : std::get<0>(*impl_->timers.begin());
}

void Matcher::SaveChanges(event::StateWriter& writer) {
  Impl& impl = *impl_;
  impl.FinishLoad();
  for (const std::string& key : impl.deletes) writer.Delete(key);
  impl.deletes.clear();
  for (const auto& [name, digest] : impl.name_puts) writer.Put(name, digest);
  impl.name_puts.clear();
  const auto put = [&](uint32_t number, std::string_view key, const std::string& state) {
    const std::string whole =
        std::string(1, kRunsTag).append(impl.slots[number]->rule.digest).append(key);
    if (state.empty())
      writer.Delete(whole);
    else
      writer.Put(whole, state);
  };
  impl.sequences.SaveChanges(
      [&put](uint32_t number, const std::string& state) { put(number, kOnlyKey, state); });
  impl.keyed.SaveChanges(impl.now, put);
  impl.stacked.SaveChanges(impl.now.latest_ms, [&put](uint32_t number, const std::string& state) {
    put(number, kOnlyKey, state);
  });
  for (const uint32_t number : impl.changed) {
    impl.slots[number]->changed = false;
    impl.slots[number]->runs->SaveChanges(
        [&](const std::string& key, const std::string& state) { put(number, key, state); });
  }
  impl.changed.clear();
  if (!impl.mark_dirty) return;
  impl.mark_dirty = false;
  std::string mark;
  PutNumber(impl.now.seq, &mark);
  PutNumber(impl.last_number, &mark);
  PutSigned(impl.now.latest_ms, &mark);
  writer.Put(std::string(1, kMarkTag), mark);
}

Status Matcher::Load(std::span<const StatePair> pairs, const Resolver& resolver) {
  Impl& impl = *impl_;
  Status first_bad;
  impl.resolver = resolver ? resolver : [](uint64_t) { return EventPtr(); };
  for (const StatePair& pair : pairs) {
    const auto& [key, value] = pair;
    const char tag = key.empty() ? '\0' : key[0];
    if (tag == kRunsTag && key.size() >= 1 + kDigestBytes) {
      impl.unclaimed[key.substr(1, kDigestBytes)].push_back(pair);
    } else if (tag == kNameTag) {
      impl.stored_names[key] = value;
    } else if (ByteReader reader(value); tag == kMarkTag) {
      impl.now.seq = reader.Number();
      impl.last_number = reader.Number();
      impl.now.latest_ms = reader.Signed();
    } else {
      first_bad = Status::Of(Code::kMalformed, "a pair of state that is not the matcher's");
    }
  }
  impl.stacked.BeginBehind(impl.now.seq);
  impl.keyed.BeginBehind(impl.now.seq);
  for (uint32_t k = 0; k < impl.slots.size(); ++k)
    if (impl.slots[k] != nullptr) impl.Claim(k);
  return first_bad;
}

void Matcher::DropUnclaimed() {
  Impl& impl = *impl_;
  while (!impl.unclaimed.empty()) impl.Drop(std::string(impl.unclaimed.begin()->first));
  for (const auto& [name, digest] : impl.stored_names) impl.deletes.push_back(name);
  impl.stored_names.clear();
  impl.resolver = nullptr;
}

uint64_t Matcher::oldest() const {
  impl_->FinishLoad();
  uint64_t oldest = 0;
  const auto take = [&oldest](uint64_t one) {
    if (one != 0 && (oldest == 0 || one < oldest)) oldest = one;
  };
  take(impl_->sequences.oldest());
  take(impl_->stacked.oldest(impl_->now.latest_ms));
  take(impl_->keyed.oldest(impl_->now.latest_ms));
  for (const auto& slot : impl_->slots)
    if (slot != nullptr && slot->runs != nullptr) take(slot->runs->oldest());
  return oldest;
}

RuleStats Matcher::stats(uint32_t rule) const {
  impl_->FinishLoad();
  const Slot& slot = *impl_->slots[rule];
  RuleStats out = impl_->sequences.has(rule) ? impl_->sequences.stats(rule)
                  : impl_->stacked.has(rule) ? impl_->stacked.stats(rule, impl_->now.latest_ms)
                  : impl_->keyed.has(rule)   ? impl_->keyed.stats(rule, impl_->now.latest_ms)
                                             : slot.runs->stats();
  out.state_reset = slot.state_reset;
  return out;
}

}  // namespace ferry::rule
