// The runs (begun matches) of one rule, key by key: any rule of rule.h, each run on its own.
// Internal to the room.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "pipeline/rule/match/compile.h"
#include "pipeline/rule/matcher.h"

namespace ferry::rule {

// An event as it arrives.
struct Arrival {
  EventPtr event;
  uint64_t seq = 0;       // counts the matcher's events; never repeats
  bool by_value = false;  // the log does not have it
  int64_t latest_ms = 0;  // the largest time so far
};

// A position of a run; runs share their beginnings.
struct Link {
  EventPtr event;
  uint64_t seq = 0;
  uint32_t step = 0;
  bool by_value = false;
  std::shared_ptr<const Link> before;
};
using LinkPtr = std::shared_ptr<const Link>;

struct Run {
  LinkPtr last;
  uint64_t first_seq = 0;
  int64_t first_ms = 0;
  uint32_t count = 1;  // positions of the last step
  StepMask alive = 0;  // steps that may have the next position
  bool waits = false;  // complete when the time has passed
};

// All runs of one key, those that began first in front.
struct KeyRuns {
  std::string key;
  std::vector<Run> runs;
  uint64_t changed_seq = 0;
  int64_t due_ms = INT64_MAX;  // when OnTime has something to do: at a time above
  bool strict = false;         // a run needs the key's very next event
  bool dirty = false, stored = false;
  size_t dirty_at = 0;  // in the list of those, when it is
  std::list<KeyRuns*>::iterator place;
};

// Told what becomes of single runs, for explanations.
class RunWatcher {
 public:
  virtual ~RunWatcher() = default;
  virtual void Reached(const Run& run) = 0;
  // The run cannot go on behind this event; `why` is empty when it went on to another step.
  virtual void Ended(const Run& run, const Arrival& now, const std::string& why) = 0;
};

class RuleRuns {
 public:
  RuleRuns(const CompiledRule& rule, Letters* letters);
  RuleRuns(const RuleRuns&) = delete;
  RuleRuns& operator=(const RuleRuns&) = delete;

  // Whether an event that begins nothing and meets no runs needs no key.
  bool Begins() const;
  bool empty() const { return keys_.empty(); }
  // Keys with a run that needs the key's very next event.
  size_t strict_keys() const { return strict_keys_; }
  KeyRuns* Find(const std::string& key);

  // The letters have read the event. Matches that leave are appended with `number` as their rule.
  void OnEvent(const std::string& key, const Arrival& now, uint32_t number,
               std::vector<Match>* out);
  // Matches whose time ends before `time_ms` leave; runs that are too old go.
  void OnTime(KeyRuns& key, int64_t time_ms, const Arrival& now, uint32_t number,
              std::vector<Match>* out);

  RunWatcher* watcher = nullptr;
  // Called when a key's due time changes, with the old one; KeyRuns lives until it is INT64_MAX.
  std::function<void(KeyRuns& key, int64_t before_ms)> on_due;

  uint64_t oldest() const;
  RuleStats stats() const;
  RuleStats& counts() { return counts_; }
  const CompiledRule& rule() const { return rule_; }

  // ---- explain.cc

  // What ends a run at this event, which fits those of `fits`: "`not c` by event 9".
  std::string WhyEnded(const Run& run, StepMask fits, const Arrival& now);

  // ---- runs_state.cc

  // Calls with each key that changed since the last call and its state; an empty state: none.
  void SaveChanges(
      const std::function<void(const std::string& key, const std::string& state)>& put);
  // Takes a key's state up; kMalformed when it is none.
  Status Load(const std::string& key, std::string_view state, const Resolver& resolver);
  // Takes a key's runs from another way that the rule has gone.
  void Take(KeyRuns runs);
  // To be called after the last Load or Take.
  void Loaded();
  // All keys that SaveChanges has given a state.
  std::vector<std::string> StoredKeys() const;

 private:
  // A match that is ready to leave.
  struct Leaving {
    LinkPtr last;
    std::vector<uint64_t> seqs;  // of its positions
    int64_t time_ms = 0;
  };
  class Captured;

  bool Fits(const CompiledCondition& condition, const Link* last, const Arrival& now);
  bool FitsUntil(size_t step, const Link* last, const Arrival& now);
  void Advance(const Run& run, const Arrival& now, std::vector<Run>* next,
               std::vector<Leaving>* leaving);
  StepMask Survivors(const Run& run, StepMask fits, const Arrival& now);
  void Begin(const Arrival& now, std::vector<Run>* next, std::vector<Leaving>* leaving);
  // The steps that an event touches a run by when it waits for one of them, or when it has any.
  struct Touch {
    StepMask waiting = 0;
    bool all = false;
  };
  Touch TouchOf() const;
  // Runs that the event does not touch stay where they are. Whether any was.
  bool AdvanceAll(KeyRuns& key, const Arrival& now, std::vector<Leaving>* leaving);
  void Reach(const Run* from, size_t step, const Arrival& now, std::vector<Run>* next,
             std::vector<Leaving>* leaving);
  void Leave(KeyRuns& key, std::vector<Leaving>* leaving, uint32_t number, std::vector<Match>* out);
  bool IsTooOld(const Run& run, int64_t latest_ms) const;
  // Brings limits, due time and lists up to date; the key may be gone afterwards. That runs are
  // too old is no change that keeps a key longer.
  void Settle(KeyRuns& key, const Arrival& now, bool changed = true);
  void KeepMaxKeys();
  void Erase(KeyRuns& key);
  void MarkDirty(KeyRuns& key);
  void SetDue(KeyRuns& key);
  KeyRuns& Make(const std::string& key);

  const CompiledRule& rule_;
  Letters& letters_;
  bool one_run_ = false;  // a key's first run ends before all others, and drops them
  StepMask strict_ = 0;   // steps that take the key's very next event or none
  StepMask special_ = 0;  // `not` and greedy steps: an event that fits one concerns runs at others
  std::unordered_map<std::string, KeyRuns> keys_;
  std::list<KeyRuns*> by_change_;  // the one that changed longest ago in front
  std::vector<KeyRuns*> dirty_;
  std::vector<std::string> gone_;  // stored keys without runs
  size_t strict_keys_ = 0;
  uint64_t runs_ = 0;
  RuleStats counts_;
};

// ---- runs_state.cc

std::string StateOf(const KeyRuns& key);
// Fills runs and changed_seq of a rule with so many steps; adds runs whose events the log has lost
// to `lost`. False when the bytes are no state.
bool ReadState(std::string_view state, size_t steps, const Resolver& resolver, KeyRuns* out,
               uint64_t* lost);

}  // namespace ferry::rule
