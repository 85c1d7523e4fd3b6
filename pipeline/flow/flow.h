// The pipeline of a device, or of one of its groups of tasks: every event goes through the triggers
// and rules of all tasks and through the streams that have it as a source; rows of streams go on to
// rules, tables and further streams. What leaves (functions to run, rows for the tunnel and the
// app) is answered; state and tables are collected for one commit. No threads, clocks or files
// inside; one thread at a time.
//
// Order: an event goes to triggers, then to rules, then to streams, by owner; what their rows and
// matches lead to follows in that order before the next event. Rules that name no stream see the
// events that are given to OnEvent and nothing else; rules that do (a step's event is the name of a
// stream of the same task, or OWNER/STREAM) see beside them the rows of the streams that any such
// rule names, as events {id: OWNER/STREAM, or STREAM without an owner, data: the row}.
//
// Two calls with the same events give the same effects: after a kill, Load what was committed and
// give the events behind it again.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pipeline/event/state.h"
#include "pipeline/flow/definition.h"
#include "pipeline/flow/start.h"
#include "pipeline/graph/graph.h"
#include "pipeline/rule/matcher.h"
#include "pipeline/table/tables.h"

namespace ferry::flow {

inline constexpr size_t kMaxCascade = 10'000;  // rows and matches that one event may lead to

// A row that left a stream for the tunnel or the app.
struct LeavingRow {
  std::string owner;
  graph::Output output;
  uint32_t place = 0;  // among the rows and matches of the same effects, as they happened
};

// A match that left a rule.
struct LeavingMatch {
  std::string owner;
  std::shared_ptr<const rule::Rule> rule;
  rule::Match match;
  bool app = false;
  uint32_t place = 0;  // as LeavingRow's
};

struct Effects {
  std::vector<Start> starts;
  std::vector<LeavingRow> rows;       // with FlowOptions::all_rows every row that leaves a stream
  std::vector<LeavingMatch> matches;  // for the app; with all_matches every match
  Status error;                       // the first of this call; it is counted with its stream too
  void Clear();
};

struct RuleCounts {
  std::string rule;
  rule::RuleStats stats;
};

struct OwnerStats {
  std::vector<graph::StreamStats> streams;  // in the order of the definition
  std::vector<RuleCounts> rules;
  int64_t table_errors = 0;  // rows that a table could not take
  int64_t cascades = 0;      // rows and matches dropped at kMaxCascade
  std::string last_error;
};

struct FlowOptions {
  table::Tables* tables = nullptr;  // null: tables are an error of each row
  // Committed state by the beginning of its keys; null: there is none.
  std::function<std::vector<rule::StatePair>(std::string_view prefix)> stored;
  // Half-matched rules refer to events of a log by number; null: they keep their events by value.
  rule::Resolver resolver;
  // Of keyed_hash in streams: the device's, which never leaves it; empty: it is an error of each
  // row.
  std::string hash_key = {};
  bool all_rows = false;
  bool all_matches = false;
};

class Flow {
 public:
  // Takes up what `stored` has: definitions that come later go on from it, until DropUnclaimed.
  explicit Flow(const FlowOptions& options);
  ~Flow();
  Flow(const Flow&) = delete;
  Flow& operator=(const Flow&) = delete;

  // From the next event on `owner` has this definition, in place of what it had: rules and streams
  // that stay equal go on from their state, which for streams is the one that was committed last;
  // the others start anew. Tables are declared (durably). After an error nothing has changed but
  // for tables.
  Status Use(const std::string& owner, std::shared_ptr<const Definition> definition);
  // The owner's state goes with the next SaveChanges; its tables stay.
  void Remove(const std::string& owner);
  bool Has(std::string_view owner) const;

  // Skips triggers for which `blind` says so, as trigger::Matcher.
  using Blind = std::function<bool(const std::string& owner)>;
  // `arrival_ms` is the wall's time when the event came, `host_ms` the host's monotonic time; the
  // event has its time.
  void OnEvent(const EventPtr& event, int64_t arrival_ms, int64_t host_ms, Effects* out,
               const Blind& blind = nullptr);
  // Rows that a function of `owner` emitted under `source`. kNotFound: no stream has it.
  Status Emit(const std::string& owner, std::string_view source, const event::Row& row,
              int64_t arrival_ms, int64_t host_ms, Effects* out);
  // The clocks go on: windows of idle streams close, but those of owners that are `busy` with rows
  // to come; rules that wait for a time leave; events of the clock come.
  void Advance(int64_t now_ms, int64_t host_ms, Effects* out, const Blind& busy = nullptr);
  // The host's time at which Advance may next close a window of a stream whose idle_ms is less than
  // `below_ms`; INT64_MAX: never, as things stand.
  int64_t next_idle_ms(int64_t below_ms = INT64_MAX) const;
  // The clock's time at which Advance has an event of the clock to give; INT64_MAX: none is waited
  // for.
  int64_t next_tick_ms() const;
  // Whether time alone can change anything: there are streams or rules, or an event of the clock is
  // waited for. Without, Advance does nothing.
  bool keeps_time() const;
  // Event time has come so far, in all streams and rules (a recorded stream has no host's clock).
  void AdvanceEventTime(int64_t time_ms, Effects* out);
  // The end: all windows close.
  void Flush(Effects* out);

  // What changed since the last call, for one commit with the rows that came of the same events.
  void SaveChanges(event::StateWriter& out);
  // Writes to tables since they were last cleared; the committer passes and then clears them.
  table::Batch& batch();
  // All definitions are there: state of others goes with the next SaveChanges.
  void DropUnclaimed();

  // The smallest number of an event that half-matched rules refer to; 0: none.
  uint64_t oldest() const;
  OwnerStats stats(std::string_view owner) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ferry::flow
