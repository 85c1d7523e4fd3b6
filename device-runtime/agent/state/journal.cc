#include "device-runtime/agent/state/journal.h"

#include <algorithm>

#include "common/base/errors.h"
#include "common/base/json.h"
#include "common/proto/envelope.h"

namespace ferry::agent {
namespace {

constexpr std::string_view kStepNames[] = {
    "",       "woken",       "pulled",      "verified", "installed", "probed",  "confirmed",
    "failed", "rolled_back", "task_failed", "healthy",  "measured",  "waiting", "observing"};

constexpr const char* kKindNames[kCountedKinds] = {"full", "delta", "exclusive", "personal"};

// What a program of before does not know, and would take for damage.
bool IsKept(const Report& report) {
  return report.step != Step::kMeasured && report.step != Step::kObserving;
}

Json BytesJson(const uint64_t (&bytes)[kCountedKinds]) {
  Json json = Json::object();
  for (int kind = 0; kind < kCountedKinds; ++kind) json[kKindNames[kind]] = bytes[kind];
  return json;
}

Json ToJson(const Report& r) {
  return {{"seq", r.seq},
          {"step", static_cast<int>(r.step)},
          {"release", r.release},
          {"epoch", r.epoch},
          {"package", r.package},
          {"version", r.version},
          {"error_code", r.error_code},
          {"error_text", r.error_text},
          {"time_ms", r.time_ms},
          {"bytes_pulled", r.bytes_pulled},
          {"was_delta", r.was_delta},
          {"by_push", r.by_push},
          {"previous_version", r.previous_version}};
}

Result<Report> ReportFromJson(const Json& json) {
  Report r;
  FERRY_ASSIGN_OR_RETURN(const int64_t seq, GetInt(json, "seq"));
  r.seq = static_cast<uint64_t>(seq);
  FERRY_ASSIGN_OR_RETURN(const int64_t step, GetInt(json, "step"));
  if (step < 1 || step > static_cast<int>(Step::kWaiting)) {
    return Status::Of(Code::kMalformed, "step {} is unknown", step);
  }
  r.step = static_cast<Step>(step);
  FERRY_ASSIGN_OR_RETURN(r.release, GetString(json, "release"));
  FERRY_ASSIGN_OR_RETURN(r.epoch, GetInt(json, "epoch"));
  FERRY_ASSIGN_OR_RETURN(r.package, GetString(json, "package"));
  FERRY_ASSIGN_OR_RETURN(r.version, GetString(json, "version"));
  FERRY_ASSIGN_OR_RETURN(const int64_t code, GetInt(json, "error_code"));
  r.error_code = static_cast<int>(code);
  FERRY_ASSIGN_OR_RETURN(r.error_text, GetString(json, "error_text"));
  FERRY_ASSIGN_OR_RETURN(r.time_ms, GetInt(json, "time_ms"));
  FERRY_ASSIGN_OR_RETURN(const int64_t bytes, GetInt(json, "bytes_pulled"));
  r.bytes_pulled = static_cast<uint64_t>(bytes);
  FERRY_ASSIGN_OR_RETURN(r.was_delta, GetBool(json, "was_delta"));
  FERRY_ASSIGN_OR_RETURN(r.by_push, GetBool(json, "by_push"));
  FERRY_ASSIGN_OR_RETURN(r.previous_version, GetString(json, "previous_version"));
  return r;
}

Json TimelineEntry(const Report& r) {
  Json entry = {{"time_ms", r.time_ms}, {"step", NameOf(r.step)}, {"package", r.package},
                {"version", r.version}, {"release", r.release},   {"epoch", r.epoch}};
  if (r.error_code != 0) {
    entry["error"] = InfoOf(static_cast<Code>(r.error_code)).name;
    entry["error_text"] = r.error_text;
  }
  if (r.step == Step::kPulled) {
    entry["bytes"] = r.bytes_pulled;
    entry["delta"] = r.was_delta;
    entry["push"] = r.by_push;
  }
  return entry;
}

Json TaskToJson(const TaskRecord& task) {
  return {{"release", task.release}, {"failed", task.failed}, {"healthy", task.healthy}};
}

Result<TaskRecord> TaskFromJson(const Json& json) {
  TaskRecord task;
  FERRY_ASSIGN_OR_RETURN(task.release, GetString(json, "release"));
  FERRY_ASSIGN_OR_RETURN(task.failed, GetBool(json, "failed"));
  FERRY_ASSIGN_OR_RETURN(task.healthy, GetBool(json, "healthy"));
  return task;
}

Json StatusOf(const Outcome& outcome) {
  Json row = {{"state", trust::NameOf(outcome.state)},
              {"version", outcome.version},
              {"release", outcome.release},
              {"attempt", outcome.attempt},
              {"back", outcome.back},
              {"outcome", NameOf(outcome.progress)}};
  row["error"] = outcome.error_code == 0
                     ? Json()
                     : Json{{"code", outcome.error_code},
                            {"name", InfoOf(static_cast<Code>(outcome.error_code)).name},
                            {"text", outcome.error_text}};
  return row;
}

}  // namespace

struct Journal::Notes {
  std::deque<Json> timeline;
  std::deque<Json> versions;
  Json last_error;
};

Journal::Journal(sys::FileSystem& fs, std::string path)
    : fs_(&fs), path_(std::move(path)), file_(fs, path_), notes_(std::make_unique<Notes>()) {}
Journal::Journal(Journal&&) noexcept = default;
Journal::~Journal() = default;

std::string_view NameOf(Step step) {
  return kStepNames[static_cast<int>(step)];
}

Result<Journal> Journal::Open(sys::FileSystem& fs, const std::string& directory) {
  Journal journal(fs, sys::JoinPath(directory, kJournalFile));
  const auto load = [](Journal& into, ByteView body) -> Status {
    FERRY_ASSIGN_OR_RETURN(const Json json, ParseJson(AsText(body)));
    return into.Load(json);
  };
  const auto body = journal.file_.Read(kMaxJsonBytes, [&](ByteView candidate) {
    Journal scratch(fs, journal.path_);
    return load(scratch, candidate);
  });
  if (body.code() == Code::kNotFound) return journal;
  if (body.code() == Code::kCorruptContent) {
    journal.lost_ = true;
    return journal;
  }
  if (!body.ok()) return body.status();
  FERRY_TRY(load(journal, *body));
  return journal;
}

Status Journal::Heal() {
  if (lost_) FERRY_TRY(file_.SetAside());
  if (file_.whole() || (!lost_ && !TwinExists(*fs_, path_))) return OkStatus();
  FERRY_TRY(Save());
  lost_ = false;
  return OkStatus();
}

Status Journal::Load(const Json& json) {
  FERRY_ASSIGN_OR_RETURN(const int64_t next, GetInt(json, "next_seq"));
  next_seq_ = static_cast<uint64_t>(next);
  FERRY_ASSIGN_OR_RETURN(finished_epoch_, GetInt(json, "finished_epoch"));
  FERRY_ASSIGN_OR_RETURN(finished_director_root_, GetIntOr(json, "finished_director_root", 0));
  FERRY_ASSIGN_OR_RETURN(const Json* reports, GetArray(json, "reports"));
  for (const Json& item : *reports) {
    FERRY_ASSIGN_OR_RETURN(Report report, ReportFromJson(item));
    waiting_.push_back(std::move(report));
  }
  FERRY_ASSIGN_OR_RETURN(const Json* timeline, GetArray(json, "timeline"));
  for (const Json& item : *timeline) notes_->timeline.push_back(item);
  FERRY_ASSIGN_OR_RETURN(const Json* tasks, GetObject(json, "tasks"));
  for (const auto& [package, item] : tasks->items()) {
    FERRY_ASSIGN_OR_RETURN(tasks_[package], TaskFromJson(item));
  }
  FERRY_ASSIGN_OR_RETURN(const Json* observed, GetObjectOrNull(json, "observed"));
  if (observed != nullptr) {
    for (const auto& [package, item] : observed->items()) {
      FERRY_ASSIGN_OR_RETURN(observed_[package], TaskFromJson(item));
    }
  }
  FERRY_ASSIGN_OR_RETURN(const Json* versions, GetArray(json, "versions"));
  for (const Json& item : *versions) notes_->versions.push_back(item);
  FERRY_ASSIGN_OR_RETURN(const Json* bytes, GetObject(json, "bytes"));
  for (int kind = 0; kind < kCountedKinds; ++kind) {
    FERRY_ASSIGN_OR_RETURN(const int64_t count, GetIntOr(*bytes, kKindNames[kind], 0));
    bytes_[kind] = static_cast<uint64_t>(count);
  }
  FERRY_ASSIGN_OR_RETURN(const int64_t dropped, GetIntOr(json, "reports_dropped", 0));
  dropped_ = static_cast<uint64_t>(dropped);
  FERRY_ASSIGN_OR_RETURN(failed_epoch_, GetInt(json, "failed_epoch"));
  FERRY_ASSIGN_OR_RETURN(const int64_t code, GetInt(json, "failed_code"));
  failed_code_ = static_cast<int>(code);
  FERRY_ASSIGN_OR_RETURN(const Json* error, GetObjectOrNull(json, "last_error"));
  if (error != nullptr) notes_->last_error = *error;
  FERRY_ASSIGN_OR_RETURN(const Json* floor, GetObjectOrNull(json, "trust"));
  if (floor != nullptr) {
    FERRY_ASSIGN_OR_RETURN(trust_floor_, TrustFloorFromJson(*floor));
  }
  FERRY_ASSIGN_OR_RETURN(desired_epoch_, GetIntOr(json, "desired_epoch", 0));
  FERRY_ASSIGN_OR_RETURN(personal_version_, GetIntOr(json, "personal_version", 0));
  FERRY_ASSIGN_OR_RETURN(const Json* outcomes, GetObjectOrNull(json, "outcomes"));
  if (outcomes != nullptr) {
    for (const auto& [package, item] : outcomes->items()) {
      FERRY_ASSIGN_OR_RETURN(outcomes_[package], OutcomeFromJson(item));
    }
  }
  FERRY_ASSIGN_OR_RETURN(const std::string start, GetStringOr(json, "start_id", ""));
  FERRY_ASSIGN_OR_RETURN(start_ids_.now, FromHex(start));
  return OkStatus();
}

void Journal::NumberFrom(int64_t now_ms) {
  next_seq_ = std::max(next_seq_, static_cast<uint64_t>(std::max<int64_t>(1, now_ms)));
}

Status Journal::Save() {
  std::string text = Text();
  // What could not be read back would keep the device from starting.
  while (text.size() > kMaxJsonBytes && waiting_.size() > 1) {
    const size_t gone = (waiting_.size() + 3) / 4;
    waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<ptrdiff_t>(gone));
    dropped_ += gone;
    text = Text();
  }
  const Status written = file_.Write(AsBytes(text));
  unsaved_ = !written.ok();
  return written;
}

