#include "tools/device/process.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <future>
#include <optional>

#include "common/base/log.h"
#include "common/trust/join.h"
#include "device-runtime/agent/conditions.h"
#include "device-runtime/agent/machine.h"
#include "device-runtime/agent/state/directories.h"
#include "device-runtime/agent/state/profile.h"
#include "device-runtime/task/outcome.h"

namespace ferry::device {
namespace {

constexpr uint64_t kMaxAtRestKeyBytes = 256;

constexpr auto kStopDeadline = std::chrono::seconds(5);

// Two processes on one state directory would undo each other's installs.
Result<int> LockDirectory(const std::string& directory) {
  FERRY_TRY(agent::MakeDurableDirectories(sys::SystemFileSystem(), directory));
  const std::string path = sys::JoinPath(directory, "lock");
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) return Status::Of(Code::kIo, "{} cannot be opened", path);
  if (::flock(fd, LOCK_EX | LOCK_NB) == 0) return fd;
  ::close(fd);
  return Status::Of(Code::kFailedPrecondition, "another ferry-device runs on {}", directory);
}

Result<std::optional<trust::JoinToken>> ReadToken(const std::string& given) {
  if (given.empty()) return std::optional<trust::JoinToken>();
  std::string text = given;
  if (sys::Exists(sys::SystemFileSystem(), given)) {
    FERRY_ASSIGN_OR_RETURN(const Bytes file,
                           sys::ReadFile(sys::SystemFileSystem(), given, 64 << 10));
    text = std::string(AsText(file));
  }
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  // What a service without a token hands over.
  if (text.empty()) return std::optional<trust::JoinToken>();
  FERRY_ASSIGN_OR_RETURN(auto token, trust::JoinTokenFromText(text).Context("--join"));
  return std::optional<trust::JoinToken>(std::move(token));
}

Result<target::Attributes> ReadProfile(const std::string& path) {
  if (path.empty()) return target::Attributes();
  FERRY_ASSIGN_OR_RETURN(const Bytes text,
                         sys::ReadFile(sys::SystemFileSystem(), path, kMaxJsonBytes));
  FERRY_ASSIGN_OR_RETURN(const Json json, ParseJson(AsText(text)).Context("{}", path));
  return target::AttributesFromJson(json).Context("{}", path);
}

// "plan=pro" of --user, beside what the profile says.
Status AddUser(const std::vector<std::string>& given, target::Attributes* profile) {
  for (const std::string& one : given) {
    const size_t equals = one.find('=');
    if (equals == std::string::npos || equals == 0)
      return Status::Of(Code::kInvalidArgument, "--user \"{}\": wanted like plan=pro", one);
    profile->user[one.substr(0, equals)] = one.substr(equals + 1);
  }
  // The limits are those of a profile.
  return AsStatus(target::AttributesFromJson(target::AttributesToJson(*profile)).Context("--user"));
}

// 32 bytes, or 64 hexadecimal characters with white space around them.
Result<std::optional<crypto::Secret32>> ReadAtRestKey(const std::string& file) {
  if (file.empty()) return std::optional<crypto::Secret32>();
  FERRY_ASSIGN_OR_RETURN(
      Bytes text,
      sys::ReadFile(sys::SystemFileSystem(), file == "-" ? "/dev/stdin" : file, kMaxAtRestKeyBytes)
          .Context("--at-rest-key"));
  if (text.size() != crypto::Secret32::kBytes) {
    while (!text.empty() && std::isspace(text.back())) text.pop_back();
    FERRY_ASSIGN_OR_RETURN(text, FromHex(AsText(text)).Context("--at-rest-key {}", file));
  }
  FERRY_ASSIGN_OR_RETURN(crypto::Secret32 key, crypto::Secret32::From(text, "--at-rest-key"));
  crypto::Wipe(text);
  return std::optional<crypto::Secret32>(std::move(key));
}

}  // namespace

Process::Process(const RunOptions& options) : options_(options) {}

Result<std::unique_ptr<Process>> Process::Start(const RunOptions& options) {
  std::unique_ptr<Process> process(new Process(options));
  FERRY_TRY(process->Open());
  Process& p = *process;
  p.executor_->Post([&p] {
    p.agent_->Start();
    p.ReadEvents();
    p.WriteStatus();
  });
  return process;
}

// What the files and options say now, else what they said before.
Result<target::Attributes> Process::Profile(sys::FileSystem& fs, std::string* damage) const {
  std::optional<target::Attributes> said;
  if (!options_.profile_file.empty()) {
    FERRY_ASSIGN_OR_RETURN(said, ReadProfile(options_.profile_file));
  } else if (!options_.user.empty()) {
    FERRY_ASSIGN_OR_RETURN(said, agent::KeepProfile(fs, options_.directory, std::nullopt, damage));
    said->user.clear();
  }
  if (said) FERRY_TRY(AddUser(options_.user, &*said));
  return agent::KeepProfile(fs, options_.directory, said, damage);
}

