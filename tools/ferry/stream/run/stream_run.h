// Recorded events through rules and streams, with a state that outlives a kill at any moment: what
// `ferry stream run` does.
//
// Order of each commit: the log of events, the output, then one transaction with the state, the
// tables, the records for the cloud and how much of input and output counts. After a kill the
// output is cut back to the last commit and the lines behind it are taken again.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/flow/flow.h"
#include "tools/ferry/stream/run/event_times.h"
#include "tools/ferry/stream/run/line_reader.h"
#include "tools/ferry/stream/run/log_events.h"
#include "tools/ferry/stream/run/out_file.h"
#include "tools/ferry/stream/run/run_state.h"
#include "tools/ferry/stream/run/state_folder.h"

namespace ferry::cli {

// A commit is due whenever so many bytes of lines have been taken in all, wherever a run began: the
// same events are committed in the same groups.
inline constexpr uint64_t kCommitBytes = 4 << 20;
inline constexpr uint64_t kCommitRecordBytes = 8 << 20;  // or when so much waits for the outbox

struct StreamRunOptions {
  std::string events;  // a file, or "-"
  std::string state;   // the directory
  std::string out;     // a file
  bool flush = false;
  int64_t max_ahead_ms = kDefaultRunAheadMs;
};

struct StreamRunCounts {
  uint64_t events = 0, matches = 0, rows = 0, drops = 0;
  uint64_t skipped = 0;  // lines that were taken before
  uint64_t future = 0;   // events dated far ahead
  uint64_t uploads = 0;  // records for the cloud
  double processor_s = 0;
};

class StreamRun {
 public:
  // Opens or makes the directory, finds where to go on. Errors: those of the outbox and the log,
  // kFailedPrecondition when the directory is in use.
  static Result<std::unique_ptr<StreamRun>> Open(
      const StreamRunOptions& options, std::shared_ptr<const flow::Definition> definition);
  // Takes all events. After an error what was committed stays, and another run goes on from it.
  Status Run();

  const StreamRunCounts& counts() const { return counts_; }
  const RunState& state() const { return state_; }
  flow::OwnerStats stats() const { return flow_->stats(""); }
  log::LogStats log_stats() const { return log_->stats(); }
  store::OutboxStats outbox_stats() const { return outbox_->stats(); }

 private:
  StreamRun(const StreamRunOptions& options, FolderLock lock, LineReader reader)
      : options_(options), lock_(std::move(lock)), reader_(std::move(reader)) {}

  Status OpenParts(std::shared_ptr<const flow::Definition> definition);
  Status FindPlace();
  Status TakeLine(const Line& line);
  Status TakeEvent(std::shared_ptr<event::Event> event, bool timed);
  void Drop(const Status& why);
  Status Append(const event::Event& event);
  Status WriteEffects();
  void TakeRow(const flow::LeavingRow& row);
  Status Commit();

  const StreamRunOptions options_;
  FolderLock lock_;
  LineReader reader_;
  std::unique_ptr<log::Log> log_;
  std::unique_ptr<store::Outbox> outbox_;
  std::unique_ptr<LogEvents> log_events_;
  std::unique_ptr<flow::Flow> flow_;
  std::optional<OutFile> out_;
  RunState state_;
  LineHash hash_;  // of the last of state_.files
  StreamRunCounts counts_;
  flow::Effects effects_;
  std::string text_;  // of the output, not yet in the file
  std::vector<store::Record> records_;
  store::OutboxStats outbox_before_;  // when records_ was empty
  uint64_t record_bytes_ = 0;
  uint64_t last_number_ = 0;  // of the log
};

}  // namespace ferry::cli