Status Journal::SaveAgain() {
  return unsaved_ ? Save() : OkStatus();
}

std::string Journal::Text() const {
  Json reports = Json::array();
  for (const Report& report : waiting_)
    if (IsKept(report)) reports.push_back(ToJson(report));
  Json tasks = Json::object();
  for (const auto& [package, task] : tasks_) tasks[package] = TaskToJson(task);
  Json json = {{"next_seq", next_seq_},         {"finished_epoch", finished_epoch_},
               {"reports", std::move(reports)}, {"timeline", notes_->timeline},
               {"tasks", std::move(tasks)},     {"versions", notes_->versions},
               {"bytes", BytesJson(bytes_)},    {"reports_dropped", dropped_},
               {"failed_epoch", failed_epoch_}, {"failed_code", failed_code_}};
  if (!observed_.empty()) {
    Json observed = Json::object();
    for (const auto& [package, task] : observed_) observed[package] = TaskToJson(task);
    json["observed"] = std::move(observed);
  }
  json["finished_director_root"] = finished_director_root_;
  json["trust"] = ToJson(trust_floor_);
  json["desired_epoch"] = desired_epoch_;
  if (personal_version_ != 0) json["personal_version"] = personal_version_;
  Json outcomes = Json::object();
  for (const auto& [package, outcome] : outcomes_) outcomes[package] = ToJson(outcome);
  json["outcomes"] = std::move(outcomes);
  json["start_id"] = ToHex(start_ids_.now);
  if (!notes_->last_error.is_null()) json["last_error"] = notes_->last_error;
  return WriteJson(json);
}

