// The runs of one plain rule in one key, read off the key's events. With steps one after another
// and any events between, a run at a step has one way on: the next event that fits the step behind.
// So a run is what its first event and the events of the letters say, and nothing is kept of it.
// Runs that began earlier are never behind those that began later: what is alive are the starts
// from one place on. Internal to the room.
#pragma once

#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <vector>

#include "pipeline/rule/match/compile.h"
#include "pipeline/rule/match/keyed/key_events.h"
#include "pipeline/rule/match/runs.h"

namespace ferry::rule {

struct KeyedGroup;  // see keyed.h

struct KeyedRule {
  KeyedRule(uint32_t number, const CompiledRule& rule, uint64_t since)
      : number(number),
        since(since),
        within_ms(rule.rule.within_ms),
        max_runs(rule.rule.max_runs),
        max_keys(rule.rule.max_keys),
        rule(&rule) {}

  // Whether a run that began at `first_ms` is gone, see kLateMs.
  bool IsTooOld(int64_t first_ms, int64_t latest_ms) const {
    return within_ms > 0 && latest_ms - first_ms > within_ms + kLateMs;
  }
  // Of one step: it has no runs.
  bool single() const { return letters.size() == 1; }

  uint32_t number = 0;
  uint64_t since = 0;     // the seq of the first event that it sees
  int64_t within_ms = 0;  // 0: no limit; then a key's first run is all there is to it
  boost::container::small_vector<Local, 4> letters;  // of the steps
  uint64_t max_runs = 0, max_keys = 0;
  uint64_t matches = 0, dropped_runs = 0;
  const CompiledRule* rule = nullptr;
  KeyedGroup* group = nullptr;
  bool leaving = false;    // to be handed over
  uint64_t looked_at = 0;  // the count of SaveChanges' keys when it was looked at last
  // When its group was counted last.
  uint64_t runs = 0, keys = 0;
};

class KeyedRuns {
 public:
  KeyedRuns(KeyedRule& rule, EventsOfKey& key) : rule_(rule), key_(key) {}

  // Starts before it are none of the rule's.
  Place from() const;
  // The event, which is not among those of the key yet, fits the last step. Runs that wait for it
  // take it: the one that began first and is in time is the match, whose events but the last are
  // appended to `match`; it drops all others, so that starts count from `next` on. Whether there is
  // one.
  bool Complete(Place next, const Arrival& now, std::vector<Place>* match);
  // Lets go the runs past max_runs, which are counted, and those in front that are too old. Whether
  // any is left.
  bool Settle(int64_t latest_ms);
  // Marks the events of the run that begins there.
  void MarkRun(Place start, PlaceMarks* marks) const;
  // Marks the events, but the starts, of all runs from the one on that begins at the start with
  // this index.
  void MarkLater(size_t begin, PlaceMarks* marks) const;

  // ---- runs_state.cc

  // The seq of the event at which they changed last.
  uint64_t changed_seq() const;
  // The runs one by one and when they changed last; without a limit of time the one that began
  // first.
  void Save(KeyRuns* out) const;
  // Whether runs are such as those of the rule.
  static bool Fit(const KeyRuns& runs, const KeyedRule& rule);
  // Whether they are the runs that the rule has.
  bool Are(const KeyRuns& runs) const;

 private:
  LetterPlaces* ListOf(size_t step) const { return key_.Of(rule_.letters[step]); }
  const KeyedEvent& StartAt(const LetterPlaces& starts, size_t index) const {
    return key_.at(starts.places[index]);
  }
  // The first start from `from` to `last` whose time is not below; kNone: there is none.
  Place FirstSince(const LetterPlaces& starts, int64_t time_ms, Place from, Place last) const;
  void SetFrom(Place from, uint64_t changed_seq);
  // The last event before `end` at which a run took the step; kNone: there is none.
  Place LastTaken(size_t step, Place end) const;
  // Calls with the step, its letter's list and the index in it for each event of the run that
  // begins there.
  template <typename F>
  void FollowRun(Place start, F take) const {
    for (size_t step = 0; step + 1 < rule_.letters.size(); ++step) {
      const LetterPlaces* const list = ListOf(step);
      if (list == nullptr) return;
      const size_t index = list->IndexFrom(step == 0 ? start : start + 1);
      if (index == list->size()) return;
      start = list->places[index];
      take(step, *list, index);
    }
  }
  void Mark(const LetterPlaces& list, size_t index, PlaceMarks* marks) const {
    marks->Mark(static_cast<size_t>(&list - key_.lists().data()), index);
  }

  KeyedRule& rule_;
  EventsOfKey& key_;
  mutable Place from_ = PlaceTable::kNone;  // once it was asked for
};

}  // namespace ferry::rule
