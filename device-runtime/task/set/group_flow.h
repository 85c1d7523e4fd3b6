// The rules, streams and tables of a group's tasks, and what its outbox keeps of them: one commit
// takes what events and runs left behind, the state that they led to, and the position in the log
// of events, so that after a kill each event has had its effect once. Begun runs are state too, so
// that the position needs not wait for them. Guarded by the set's mutex.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "common/sys/clock.h"
#include "device-runtime/task/outcome.h"
#include "device-runtime/task/set/ticket.h"
#include "device-runtime/task/task_set.h"
#include "pipeline/flow/flow.h"
#include "pipeline/store/outbox.h"

namespace ferry::task {

// Nobody hears of a run before it is durable; runs that end soon after one another share a commit.
inline constexpr size_t kMaxHeldRuns = 256;
inline constexpr int64_t kMaxHeldMs = 20;  // from the end of the first
inline constexpr int64_t kQuickRunMs = 5;  // after a longer run nothing is held: so may the next be
inline constexpr int64_t kMaxHeldRowsMs = 50;     // of rows that belong to no run
inline constexpr int64_t kMaxHeldStateMs = 1000;  // of state alone, which the log can give again
inline constexpr int64_t kCommitRetryMs = 1000;   // after the disk refused

// A start on its way to a lane, until it is committed.
struct BegunRun {
  std::shared_ptr<const flow::Start> start;
  bool ended = false;
  bool stored = false;  // is in the committed state
};

// A run that ended, or what goes to the app without one.
struct EndedRun {
  uint64_t run = 0;  // of BegunRun; 0: nothing was begun
  std::shared_ptr<const RunningTask> task;
  std::shared_ptr<Ticket> ticket;  // may be null
  std::unique_ptr<TaskOutcome> outcome;
  std::function<void()> committed;  // told after the commit; may be empty
  store::TaskRun records;           // its rows for the tunnel
};

class GroupFlow {
 public:
  enum class Rows { kNone, kQuiet, kRealtime };

  // `outbox` null: nothing is durable.
  GroupFlow(sys::Clock& clock, store::Outbox* outbox);

  // ---- definitions
  Status Use(const std::string& package, PackageRunner& runner);
  void Remove(const std::string& package);
  // Begun runs of the package that a killed process left, with their numbers here; once.
  std::vector<std::pair<uint64_t, std::shared_ptr<const flow::Start>>> TakeBegun(
      const std::string& package);
  // Outcomes that a killed process had committed and not handed on; once.
  std::vector<EndedRun> TakeKept(const std::string& package);

  // ---- events. What is to run is in starts(), what goes to the app in Ended ones, until taken.
  // Whether the event had its effect before the process was killed.
  bool Knows(uint64_t number) const;
  void OnEvent(const flow::EventPtr& event, int64_t arrival_ms, const flow::Flow::Blind& blind);
  void Advance(const flow::Flow::Blind& busy);
  uint64_t Begin(std::shared_ptr<const flow::Start> start);
  // What was kept of this start's run by a version of Ferry that marked runs, for the event that it
  // gets again; `owner` as that version named it. Not fired: it did not run.
  EventOutcome MarkedRun(const flow::Start& start, const std::string& owner) const;
  // Brings its rows into streams.
  void End(EndedRun run);
  std::vector<flow::Start> TakeStarts() { return std::exchange(effects_.starts, {}); }
  // Rows and matches for the app, of what happened since; `find` gives the package's task.
  void ForApp(const std::function<std::shared_ptr<const RunningTask>(const std::string&)>& find,
              const std::shared_ptr<Ticket>& ticket);

  // As Flow::next_idle_ms.
  int64_t next_idle_ms(int64_t below_ms) const { return flow_->next_idle_ms(below_ms); }

  // ---- commits
  int64_t due_ns() const;  // when to commit; INT64_MAX: there is nothing
  // After an error all stays for the next time, but for runs of no event of a log: they are handed
  // on with the error. `durable` makes the log's events up to a number durable; may be empty.
  Status Commit(const std::function<Status(uint64_t)>& durable);
  // What was committed and is to be handed on, in order.
  std::vector<EndedRun> TakeCommitted() { return std::exchange(committed_, {}); }
  // The outcome of this run reached the app.
  void Handed(uint64_t run);

  // As if nothing had ever happened: what the outbox has and what is in memory goes. Owners are to
  // be used again. After an error nothing has changed in memory.
  Result<store::ErasedCounts> Erase(uint64_t position);
  // Nothing is committed any more: who waits for that waits no longer.
  void Abandon() { ended_.clear(); }

  size_t running() const { return running_; }
  bool has_work() const { return running_ > 0 || !ended_.empty() || !committed_.empty(); }
  uint64_t oldest() const { return flow_->oldest(); }
  // Whether rows for the tunnel were committed since this was asked last, and which.
  Rows TakeRows() { return std::exchange(committed_rows_, Rows::kNone); }
  // Whether time alone can change anything.
  bool keeps_time() const { return flow_->keeps_time(); }
  void AddStats(const std::string& package, HostStats* out) const;
  table::Tables* tables();

 private:
  struct Counts {
    int64_t uploaded = 0, refused = 0;
    std::string last_error;
  };
  void OpenFlow();
  std::string HashKey();
  void TakeRows(store::TaskRun* records);
  void Note(const std::string& owner, const Status& status);
  void Dirty(int64_t within_ms);
  void CollectState();
  Status CommitToOutbox(const std::function<Status(uint64_t)>& durable);
  void Settle(const Status& committed);
  void Count(const std::string& owner, const store::TaskRun& run);
  bool durable() const { return outbox_ != nullptr; }

  sys::Clock& clock_;
  store::Outbox* const outbox_;
  std::unique_ptr<store::Outbox> scratch_;  // of tables where there is no outbox
  std::unique_ptr<flow::Flow> flow_;
  flow::Effects effects_;
  std::map<uint64_t, BegunRun> begun_;
  std::map<std::string, std::vector<std::pair<uint64_t, std::shared_ptr<const flow::Start>>>> left_;
  std::map<std::string, std::vector<EndedRun>> kept_;
  uint64_t next_run_ = 1;
  size_t running_ = 0;
  std::vector<EndedRun> ended_, committed_;
  std::map<std::string, store::TaskRun> rows_;  // of no run, by owner
  std::vector<uint64_t> handed_;
  store::StateChanges changes_;  // not yet committed
  uint64_t position_ = 0;        // of the log: the last event that was given
  bool quick_ = true;            // the last run was
  bool realtime_ = false;        // of rows that are not committed yet
  Rows committed_rows_ = Rows::kNone;
  int64_t due_ns_ = INT64_MAX;
  std::map<std::string, Counts, std::less<>> counts_;
};

}  // namespace ferry::task
