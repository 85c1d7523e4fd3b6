#include "tools/fleetsim/agents/agents.h"

#include <algorithm>

#include "common/base/json.h"
#include "common/package/manifest.h"
#include "common/package/reader.h"
#include "device-runtime/task/outcome.h"
#include "pipeline/trigger/trigger.h"
#include "tools/fleetsim/agents/faulty_line.h"
#include "tools/fleetsim/small/fleet.h"
#include "tools/fleetsim/world/backend.h"
#include "tools/fleetsim/world/publisher.h"

namespace ferry::fleetsim {

constexpr char kAgentState[] = "/state";
constexpr uint64_t kSyncsOfInstall = 8;
constexpr int64_t kEventMinutes = 7;  // between two events of a task

// Goes as the scenario says that the version goes on this device.
class AgentRunner : public agent::PackageRunner {
 public:
  AgentRunner(WholeAgent* device, uint8_t version) : device_(device), version_(version) {}
  Status Probe() override { return OkStatus(); }
  std::shared_ptr<const flow::Definition> definition() const override {
    auto out = std::make_shared<flow::Definition>();
    out->trigger = trigger::Trigger{{{"image", ""}}, 0, false};
    return out;
  }
  task::EventOutcome Run(const flow::Start&) override {
    Sim& sim = device_->sim;
    task::EventOutcome outcome;
    outcome.fired = true;
    device_->Reached(version_, Sim::Count::kConfirmed);
    const Truth* truth = sim.TruthOf(version_, device_->profile);
    if (truth != nullptr && sim.Draw(device_->number, "fails", version_) < truth->fails)
      outcome.error = Status(Code::kScriptRaised, "task.py:12: KeyError: 'pixels'");
    else
      outcome.result = {{"version", version_}};
    return outcome;
  }
  task::HostStats stats() const override { return {}; }

