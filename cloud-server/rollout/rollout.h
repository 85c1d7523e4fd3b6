// Releases in motion: loads rows, lets core decide, stores the changes in one transaction, wakes
// devices, runs simulations.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "cloud-server/bus/bus.h"
#include "cloud-server/core/apply.h"
#include "cloud-server/registry/registry.h"
#include "cloud-server/store/store.h"
#include "common/base/json_fwd.h"
#include "common/base/status.h"
#include "common/sys/clock.h"
#include "common/sys/executor.h"
#include "common/trust/assignment.h"
#include "common/trust/desired.h"

namespace ferry::server {

class Simulator;
struct Catalogue;
struct Effects;
struct NewRelease;

// Where the last look at a release's undecided members ended.
struct UndecidedCursor {
  int64_t after_ms = 0;
  std::string after;
};

// Whom a plan would reach now.
struct Preview {
  std::string salt;  // of the percentages shown: a release reaches these devices only under it
  struct Stage {
    std::string name;
    std::string kind;
    size_t planned = 0;             // devices that this stage is the first to take
    std::vector<std::string> adds;  // those of them that are shown
  };
  size_t matched = 0;                // devices that the rule matches and some stage takes
  size_t left_out = 0;               // all others
  std::vector<std::string> devices;  // of `matched`
  bool more_devices = false, more_outside = false;
  std::vector<Stage> stages;
  struct Outside {
    std::string device;
    std::string why;
  };
  std::vector<Outside> outside;
};

struct PreviewAsk;  // new_release.h

inline constexpr int64_t kTickMs = 500;
// Between two looks at the releases: a longer pause is a suspension, and a clock that went further
// from monotonic time was set. After both, as after a start, devices get time to speak.
inline constexpr int64_t kMaxTickGapMs = 30'000;
inline constexpr int64_t kMaxClockStepMs = 2'000;
inline constexpr int64_t kAssignmentLifeMs = 7 * int64_t{86'400'000};
// A device that finished an assignment which is still open here has answered it in this time, or
// its answer is lost with the server's rows. Answers to what was made before this start are lost.
inline constexpr int64_t kAnswerOnItsWayMs = 10'000;
// Devices that are looked at in one transaction, and reports that are stored in one.
inline constexpr size_t kMaxLooksAtOnce = 128;
inline constexpr size_t kMaxReportsAtOnce = 256;
// Of one release's rate: devices that are remembered to be looked at when it allows.
inline constexpr size_t kMaxTurnedAway = 10'000;
inline constexpr int64_t kRecountMs = 3'600'000;  // between two proofs of the counts

// What a device that asks is told, before it is signed: nothing, or what it reads.
using UnsignedAnswer = std::variant<std::monostate, trust::Desired, trust::Assignment>;

// Any thread.
class Rollout {
 public:
  struct Options {
    std::string tenant = "default";  // whose devices releases and previews take
    Store* store = nullptr;          // borrowed, as all below
    Registry* registry = nullptr;
    Bus* bus = nullptr;
    sys::Clock* clock = nullptr;
    sys::Random* random = nullptr;
    Simulator* simulator = nullptr;   // null: releases with a simulation stage fail there
    sys::Executor* ticker = nullptr;  // runs Tick every tick_ms; null: the caller does
    Once* once = nullptr;             // of what one node does; null: there is one
    sys::Executor* writer = nullptr;  // stores reports; null: within the call that brings them
    sys::Executor* simulations =
        nullptr;  // runs child processes; null: within the call that starts
    int64_t tick_ms = kTickMs;
    int64_t recount_ms = kRecountMs;
  };
  explicit Rollout(const Options& options);
  ~Rollout();
  // Starts the ticker, and simulations that a stop of the server cut off.
  Status Start();

