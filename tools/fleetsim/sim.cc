#include "tools/fleetsim/sim.h"

#include <algorithm>

#include "cloud-server/core/tally.h"
#include "cloud-server/rollout/new_release.h"
#include "cloud-server/store/audit.h"
#include "common/base/log.h"
#include "tools/fleetsim/agents/agents.h"
#include "tools/fleetsim/invariants/invariant.h"
#include "tools/fleetsim/plants/plant.h"
#include "tools/fleetsim/small/fleet.h"
#include "tools/fleetsim/world/backend.h"
#include "tools/fleetsim/world/checker.h"
#include "tools/fleetsim/world/door.h"
#include "tools/fleetsim/world/publisher.h"

namespace ferry::fleetsim {
namespace {

constexpr const char* kEventNames[] = {"start",  "poll",   "answer", "switch", "boot",
                                       "report", "stored", "stage",  "fault",  "server_up",
                                       "look",   "quiet",  "end"};
constexpr size_t kLastEvents = 4'096;  // kept for --replay
constexpr size_t kTracePiece = 1 << 16;
constexpr int64_t kOftenLookedAtDevices = 2'000;  // all of a small fleet is looked at often
constexpr int64_t kLookMinutes = 30;
constexpr uint64_t kEventsBetweenStops = 4'096;
constexpr int64_t kProgressMinutes = 10;

uint64_t Mix(uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ULL;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebULL;
  return value ^ (value >> 31);
}

bool IsInSlice(const Profile& profile, const std::string& slice) {
  return slice == "all" || slice == "os=" + profile.os ||
         slice == "device_class=" + profile.device_class ||
         slice == "app_version=" + profile.app_version;
}

}  // namespace

const char* NameOf(EventKind kind) {
  return kEventNames[static_cast<size_t>(kind)];
}

Sim::Sim(const Options& options)
    : options_(options),
      world_(options.seed),
      network_(world_),
      random_(Mix(options.seed + 0x5851f42d4c957f2dULL)),
      start_ns_(world_.clock().MonotonicNs()),
      executor_(world_.MakeExecutor()),
      checker_(std::make_unique<Checker>(options.threads)) {
  const auto add_version = [&](const std::string& name, int64_t bytes) {
    if (name.empty() || VersionCalled(name) != kNoVersion) return;
    versions_.push_back({name, kNoVersion, bytes, {}, "", false});
  };
  const Scenario& scenario = options_.scenario;
  add_version(scenario.runs, 1'000'000);
  for (const ReleasePlan& release : scenario.releases) add_version(release.version, release.bytes);
  for (const ReleasePlan& release : scenario.releases)
    versions_[VersionCalled(release.version)].fallback = VersionCalled(release.fallback);
  for (const ReleasePlan& release : scenario.releases) {
    ReleaseState& state = releases_.emplace_back();
    state.version = VersionCalled(release.version);
    state.acts_left = static_cast<int64_t>(release.acts.size());
  }
  coverage_.assign(releases_.size(), {});
  for (auto& of_release : coverage_) of_release.resize(scenario.profiles.size());
  outcome_.releases.resize(releases_.size());
}

Sim::~Sim() = default;

int64_t Sim::now_ms() const {
  auto& world = const_cast<sys::SimWorld&>(world_);  // clock() is not const, and changes nothing
  return (world.clock().MonotonicNs() - start_ns_) / 1'000'000;
}

uint8_t Sim::VersionCalled(std::string_view name) const {
  for (size_t i = 0; i < versions_.size(); ++i)
    if (versions_[i].name == name) return static_cast<uint8_t>(i);
  return kNoVersion;
}

uint8_t Sim::ReleaseCalled(std::string_view id) const {
  if (id.empty()) return kNoRelease;
  for (size_t i = 0; i < releases_.size(); ++i)
    if (releases_[i].id == id) return static_cast<uint8_t>(i);
  return kNoRelease;
}

uint8_t Sim::ReleaseOf(uint8_t version) const {
  uint8_t found = kNoRelease;
  for (size_t i = 0; i < releases_.size(); ++i)
    if (releases_[i].version == version && !releases_[i].id.empty())
      found = static_cast<uint8_t>(i);
  return found;
}

double Sim::Draw(int64_t device, std::string_view purpose, int64_t number) const {
  uint64_t hash = options_.seed;
  for (const char c : purpose) hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001b3ULL;
  hash = Mix(hash ^ Mix(static_cast<uint64_t>(device) + 1)) + static_cast<uint64_t>(number);
  return static_cast<double>(Mix(hash) >> 11) * 0x1.0p-53;
}

const Truth* Sim::TruthOf(uint8_t version, const Profile& profile) const {
  if (version >= versions_.size()) return nullptr;
  const Truth* found = nullptr;
  for (const Truth& truth : scenario().truths)
    if (truth.version == versions_[version].name && IsInSlice(profile, truth.slice) &&
        (found == nullptr || truth.slice != "all"))
      found = &truth;
  return found;
}

void Sim::CountDevice(uint8_t release, const Profile& profile, Count what) {
  if (release == kNoRelease) return;
  const auto index = static_cast<size_t>(&profile - scenario().profiles.data());
  ++coverage_[release][index][what == Count::kPulled ? 0 : 1];
}

void Sim::Note(EventKind kind, int64_t device, int64_t a, int64_t b) {
  if (stopped_) return;
  const Event event{kind, device, a, b, ++events_, now_ms()};
  for (const int64_t number : {event.virtual_ms, static_cast<int64_t>(kind), device, a, b})
    for (int shift = 0; shift < 64; shift += 8)
      trace_piece_.push_back(static_cast<uint8_t>(static_cast<uint64_t>(number) >> shift));
  if (trace_piece_.size() >= kTracePiece) {
    trace_.Update(trace_piece_);
    trace_piece_.clear();
  }
  if (options_.stop_event) {
    last_.push_back(event);
    if (last_.size() > kLastEvents) last_.pop_front();
  }
  if (events_ % kEventsBetweenStops == 0 && IsInterrupted()) return;
  if (!HasPower()) return;
  for (const Invariant* invariant : AllInvariants()) {
    if ((invariant->behind >> static_cast<uint32_t>(kind) & 1) == 0) continue;
    ++outcome_.checked;
    if (auto broken = invariant->broken(*this, event)) Violate(invariant->name, std::move(*broken));
  }
  if (options_.stop_event && events_ >= *options_.stop_event) stopped_ = true;
}

// Between a power cut of the server and the next event of the world there is nothing to read.
bool Sim::HasPower() const {
  return backend_ == nullptr || backend_->store == nullptr || backend_->store->has_power();
}

bool Sim::IsInterrupted() {
  if (options_.stop && options_.stop()) interrupted_ = outcome_.interrupted = stopped_ = true;
  return stopped_;
}

void Sim::TellProgress() {
  if (!options_.progress || now_ms() / kMinuteMs % kProgressMinutes != 0) return;
  CurvePoint last;
  for (ReleaseOutcome& release : outcome_.releases)
    if (const auto& curve = release.curve["all"]; !curve.empty()) last = curve.back();
  options_.progress({now_ms(), events_, last.offered, last.confirmed});
}

void Sim::Violate(const std::string& invariant, std::string text) {
  // Behind the first nothing is as it should be.
  if (stopped_) return;
  outcome_.violations.push_back({invariant, events_, now_ms(), std::move(text)});
  stopped_ = true;
}

void Sim::NoteAudit(int64_t seq, const std::string& hash) {
  audit_seq_ = seq;
  audit_hash_ = hash;
}

bool Sim::Grows(size_t release, const std::string& what, int64_t now) {
  int64_t& before = grown_.try_emplace(fmt::format("{} {}", release, what), now).first->second;
  const bool grows = now >= before;
  before = now;
  return grows;
}

bool Sim::WasAssigned(const std::string& device, const std::string& version) {
  if (version == scenario().runs) return true;
  bool assigned = false;
  const Status read = backend_->store->Read([&](server::Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(const auto members, tx.releases().MembersOfDevice(device));
    for (const server::MemberRow& member : members) {
      FERRY_ASSIGN_OR_RETURN(const server::ReleaseRow row, tx.releases().Get(member.release));
      assigned = assigned || (!member.control && row.version == version) ||
                 (member.back && member.had_version == version);
    }
    return OkStatus();
  });
  return assigned || !read.ok();
}

void Sim::StartServer() {
  const Status started = backend_->Start();
  if (started.ok()) return Note(EventKind::kServerUp);
  Log(LogLevel::kDebug, "fleetsim", "{}", started.ToString());
  backend_->Stop();
  executor_->PostAfter(10'000, [this] { StartServer(); });
}

Status Sim::Begin() {
  for (const Fault* fault : AllFaults())
    if (const double rate = RateOf(*fault); rate > 0)
      striking_[static_cast<size_t>(fault->strikes)].push_back({fault, rate});
  backend_ = std::make_unique<Backend>(*this);
  publisher_ = std::make_unique<Publisher>(*this);
  door_ = std::make_unique<Door>(*this);
  small_ = std::make_unique<SmallFleet>(*this);
  agents_ = std::make_unique<WholeAgents>(*this);
  FERRY_TRY(backend_->Start());
  FERRY_TRY(publisher_->PutRoot().Context("root"));
  std::vector<std::string> names;
  for (const Version& version : versions_) names.push_back(version.name);
  checker_->Use(publisher_->root, backend_->secrets.director, std::move(names));
  if (!scenario().runs.empty())
    FERRY_TRY(publisher_->Publish(VersionCalled(scenario().runs)).Context("{}", scenario().runs));
  door_->SetDevices(static_cast<size_t>(scenario().devices));
  FERRY_TRY(small_->Enrol().Context("enrolling"));
  FERRY_TRY(agents_->Enrol().Context("enrolling agents"));
  for (const ReleasePlan& release : scenario().releases)
    if (release.fails_simulation) backend_->cases.failing.insert(release.version);
  for (size_t i = 0; i < releases_.size(); ++i)
    executor_->PostAfter(scenario().releases[i].at_ms, [this, i] { TryToStart(i); });
  faults_on_ = true;
  for (const auto& faults : striking_)
    for (const StrikingFault& striking : faults)
      if (!IsShare(*striking.fault)) ScheduleFault(*striking.fault);
  const int64_t hours =
      scenario().faults_end_hours > 0 ? scenario().faults_end_hours : scenario().hours * 2 / 3;
  executor_->PostAfter(hours * kHourMs, [this] { EndFaults(); });
  executor_->PostAfter(kMinuteMs, [this] { EveryMinute(); });
  Note(EventKind::kStart);
  return OkStatus();
}

// What stands in the way goes by: a disk that is full, a server that is down, a release before it.
void Sim::TryToStart(size_t number) {
  if (stopped_) return;
  const Status started =
      backend_->answers() ? StartRelease(number) : Status(Code::kUnavailable, "the server is down");
  if (started.ok()) return;
  Log(LogLevel::kDebug, "fleetsim", "{}", started.ToString());
  executor_->PostAfter(kMinuteMs, [this, number] { TryToStart(number); });
}

Status Sim::StartRelease(size_t number) {
  const ReleasePlan& plan = scenario().releases[number];
  ReleaseState& state = releases_[number];
  if (!versions_[state.version].published) FERRY_TRY(publisher_->Publish(state.version));
  if (state.id.empty()) {
    server::NewRelease release;
    release.package = kPackage;
    release.version = plan.version;
    release.plan = plan.plan;
    release.settings = plan.settings;
    release.salt = fmt::format("salt-{}-{}", options_.seed, number);
    FERRY_ASSIGN_OR_RETURN(const server::ReleaseRow row, backend_->rollout->Create(release));
    state.id = row.id;
  }
  FERRY_TRY(backend_->rollout->Do(state.id, server::command::Start{"simulation"}));
  state.started_ms = now_ms();
  for (const Act& act : plan.acts)
    executor_->PostAfter(std::max<int64_t>(0, act.at_ms - now_ms()),
                         [this, number, kind = act.kind] { DoAct(number, kind); });
  return OkStatus();
}

void Sim::DoAct(size_t number, Act::Kind kind) {
  ReleaseState& state = releases_[number];
  if (stopped_) return;
  if (!backend_->answers()) {
    executor_->PostAfter(kMinuteMs, [this, number, kind] { DoAct(number, kind); });
    return;
  }
  const std::string by = "simulation", why = "the scenario says so";
  server::Command command = server::command::Pause{by, why};
  if (kind == Act::Kind::kResume) command = server::command::Resume{by};
  if (kind == Act::Kind::kPromote) command = server::command::Promote{by, why};
  if (kind == Act::Kind::kRollback) command = server::command::Rollback{by, why};
  if (kind == Act::Kind::kHalt) command = server::command::Halt{by, why};
  if (kind == Act::Kind::kKill) command = server::command::Kill{by, why};
  Status done;
  if (Planted("audit_forgotten")) {
    done = AsStatus(backend_->rollout->Do(state.id, command));
  } else {
    server::AuditEntry entry;
    entry.time_ms = backend_->clock.NowUnixMs();
    entry.user = by;
    entry.action = "command";
    entry.target = state.id;
    server::AuditScope scope(*backend_->store, entry);
    done = AsStatus(backend_->rollout->Do(state.id, command));
    (void)scope.Finish(done);
  }
  if (done.code() == Code::kDiskFull) {
    executor_->PostAfter(kMinuteMs, [this, number, kind] { DoAct(number, kind); });
    return;
  }
  --state.acts_left;
  if (done.ok()) ++acts_done_;
}

void Sim::EveryMinute() {
  if (stopped_) return;
  if (IsInterrupted()) return;
  TellProgress();
  agents_->EveryMinute();
  LookAtReleases();
  if (!options_.plants.empty()) {
    PlantMinute(*this);
    LookAtReleases();
  }
  const int64_t minute = now_ms() / kMinuteMs;
  if (scenario().devices <= kOftenLookedAtDevices && minute % kLookMinutes == 0)
    Note(EventKind::kLook);
  if (end_ms_ == 0 && AllEnded()) {
    if (faults_on_) EndFaults();
    // Everyone has asked once more by then, also who was offline for a night.
    int64_t longest = 0;
    for (const Profile& profile : scenario().profiles)
      longest =
          std::max(longest, profile.poll_minutes * kMinuteMs * 3 / 2 +
                                (profile.online_from != profile.online_to
                                     ? (24 + profile.online_from - profile.online_to) % 24 * kHourMs
                                     : 0));
    end_ms_ = std::min(now_ms() + longest + 2 * kHourMs, scenario().hours * kHourMs);
  }
  executor_->PostAfter(kMinuteMs, [this] { EveryMinute(); });
}

void Sim::EndFaults() {
  if (!std::exchange(faults_on_, false) || stopped_) return;
  cut_until_ms_.fill(0);
  backend_->clock.off_ms = 0;
  backend_->store->FillUntil(0);
  backend_->store->FailUntil(0);
  backend_->store->CutPowerAt(0);
  const bool any = std::any_of(striking_.begin(), striking_.end(),
                               [](const auto& faults) { return !faults.empty(); });
  if (any) agents_->AskAll();
  Note(EventKind::kQuiet);
}

bool Sim::AllEnded() const {
  return std::all_of(releases_.begin(), releases_.end(), [](const ReleaseState& release) {
    return release.ended && release.acts_left == 0;
  });
}

Status Sim::Run() {
  FERRY_TRY(Begin());
  const int64_t limit_ms = scenario().hours * kHourMs;
  const auto done = [&] { return stopped_ || (end_ms_ > 0 && now_ms() >= end_ms_); };
  (void)world_.RunUntil(done, limit_ms);
  if (end_ms_ == 0) end_ms_ = limit_ms;
  if (now_ms() < end_ms_ && !stopped_) world_.RunFor(end_ms_ - now_ms());
  Finish();
  return OkStatus();
}

}  // namespace ferry::fleetsim
