#include "device-runtime/agent/tests/fixture.h"

#include "common/package/artefact.h"
#include "common/package/manifest.h"
#include "common/package/reader.h"
#include "common/package/writer.h"

namespace ferry::agent {

Status FakeRunner::Probe() {
  if (behaviour_ == "probe") {
    return Status(Code::kProbeFailed, "case \"first\": digit: expected 2, got 3");
  }
  return OkStatus();
}

std::shared_ptr<const flow::Definition> FakeRunner::definition() const {
  auto out = std::make_shared<flow::Definition>();
  out->trigger = trigger::Trigger{{{"image", ""}}, 0, false};
  if (behaviour_ == "rule") out->rules.emplace_back().rule.name = "without steps";
  return out;
}

task::EventOutcome FakeRunner::Run(const flow::Start&) {
  task::EventOutcome outcome;
  outcome.fired = true;
  ++stats_.events;
  ++stats_.fired;
  ++stats_.inferences;
  outcome.latency_ns = 2'500'000;
  stats_.p50_latency_ns = outcome.latency_ns;
  stats_.counters = {"seen"};
  stats_.metrics = {{"seen", stats_.fired},
                    {"level", 10 * stats_.fired},
                    {"depth", {{"count", stats_.fired}, {"sum", 100 + 2.5 * stats_.fired}}},
                    {"latency_ms", 1e9}};
  if (behaviour_ == "raise") {
    ++stats_.errors;
    outcome.error = Status(Code::kScriptRaised, "task.py:7: KeyError: 'pixels'");
  } else {
    outcome.result = {{"version", version_}};
    for (const auto& [name, file] : *exclusive_)
      outcome.result[name] = std::string(AsText(file.file->bytes()));
  }
  return outcome;
}

Result<Bytes> FakeRunner::ReadFile(std::string_view name) {
  const auto found = exclusive_->find(name);
  if (found == exclusive_->end()) return PackageRunner::ReadFile(name);
  return ToBytes(found->second.file->bytes());
}

RunnerLoader FakeLoader(sys::FileSystem& fs) {
  return [&fs](const std::string& path,
               const task::OwnDirectories& files) -> Result<std::unique_ptr<PackageRunner>> {
    FERRY_ASSIGN_OR_RETURN(const auto exclusive, task::OpenOwnFiles(fs, files));
    FERRY_ASSIGN_OR_RETURN(auto package, package::Package::OpenFile(fs, path));
    FERRY_ASSIGN_OR_RETURN(const ByteView file, package.VerifiedFile("behaviour"));
    std::string behaviour(AsText(file));
    behaviour = behaviour.substr(0, behaviour.find(' '));
    if (behaviour == "load") {
      return Status(Code::kScriptSyntax, "task.py:3:8: expected ':' after the condition");
    }
    return std::unique_ptr<PackageRunner>(
        std::make_unique<FakeRunner>(behaviour, package.manifest().version, exclusive));
  };
}

Fixture::Fixture(uint64_t seed)
    : world(seed), network(world), gateway(world), server_executor(world.MakeExecutor()) {
  network.Listen(
      kServer, *server_executor, [this](auto channel) { gateway.Accept(std::move(channel)); },
      &gateway);
  options.directory = kState;
  options.profile.os = "android";
  options.profile.app_version = "1.4.0";
  options.profile.tags = {"beta"};
  options.backoff = {100, 5'000};
  options.on_outcome = [this](const TaskOutcome& outcome) { outcomes.push_back(outcome); };
  token = gateway.Token();
  outbox = store::OpenOutbox(":memory:", world.random()).value();
}

Fixture::~Fixture() {
  Kill();
}

Status Fixture::Start() {
  executor = world.MakeExecutor();
  worker = world.MakeExecutor();
  tasks = std::make_unique<task::TaskSet>(
      task::TaskSetOptions{.executor = worker.get(), .clock = &world.clock(), .own_lanes = false});
  dialer = network.MakeDialer("device", *executor);
  if (wrap_dialer) dialer = wrap_dialer(std::move(dialer));
  std::optional<trust::JoinToken> given;
  if (give_token) given = token;
  sys::FileSystem* fs = &disk;
  if (at_rest_tag) {
    const auto key = crypto::Secret32::From(Bytes(32, *at_rest_tag), "key").value();
    at_rest = std::make_unique<package::AtRest>(disk, options.directory, key, world.random());
    fs = &at_rest->reading();
  }
  FERRY_ASSIGN_OR_RETURN(Identity identity,
                         OpenIdentity(*fs, options.directory, given, world.random()));
  const AgentParts parts{executor.get(),
                         tasks.get(),
                         &world.clock(),
                         &world.random(),
                         fs,
                         dialer.get(),
                         outbox.get(),
                         FakeLoader(*fs),
                         at_rest_tag ? at_rest.get() : nullptr};
  FERRY_ASSIGN_OR_RETURN(agent, Agent::Create(options, parts, std::move(identity)));
  executor->Post([this] { agent->Start(); });
  return OkStatus();
}

void Fixture::Kill() {
  agent.reset();
  dialer.reset();
  tasks.reset();
  executor.reset();
  worker.reset();
}

void Fixture::Event() {
  event::Event event;
  event.id = "image";
  ASSERT_TRUE(agent->Deliver(event).ok());
}

bool Fixture::Until(const std::function<bool()>& done, int64_t limit_ms) {
  return world.RunUntil(done, limit_ms);
}

bool Fixture::UntilStep(Step step, const std::string& version, int64_t limit_ms) {
  return Until([&] { return gateway.Reported(step, version); }, limit_ms);
}

std::string Fixture::Version() const {
  const Json status = agent->StatusJson();
  const auto packages = status.find("packages");
  if (packages == status.end() || packages->empty()) return "";
  return GetString(*packages->begin(), "version").value_or("");
}

std::string Fixture::VersionOf(const std::string& package) const {
  const Json status = agent->StatusJson();
  const auto one = status["packages"].find(package);
  if (one == status["packages"].end() || (*one)["disabled"] == true) return "";
  return GetString(*one, "version").value_or("");
}

bool Fixture::UntilReported(const std::string& package, Step step, int64_t limit_ms) {
  const size_t before = gateway.reports.size();
  return Until(
      [&] {
        for (size_t i = before; i < gateway.reports.size(); ++i)
          if (gateway.reports[i].package() == package &&
              gateway.reports[i].step() == static_cast<int>(step))
            return true;
        return false;
      },
      limit_ms);
}

std::string Fixture::LastErrorName() const {
  const Json status = agent->StatusJson();
  const auto error = GetObjectOrNull(status, "last_error");
  if (!error.ok() || *error == nullptr) return "";
  return GetString(**error, "name").value_or("");
}

}  // namespace ferry::agent
