// What a ferry_runtime handle holds. Internal to the room: apps include ferry.h or ferry.hpp.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "common/base/json_fwd.h"
#include "common/crypto/secret.h"
#include "common/sys/executor.h"
#include "device-runtime/api/runtime/llm/llm_core.h"
#include "device-runtime/llm/adapter/adapter.h"
#include "device-runtime/task/task_set.h"
#include "pipeline/store/outbox.h"
#include "policy/target/attributes.h"

namespace ferry::api {

struct RuntimeOptions {
  int threads = 0;
  std::string outbox_path;  // empty: none
  int64_t kv_bytes = 0;     // most memory of a language model's KV caches; 0: the default
  // Seals the outbox and its log of events, and what an agent keeps that has no key of its own.
  std::optional<crypto::Secret32> at_rest_key;
  // On a thread of its own, one at a time.
  std::function<void(const Json& result)> on_result;
};

struct AgentSettings {
  std::string directory;
  std::string join_token;                     // empty: must have joined before
  std::optional<target::Attributes> profile;  // nullopt: what it was told before
  bool push = true;
  int64_t poll_ms = 0;  // 0: the agent's default
  std::optional<crypto::Secret32> at_rest_key;
  bool forget_sealed = false;  // as ferry_agent_options::forget_sealed
};

// Result lines as apps and `ferry-device` write them.
Json ResultToJson(const task::TaskOutcome& outcome);

class ConnectedAgent;
class EventFeed;

// Local tasks and an agent, whose tasks are groups of one set, and what the app's sessions of
// language models share; results are handed out on another thread, so that a callback may wait for
// the rest. Any thread may call.
class RuntimeCore {
 public:
  static Result<std::unique_ptr<RuntimeCore>> Create(RuntimeOptions options);
  ~RuntimeCore();
  // What the destructor does; nobody else may call meanwhile but callbacks, and nobody later.
  void Close();

  Status OpenTask(const std::string& path);
  Status StartAgent(AgentSettings settings);
  Status Send(event::Event event);
  // kFailedPrecondition without an agent and an outbox, beside which the log of events lies.
  Status SendDurable(event::Event event);
  // What the host is at, as ReadConditionsInto reads it. kMalformed, kFailedPrecondition without an
  // agent.
  Status SetConditions(const std::string& json);
  // As agent::Agent's have_text and TakeText; kFailedPrecondition without an agent. ferry_have.cc
  Result<std::string> HaveText();
  Status TakeText(const std::string& text);
  // kFailedPrecondition inside a result callback, which it would wait for.
  Status Flush(int64_t timeout_ms);
  Json StatusJson();

  // A folder, a .flm file, or "package:model" of an open task or of the agent's.
  Result<NamedModel> FindModel(const std::string& name);
  // An adapter of `model`: a PEFT folder, a file, or "package:adapter", the file adapter.fla of an
  // open task or of the agent's.
  Result<std::shared_ptr<const llm::Adapter>> FindAdapter(
      const std::string& name, const std::shared_ptr<const llm::Model>& model);
  // A file of an open task or of the agent's, as its script reads it.
  Result<Bytes> ReadFile(const std::string& package, const std::string& name);
  // ---- ferry_tables.cc
  // The outbox that keeps the tables of an open task or of the agent's; of "" the local one, else
  // the agent's. It lives as long as what is answered and this core. kNotFound, kUnavailable.
  Result<std::shared_ptr<store::Outbox>> OutboxOf(const std::string& package);
  // ---- erase.cc
  // As ferry_data_erase and ferry_consent_set; `asked` as in Outbox::BeginErase.
  Result<Json> Erase(const std::string& asked);
  Status SetConsent(bool given);
  // ---- ferry_call.cc
  // The number that the result will have as "call". kNotFound, kLimitExceeded.
  Result<uint64_t> Call(const std::string& package, const std::string& function, Json argument);
  // What sessions of its models run on; made when it is first asked for.
  std::shared_ptr<LlmCore> llm();

 private:
  explicit RuntimeCore(RuntimeOptions options) : options_(std::move(options)) {}
  // The event that led to `result` waits no more when the app has it.
  void HandOut(Json result, std::shared_ptr<const void> waits);
  Status LoadTask(const std::string& path);
  Json TasksJson();
  Result<NamedModel> FindPackageModel(const std::string& package, const std::string& model);
  void ConnectLlm();  // with agent_mutex_ held
  std::shared_ptr<ConnectedAgent> agent();
  // Opens the log of events, or brings another outbox to it; an erasure of the outbox that was
  // begun is brought to its end.
  Status OpenFeed(const std::string& directory, const std::optional<crypto::Secret32>& key,
                  store::Outbox& outbox, bool forget_sealed = false);
  Result<std::shared_ptr<EventFeed>> JoinFeed(const std::string& directory,
                                              const std::optional<crypto::Secret32>& key,
                                              store::Outbox& outbox, bool forget_sealed);
  std::shared_ptr<EventFeed> feed() const;
  // An erasure that a killed process began is brought to its end.
  Status FinishErasure(store::Outbox& outbox, EventFeed& feed);
  Status EraseGroups(uint64_t last, const std::shared_ptr<ConnectedAgent>& connected,
                     Json* receipt);

  // Reached by commits of the set, which lives longer than the feed.
  struct Feed {
    std::mutex mutex;
    std::shared_ptr<EventFeed> feed;
    bool begun = false;  // an event was sent: local tasks are there
  };

  RuntimeOptions options_;
  std::atomic<uint64_t> calls_ = 0;
  std::unique_ptr<store::Outbox> outbox_;  // of the local tasks
  std::unique_ptr<sys::Executor> results_;
  std::unique_ptr<sys::Executor> worker_;  // of the set's timers
  std::unique_ptr<sys::Executor> disk_;    // of the log of events
  std::shared_ptr<Feed> feed_ = std::make_shared<Feed>();
  std::unique_ptr<task::TaskSet> tasks_;
  std::unique_ptr<task::TaskGroup> opened_;  // the local ones
  std::mutex erase_mutex_;                   // one erasure at a time
  bool closing_ = false;                     // under it: no erasure begins any more
  std::mutex agent_mutex_;                   // of the two below; held for no call of the agent
  std::shared_ptr<ConnectedAgent> agent_;
  std::shared_ptr<LlmCore> llm_;
};

}  // namespace ferry::api
