// What a device must not forget: reports until the server has them, what it has finished, and its
// history. One twin file, replaced at each change.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "common/base/json_fwd.h"
#include "common/sys/filesystem.h"
#include "common/sys/random.h"
#include "common/trust/targets.h"
#include "device-runtime/agent/state/outcome.h"
#include "device-runtime/agent/state/trust_floor.h"
#include "device-runtime/agent/state/twin_file.h"

namespace ferry::agent {

// Past it, or when the file would be past kMaxJsonBytes, the oldest go.
inline constexpr size_t kMaxQueuedReports = 1000;
inline constexpr size_t kMaxTimeline = 200;
inline constexpr size_t kMaxOutcomes = 2 * trust::kMaxDesiredPackages;
inline constexpr int kCountedKinds = 4;
inline constexpr char kJournalFile[] = "journal.json";

// Report.Step of wire.proto, with its numbers.
enum class Step {
  kWoken = 1,
  kPulled,
  kVerified,
  kInstalled,
  kProbed,
  kConfirmed,
  kFailed,
  kRolledBack,
  kTaskFailed,
  kHealthy,
  kMeasured,  // in memory alone, and in no timeline: journals of before do not know it
  kWaiting,   // for its conditions; another number on the wire
  kObserving  // as kMeasured; another number on the wire
};
std::string_view NameOf(Step step);  // "woken", "task_failed"

// What a package's task did, as in wire.proto.
struct TaskUse {
  int64_t events = 0;
  int64_t starts = 0;
  int64_t failures = 0;
  int64_t inferences = 0;
};

// One report, as it goes out (proto Report).
struct Report {
  uint64_t seq = 0;  // set by Journal::Add
  Step step = Step::kFailed;
  std::string release;
  int64_t epoch = 0;
  std::string package;
  std::string version;
  int error_code = 0;
  std::string error_text;
  int64_t time_ms = 0;
  uint64_t bytes_pulled = 0;
  bool was_delta = false;
  bool by_push = false;
  std::string previous_version;
  std::map<std::string, double> metrics;  // of kMeasured: what proto::CheckMetric takes
  TaskUse use;                            // of kMeasured
};

// What the server tells restored and copied states apart by; empty for none.
struct StartIds {
  Bytes now;
  Bytes before;
};
inline constexpr size_t kStartIdBytes = 16;
inline constexpr uint64_t kMaxReportSeq = uint64_t{1} << 53;  // exact in every JSON reader

// What a package's tasks did under one release.
struct TaskRecord {
  std::string release;
  bool failed = false;   // TASK_FAILED was reported
  bool healthy = false;  // HEALTHY was reported
};

// One thread. Every change is on the disk when the call returns ok; when it fails the memory has
// it all the same, and the next change or SaveAgain writes it.
class Journal {
 public:
  Journal(Journal&&) noexcept;
  ~Journal();
  // Changes nothing on the disk. A journal of which no copy can be read is empty and lost().
  static Result<Journal> Open(sys::FileSystem& fs, const std::string& directory);
  // Sets aside what is lost, and writes both copies where one is absent, older or damaged.
  Status Heal();
  bool lost() const { return lost_; }
  // What Open found damaged, for people; "" for nothing.
  const std::string& damage() const { return file_.damage(); }

