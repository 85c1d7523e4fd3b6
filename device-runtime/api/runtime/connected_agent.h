// An agent with everything it stands on beside the process's tasks: threads, network, outbox.
// Internal to the room.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "common/base/json.h"
#include "common/net/client.h"
#include "common/sys/executor.h"
#include "common/sys/net.h"
#include "device-runtime/agent/agent.h"
#include "device-runtime/api/runtime/event_feed.h"
#include "device-runtime/api/runtime/runtime.h"
#include "device-runtime/task/task_set.h"
#include "pipeline/store/outbox.h"

namespace ferry::api {

// Any thread may call but its own.
class ConnectedAgent {
 public:
  // Called on the agent's thread, must not wait. `waits` as in task::TaskOutcome.
  using OnResult = std::function<void(Json result, std::shared_ptr<const void> waits)>;
  // Gives the feed of the app's events, which the agent's outbox has joined and which waits.
  using JoinFeed = std::function<Result<std::shared_ptr<EventFeed>>(store::Outbox& outbox)>;
  // Installed packages run in a group of `tasks`, which outlives the agent.
  // `on_erase` as AgentOptions::on_erase: on the agent's thread, must not wait.
  using OnErase = std::function<void(const std::string& asked)>;
  static Result<std::unique_ptr<ConnectedAgent>> Start(const AgentSettings& settings,
                                                       task::TaskSet& tasks, const JoinFeed& join,
                                                       OnResult on_result, OnErase on_erase);
  // Ends its tasks and the line; waits for it.
  ~ConnectedAgent();

  // What the host is at, for releases that wait for it: ReadConditionsInto's JSON, which was read.
  void SetConditions(Json said);
  store::Outbox& outbox() { return *outbox_; }  // of the installed packages
  // As agent::Agent::Erase, and TellErased.
  Result<store::ErasedCounts> Erase(uint64_t position);
  void TellErased();
  // As agent::Agent::SendRows.
  void SendRows();
  // As agent::Agent's; ferry_have.cc.
  std::string HaveText();
  Status TakeText(const std::string& text);
  Json StatusJson();
  // Of an installed package; kNotFound while there is none.
  Result<NamedModel> FindModel(const std::string& package, const std::string& model);
  // Of an installed package; kNotFound while there is none.
  Result<Bytes> ReadFile(const std::string& package, const std::string& name);
  // As agent::Agent::Call.
  Status Call(const std::string& package, const std::string& function, Json argument,
              uint64_t call);
  // A line to this agent's verifier, on `executor`, which asks the agent for its token. It goes
  // before the agent.
  Result<std::unique_ptr<SplitConnection>> MakeSplitConnection(sys::Executor& executor);

 private:
  ConnectedAgent() = default;
  void StopAgent();

  int lock_ = -1;  // of the state directory: two processes would undo each other's installs
  std::unique_ptr<package::AtRest> at_rest_;
  net::ClientOptions client_;
  std::unique_ptr<net::IoThreads> io_;
  std::unique_ptr<store::Outbox> outbox_;
  std::unique_ptr<sys::Executor> home_;
  std::unique_ptr<sys::Dialer> dialer_;
  std::shared_ptr<EventFeed> feed_;
  std::shared_ptr<Json> conditions_ = std::make_shared<Json>();  // on home_; null: found out
  std::unique_ptr<agent::Agent> agent_;
};

}  // namespace ferry::api
