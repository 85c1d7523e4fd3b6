// An agent with everything it stands on: threads, network, outbox. Internal to the room.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "common/base/json.h"
#include "common/net/client.h"
#include "common/sys/executor.h"
#include "common/sys/net.h"
#include "device-runtime/agent/agent.h"
#include "device-runtime/api/runtime.h"
#include "device-runtime/task/shared_parallel.h"
#include "device-runtime/vm/schedule/scheduler.h"
#include "pipeline/store/outbox.h"

namespace ferry::api {

// Any thread may call but its own.
class ConnectedAgent {
 public:
  // `on_result` is called on the agent's thread and must not wait.
  static Result<std::unique_ptr<ConnectedAgent>> Start(const AgentSettings& settings, int threads,
                                                       std::function<void(const Json&)> on_result);
  // Closes windows and the line; waits for it.
  ~ConnectedAgent();

  Status Send(event::Event event);
  Json StatusJson();
  // Of an installed package; kNotFound while there is none.
  Result<NamedModel> FindModel(const std::string& package, const std::string& model);
  // A line to this agent's verifier, on `executor`, which asks the agent for its token. It goes
  // before the agent.
  Result<std::unique_ptr<SplitConnection>> MakeSplitConnection(sys::Executor& executor);

 private:
  ConnectedAgent() = default;
  void StopAgent();

  int lock_ = -1;  // of the state directory: two processes would undo each other's installs
  net::ClientOptions client_;
  sys::Endpoint endpoint_;
  std::unique_ptr<sys::Parallel> pool_;
  std::unique_ptr<task::SharedParallel> parallel_;  // of the tasks
  std::unique_ptr<vm::Scheduler> scheduler_;        // of their turns
  std::unique_ptr<net::IoThreads> io_;
  std::unique_ptr<store::Outbox> outbox_;
  std::unique_ptr<sys::Executor> worker_;
  std::unique_ptr<sys::Executor> home_;
  std::unique_ptr<sys::Dialer> dialer_;
  std::unique_ptr<agent::Agent> agent_;
};

}  // namespace ferry::api