Status Journal::Add(Report report) {
  report.seq = next_seq_++;
  report.error_text = proto::CutText(report.error_text);
  if (report.error_code != 0) {
    NoteError(Status(static_cast<Code>(report.error_code), report.error_text), report.time_ms);
    if (report.step == Step::kFailed) {
      failed_epoch_ = report.epoch;
      failed_code_ = report.error_code;
    }
  }
  if (IsKept(report)) notes_->timeline.push_back(TimelineEntry(report));
  if (notes_->timeline.size() > kMaxTimeline) notes_->timeline.pop_front();
  waiting_.push_back(std::move(report));
  if (waiting_.size() > kMaxQueuedReports) {
    waiting_.pop_front();
    ++dropped_;
  }
  return Save();
}

void Journal::BeginStart(sys::Random& random) {
  start_ids_.before = std::move(start_ids_.now);
  start_ids_.now.resize(kStartIdBytes);
  random.Fill(start_ids_.now);
}

Result<bool> Journal::Acknowledge(uint64_t seq) {
  if (seq >= next_seq_ && seq < kMaxReportSeq) {
    next_seq_ = seq + 1;
    for (Report& report : waiting_) report.seq = next_seq_++;
    FERRY_TRY(Save());
    return !waiting_.empty();
  }
  if (waiting_.empty() || waiting_.front().seq > seq) return false;
  while (!waiting_.empty() && waiting_.front().seq <= seq) waiting_.pop_front();
  FERRY_TRY(Save());
  return false;
}

