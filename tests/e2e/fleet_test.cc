#include "tests/e2e/fleet.h"

#include "cloud-server/rollout/new_release.h"
#include "common/package/manifest.h"
#include "common/package/reader.h"
#include "device-runtime/task/outcome.h"
#include "pipeline/trigger/trigger.h"

namespace ferry::e2e {
namespace {

constexpr char kState[] = "/state";
constexpr char kPlan[] = R"json({
  "rule": "os in (\"android\", \"ios\") and app_version >= \"1.2.0\" and app_version < \"2.0.0\"",
  "stages": [
    {"kind": "simulation", "name": "simulation"},
    {"kind": "beta", "name": "beta", "who": "tag(\"beta\")", "min_healthy_ms": 5000,
     "min_reports": 1},
    {"kind": "gray", "name": "gray", "percent": 50, "min_healthy_ms": 5000},
    {"kind": "full", "name": "full", "min_healthy_ms": 5000}
  ]})json";

// Runs what the file "behaviour" says: "good", or "raise <class>" on devices of that class.
class ScriptedRunner : public agent::PackageRunner {
 public:
  ScriptedRunner(std::string behaviour, std::string version, Device* device)
      : behaviour_(std::move(behaviour)), version_(std::move(version)), device_(device) {}
  Status Probe() override { return OkStatus(); }
  std::shared_ptr<const flow::Definition> definition() const override {
    auto out = std::make_shared<flow::Definition>();
    out->trigger = trigger::Trigger{{{"image", ""}}, 0, false};
    return out;
  }
  task::EventOutcome Run(const flow::Start& start) override {
    const event::Event& event = *std::get<flow::TriggerStart>(start.why).events.back();
    task::EventOutcome outcome;
    outcome.fired = true;
    if (behaviour_ == "raise " + device_->profile.device_class) {
      outcome.error = Status(Code::kScriptRaised, "task.py:12: KeyError: 'pixels'");
      return outcome;
    }
    outcome.result = {{"version", version_}};
    const Json row = {{"image", event.time_ms}, {"version", version_}};
    outcome.stream_error =
        AsStatus(device_->outbox->Append({{"digits.result", event.time_ms, WriteJson(row)}}));
    return outcome;
  }
  task::HostStats stats() const override { return {}; }

 private:
  std::string behaviour_, version_;
  Device* device_;
};

agent::RunnerLoader LoaderOf(Device* device) {
  return [device](const std::string& path,
                  const task::OwnDirectories&) -> Result<std::unique_ptr<agent::PackageRunner>> {
    FERRY_ASSIGN_OR_RETURN(auto package, package::Package::OpenFile(device->disk, path));
    FERRY_ASSIGN_OR_RETURN(const ByteView behaviour, package.VerifiedFile("behaviour"));
    return std::unique_ptr<agent::PackageRunner>(std::make_unique<ScriptedRunner>(
        std::string(AsText(behaviour)), package.manifest().version, device));
  };
}

}  // namespace

Device::Device(sys::SimWorld& world, sys::SimNetwork& network, const DeviceProfile& profile_in,
               const trust::JoinToken& token)
    : profile(profile_in),
      executor(world.MakeExecutor()),
      worker(world.MakeExecutor()),
      tasks(std::make_unique<task::TaskSet>(task::TaskSetOptions{
          .executor = worker.get(), .clock = &world.clock(), .own_lanes = false})),
      dialer(network.MakeDialer(profile.name, *executor)),
      outbox(store::OpenOutbox(":memory:", world.random()).value()) {
  agent::AgentOptions options;
  options.directory = kState;
  options.profile.os = profile.os;
  options.profile.app_version = profile.app_version;
  options.profile.device_class = profile.device_class;
  options.profile.tags = profile.tags;
  options.push = profile.push;
  options.poll_ms = profile.push ? agent::kSlowPollMs : 3'000;
  options.backoff = {200, 5'000};
  options.on_outcome = [this](const agent::TaskOutcome& outcome) {
    if (!outcome.outcome.error.ok()) ++errors;
  };
  auto identity = agent::OpenIdentity(disk, kState, token, world.random());
  const agent::AgentParts parts{executor.get(), tasks.get(),  &world.clock(), &world.random(),
                                &disk,          dialer.get(), outbox.get(),   LoaderOf(this)};
  agent = agent::Agent::Create(options, parts, std::move(identity).value()).value();
  executor->Post([this] { agent->Start(); });
}

Device::~Device() {
  agent.reset();
  dialer.reset();
}

std::string Device::Version() const {
  const Json status = agent->StatusJson();
  const auto packages = GetObject(status, "packages");
  if (!packages.ok() || (*packages)->empty()) return "";
  return GetString(*(*packages)->begin(), "version").value_or("");
}

void Device::Image() {
  event::Event event;
  event.id = "image";
  event.time_ms = ++images;
  EXPECT_TRUE(agent->Deliver(event).ok());
}

Fleet::Fleet(uint64_t seed, const std::string& tenant)
    : world(seed),
      network(world),
      server(world, network, &simulator, tenant),
      publisher(world, server) {}

Device& Fleet::Add(const DeviceProfile& profile) {
  auto& device = devices[profile.name];
  device =
      std::make_unique<Device>(world, network, profile, server.Token(publisher.root_document, 1));
  return *device;
}

void Fleet::AddSix() {
  Add({"beta", "android", "1.4.0", "high", {"beta"}});
  Add({"high", "ios", "1.3.0", "high", {}});
  Add({"low1", "android", "1.4.0", "low", {}});
  Add({"low2", "android", "1.2.0", "low", {}, false});
  Add({"mid", "ios", "1.9.9", "mid", {}});
  Add({"old", "android", "1.1.9", "mid", {}});
  ASSERT_TRUE(Until([this] {
    for (const auto& [name, device] : devices) {
      if (!device->agent->connected()) return false;
    }
    return true;
  }));
}

std::string Fleet::Start(const std::string& version) {
  server::NewRelease release;
  release.package = "digits";
  release.version = version;
  release.plan = ParseJson(kPlan).value();
  release.salt = "salt-" + version;
  const auto created = server.rollout->Create(release);
  EXPECT_TRUE(created.ok()) << created.status().ToString();
  if (!created.ok()) return "";
  const auto started = server.rollout->Do(created->id, server::command::Start{"tester"});
  EXPECT_TRUE(started.ok()) << started.status().ToString();
  return created->id;
}

bool Fleet::Until(const std::function<bool()>& done, int64_t limit_ms) {
  return world.RunUntil(done, limit_ms);
}

bool Fleet::UntilState(const std::string& release, server::ReleaseState state, int64_t limit_ms) {
  // The store is asked once a virtual second, not at every step.
  for (int64_t waited = 0; waited < limit_ms; waited += 1'000) {
    if (server.Release(release).state == state) return true;
    world.RunFor(1'000);
  }
  return server.Release(release).state == state;
}

int Fleet::Running(const std::string& version) const {
  int count = 0;
  for (const auto& [name, device] : devices) count += device->Version() == version ? 1 : 0;
  return count;
}

void Fleet::ImagesEverywhere() {
  for (const auto& [name, device] : devices) device->Image();
  world.RunFor(2'000);
}

}  // namespace ferry::e2e