  // kNotFound (package version), kBadRule, kInvalidArgument; kFailedPrecondition while another
  // release of the package is under way, for a version below one that was released, and for one
  // that was taken back from devices, unless NewRelease.again.
  Result<ReleaseRow> Create(const NewRelease& release);
  // Start, Pause, Resume, Rollback, Promote, Halt, Kill of core. kNotFound, kFailedPrecondition.
  Result<ReleaseRow> Do(const std::string& release, const Command& command);
  // Members that failed, of one device or (empty) of all, try again.
  Result<ReleaseRow> Retry(const std::string& release, const std::string& device,
                           const std::string& by, const std::string& why);
  Result<Preview> PreviewOf(const PreviewAsk& ask);
  Result<Preview> PreviewOf(const Json& plan, const std::string& salt);
  // Why a device has a release's package or not; `release` empty: the newest one.
  struct Answer {
    std::string release;
    Why why;
  };
  Result<Answer> WhyOf(const std::string& device, const std::string& release);

  // reports.cc. One report of a device: stored once by (device, seq), then decided on. True when it
  // was new. A report about a release that the device is no member of is stored and changes
  // nothing.
  Result<bool> OnReport(const ReportRow& report);
  // The same, together with others that wait: one commit for all. `done` is called after it, on
  // the writer, in the order of the calls.
  using OnStored = std::function<void(const Status&)>;
  void QueueReport(ReportRow report, OnStored done);
  // The device is there at this moment, with this root (0: it does not say); written together with
  // what else waits.
  void QueueSeen(const std::string& device, int64_t root_version = 0);
  // A device joined or its profile changed: it is looked at.
  void OnDeviceChanged(const std::string& device);
  // There is a newer root: devices whose line is open look at it now.
  void OnNewRoot();
  // The operator blocked the device: its line ends now.
  void OnBlocked(const std::string& device);
  // Something was published: devices that failed for a cause that is not the package's (metadata
  // that was too old) are woken and try again.
  Status OnPublished();
  // Everything that is due now: what one node does for all, and what each does for its devices. kIo
  // and the like are logged by the ticker.
  Status Tick();

  // offers/assignments.cc. Looks at the device, and returns up to which counter it need not ask:
  // that of its assignment, 0 when it never had one; while something is open, one above all that
  // it can have.
  // `generation` (may be null), here and below: what the releases were that it was looked at by.
  Result<int64_t> Epoch(const std::string& device, int64_t* generation = nullptr);
  // The director-signed desired state, or for a device that does not read it one assignment; empty
  // when there is none above `have_epoch`, the last one that the device finished. `have`: what it
  // says it has; null: it did not say. A device that is ahead (up to kMaxLearntCounter) is
  // believed: later counters of its own are above, and what is open here is given to it again.
  // `personal`: the last document of its own files that it dealt with; null: it reads none.
  Result<Bytes> SignedAssignment(const std::string& device, int64_t have_epoch,
                                 const std::vector<InstalledRow>* have = nullptr,
                                 const int64_t* personal = nullptr, int64_t* generation = nullptr);
  // The same in two parts: Sign depends on nothing but its arguments.
  Result<UnsignedAnswer> AnswerFor(const std::string& device, int64_t have_epoch,
                                   const std::vector<InstalledRow>* have, const int64_t* personal,
                                   int64_t* generation);
  static Result<Bytes> Sign(const UnsignedAnswer& answer, const trust::SigningKey& director);
  // offers/look.cc. The releases as they are now, for who asks about many devices, and their
  // number, which is another one after each change.
  struct Known {
    std::shared_ptr<const Catalogue> catalogue;
    int64_t generation = 0;
  };
  Result<Known> Latest();
  // Some of the devices whose line is open and that may have to hear of something;
  // false when nobody waits for it any more.
  Result<bool> LookAtSome();
  // counts/recount.cc. Counts of all releases in motion, from their members; what differs is logged
  // and put right.
  Status Recount();

  // Grows with every stored change; Wait returns when it is above `seen`, or after `timeout_ms`.
  uint64_t change_count();
  uint64_t WaitForChange(uint64_t seen, int64_t timeout_ms);
  // Something outside of releases changed (a device, a package): wakes the waiting ones.
  void NoteChange();

