#include "tools/ferry/stream/run/stream_run.h"

#include <ctime>

#include "common/base/json.h"
#include "common/sys/clock.h"
#include "common/sys/random.h"
#include "pipeline/event/record.h"
#include "tools/ferry/progress.h"
#include "tools/ferry/stream/run/event_line.h"
#include "tools/ferry/stream/run/output_line.h"

namespace ferry::cli {
namespace {

// The log keeps what half-matched rules need, however old; beyond that as much as is good for
// `record` and `explain`.
constexpr uint64_t kLogBytes = 256 << 20, kSegmentBytes = 16 << 20;
constexpr uint64_t kMostLogBytes = uint64_t{64} << 30;
constexpr size_t kMaxWaitingLogBytes = 64 << 20;
constexpr uint64_t kRetainEveryBytes = 16 << 20;  // of lines
constexpr size_t kRunWriteBytes = 1 << 20;        // of the output at once
constexpr uint64_t kRunShowEvery = 4096;          // lines

double RunSeconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

bool IsBlankLine(std::string_view text) {
  return text.find_first_not_of(" \t\r") == text.npos;
}

}  // namespace

Result<std::unique_ptr<StreamRun>> StreamRun::Open(
    const StreamRunOptions& options, std::shared_ptr<const flow::Definition> definition) {
  FERRY_TRY(sys::SystemFileSystem().MakeDirectories(options.state));
  FERRY_ASSIGN_OR_RETURN(FolderLock lock, FolderLock::Take(options.state));
  FERRY_ASSIGN_OR_RETURN(LineReader reader, LineReader::Open(options.events));
  std::unique_ptr<StreamRun> run(new StreamRun(options, std::move(lock), std::move(reader)));
  FERRY_TRY(run->OpenParts(std::move(definition)));
  FERRY_TRY(run->FindPlace().Context("{}", options.events));
  return run;
}

Status StreamRun::OpenParts(std::shared_ptr<const flow::Definition> definition) {
  sys::FileSystem& fs = sys::SystemFileSystem();
  FERRY_ASSIGN_OR_RETURN(
      outbox_, store::OpenOutbox(sys::JoinPath(options_.state, kOutboxFile), sys::SystemRandom()));
  outbox_before_ = outbox_->stats();
  FERRY_ASSIGN_OR_RETURN(const auto position, outbox_->OpenLog(store::kEventLog));
  FERRY_ASSIGN_OR_RETURN(const auto pairs, outbox_->LoadState(kRunStateKey));
  if (!pairs.empty()) {
    auto read = ReadRunState(pairs[0].second).Context("the state in {}", options_.state);
    FERRY_ASSIGN_OR_RETURN(state_, std::move(read));
  }
  log::LogOptions log;
  log.directory = sys::JoinPath(options_.state, kEventsFolder);
  log.segment_bytes = kSegmentBytes;
  log.max_waiting_bytes = kMaxWaitingLogBytes;
  log.max_bytes = kLogBytes;
  log.hard_max_bytes = kMostLogBytes;
  log.max_age_ms = 0;
  log.next_at_least = position.value_or(0) + 1;
  FERRY_ASSIGN_OR_RETURN(log_, log::Log::Open(fs, sys::SystemClock(), sys::SystemRandom(), log));
  // Lines behind the last commit are in the log already; they are taken again under new numbers.
  state_.NumberNext(log_->next());
  last_number_ = log_->durable();
  log_events_ = std::make_unique<LogEvents>(*log_);
  flow::FlowOptions options;
  options.tables = &outbox_->tables();
  options.stored = [this](std::string_view prefix) {
    return outbox_->LoadState(prefix).value_or({});
  };
  options.resolver = [this](uint64_t number) { return log_events_->Find(number); };
  options.all_rows = options.all_matches = true;
  flow_ = std::make_unique<flow::Flow>(options);
  FERRY_TRY(flow_->Use("", std::move(definition)));
  flow_->DropUnclaimed();
  FERRY_ASSIGN_OR_RETURN(out_, OutFile::Open(fs, options_.out, state_.out_bytes, state_.out_tail));
  return OkStatus();
}

Status StreamRun::FindPlace() {
  if (!state_.files.empty()) {
    reader_.Keep();
    FERRY_ASSIGN_OR_RETURN(const Continuation found, FindContinuation(state_, &reader_));
    FERRY_TRY(reader_.Rewind());
    counts_.skipped = found.skip;
    FERRY_TRY(SkipLines(found.skip, &reader_, &hash_));
    if (found.all) state_.files = {{state_.lines, ""}};
    if (found.all || found.last) return OkStatus();
  }
  state_.files.push_back({0, ""});
  return OkStatus();
}

Status StreamRun::Run() {
  const double began_s = RunSeconds();
  Progress progress("taking events");
  Line line;
  while (true) {
    FERRY_ASSIGN_OR_RETURN(const bool more, reader_.Next(&line));
    if (!more) break;
    const uint64_t group = state_.bytes / kCommitBytes;
    FERRY_TRY(TakeLine(line));
    if (text_.size() >= kRunWriteBytes) {
      FERRY_TRY(out_->Write(text_));
      text_.clear();
    }
    if (state_.bytes / kCommitBytes != group || record_bytes_ > kCommitRecordBytes)
      FERRY_TRY(Commit());
    if (state_.lines % kRunShowEvery == 0) progress.Say(fmt::format("{} lines", state_.lines));
  }
  if (options_.flush) {
    effects_.Clear();
    flow_->Flush(&effects_);
    FERRY_TRY(WriteEffects());
  }
  FERRY_TRY(Commit());
  counts_.processor_s = RunSeconds() - began_s;
  return OkStatus();
}

Status StreamRun::TakeLine(const Line& line) {
  hash_.Add(line);
  ++state_.files.back().lines;
  const uint64_t bytes = line.bytes + 1;
  auto event = std::make_shared<event::Event>();
  bool timed = false;
  Status parsed;
  if (!IsBlankLine(line.text)) {
    parsed = ParseEventLine(line.text, event.get(), &timed);
    if (!parsed.ok()) Drop(parsed);
  }
  if (parsed.ok() && !event->id.empty()) {
    FERRY_TRY(TakeEvent(std::move(event), timed));
  } else {
    // A line that is no event keeps its place in the log, so that lines and numbers go together.
    event::Event nothing;
    FERRY_TRY(Append(nothing));
  }
  ++state_.lines;
  state_.bytes += bytes;
  return OkStatus();
}

Status StreamRun::Append(const event::Event& event) {
  const int64_t arrival_ms = state_.latest_ms == kNoTimeYet ? 0 : state_.latest_ms;
  FERRY_ASSIGN_OR_RETURN(last_number_, log_->Append(event, arrival_ms));
  return OkStatus();
}

Status StreamRun::TakeEvent(std::shared_ptr<event::Event> event, bool timed) {
  FERRY_ASSIGN_OR_RETURN(
      const bool future,
      DateEvent(timed, state_.latest_ms, options_.max_ahead_ms, &reader_, event.get()));
  counts_.future += future ? 1 : 0;
  state_.latest_ms = std::max(state_.latest_ms, event->time_ms);
  event->number = state_.NumberOf(state_.lines);
  if (Status appended = Append(*event); !appended.ok()) {
    // One that is too large alone; what else the log says is about the disk.
    if (appended.code() != Code::kLimitExceeded) return appended;
    Drop(appended);
    return Append(event::Event());
  }
  ++counts_.events;
  effects_.Clear();
  const int64_t now_ms = state_.latest_ms;
  if (flow_->next_tick_ms() <= now_ms) flow_->Advance(now_ms, 0, &effects_);
  flow_->OnEvent(event, now_ms, 0, &effects_);
  return WriteEffects();
}

void StreamRun::Drop(const Status& why) {
  ++counts_.drops;
  AppendDrop(state_.lines, why, &text_);
}

Status StreamRun::WriteEffects() {
  const LineOf line_of = [this](uint64_t number) { return state_.LineOf(number); };
  if (!effects_.rows.empty() || !effects_.matches.empty())
    ForEachEffect(
        effects_, [this](const flow::LeavingRow& row) { TakeRow(row); },
        [&](const flow::LeavingMatch& match) {
          ++counts_.matches;
          AppendMatch(match, line_of, &text_);
        });
  if (!effects_.error.ok()) Drop(effects_.error);
  return OkStatus();
}

void StreamRun::TakeRow(const flow::LeavingRow& row) {
  std::string json = WriteJson(row.output.row.fields);
  ++counts_.rows;
  AppendRow(row, json, &text_);
  if (!row.output.upload) return;
  const uint64_t bytes = row.output.stream.size() + json.size();
  Status fits = event::CheckRecord(row.output.stream, json);
  const store::OutboxOptions limits;
  if (fits.ok() &&
      (outbox_before_.waiting + static_cast<int64_t>(records_.size()) >= limits.max_records ||
       outbox_before_.waiting_bytes + static_cast<int64_t>(record_bytes_ + bytes) >
           limits.max_bytes))
    fits = Status::Of(Code::kLimitExceeded, "the outbox is full: {} records wait",
                      outbox_before_.waiting + static_cast<int64_t>(records_.size()));
  if (!fits.ok()) {
    Drop(fits.Context("stream {}", row.output.stream));
    return;
  }
  record_bytes_ += bytes;
  records_.push_back({row.output.stream, row.output.row.time_ms, std::move(json)});
}

Status StreamRun::Commit() {
  FERRY_TRY(log_->WaitDurable(last_number_));
  FERRY_TRY(out_->Write(text_));
  text_.clear();
  FERRY_TRY(out_->Sync());
  state_.files.back().sha256 = hash_.Current();
  state_.out_bytes = out_->bytes();
  state_.out_tail = out_->Tail();
  store::StateChanges changes;
  flow_->SaveChanges(changes);
  changes.Put(kRunStateKey, WriteRunState(state_));
  store::TaskRun run;
  run.records = std::move(records_);
  counts_.uploads += run.records.size();
  store::TaskRun* const runs[] = {&run};
  table::Batch* const tables[] = {&flow_->batch()};
  FERRY_TRY(outbox_->Commit({.runs = runs,
                             .state = &changes,
                             .tables = tables,
                             .position = last_number_,
                             .now_ms = std::max<int64_t>(state_.latest_ms, 0)}));
  FERRY_TRY(run.refused.Context("outbox"));
  flow_->batch().Clear();
  records_.clear();
  record_bytes_ = 0;
  outbox_before_ = outbox_->stats();
  if (state_.bytes % kRetainEveryBytes >= kCommitBytes) return OkStatus();
  const uint64_t oldest = flow_->oldest();
  return log_->Retain(state_.latest_ms, oldest == 0 ? log_->next() : oldest);
}

}  // namespace ferry::cli