Status Journal::Finish(int64_t epoch) {
  if (epoch <= finished_epoch()) return OkStatus();
  finished_epoch_ = epoch;
  finished_director_root_ = director_root_;
  failed_epoch_ = -1;
  return Save();
}

Status Journal::BeginDesired(int64_t counter, std::map<std::string, Outcome> outcomes,
                             bool keep_others) {
  for (const auto& [package, outcome] : outcomes_)
    if (keep_others && outcomes.size() < kMaxOutcomes) outcomes.emplace(package, outcome);
  if (counter == desired_epoch_ && outcomes == outcomes_) return OkStatus();
  desired_epoch_ = counter;
  outcomes_ = std::move(outcomes);
  return Save();
}

Status Journal::NoteOutcome(const std::string& package, Outcome outcome) {
  outcome.error_text = proto::CutText(outcome.error_text);
  if (!outcomes_.contains(package) && outcomes_.size() >= kMaxOutcomes) return OkStatus();
  Outcome& known = outcomes_[package];
  if (known == outcome) return OkStatus();
  known = std::move(outcome);
  return Save();
}

Status Journal::Reopen() {
  if (finished_epoch_ == 0) return OkStatus();
  --finished_epoch_;
  return Save();
}

void Journal::NoteError(const Status& error, int64_t now_ms) {
  const auto& info = InfoOf(error.code());
  // Who asks a device that does not run reads the file; the same error again is not worth a write.
  const Json& last = notes_->last_error;
  const int64_t before = last.is_object() ? GetIntOr(last, "code", 0).value_or(0) : 0;
  if (before != static_cast<int64_t>(error.code())) unsaved_ = true;
  notes_->last_error = {{"code", static_cast<int>(error.code())},
                        {"name", info.name},
                        {"text", error.message()},
                        {"time_ms", now_ms}};
}

void Journal::CountBytes(uint64_t bytes, trust::ArtefactKind kind) {
  bytes_[static_cast<int>(kind)] += bytes;
}

void Journal::NoteVersion(const std::string& package, const std::string& version, const char* how,
                          int64_t now_ms) {
  notes_->versions.push_back(
      {{"package", package}, {"version", version}, {"how", how}, {"time_ms", now_ms}});
  if (notes_->versions.size() > kMaxTimeline) notes_->versions.pop_front();
}

Json Journal::VersionsOf(const std::string& package) const {
  Json out = Json::array();
  for (const Json& entry : notes_->versions) {
    const auto name = GetString(entry, "package");
    if (!name.ok() || *name != package) continue;
    Json copy = entry;
    copy.erase("package");
    out.push_back(std::move(copy));
  }
  return out;
}

bool Journal::Reported(int64_t epoch, int error_code) const {
  return failed_epoch_ == epoch && failed_code_ == error_code;
}

TaskRecord& Journal::Tasks(const std::string& package, const std::string& release) {
  TaskRecord& task = tasks_[package];
  if (task.release != release) task = TaskRecord{release, false, false};
  return task;
}

Result<std::vector<std::string>> Journal::Observe(
    const std::map<std::string, std::string>& releases) {
  std::map<std::string, TaskRecord> now;
  std::vector<std::string> begun;
  for (const auto& [package, release] : releases) {
    const auto before = observed_.find(package);
    if (before != observed_.end() && before->second.release == release) {
      now[package] = before->second;
      continue;
    }
    now[package] = {release, false, false};
    begun.push_back(package);
  }
  const bool same = begun.empty() && now.size() == observed_.size();
  observed_ = std::move(now);
  if (!same) FERRY_TRY(Save());
  return begun;
}

TaskRecord* Journal::Observed(const std::string& package) {
  const auto found = observed_.find(package);
  return found == observed_.end() ? nullptr : &found->second;
}

void Journal::AddTo(Json* status) const {
  (*status)["timeline"] = notes_->timeline;
  (*status)["bytes"] = BytesJson(bytes_);
  (*status)["last_error"] = notes_->last_error;
  (*status)["reports"] = {{"queued", waiting_.size()}, {"dropped", dropped_}};
  (*status)["epoch"] = finished_epoch();
  Json packages = Json::object();
  for (const auto& [package, outcome] : outcomes_) packages[package] = StatusOf(outcome);
  (*status)["desired"] = {{"epoch", desired_epoch_}, {"packages", std::move(packages)}};
}

}  // namespace ferry::agent