Status Process::Open() {
  sys::Random& random = sys::SystemRandom();
  FERRY_ASSIGN_OR_RETURN(const auto key, ReadAtRestKey(options_.at_rest_key));
  at_rest_ =
      std::make_unique<package::AtRest>(sys::SystemFileSystem(), options_.directory, key, random);
  sys::FileSystem& fs = at_rest_->reading();
  FERRY_ASSIGN_OR_RETURN(lock_, LockDirectory(options_.directory));
  FERRY_ASSIGN_OR_RETURN(const auto token, ReadToken(options_.join));
  agent::AgentOptions agent_options;
  agent_options.directory = options_.directory;
  agent_options.look_at_machine = [directory = options_.directory](target::Attributes* attributes) {
    agent::FillMachine(sys::SystemFileSystem(), directory, attributes);
  };
  agent_options.conditions = [path = options_.conditions] {
    return agent::ReadConditions(sys::SystemFileSystem(), agent::kPowerSupply, path,
                                 sys::SystemClock().NowUnixMs());
  };
  agent_options.push = options_.push;
  agent_options.resident_bytes = agent::ResidentBytes;
  agent_options.measure_ms = static_cast<int64_t>(options_.measure_seconds * 1000);
  agent_options.poll_ms = static_cast<int64_t>(options_.poll_seconds * 1000);
  FERRY_ASSIGN_OR_RETURN(agent::Identity identity,
                         agent::OpenIdentity(fs, options_.directory, token, random));
  FERRY_ASSIGN_OR_RETURN(agent_options.profile, Profile(fs, &identity.damage));
  FERRY_ASSIGN_OR_RETURN(outbox_,
                         store::OpenOutbox(sys::JoinPath(options_.directory, "outbox.db"), random,
                                           {.key = key, .forget_sealed = options_.forget_sealed}));
  if (!options_.consent.empty())
    FERRY_TRY(outbox_->SetConsent(options_.consent == "yes").Context("--consent"));
  FERRY_ASSIGN_OR_RETURN(ResultSink sink, ResultSink::Open(options_.results));
  results_ = std::make_unique<ResultSink>(std::move(sink));
  agent_options.on_outcome = [this](const agent::TaskOutcome& outcome) { OnOutcome(outcome); };
  if (!options_.events.empty()) {
    events_ = std::make_unique<EventSource>(
        fs, options_.events, sys::JoinPath(options_.directory, "events.position"), *outbox_);
  }
  io_ = std::make_unique<net::IoThreads>(1);
  executor_ = sys::StartThreadExecutor("agent");
  worker_ = sys::StartThreadExecutor("tasks");
  tasks_ = std::make_unique<task::TaskSet>(task::TaskSetOptions{
      .executor = worker_.get(), .threads = std::max(options_.threads, 1), .own_lanes = false});
  net::ClientOptions client;
  client.authority = identity.join.authority;
  FERRY_ASSIGN_OR_RETURN(dialer_, net::MakeTlsDialer(*io_, *executor_, client));
  const agent::AgentParts parts{executor_.get(),
                                tasks_.get(),
                                &sys::SystemClock(),
                                &random,
                                &fs,
                                dialer_.get(),
                                outbox_.get(),
                                agent::TaskRunnerLoader(fs, *tasks_),
                                at_rest_.get()};
  FERRY_ASSIGN_OR_RETURN(agent_, agent::Agent::Create(agent_options, parts, std::move(identity)));
  return OkStatus();
}

void Process::ReadEvents() {
  if (!events_ || !agent_ || stopping_) return;
  // Events wait in the file, not in memory, while the tasks are busy or not loaded yet.
  if (!agent_->loading() && agent_->queued_events() < kMaxLinesATurn) {
    const Status read = events_->Read(
        kMaxLinesATurn, [this](const std::string& line, uint64_t number) { OnLine(line, number); });
    if (!read.ok()) LogError("device", "events: {}", read.ToString());
  }
  executor_->PostAfter(kReadMs, [this] { ReadEvents(); });
}

void Process::OnLine(const std::string& line, uint64_t number) {
  auto event = event::ParseEvent(line);
  if (!event.ok()) return LogWarn("device", "event dropped: {}", event.status().ToString());
  event->number = number;
  // What is not taken now comes again after the next start.
  const Status status = agent_->Deliver(std::move(*event));
  if (!status.ok()) LogWarn("device", "event not taken: {}", status.ToString());
}

void Process::OnOutcome(const agent::TaskOutcome& outcome) {
  const Json line = ResultLine(outcome, sys::SystemClock().NowUnixMs());
  if (!outcome.outcome.again || !results_->Has(line)) results_->Write(line);
}

void Process::WriteStatus() {
  if (options_.status_file.empty() || !agent_) return;
  const Status written = ReplaceStatusFile(sys::SystemFileSystem(), options_.status_file,
                                           agent_->StatusJson(), &last_status_);
  if (!written.ok()) LogWarn("device", "status file: {}", written.ToString());
  executor_->PostAfter(kStatusMs, [this] { WriteStatus(); });
}

Process::~Process() {
  if (agent_) {
    auto stopped = std::make_shared<std::promise<void>>();
    auto gone = std::make_shared<std::promise<void>>();
    executor_->Post([this, stopped] {
      stopping_ = true;
      agent_->Stop([stopped] { stopped->set_value(); });
    });
    stopped->get_future().wait_for(kStopDeadline);
    executor_->Post([this, gone] {
      agent_.reset();
      dialer_.reset();
      gone->set_value();
    });
    gone->get_future().wait();
  }
  tasks_.reset();
  worker_.reset();  // before the executor that its tasks post to
  dialer_.reset();
  executor_.reset();
  io_.reset();
  if (lock_ >= 0) ::close(lock_);
}

}  // namespace ferry::device
