// Language models of one runtime: the thread that their sessions run on, KV memory, and the way to
// the verifier. Internal to the room: apps include ferry.h or ferry.hpp.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "common/base/json_fwd.h"
#include "common/sys/executor.h"
#include "device-runtime/agent/split/split_line.h"
#include "device-runtime/llm/kv/kv_cache.h"
#include "device-runtime/llm/model.h"

namespace ferry::api {

// A model and where it came from; a model of a folder or a file has no package.
struct NamedModel {
  std::shared_ptr<const llm::Model> model;
  std::string package;
  std::string version;
};

// A line to the verifier with the dialer under it. Made, used and dropped on one executor.
struct SplitConnection {
  std::unique_ptr<sys::Dialer> dialer;
  std::unique_ptr<agent::SplitLine> line;
};
using MakeSplitConnection =
    std::function<Result<std::unique_ptr<SplitConnection>>(sys::Executor& executor)>;

// Shared by the runtime and its sessions, which may outlive the runtime.
class LlmCore {
 public:
  // `parallel`: the process's pool, null for none. `kv_bytes`: most memory of one model's KV
  // caches; 0: llm::KvOptions says.
  LlmCore(std::shared_ptr<sys::Parallel> parallel, int64_t kv_bytes);
  ~LlmCore();

  sys::Executor& executor() { return *executor_; }    // sessions live here
  sys::Executor& callbacks() { return *callbacks_; }  // the app's callbacks; nothing waits for it
  sys::Parallel* parallel() { return parallel_.get(); }  // for the executor's tasks; null: none

  // Any thread but the executor's. `make` stays callable until Close.
  void SetConnection(MakeSplitConnection make);
  // The way to the verifier goes: what sessions have of it is dead. Any thread but the executor's.
  void Close();

  // On the executor: the line, dialled when it is first asked for; null without a server.
  // kUnavailable after Close.
  Result<agent::SplitLine*> Line();
  // On the executor: the pool that sessions of this model share.
  Result<std::shared_ptr<llm::KvPool>> PoolOf(const std::shared_ptr<const llm::Model>& model);
  // {"ready","streams",..} of the line, null without one. Any thread but the executor's.
  Json StatusJson();

 private:
  const int64_t kv_bytes_;
  const std::shared_ptr<sys::Parallel> parallel_;
  MakeSplitConnection make_;  // this and what follows: on the executor
  std::unique_ptr<SplitConnection> connection_;
  bool closed_ = false;
  struct Pool {
    std::weak_ptr<const llm::Model> model;  // once it is gone, so is the pool
    std::shared_ptr<llm::KvPool> pool;
  };
  std::map<const llm::Model*, Pool> pools_;
  std::unique_ptr<sys::Executor> callbacks_;
  std::unique_ptr<sys::Executor> executor_;
};

}  // namespace ferry::api
