// The device's network and install side: joins, listens, pulls, verifies, installs, runs, reports
// and rolls back. One state machine on one executor over sys interfaces: the same on a machine and
// in a simulation. README.md draws it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/bytes.h"
#include "common/base/json_fwd.h"
#include "common/base/status.h"
#include "common/package/at_rest.h"
#include "common/sys/clock.h"
#include "common/sys/executor.h"
#include "common/sys/filesystem.h"
#include "common/sys/net.h"
#include "common/sys/random.h"
#include "device-runtime/agent/line/backoff.h"
#include "device-runtime/agent/run/runner.h"
#include "device-runtime/agent/run/tasks.h"
#include "device-runtime/agent/state/identity.h"
#include "pipeline/store/outbox.h"
#include "policy/target/attributes.h"
#include "policy/when/when.h"

namespace ferry::agent {

inline constexpr int64_t kSlowPollMs =
    int64_t{6} * 3600 * 1000;                    // with push, polls are the safety net
inline constexpr int64_t kTakeEveryMs = 30'000;  // between pulls that texts of the app began
inline constexpr int64_t kPumpMs = 500;          // how soon records of quiet tasks go up the tunnel
// A device that has nothing to send looks this often for what nobody tells it of: errors to be
// written, a disk that has room again.
inline constexpr int64_t kIdlePumpMs = 10'000;

// A package is measured so long after the first event that it handled in this version since it runs
// in this process, or since it is observed in place of a release; and again after
// kMeasureAgainTimes as long while it has new runs.
inline constexpr int64_t kFirstMeasureMs = 60'000;
inline constexpr int64_t kMeasureAgainTimes = 60;

struct AgentOptions {
  std::string directory;          // the device's state; made when it is not there
  target::Attributes profile;     // what the device says of itself
  bool push = true;               // false: finds out by polling alone
  int64_t poll_ms = kSlowPollMs;  // each wait is between half and one and a half of it
  BackoffOptions backoff;         // of the line, of downloads and of failed pulls
  // Results and errors of tasks, for the app; may be empty.
  std::function<void(const TaskOutcome&)> on_outcome;
  // Installed packages are loaded: events may come. May be empty.
  std::function<void()> on_loaded;
  // The server's operator wants what is known of who uses this device erased: the host calls Erase
  // and what else it has to, then TellErased. `asked` is for Outbox::BeginErase; it comes again at
  // the next line until the server was told. Empty: the agent erases what it has itself.
  std::function<void(const std::string& asked)> on_erase;
  // As LinkOptions::look_at_machine; FillMachine (machine.h) on a real machine.
  std::function<void(target::Attributes*)> look_at_machine;
  // Whether the host is idle, charging and on a network without a meter, and its zone, for installs
  // that wait for that; ReadConditions (conditions.h) on a real machine. On the agent's executor,
  // every kHeldCheckMs while something waits. Empty: all of them hold, in UTC.
  std::function<when::Host()> conditions;
  int64_t measure_ms = kFirstMeasureMs;
  // As ResidentBytes (machine.h) on a real machine; empty: memory is not measured.
  std::function<int64_t()> resident_bytes;
};

// What the agent stands on; all outlive it.
struct AgentParts {
  sys::Executor* executor = nullptr;  // the agent's own
  task::TaskSet* tasks = nullptr;     // of the process
  sys::Clock* clock = nullptr;
  sys::Random* random = nullptr;
  sys::FileSystem* fs = nullptr;
  sys::Dialer* dialer = nullptr;  // of `executor`
  store::Outbox* outbox = nullptr;
  RunnerLoader loader;
  // Seals packages that ask for it, below the state directory; `fs` and the loader's are then its
  // reading(). Null, or without a key: such packages are refused, and the profile says so.
  package::AtRest* at_rest = nullptr;
};

// The identity of the state directory, or a new one from the token when there is none. kNotFound
// without either.
Result<Identity> OpenIdentity(sys::FileSystem& fs, const std::string& directory,
                              const std::optional<trust::JoinToken>& token, sys::Random& random);

// Made, used and dropped on parts.executor (or before its first task and after its last).
class Agent {
 public:
  // Reads the state directory. Errors name the file; a damaged `current` of one package costs that
  // package only.
  static Result<std::unique_ptr<Agent>> Create(const AgentOptions& options, const AgentParts& parts,
                                               Identity identity);
  ~Agent();

  // Starts the installed packages, then the line.
  void Start();
  // An event of the app, to all tasks of the set. kLimitExceeded when too many wait. `done` as in
  // task::TaskSet::Send.
  Status Deliver(event::Event event, std::function<void()> done = nullptr);
  // Runs a function of an installed package for the app, as task::TaskGroup::Call; any thread. A
  // call that fails is the app's own, and no evidence against a release.
  Status Call(const std::string& package, const std::string& function, Json argument,
              uint64_t call);
  // Installed packages are still being loaded: an event that is delivered now would pass them by.
  bool loading() const;
  // Closes windows and the line, then calls `done`; nothing follows but dropping the agent.
  void Stop(std::function<void()> done);

  // A language model of an installed package, on the agent's executor: kNotFound while the package
  // is not installed.
  void FindModel(const std::string& package, const std::string& model, Tasks::OnModel done);

  // A file of an installed package, as its task's `ferry.files` reads it, on the agent's executor:
  // one for this device alone before one of the package. kNotFound names the package or the file.
  void ReadFile(const std::string& package, const std::string& name,
                std::function<void(Result<Bytes>)> done);

  // As task::TaskGroup::Erase, of the installed packages.
  Result<store::ErasedCounts> Erase(uint64_t position);
  // The outbox has the receipt of its last erasure: the server is told of it, on this line or the
  // next, until it has answered with its own.
  void TellErased();

  // Rows may go that waited for the user's consent.
  void SendRows();

  // What an app may put into a request to its own server, which asks Ferry's with it (POST
  // /api/v1/have); empty while the server has not given one.
  const std::string& have_text() const;
  // What came back with the app's answer: a pull within the time that it says, also without a line
  // before, at most one every kTakeEveryMs. One that is empty, of another device, or of before the
  // last answer does nothing; kMalformed for one of another form.
  Status TakeText(std::string_view text);

  bool connected() const;
  // What proves this device to the server's other doors (content, verification); "" without a line.
  std::string content_token() const;
  // Events that started tasks which are not done with them.
  size_t queued_events() const;
  const Identity& identity() const;
  // Where its line goes to, or is tried next.
  sys::Endpoint server() const;
  // {"device_id","mode":"enrolling"|"connected"|"local_only","push","epoch","packages":{name:
  // {"version","release","slot","timeline":[{"version","time_ms","how"}],"inferences",
  // "task_errors","latency_us":{"p50","p99"},"disabled"}},"desired":{"epoch","packages":{name:
  // {"state","version","release","attempt","back","outcome":"pending"|"waiting"|"confirmed"|
  // "failed","error":{"code","name","text"}|null,"waiting":why, of what is held}}},
  // "bytes":{"full","delta","exclusive","personal"},
  // "exclusive":["package/name"],"personal":["package/name"],
  // "outbox":{"queued","bytes","sent","refused","withheld","wait_ms"},"consent":bool,
  // "erasure":as store::ErasureToJson,"reports":{"queued","dropped"},
  // "timeline":[steps],"clock_ahead_ms":of the server's or null,
  // "last_error":{"code","name","text","time_ms"}|null}
  Json StatusJson() const;

 private:
  struct Impl;
  explicit Agent(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace ferry::agent
