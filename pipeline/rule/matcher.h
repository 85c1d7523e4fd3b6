// The one matcher of a device: finds the matches of many rules in one stream of events, an event at
// a time, exactly as rule.h defines them. Rules come and go while events flow. No threads, clocks
// or files inside; one thread at a time.
//
// What an event costs: conditions that are equal are computed once, conditions that compare a field
// with a constant are found by index, and only rules that wait for what came are touched. A run (a
// begun match) refers to its events. Beyond max_runs of a key the runs that began first go; beyond
// max_keys of a rule the keys where runs began or went on longest ago go; both are counted. Of a
// rule of plain steps without within_ms a key has one run, the first. A run also goes when
// times have passed its within_ms by kLateMs: an event that comes later than that with a time so
// old finds it no more.
//
// State: SaveChanges writes what changed since it was called last; Load takes all pairs. An event
// of the log (its number is above those before) is kept by its number and asked for again on Load;
// another (number 0, or no larger than the one before: a row of a stream) is kept by value. State
// belongs to a rule's owner, name and definition: a changed definition starts anew, counted.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pipeline/event/state.h"
#include "pipeline/rule/rule.h"

namespace ferry::rule {

inline constexpr int64_t kLateMs = int64_t{24} * 3600 * 1000;

struct RuleStats {
  uint64_t matches = 0;       // that left
  uint64_t runs = 0;          // alive now, of all keys
  uint64_t keys = 0;          // with runs
  uint64_t dropped_runs = 0;  // past max_runs, with dropped keys, or whose events the log has lost
  uint64_t dropped_keys = 0;  // past max_keys
  uint64_t state_reset = 0;   // 1: Load found state of another definition
  uint64_t bytes = 0;         // of memory, about, events not counted
};

// The event with a number, or null when the log has it no more.
using Resolver = std::function<EventPtr(uint64_t number)>;
using StatePair = std::pair<std::string, std::string>;

class Matcher {
 public:
  Matcher();
  ~Matcher();
  Matcher(const Matcher&) = delete;
  Matcher& operator=(const Matcher&) = delete;

  // Events of a log are kept by value too: there is nobody to ask for them again. Before the first
  // event, and before Load, which takes no resolver then.
  void KeepByValue();
  // Returns the rule's number here, which may be one that Remove gave back. The rule sees the
  // events from now on, and takes up state that Load found for it. `owner` (a task) parts rules of
  // one name. Errors: CheckRule's; kAlreadyExists for a second rule of an owner and name;
  // kLimitExceeded past kMaxRules.
  Result<uint32_t> Add(Rule rule, std::string_view owner = "");
  // Forgets the rule, its runs, and with the next SaveChanges its state.
  void Remove(uint32_t rule);
  const Rule& rule(uint32_t rule) const;

  // Appends the matches that leave at this event, in the order of the rules' numbers, for each rule
  // in the order of the definition; those of `not` rules whose time has passed come first. The
  // event's time_ms is set.
  void OnEvent(const EventPtr& event, std::vector<Match>* out);
  // The clock shows `time_ms`: matches of rules that end in `not` leave.
  void AdvanceTo(int64_t time_ms, std::vector<Match>* out);
  // The smallest time that AdvanceTo must pass for a match to leave; INT64_MAX: none waits.
  int64_t next_time_ms() const;

  void SaveChanges(event::StateWriter& writer);
  // Takes all pairs that SaveChanges has written, before the first event; pairs of rules that are
  // not there are kept for Add. kMalformed: a pair that this matcher has not written; the others
  // are taken nevertheless.
  Status Load(std::span<const StatePair> pairs, const Resolver& resolver);
  // Lets go what Load found and no rule has taken up: their keys go with the next SaveChanges.
  void DropUnclaimed();

  // The smallest number of an event of the log that a run refers to; 0: none. Costs a look at all;
  // runs that are too old are forgotten with it.
  uint64_t oldest() const;
  RuleStats stats(uint32_t rule) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ferry::rule
