#include "device-runtime/task/set/group_flow.h"

#include <algorithm>

#include "common/base/log.h"
#include "common/sys/random.h"
#include "device-runtime/task/durable/kept_outcome.h"
#include "device-runtime/task/durable/kept_run.h"
#include "device-runtime/task/latency.h"
#include "device-runtime/task/runner.h"
#include "pipeline/event/record.h"

namespace ferry::task {

namespace {

constexpr char kHashKey[] = "k/hash";
constexpr size_t kHashKeyBytes = 32;

}  // namespace

GroupFlow::GroupFlow(sys::Clock& clock, store::Outbox* outbox) : clock_(clock), outbox_(outbox) {
  OpenFlow();
  if (!durable()) return;
  for (const auto& [key, text] : outbox_->LoadState(kBegunKey).value_or({})) {
    const auto run = RunOfKey(kBegunKey, key);
    auto start = StartFromText(text);
    if (!run || !start.ok()) {
      changes_.Delete(key);
      continue;
    }
    next_run_ = std::max(next_run_, *run + 1);
    const std::string owner = start->owner;
    left_[owner].emplace_back(*run, std::make_shared<const flow::Start>(std::move(*start)));
  }
  for (const auto& [key, text] : outbox_->LoadState(kOutcomeKey).value_or({})) {
    const auto run = RunOfKey(kOutcomeKey, key);
    auto outcome = OutcomeFromKeptText(text);
    if (!run || !outcome.ok()) {
      changes_.Delete(key);
      continue;
    }
    next_run_ = std::max(next_run_, *run + 1);
    EndedRun ended;
    ended.run = *run;
    const std::string owner = (*outcome)->package;
    ended.outcome = std::move(*outcome);
    kept_[owner].push_back(std::move(ended));
  }
}

// The key of keyed_hash is the device's: made with its first state, and gone with it.
std::string GroupFlow::HashKey() {
  if (durable())
    for (const auto& [key, value] : outbox_->LoadState(kHashKey).value_or({}))
      if (key == kHashKey && value.size() == kHashKeyBytes) return value;
  std::string made(kHashKeyBytes, '\0');
  sys::SystemRandom().Fill({reinterpret_cast<uint8_t*>(made.data()), made.size()});
  if (durable()) changes_.Put(kHashKey, made);
  return made;
}

void GroupFlow::OpenFlow() {
  flow::FlowOptions options;
  options.tables = tables();
  options.hash_key = HashKey();
  if (durable())
    options.stored = [outbox = outbox_](std::string_view prefix) {
      auto pairs = outbox->LoadState(prefix);
      if (!pairs.ok()) LogError("task", "state of streams: {}", pairs.status().ToString());
      return std::move(pairs).value_or({});
    };
  flow_ = std::make_unique<flow::Flow>(options);
}

table::Tables* GroupFlow::tables() {
  if (durable()) return &outbox_->tables();
  if (scratch_ == nullptr) {
    auto opened = store::OpenOutbox(":memory:", sys::SystemRandom());
    if (!opened.ok()) return nullptr;
    scratch_ = std::move(*opened);
  }
  return &scratch_->tables();
}

Status GroupFlow::Use(const std::string& package, PackageRunner& runner) {
  const auto definition = runner.definition();
  if (definition == nullptr) {
    flow_->Remove(package);
    return OkStatus();
  }
  FERRY_TRY(flow_->Use(package, definition));
  Dirty(kMaxHeldStateMs);
  store::Outbox* const store = durable() ? outbox_ : scratch_.get();
  return store == nullptr ? OkStatus() : runner.FillTables(*store);
}

void GroupFlow::Remove(const std::string& package) {
  flow_->Remove(package);
  for (const auto& [run, start] : left_[package]) changes_.Delete(RunKey(kBegunKey, run));
  for (const EndedRun& kept : kept_[package]) changes_.Delete(RunKey(kOutcomeKey, kept.run));
  left_.erase(package);
  kept_.erase(package);
  counts_.erase(package);
  Dirty(kMaxHeldStateMs);
}

std::vector<std::pair<uint64_t, std::shared_ptr<const flow::Start>>> GroupFlow::TakeBegun(
    const std::string& package) {
  const auto found = left_.find(package);
  if (found == left_.end()) return {};
  auto out = std::move(found->second);
  left_.erase(found);
  for (const auto& [run, start] : out) {
    begun_[run] = {start, false, true};
    ++running_;
  }
  return out;
}

std::vector<EndedRun> GroupFlow::TakeKept(const std::string& package) {
  const auto found = kept_.find(package);
  if (found == kept_.end()) return {};
  std::vector<EndedRun> out = std::move(found->second);
  kept_.erase(found);
  return out;
}

bool GroupFlow::Knows(uint64_t number) const {
  if (number == 0 || !durable()) return false;
  if (number <= position_) return true;
  const auto position = outbox_->position();
  return position && number <= *position;
}

void GroupFlow::Dirty(int64_t within_ms) {
  due_ns_ = std::min(due_ns_, clock_.MonotonicNs() + within_ms * kNsPerMs);
}

void GroupFlow::OnEvent(const flow::EventPtr& event, int64_t arrival_ms,
                        const flow::Flow::Blind& blind) {
  flow_->OnEvent(event, arrival_ms, clock_.MonotonicNs() / kNsPerMs, &effects_, blind);
  if (event->number != 0) position_ = event->number;
  if (durable()) Dirty(kMaxHeldStateMs);
  TakeRows(nullptr);
}

void GroupFlow::Advance(const flow::Flow::Blind& busy) {
  flow_->Advance(clock_.NowUnixMs(), clock_.MonotonicNs() / kNsPerMs, &effects_, busy);
  if (durable() && (!effects_.rows.empty() || !effects_.starts.empty())) Dirty(kMaxHeldStateMs);
  TakeRows(nullptr);
}

uint64_t GroupFlow::Begin(std::shared_ptr<const flow::Start> start) {
  const uint64_t run = next_run_++;
  begun_[run] = {std::move(start)};
  ++running_;
  return run;
}

EventOutcome GroupFlow::MarkedRun(const flow::Start& start, const std::string& owner) const {
  if (start.number == 0 || !durable()) return {};
  const auto found = outbox_->FindRun(start.number, owner);
  return found.ok() && *found ? OutcomeFromText(**found) : EventOutcome();
}

void GroupFlow::Note(const std::string& owner, const Status& status) {
  if (!status.ok()) counts_[owner].last_error = status.ToString();
}

// Rows for the tunnel, among those of the run that led to them or of no run.
void GroupFlow::TakeRows(store::TaskRun* records) {
  for (flow::LeavingRow& row : effects_.rows) {
    if (!std::exchange(row.output.upload, false) || !durable()) continue;
    store::TaskRun& to = records != nullptr ? *records : rows_[row.owner];
    to.records.push_back(
        {row.output.stream, row.output.row.time_ms, WriteJson(row.output.row.fields)});
    realtime_ = realtime_ || row.output.realtime;
    Dirty(row.output.realtime ? 0 : kMaxHeldRowsMs);
  }
}

void GroupFlow::ForApp(
    const std::function<std::shared_ptr<const RunningTask>(const std::string&)>& find,
    const std::shared_ptr<Ticket>& ticket) {
  const auto add = [&](const std::string& owner, Json result) {
    EndedRun ended;
    ended.task = find(owner);
    if (ended.task == nullptr) return;
    ended.ticket = ticket;
    if (ticket != nullptr) ticket->RunBegins();
    ended.outcome = std::make_unique<TaskOutcome>();
    ended.outcome->package = owner;
    ended.outcome->version = ended.task->version;
    ended.outcome->release = ended.task->release;
    ended.outcome->outcome.fired = true;
    ended.outcome->outcome.result = std::move(result);
    ended_.push_back(std::move(ended));
    Dirty(kMaxHeldMs);
  };
  for (const flow::LeavingRow& row : effects_.rows)
    if (row.output.app)
      add(row.owner, {{"stream", row.output.stream},
                      {"time_ms", row.output.row.time_ms},
                      {"row", row.output.row.fields}});
  for (const flow::LeavingMatch& match : effects_.matches)
    if (match.app) add(match.owner, flow::MatchToJson(*match.rule, match.match));
  effects_.rows.clear();
  effects_.matches.clear();
  effects_.error = OkStatus();
}

void GroupFlow::End(EndedRun run) {
  EventOutcome& outcome = run.outcome->outcome;
  if (const auto begun = begun_.find(run.run); begun != begun_.end() && !begun->second.ended) {
    begun->second.ended = true;
    --running_;
  }
  const int64_t now_ms = clock_.NowUnixMs();
  for (const EmittedRow& one : outcome.emitted) {
    const Status emitted = flow_->Emit(run.outcome->package, one.source, one.row, now_ms,
                                       clock_.MonotonicNs() / kNsPerMs, &effects_);
    if (outcome.stream_error.ok()) outcome.stream_error = emitted;
  }
  if (outcome.stream_error.ok()) outcome.stream_error = effects_.error;
  Note(run.outcome->package, outcome.stream_error);
  outcome.emitted.clear();
  TakeRows(&run.records);
  quick_ = outcome.latency_ns < kQuickRunMs * kNsPerMs;
  ended_.push_back(std::move(run));
  const bool now = !quick_ || running_ == 0 || ended_.size() >= kMaxHeldRuns ||
                   (ended_.back().outcome->outcome.tables != nullptr);
  Dirty(now ? 0 : kMaxHeldMs);
}

void GroupFlow::Handed(uint64_t run) {
  handed_.push_back(run);
  Dirty(kMaxHeldStateMs);
}

int64_t GroupFlow::due_ns() const {
  return due_ns_;
}

// State of rules, streams and runs, as it is when all that was given has had its effect.
void GroupFlow::CollectState() {
  flow_->SaveChanges(changes_);
  for (const uint64_t run : handed_) changes_.Delete(RunKey(kOutcomeKey, run));
  handed_.clear();
  for (const EndedRun& run : ended_) {
    if (run.run == 0) continue;
    const EventOutcome& outcome = run.outcome->outcome;
    if (outcome.undone) continue;
    changes_.Delete(RunKey(kBegunKey, run.run));
    if (run.outcome->event == 0) continue;
    if (std::string text = TextOfOutcome(*run.outcome); !text.empty())
      changes_.Put(RunKey(kOutcomeKey, run.run), text);
  }
  for (auto& [run, begun] : begun_)
    if (!begun.stored && !begun.ended && begun.start->call == 0)
      changes_.Put(RunKey(kBegunKey, run), TextOfStart(*begun.start));
  for (const EndedRun& run : ended_) {
    const auto begun = begun_.find(run.run);
    if (run.outcome->outcome.undone && run.outcome->call == 0 && begun != begun_.end() &&
        !begun->second.stored)
      changes_.Put(RunKey(kBegunKey, run.run), TextOfStart(*begun->second.start));
  }
}

Status GroupFlow::CommitToOutbox(const std::function<Status(uint64_t)>& make_durable) {
  std::vector<store::TaskRun*> runs;
  std::vector<table::Batch*> tables = {&flow_->batch()};
  for (EndedRun& run : ended_) {
    if (!run.records.records.empty()) runs.push_back(&run.records);
    if (run.outcome->outcome.tables != nullptr) tables.push_back(run.outcome->outcome.tables.get());
  }
  for (auto& [owner, rows] : rows_)
    if (!rows.records.empty()) runs.push_back(&rows);
  std::erase_if(tables, [](const table::Batch* batch) { return batch->empty(); });
  if (!durable()) {
    if (tables.empty()) return OkStatus();
    return scratch_->Commit({.tables = tables, .now_ms = clock_.NowUnixMs()});
  }
  CollectState();
  store::Changes changes;
  changes.runs = runs;
  changes.state = &changes_;
  changes.tables = tables;
  if (position_ != 0) changes.position = position_;
  changes.now_ms = clock_.NowUnixMs();
  if (position_ != 0 && make_durable) FERRY_TRY(make_durable(position_));
  FERRY_TRY(outbox_->Commit(changes).Context("outbox"));
  if (std::exchange(realtime_, false))
    committed_rows_ = Rows::kRealtime;
  else if (!runs.empty() && committed_rows_ == Rows::kNone)
    committed_rows_ = Rows::kQuiet;
  return OkStatus();
}

void GroupFlow::Count(const std::string& owner, const store::TaskRun& run) {
  Counts& counts = counts_[owner];
  const auto all = static_cast<int64_t>(run.records.size());
  const bool none = run.refused.code() == Code::kLimitExceeded && run.refused_records.empty();
  const auto refused = none ? all : static_cast<int64_t>(run.refused_records.size());
  if (run.withheld) return;
  counts.refused += refused;
  counts.uploaded += all - refused;
  if (!run.refused.ok()) counts.last_error = run.refused.ToString();
}

void GroupFlow::Settle(const Status& committed) {
  std::vector<EndedRun> stay;
  for (EndedRun& run : ended_) {
    EventOutcome& outcome = run.outcome->outcome;
    const bool comes_again = run.outcome->event != 0 && run.run != 0;
    if (!committed.ok() && comes_again) {
      stay.push_back(std::move(run));
      continue;
    }
    const Status why = committed.ok() ? run.records.refused : committed;
    if (outcome.stream_error.ok() && !why.ok()) outcome.stream_error = why.Context("outbox");
    if (committed.ok()) Count(run.outcome->package, run.records);
    outcome.tables = nullptr;
    if (!outcome.undone) begun_.erase(run.run);
    if (run.committed) run.committed();
    committed_.push_back(std::move(run));
  }
  ended_ = std::move(stay);
  if (!committed.ok()) return;
  for (const auto& [owner, rows] : rows_) Count(owner, rows);
  rows_.clear();
  changes_.Clear();
  flow_->batch().Clear();
  for (auto& [run, begun] : begun_) begun.stored = durable();
}

Result<store::ErasedCounts> GroupFlow::Erase(uint64_t position) {
  store::Outbox* const outbox = durable() ? outbox_ : scratch_.get();
  store::ErasedCounts erased;
  if (outbox != nullptr) {
    FERRY_ASSIGN_OR_RETURN(erased, outbox->Erase(position));
  }
  begun_.clear();
  left_.clear();
  kept_.clear();
  running_ = 0;
  ended_.clear();
  committed_.clear();
  rows_.clear();
  handed_.clear();
  changes_.Clear();
  effects_ = {};
  position_ = std::max(position_, position);
  realtime_ = false;
  committed_rows_ = Rows::kNone;
  for (auto& [owner, counts] : counts_) counts.last_error.clear();
  flow_ = nullptr;
  OpenFlow();
  Dirty(kMaxHeldStateMs);
  return erased;
}

Status GroupFlow::Commit(const std::function<Status(uint64_t)>& make_durable) {
  due_ns_ = INT64_MAX;
  Status status = CommitToOutbox(make_durable);
  if (status.code() == Code::kLimitExceeded) {
    // Tables are full: their changes are lost, and said so, rather than all that comes after them.
    for (EndedRun& run : ended_) {
      if (run.outcome->outcome.tables == nullptr) continue;
      run.outcome->outcome.tables = nullptr;
      if (run.outcome->outcome.stream_error.ok()) run.outcome->outcome.stream_error = status;
    }
    if (!flow_->batch().empty())
      LogWarn("task", "rows of streams for tables: {}", status.ToString());
    flow_->batch().Clear();
    status = CommitToOutbox(make_durable);
  }
  if (!status.ok()) LogWarn("task", "{} runs: {}", ended_.size(), status.ToString());
  Settle(status);
  if (!status.ok()) Dirty(kCommitRetryMs);
  return status;
}

void GroupFlow::AddStats(const std::string& package, HostStats* out) const {
  AddFlowStats(flow_->stats(package), out);
  const auto counts = counts_.find(package);
  if (counts == counts_.end()) return;
  out->rows_uploaded += counts->second.uploaded;
  out->rows_refused += counts->second.refused;
  if (!counts->second.last_error.empty()) out->last_error = counts->second.last_error;
}

}  // namespace ferry::task