 private:
  WholeAgent* device_;
  const uint8_t version_;
};

WholeAgent::WholeAgent(Sim& sim_in, int64_t number_in, const Profile& profile_in,
                       const trust::JoinToken& token)
    : sim(sim_in),
      number(number_in),
      profile(profile_in),
      clock(sim_in.world().clock()),
      token_(token),
      host_(fmt::format("agent-{}", number_in)) {}

WholeAgent::~WholeAgent() {
  Stop();
}

agent::RunnerLoader WholeAgent::Loader() {
  return [this](const std::string& path,
                const task::OwnDirectories&) -> Result<std::unique_ptr<agent::PackageRunner>> {
    FERRY_ASSIGN_OR_RETURN(auto package, package::Package::OpenFile(disk, path));
    FERRY_TRY(package.VerifiedFile("weights"));
    FERRY_ASSIGN_OR_RETURN(const Bytes bytes, sys::ReadFile(disk, path));
    uint8_t version = sim.VersionCalled(package.manifest().version);
    const bool as_signed = version != kNoVersion &&
                           crypto::Sha256(bytes) == sim.versions()[version].entry.plain_sha256;
    if (!as_signed) version = kNoVersion - 1;  // bytes that nobody signed
    Reached(version, Sim::Count::kPulled);
    sim.Note(EventKind::kSwitch, number, version, sim.VersionCalled(had_));
    return std::unique_ptr<agent::PackageRunner>(std::make_unique<AgentRunner>(this, version));
  };
}

void WholeAgent::Reached(uint8_t version, Sim::Count what) {
  if (reached_.emplace(version, what).second)
    sim.CountDevice(sim.ReleaseOf(version), profile, what);
}

// What strikes at installs strikes at a part of the syncs of an agent, which makes several.
Status WholeAgent::OnDisk(const char* what) {
  if (std::string_view(what) != "sync" || sim.random().Below(kSyncsOfInstall) != 0)
    return OkStatus();
  Install faults;
  sim.Strike(Strikes::kInstall, {sim, number, nullptr, nullptr, &faults});
  if (faults.power_cut)
    sim.executor().Post([this] {
      CutPower();
      (void)Start();
    });
  if (faults.torn || faults.sync_failed || faults.power_cut)
    return Status(Code::kIo, "the simulated disk failed");
  return OkStatus();
}

Status WholeAgent::Start() {
  sys::SimWorld& world = sim.world();
  disk.SetFault([this](const char* what, const std::string&) { return OnDisk(what); });
  executor_ = world.MakeExecutor();
  worker_ = world.MakeExecutor();
  tasks_ = std::make_unique<task::TaskSet>(
      task::TaskSetOptions{.executor = worker_.get(), .clock = &clock, .own_lanes = false});
  dialer_ =
      MakeFaultyDialer(sim, number, host_, *executor_, sim.network().MakeDialer(host_, *executor_));
  FERRY_ASSIGN_OR_RETURN(outbox_, store::OpenOutbox(":memory:", world.random()));
  agent::AgentOptions options;
  options.directory = kAgentState;
  options.profile.os = profile.os;
  options.profile.app_version = profile.app_version;
  options.profile.device_class = profile.device_class;
  options.profile.tags = profile.tags;
  options.push = profile.push;
  options.poll_ms = profile.poll_minutes * kMinuteMs;
  options.backoff = {1'000, 600'000};
  options.on_loaded = [this] { OnLoaded(); };
  FERRY_ASSIGN_OR_RETURN(agent::Identity identity,
                         agent::OpenIdentity(disk, kAgentState, token_, world.random()));
  const agent::AgentParts parts{executor_.get(), tasks_.get(),  &clock,        &world.random(),
                                &disk,           dialer_.get(), outbox_.get(), Loader()};
  FERRY_ASSIGN_OR_RETURN(agent_, agent::Agent::Create(options, parts, std::move(identity)));
  executor_->Post([this] { agent_->Start(); });
  return OkStatus();
}

void WholeAgent::Stop() {
  if (agent_ == nullptr) return;
  if (const std::string id = agent_->identity().device_id; !id.empty()) id_ = id;
  had_ = Version();
  agent_.reset();
  dialer_.reset();
  outbox_.reset();
  tasks_.reset();
  executor_.reset();
  worker_.reset();
}

void WholeAgent::CutPower() {
  Stop();
  disk.CutPower(&sim.random());
  booted_by_cut_ = true;
}

void WholeAgent::OnLoaded() {
  if (agent_ == nullptr) return;
  if (const std::string id = agent_->identity().device_id; !id.empty()) id_ = id;
  const std::string now = Version();
  sim.Note(EventKind::kBoot, number, sim.VersionCalled(now),
           booted_by_cut_ && now.empty() && !had_.empty() ? 1 : 0);
  booted_by_cut_ = false;
}

std::string WholeAgent::Version() const {
  if (agent_ == nullptr) return had_;
  const Json status = agent_->StatusJson();
  const auto packages = GetObject(status, "packages");
  if (!packages.ok() || (*packages)->empty()) return "";
  return GetString(*(*packages)->begin(), "version").value_or("");
}

void WholeAgent::SendEvent() {
  if (agent_ == nullptr) return;
  if (const std::string id = agent_->identity().device_id; !id.empty()) id_ = id;
  event::Event event;
  event.id = "image";
  event.time_ms = ++events_;
  (void)agent_->Deliver(event);
}

Status WholeAgents::Enrol() {
  const Scenario& scenario = sim_.scenario();
  const int64_t count = std::min(scenario.agents, scenario.devices);
  const trust::JoinToken token = sim_.backend().Token(sim_.publisher().root_document, count);
  double sum = 0;
  for (const Profile& profile : scenario.profiles) sum += profile.share;
  for (int64_t i = 0; i < count; ++i) {
    // Spread over the profiles by their shares.
    double at = (static_cast<double>(i) + 0.5) / static_cast<double>(count) * sum;
    size_t profile = 0;
    while (profile + 1 < scenario.profiles.size() && at >= scenario.profiles[profile].share)
      at -= scenario.profiles[profile++].share;
    const int64_t number = sim_.small().size() + i;
    agents_.push_back(
        std::make_unique<WholeAgent>(sim_, number, scenario.profiles[profile], token));
    FERRY_TRY(agents_.back()->Start());
  }
  return OkStatus();
}

WholeAgent* WholeAgents::At(int64_t device) {
  const int64_t index = device - sim_.small().size();
  return index < 0 || index >= size() ? nullptr : agents_[static_cast<size_t>(index)].get();
}

int64_t WholeAgents::NumberOf(const std::string& id) const {
  for (const auto& agent : agents_)
    if (agent->id() == id) return agent->number;
  return -1;
}

void WholeAgents::EveryMinute() {
  const int64_t minute = sim_.now_ms() / kMinuteMs;
  for (const auto& agent : agents_) {
    if ((minute + agent->number) % kEventMinutes == 0) agent->SendEvent();
    const int64_t from = agent->profile.online_from % 24, to = agent->profile.online_to % 24;
    const int64_t hour = ((minute + agent->profile.utc_offset_minutes) / 60 % 24 + 24) % 24;
    const bool inside =
        from == to || (from < to ? hour >= from && hour < to : hour >= from || hour < to);
    const bool reachable = inside && !sim_.IsCutOff(agent->number);
    if (reachable == agent->reachable) continue;
    agent->reachable = reachable;
    sim_.network().SetReachable(agent->host(), reachable);
  }
}

void WholeAgents::AskAll() {
  for (const auto& agent : agents_) {
    agent->clock.off_ms = 0;
    agent->disk.SetCapacity(UINT64_MAX);
    sim_.network().CutChannels(agent->host());
  }
}

}  // namespace ferry::fleetsim
