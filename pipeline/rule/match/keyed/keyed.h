// Plain rules with `per`, many at once: rules of one list of fields share the events of each key,
// and their runs are read off those, see runs.h. An event is noted once in its key, for the
// letters that rules go on with; beside that it touches the rules whose last step it fits and whose
// step before has come in the key, and no others. When a letter begins runs in more keys than a
// rule's max_keys, the rule's runs are handed over, to go the way of any rule. Internal to the
// room.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "pipeline/rule/match/keyed/runs.h"
#include "pipeline/rule/match/per_list.h"
#include "pipeline/rule/match/sequences.h"

namespace ferry::rule {

// What rules with the same fields as `per` share.
struct KeyedGroup {
  // A rule whose last step a letter is.
  struct Ending {
    Local before = 0;  // the letter of the step before
    KeyedRule* rule = nullptr;
  };
  // A rule that begins with a letter, and what a look at it needs first.
  struct First {
    KeyedRule* rule = nullptr;
    uint32_t number = 0;
    Local second = 0;  // the letter of its second step; kNone: that is the last
    uint64_t since = 0;
    int64_t within_ms = 0;
    uint64_t max_runs = 0;
  };
  // A rule with a letter in a step but the last.
  struct User {
    KeyedRule* rule = nullptr;
    Local first = 0;  // the letter of its first step
  };
  struct OfLetter {
    Letter letter = 0;
    uint32_t steps = 0;               // that have it; 0: it is free
    std::vector<KeyedRule*> singles;  // rules of one step, which it is
    std::vector<First> firsts;        // rules that begin with it
    std::vector<User> users;
    std::vector<Ending> endings;    // by `before`
    uint64_t keys = 0;              // where rules that begin with it may have runs
    uint64_t full_at = UINT64_MAX;  // keys, that is for one of those rules that stay
  };
  struct Loading {
    KeyedRule* rule = nullptr;
    KeyRuns runs;
  };

  PerList* per = nullptr;
  size_t rules = 0;
  uint64_t counted = 0;   // when runs and keys of the rules were counted last, see changes_
  int64_t within_ms = 0;  // the shortest limit of time that a rule has had; 0: none has
  PlaceTable locals;      // by letter
  std::vector<OfLetter> letters;
  std::vector<Local> free;
  std::unordered_map<std::string, std::unique_ptr<EventsOfKey>> keys;
  std::map<std::string, std::vector<Loading>> loading;
  // Of the event.
  std::vector<Local> held;
  EventsOfKey* now = nullptr;  // null: its key has none
  bool notes = false;          // it is to be noted
};

class KeyedRules {
 public:
  using PutState =
      std::function<void(uint32_t number, const std::string& key, const std::string& state)>;

  static bool Takes(const CompiledRule& rule);

  explicit KeyedRules(Letters* letters) : all_letters_(*letters) {}

  // `rule` is borrowed until Remove, `per` forever; the rule sees the events behind `seq`.
  void Add(uint32_t number, const CompiledRule& rule, PerList* per, uint64_t seq);
  void Remove(uint32_t number);
  bool any() const { return !groups_.empty(); }
  bool has(uint32_t number) const { return number < rules_.size() && rules_[number] != nullptr; }

  // The event fulfils the letter.
  void OnLetter(Letter letter) {
    for (const Route& route : routes_[letter]) {
      if (route.group->held.empty()) active_.push_back(route.group);
      route.group->held.push_back(route.local);
    }
  }
  // After OnLetter for all of the event's letters: appends the rules that are complete with it, in
  // no order.
  void Move(const Arrival& now, std::vector<CompleteRule>* complete);
  // The match of a rule that is complete at this event.
  void Deliver(const CompleteRule& complete, const Arrival& now, std::vector<Match>* out);
  // After the last Deliver: the event is one that runs begin and go on with.
  void Note(const Arrival& now);

  uint64_t oldest(int64_t latest_ms);
  RuleStats stats(uint32_t number, int64_t latest_ms);

  // ---- limits.cc

  bool full() const { return !full_.empty() || !leaving_.empty(); }
  // Rules that may soon have runs in too many keys, to be handed over now: one an event, since that
  // takes a while, and those that cannot wait. Keys without runs go.
  std::vector<uint32_t> TakeOverfull(int64_t latest_ms);
  // Gives `runs`, which has none yet, all that the rule has, and removes it.
  void HandOver(uint32_t number, int64_t latest_ms, RuleRuns* runs);

  // ---- state.cc

