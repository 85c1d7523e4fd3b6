#include "device-runtime/agent/agent.h"

#include <algorithm>

#include "common/base/log.h"
#include "device-runtime/agent/agent_impl.h"
#include "device-runtime/agent/state/directories.h"
#include "device-runtime/task/outcome.h"

namespace ferry::agent {

Result<Identity> OpenIdentity(sys::FileSystem& fs, const std::string& directory,
                              const std::optional<trust::JoinToken>& token, sys::Random& random) {
  auto identity = LoadIdentity(fs, directory);
  if (identity.ok()) {
    if (Status healed = HealIdentity(fs, directory, *identity); !healed.ok()) {
      LogWarn("agent", "the copies of the identity in {}: {}", directory, healed.ToString());
    }
    // A token of another server would give this device's place there to nobody.
    const std::vector<std::string> known = identity->Authorities();
    const bool same = token && token->tenant == identity->join.tenant &&
                      (token->authority == identity->join.authority ||
                       std::find(known.begin(), known.end(), token->authority) != known.end());
    if (same) identity->rejoin_secret = token->secret;
    if (token && !same)
      LogWarn("agent", "{}: the join token is of another server and is not used", directory);
    return identity;
  }
  // With a token the device joins anew under the key that is left, or a new one.
  const bool damaged = identity.code() == Code::kCorruptContent;
  if (!damaged && identity.code() != Code::kNotFound) return identity;
  if (damaged && !token) {
    return identity.status().Context("the device's identity; a join token makes a new one");
  }
  if (!token) {
    return Status::Of(Code::kNotFound, "{} holds no device identity, and there is no join token",
                      directory);
  }
  FERRY_TRY(MakeDurableDirectories(fs, directory));
  auto made = MakeIdentity(fs, directory, *token, random);
  if (made.ok()) made->rejoin_secret = token->secret;
  if (made.ok() && damaged) {
    made->damage = identity.status().message() + "; set aside, and joined anew";
  }
  return made;
}

namespace {

AgentOptions WithAtRest(AgentOptions options, const AgentParts& parts) {
  options.profile.at_rest = parts.at_rest != nullptr && parts.at_rest->has_key();
  return options;
}

}  // namespace

Agent::Impl::Impl(const AgentOptions& options_in, const AgentParts& parts_in, Identity identity_in,
                  Journal journal_in, TrustStore trust_in)
    : options(WithAtRest(options_in, parts_in)),
      given(parts_in),
      identity(std::move(identity_in)),
      journal(std::move(journal_in)),
      trust(std::move(trust_in)),
      slots(*given.fs, options.directory),
      tasks(
          *given.executor, *given.tasks, given.loader, given.outbox,
          [this](const TaskOutcome& outcome) { OnOutcome(outcome); },
          [this](bool realtime) { return realtime ? Pump() : PumpWithin(kPumpMs); }),
      tunnel(*given.outbox),
      link({options.profile, options.push, options.backoff, journal.start_ids(),
            options.look_at_machine},
           *given.executor, *given.clock, *given.random, *given.dialer, identity, MakeLinkEvents()),
      parts{given.executor,  given.clock,
            given.random,    given.fs,
            given.dialer,    options.directory,
            options.backoff, &identity,
            &journal,        &trust,
            &slots,          &tasks,
            &link,           options.conditions,
            given.at_rest},
      job_backoff(options.backoff, *given.random),
      stale_backoff({kStaleRetryMs, kMaxStaleRetryMs}, *given.random),
      room_backoff({kRoomRetryMs, kMaxRoomRetryMs}, *given.random),
      reconciler(parts, [this](const Reconciler::Ended& ended) { OnInstallEnded(ended); }) {}

namespace {

// Makes both copies of `state` whole again and says in `damages` what was wrong. What cannot be
// written now is written with its next change.
template <typename State>
void HealState(State& state, const char* when_kept, const char* when_lost,
               std::vector<std::string>* damages) {
  if (!state.damage().empty()) {
    const char* set_aside = state.lost() ? "set aside and " : "";
    damages->push_back(
        fmt::format("{}; {}{}", state.damage(), set_aside, state.lost() ? when_lost : when_kept));
  }
  if (Status healed = state.Heal(); !healed.ok()) LogWarn("agent", "{}", healed.ToString());
}

}  // namespace

Result<std::unique_ptr<Agent>> Agent::Create(const AgentOptions& options, const AgentParts& parts,
                                             Identity identity) {
  FERRY_TRY(MakeDurableDirectories(*parts.fs, options.directory));
  FERRY_ASSIGN_OR_RETURN(Journal journal, Journal::Open(*parts.fs, options.directory));
  journal.NumberFrom(parts.clock->NowUnixMs());
  journal.BeginStart(*parts.random);
  FERRY_ASSIGN_OR_RETURN(TrustStore trust, TrustStore::Open(*parts.fs, options.directory));
  std::vector<std::string> damages;
  if (!identity.damage.empty()) damages.push_back(identity.damage);
  HealState(journal, "the other copy was taken", "begun anew", &damages);
  HealState(trust, "the other copy was taken", "begun anew from the pinned root", &damages);
  if (trust.set() != nullptr) journal.UseDirector(trust.set()->director_root());
  std::unique_ptr<Agent> agent(new Agent(std::make_unique<Impl>(
      options, parts, std::move(identity), std::move(journal), std::move(trust))));
  agent->impl_->damages = std::move(damages);
  return agent;
}

Agent::Agent(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Agent::~Agent() {
  for (auto timer : {impl_->poll_timer, impl_->pump_timer, impl_->retry_timer, impl_->room_timer,
                     impl_->take_timer}) {
    impl_->given.executor->Cancel(timer);
  }
  for (const auto& [package, watched] : impl_->watching) {
    impl_->given.executor->Cancel(watched.timer);
  }
}

void Agent::Start() {
  // A power cut may have kept a root's line from the identity.
  impl_->link.UseLine();
  if (impl_->trust.set() != nullptr) NoteLine(impl_->parts);
  impl_->Boot();
}

Status Agent::Call(const std::string& package, const std::string& function, Json argument,
                   uint64_t call) {
  return impl_->tasks.Call(package, function, std::move(argument), call);
}

Status Agent::Deliver(event::Event event, std::function<void()> done) {
  if (impl_->stopped) return Status(Code::kUnavailable, "the agent has stopped");
  impl_->CountBeforeEvents();
  return impl_->tasks.Deliver(std::move(event), std::move(done));
}

bool Agent::loading() const {
  return impl_->booting > 0;
}

void Agent::Stop(std::function<void()> done) {
  Impl& impl = *impl_;
  impl.stopped = true;
  impl.job.reset();
  impl.reconciler.Stop();
  for (auto timer :
       {impl.poll_timer, impl.pump_timer, impl.retry_timer, impl.room_timer, impl.take_timer}) {
    impl.given.executor->Cancel(timer);
  }
  for (auto& [package, measuring] : impl.measuring) impl.given.executor->Cancel(measuring.timer);
  impl.tasks.Close(impl.alive.Guard([&impl, done = std::move(done)] {
    impl.Pump();  // what fits into the line goes; the rest waits in the outbox
    impl.link.Stop();
    impl.StopWatching();
    done();
  }));
}

void Agent::FindModel(const std::string& package, const std::string& model, Tasks::OnModel done) {
  impl_->tasks.FindModel(package, model, std::move(done));
}

void Agent::ReadFile(const std::string& package, const std::string& name,
                     std::function<void(Result<Bytes>)> done) {
  impl_->tasks.ReadFile(package, name, std::move(done));
}

void Agent::SendRows() {
  impl_->PumpWithin(kPumpMs);
}

std::string Agent::content_token() const {
  return impl_->link.ready() ? impl_->link.content_token() : std::string();
}

bool Agent::connected() const {
  return impl_->link.ready();
}

size_t Agent::queued_events() const {
  return impl_->tasks.queued();
}

const Identity& Agent::identity() const {
  return impl_->identity;
}

sys::Endpoint Agent::server() const {
  return impl_->link.endpoint();
}

Json Agent::StatusJson() const {
  return impl_->StatusJson();
}

}  // namespace ferry::agent
