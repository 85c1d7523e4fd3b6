// The world of one run: everything that a device, a fault, an invariant or a planted bug may look
// at. For this room only.
#pragma once

#include <array>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "cloud-server/core/rows.h"
#include "common/crypto/hash.h"
#include "common/sys/sim/network.h"
#include "common/sys/sim/world.h"
#include "common/trust/authorize.h"
#include "common/trust/root.h"
#include "tools/fleetsim/fleetsim.h"

namespace ferry::fleetsim {

class Backend;
class Door;
class Publisher;
class SmallFleet;
class WholeAgents;
class Checker;

inline constexpr uint8_t kNoVersion = 0xff;
inline constexpr uint8_t kNoRelease = 0xff;

// A version that was published, or that devices have from the start.
struct Version {
  std::string name;
  uint8_t fallback = kNoVersion;
  int64_t bytes = 0;  // of the sealed package on a link
  trust::TargetEntry entry;
  std::string path;
  bool published = false;
};

// A release as the scenario has it, and what became of it.
struct ReleaseState {
  uint8_t version = kNoVersion;
  std::string id;  // empty: not created yet
  std::string state;
  int64_t started_ms = 0, decided_ms = -1;
  int64_t stopped_after = -1;
  bool ended = false;
  int64_t acts_left = 0;
};

enum class EventKind : uint8_t {
  kStart,
  kPoll,
  kAnswer,    // the device read a document; a: its counter, b: 1 where nobody signed it
  kSwitch,    // another version runs; a: version, b: the one before
  kBoot,      // the device began anew; a: version that its slot names
  kReport,    // a: seq, b: step
  kStored,    // the server acknowledged; a: seq
  kStage,     // a release moved; a: number of the release, b: its stage
  kFault,     // a: number of the fault
  kServerUp,  // the server began anew
  kLook,      // a moment to look at all that takes long
  kQuiet,     // nothing goes wrong from now on
  kEnd,
};
const char* NameOf(EventKind kind);

struct Event {
  EventKind kind = EventKind::kStart;
  int64_t device = -1;  // -1: of the server or of all
  int64_t a = 0, b = 0;
  uint64_t number = 0;
  int64_t virtual_ms = 0;
};

class Sim {
 public:
  explicit Sim(const Options& options);
  ~Sim();
  Status Run();
  Outcome TakeOutcome();

  // Virtual time since the start.
  int64_t now_ms() const;
  sys::SimWorld& world() { return world_; }
  sys::SimNetwork& network() { return network_; }
  const Scenario& scenario() const { return options_.scenario; }
  const Options& options() const { return options_; }
  Backend& backend() { return *backend_; }
  Publisher& publisher() { return *publisher_; }
  Door& door() { return *door_; }
  SmallFleet& small() { return *small_; }
  WholeAgents& agents() { return *agents_; }
  Checker& checker() { return *checker_; }
  sys::Random& random() { return random_; }
  sys::Executor& executor() { return *executor_; }
  std::vector<Version>& versions() { return versions_; }
  std::vector<ReleaseState>& releases() { return releases_; }
  uint8_t VersionCalled(std::string_view name) const;  // kNoVersion
  uint8_t ReleaseCalled(std::string_view id) const;    // kNoRelease
  // In [0, 1), the same for the same seed, device and purpose, whatever happened before.
  double Draw(int64_t device, std::string_view purpose, int64_t number = 0) const;
  // How the version does on a device of that profile; null: well.
  const Truth* TruthOf(uint8_t version, const Profile& profile) const;

  // Counts the event, takes it into the trace, and lets the invariants that it could break look.
  void Note(EventKind kind, int64_t device = -1, int64_t a = 0, int64_t b = 0);
  void Violate(const std::string& invariant, std::string text);
  bool stopped() const { return stopped_; }
  uint64_t events() const { return events_; }
  Outcome& outcome() { return outcome_; }