  // Before Load: the events up to `seq` are none that a rule has seen.
  void BeginBehind(uint64_t seq);
  // Calls with each rule and key that changed since the last call, and the state; empty: none.
  void SaveChanges(const Arrival& now, const PutState& put);
  // Reads the state of one key, before the first event; kMalformed when it is none.
  Status Load(uint32_t number, const std::string& key, std::string_view state,
              const Resolver& resolver);
  bool loading() const { return loading_; }
  // After the last Load, before anything else: takes up what was read. A rule whose runs are not
  // those that the events of all tell, since it has not seen all of them, is none for here:
  // `misfit` is called with it, to be removed, and with its runs.
  void FinishLoad(const std::function<void(uint32_t number, std::vector<KeyRuns> runs)>& misfit);
  // All keys for which SaveChanges has given a state.
  std::vector<std::string> StoredKeys(uint32_t number) const;

 private:
  using Ending = KeyedGroup::Ending;
  using First = KeyedGroup::First;
  using Loading = KeyedGroup::Loading;
  using OfLetter = KeyedGroup::OfLetter;
  using User = KeyedGroup::User;
  using Keys = decltype(KeyedGroup::keys);
  struct Route {
    KeyedGroup* group = nullptr;
    Local local = 0;
  };

  Local LocalOf(KeyedGroup& group, Letter letter);
  void Release(KeyedGroup& group, Local local);
  // Its last rule has gone.
  void Forget(KeyedGroup& group);
  void MoveGroup(KeyedGroup& group, const Arrival& now, std::vector<CompleteRule>* complete);
  void Try(KeyedRule& rule, EventsOfKey& key, const Arrival& now,
           std::vector<CompleteRule>* complete);
  void TryEndings(KeyedGroup& group, const OfLetter& of, const Arrival& now,
                  std::vector<CompleteRule>* complete);
  void NoteIn(KeyedGroup& group, const Arrival& now);
  // Rules that begin with the list's letter have runs in the key.
  void Count(KeyedGroup& group, EventsOfKey& key, LetterPlaces& list);

  // ---- limits.cc

  static void SetFullAt(OfLetter& of);
  // Looks at all keys with the letter for runs of rules that begin with it; the rules that have too
  // many, or nearly, are to leave.
  void LookAtFull(KeyedGroup& group, Local local, int64_t latest_ms);
  // They have none.
  void Uncount(KeyedGroup& group, EventsOfKey& key, LetterPlaces& list);
  // The index of the first start of the rule's runs, which are settled; as many as there are: it
  // has none.
  size_t FirstStart(const First& first, EventsOfKey& key, const LetterPlaces& starts,
                    int64_t latest_ms);
  // Marks what the runs of rules that begin with a list's letter need. Whether any has runs.
  bool MarkOf(KeyedGroup& group, EventsOfKey& key, size_t list, int64_t latest_ms);
  // Keeps what the rules' runs need.
  void Trim(KeyedGroup& group, EventsOfKey& key, int64_t latest_ms);
  void TrimAll(int64_t latest_ms);
  void CountAll(KeyedGroup& group, int64_t latest_ms);
  static bool IsWorthALook(const KeyedGroup& group, EventsOfKey& key, int64_t latest_ms);
  // Lets go a key without runs; gives the next.
  Keys::iterator Drop(KeyedGroup& group, Keys::iterator key);
  bool Settle(KeyedRule& rule, EventsOfKey& key, int64_t latest_ms);
  void MarkDirty(KeyedGroup& group, EventsOfKey& key);
  void Undirty(EventsOfKey& key);

  // ---- state.cc

  void SaveKey(KeyedGroup& group, EventsOfKey& key, const Arrival& now, const PutState& put);
  // Makes a key of what was read of it; appends the rules to which it does not fit.
  void Build(KeyedGroup& group, const std::string& text, const std::vector<Loading>& loads,
             std::vector<uint32_t>* misfits);

  Letters& all_letters_;
  std::vector<std::unique_ptr<KeyedRule>> rules_;  // by number
  std::map<PerList*, std::unique_ptr<KeyedGroup>> groups_;
  std::vector<std::vector<Route>> routes_;  // by letter
  PlaceMarks marks_;
  std::vector<KeyedGroup*> active_;
  std::vector<Place> found_;
  std::vector<std::pair<KeyedGroup*, EventsOfKey*>> dirty_;
  std::vector<std::pair<KeyedGroup*, Local>> full_;
  std::vector<KeyedRule*> leaving_;
  std::vector<std::pair<uint32_t, std::string>> gone_;  // stored states of rules without runs
  uint64_t changes_ = 1;
  uint64_t saved_keys_ = 0;
  uint64_t loaded_seq_ = 0;
  bool loading_ = false;
  int64_t trimmed_ms_ = INT64_MIN;  // latest_ms when all was trimmed last
};

}  // namespace ferry::rule