 private:
  struct WaitingReport {
    ReportRow report;
    OnStored done;
  };
  // Loads the release, applies the command, stores the changes.
  Status Change(const std::string& release, const Command& command, Effects* effects);
  Status TickReleases();
  Status TickRelease(const std::string& release, int64_t hearing_since_ms, Effects* effects);
  void AfterCommit(const Effects& effects);
  // Raises the counter of a device that is ahead; `row` becomes what is stored.
  Status CatchUp(const std::string& device, int64_t have, AssignmentRow* row);
  // One number up: what it has is not what it was told.
  Status TellAgain(const std::string& device, int64_t have, AssignmentRow* row);
  Status AddMadeDeltas(const std::map<std::string, InstalledRow>& installed,
                       trust::Desired& desired);
  // offers/look.cc
  // `keep` for reads alone: what a write saw may be taken back, and its generation given again.
  Result<Known> CatalogueOf(Transaction& tx, bool keep);
  // What the device shall have, stored when it differs.
  struct Told {
    AssignmentRow row;
    std::set<std::string> unanswered;  // as in Look
    bool reads_desired = false;
    std::map<std::string, InstalledRow> installed;  // by package
    int64_t generation = 0;
  };
  // `have`: what the device says that it has, if it said so. One transaction where nothing differs.
  Result<Told> LookAtDevice(const std::string& device, const std::vector<InstalledRow>* have);
  // The same of several, each once. `told` of one: may be null.
  Status LooksIn(Transaction& tx, const std::vector<std::string>& devices, Effects* effects,
                 Told* told);
  void QueueListening();
  // Those of the devices who may have to hear of something, by a read.
  Status FindNews(const std::vector<std::string>& devices, std::vector<std::string>* differ);
  // offers/pace.cc
  // A release with a rate would take the device, and may not yet.
  void NoteTurnedAway(const std::string& device, const std::vector<std::string>& releases);
  void QueueTurnedAway(const std::map<std::string, int64_t>& free);
  // Those that wait here and that rates let in by now.
  Status LookAtTurnedAway();
  Status TickPace(const Catalogue& catalogue);
  Status TickRetries(const Catalogue& catalogue);
  // counts/series.cc. Points of the releases that are under way, and a last one of those that were.
  Status NoteSeries(const std::vector<std::string>& active);
  void QueueLook(const std::string& device);
  void PumpLooks();
  // reported.cc. How many of them were new.
  Result<size_t> StoreReports(Transaction& tx, const std::vector<ReportRow>& reports,
                              Effects* effects);
  // reports.cc
  void StoreWaiting();
  // Under mutex_: lets the writer begin unless it is at it.
  void BeginStoring();
  void StartSimulation(const std::string& release);
  void RunSimulation(const std::string& release);
  void ScheduleTick();
  std::string DrawSalt();
  // Since when devices could have spoken without a break, looked at once a tick.
  int64_t HearingSince();

  Options options_;
  const int64_t started_ms_;
  std::mutex mutex_;  // of the members below; never held while the store is called
  std::condition_variable changed_;
  uint64_t change_count_ = 1;
  bool stopping_ = false;
  int64_t hearing_since_ms_ = 0;                    // 0: no tick yet
  int64_t last_tick_ms_ = 0;                        // by the clock
  int64_t last_tick_steady_ms_ = 0;                 // monotonic
  int64_t recounted_ms_ = 0;                        // monotonic
  std::map<std::string, UndecidedCursor> cursors_;  // by release
  std::shared_ptr<const Catalogue> catalogue_;
  int64_t generation_ = 0;  // of the catalogue
  std::deque<std::string> to_look_;
  std::set<std::string> queued_;   // the same
  bool looks_bring_news_ = false;  // the last ones did, to most
  struct TurnedAway {
    std::deque<std::string> devices;
    std::set<std::string> known;  // the same
    bool overflown = false;
  };
  std::map<std::string, TurnedAway> turned_away_;  // by release
  bool pumping_ = false;
  std::deque<WaitingReport> reports_;
  struct Seen {
    int64_t at_ms = 0;
    int64_t root_version = 0;
  };
  std::map<std::string, Seen> seen_;  // of devices
  bool storing_ = false;
  sys::Executor::TimerId timer_ = 0;
  struct Drawn {
    SeriesPoint last;
    int64_t step_ms = 0;
  };
  std::mutex series_mutex_;              // of the next two; the store is called under it
  std::map<std::string, Drawn> series_;  // by release
  uint64_t series_changes_ = 0;          // changes up to this count are in the points
};

}  // namespace ferry::server