  // The next report gets at least this number. The server keeps the first report of a number: with
  // the time in it no number comes twice, also when the disk lost or never took the journal.
  void NumberFrom(int64_t now_ms);
  // This start of the process gets an id; StartIds is on the disk when WriteStart returns ok, and
  // must be before the server hears of it: so it finds out when states went apart.
  void BeginStart(sys::Random& random);
  Status WriteStart() { return Save(); }
  const StartIds& start_ids() const { return start_ids_; }
  // Numbers the report, queues it and adds it to the timeline.
  Status Add(Report report);
  // The server has all up to and with `seq`. Where that was never given here, another state of this
  // device has used the numbers: what waits gets numbers above it, and is to be sent again (true).
  Result<bool> Acknowledge(uint64_t seq);
  // The assignment with this counter was carried out or failed for good: not wanted again while
  // the present director counts.
  Status Finish(int64_t epoch);
  // The document with this counter is the one that is carried out, and these are its packages, with
  // what became of each. Records of other packages stay when `keep_others`.
  Status BeginDesired(int64_t counter, std::map<std::string, Outcome> outcomes, bool keep_others);
  // One of them, changed.
  Status NoteOutcome(const std::string& package, Outcome outcome);
  const std::map<std::string, Outcome>& outcomes() const { return outcomes_; }
  // The last one is wanted again, for what it brought is gone.
  Status Reopen();
  // Who counts assignments (TrustedSet::director_root). Whatever a director finished that root took
  // a key from is not finished under the next: a thief's counter would end all that follows.
  void UseDirector(int64_t director_root) { director_root_ = director_root; }
  // An error that names no assignment, or that is known already: status only; written with the next
  // change or SaveAgain.
  void NoteError(const Status& error, int64_t now_ms);
  // Counts bytes that were pulled; written with the next change.
  void CountBytes(uint64_t bytes, trust::ArtefactKind kind);
  // A version of a package runs from now on; `how`: "full", "delta", "rollback" or "revert".
  // Written with the next change.
  void NoteVersion(const std::string& package, const std::string& version, const char* how,
                   int64_t now_ms);
  // The document of this version about this device's own files was taken, or refused for good.
  // Written with the next change.
  void NotePersonal(int64_t version) { personal_version_ = version; }
  int64_t personal_version() const { return personal_version_; }
  // Which metadata is in use, should the trusted set be lost. Written with the next change.
  void NoteTrust(const TrustFloor& floor) { trust_floor_ = floor; }
  const TrustFloor& trust_floor() const { return trust_floor_; }
  // [{"version","time_ms","how"}] of one package, oldest first.
  Json VersionsOf(const std::string& package) const;
  // Whether a failure with this code was already reported for this epoch.
  bool Reported(int64_t epoch, int error_code) const;
  // The record of a package; a release other than the recorded one starts a new record.
  TaskRecord& Tasks(const std::string& package, const std::string& release);

  const std::deque<Report>& waiting() const { return waiting_; }
  int64_t finished_epoch() const {
    return finished_director_root_ == director_root_ ? finished_epoch_ : 0;
  }
  // Packages whose runs are reported to a release that this device is held back from, too, with
  // that release; replaces the ones before. Gives back those that are new.
  Result<std::vector<std::string>> Observe(const std::map<std::string, std::string>& releases);
  // What the runs of a package led to since it is observed; null: it is not.
  TaskRecord* Observed(const std::string& package);
  const std::map<std::string, TaskRecord>& observed() const { return observed_; }
  // Writes what the last change could not, as on a full disk; ok when there is nothing of it.
  Status SaveAgain();
  // Members of the status: "timeline", "bytes", "last_error", "reports", "epoch" and "desired".
  void AddTo(Json* status) const;

 private:
  struct Notes;  // the members that are JSON

  Journal(sys::FileSystem& fs, std::string path);
  Status Load(const Json& json);
  Status Save();
  std::string Text() const;

  sys::FileSystem* fs_;
  std::string path_;
  TwinFile file_;
  bool lost_ = false;
  bool unsaved_ = false;  // the last Save failed, or another kind of error was noted
  TrustFloor trust_floor_;
  StartIds start_ids_;
  uint64_t next_seq_ = 1;
  int64_t finished_epoch_ = 0;
  int64_t finished_director_root_ = 0;
  int64_t director_root_ = 0;
  std::deque<Report> waiting_;
  std::map<std::string, TaskRecord> tasks_;
  std::map<std::string, TaskRecord> observed_;  // by package
  int64_t desired_epoch_ = 0;
  std::map<std::string, Outcome> outcomes_;  // by package
  uint64_t bytes_[kCountedKinds] = {};       // by trust::ArtefactKind
  int64_t personal_version_ = 0;
  uint64_t dropped_ = 0;
  int64_t failed_epoch_ = -1;
  int failed_code_ = 0;
  std::unique_ptr<Notes> notes_;
};

}  // namespace ferry::agent