  // world/strike.cc
  // Lets each fault of that kind strike with its rate.
  void Strike(Strikes at, Moment moment);
  bool faults_on() const { return faults_on_; }
  double RateOf(const Fault& fault) const;
  void CountFault(const Fault& fault);

  // For invariants.
  bool ran_to_the_end() const { return end_ms_ > 0 && now_ms() >= end_ms_ && !interrupted_; }
  int64_t audit_seq() const { return audit_seq_; }
  const std::string& audit_hash() const { return audit_hash_; }
  void NoteAudit(int64_t seq, const std::string& hash);
  // Whether a number is not below what it was when it was asked for last.
  bool Grows(size_t release, const std::string& what, int64_t now);
  // The release that began last of those that bring this version.
  uint8_t ReleaseOf(uint8_t version) const;
  // Whether the server ever gave that version to a device that comes through the gateway.
  bool WasAssigned(const std::string& device, const std::string& version);
  bool small_runs_wrong_bytes(int64_t device) const { return wrong_bytes_.contains(device); }
  int64_t acts_done() const { return acts_done_; }
  void NoteWrongBytes(int64_t device) { wrong_bytes_.insert(device); }

  // Coverage, by release and profile.
  enum class Count { kPulled, kConfirmed };
  void CountDevice(uint8_t release, const Profile& profile, Count what);
  // Starts the server's process, again and again until it does.
  void StartServer();

  bool Planted(const char* name) const { return options_.plants.contains(name); }
  // Whether that part of the fleet cannot reach the server now.
  bool IsCutOff(int64_t device) const;
  void CutOff(int64_t part, int64_t until_ms);
  static constexpr int64_t kParts = 8;  // of the fleet, for partitions: device number modulo this

 private:
  Status Begin();
  Status StartRelease(size_t number);
  void TryToStart(size_t number);
  // watch.cc
  void NoteCurve(size_t number, const server::Tallies& tallies);
  void NoteUnmet();
  void NoteReplay();
  bool Same(size_t release, int64_t stage);
  void DoAct(size_t number, Act::Kind kind);
  void EveryMinute();
  bool HasPower() const;
  bool IsInterrupted();
  void TellProgress();
  void LookAtReleases();
  void EndFaults();
  void ScheduleFault(const Fault& fault);
  bool AllEnded() const;
  void Finish();

  Options options_;
  sys::SimWorld world_;
  sys::SimNetwork network_;
  sys::SeededRandom random_;
  const int64_t start_ns_;
  std::unique_ptr<sys::Executor> executor_;
  std::vector<Version> versions_;
  std::vector<ReleaseState> releases_;
  std::unique_ptr<Checker> checker_;
  std::unique_ptr<Backend> backend_;
  std::unique_ptr<Publisher> publisher_;
  std::unique_ptr<Door> door_;
  std::unique_ptr<SmallFleet> small_;
  std::unique_ptr<WholeAgents> agents_;
  struct StrikingFault {
    const Fault* fault;
    double rate;
  };
  std::array<std::vector<StrikingFault>, 5> striking_;  // by Strikes
  std::array<int64_t, kParts> cut_until_ms_{};
  std::deque<Event> last_;
  crypto::Sha256Stream trace_;
  Bytes trace_piece_;
  uint64_t events_ = 0;
  bool faults_on_ = false;  // not while the fleet is made
  bool interrupted_ = false;
  int64_t acts_done_ = 0;
  std::map<size_t, int64_t> stages_;
  int64_t audit_seq_ = 0;
  std::string audit_hash_;
  std::map<std::string, int64_t> grown_;
  std::set<int64_t> wrong_bytes_;
  // Pulled and confirmed, by release, then profile.
  std::vector<std::vector<std::array<int64_t, 2>>> coverage_;
  bool stopped_ = false;
  int64_t end_ms_ = 0;  // 0: not known yet
  Outcome outcome_;
};

}  // namespace ferry::fleetsim
