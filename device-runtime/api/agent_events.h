// The app's events on their way to the tasks beside an agent: none passes by tasks that are still
// being loaded, and durable ones outlive a kill of the process. Internal to the room.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>

#include "common/sys/executor.h"
#include "device-runtime/task/task_set.h"
#include "pipeline/event/event.h"
#include "pipeline/store/outbox.h"
#include "pipeline/store/progress.h"

namespace ferry::api {

inline constexpr size_t kMaxEarlyEvents = 10'000;   // sent before the installed tasks were loaded
inline constexpr size_t kMaxEarlyBytes = 64 << 20;  // of their texts
inline constexpr size_t kMaxFedEvents = 256;        // durable ones among the tasks at once
inline constexpr int64_t kSavePositionMs = 1000;

// Any thread may call. Lives as long as someone holds it; after Close it does nothing.
class AgentEvents : public std::enable_shared_from_this<AgentEvents> {
 public:
  // `spool`: the agent's outbox. `other`: the outbox of the app's own tasks, or null. Both, `tasks`
  // and `executor` live until Close.
  AgentEvents(store::Outbox& spool, store::Outbox* other, task::TaskSet& tasks,
              sys::Executor& executor);

  // Takes up what a killed process left. `name` tells this spool apart from others.
  Status Open(const std::string& name);
  // Installed tasks are there: what was sent before comes first. On the executor.
  void Loaded();
  // kLimitExceeded: too many wait for Loaded, or as TaskSet::Send.
  Status Send(event::Event event);
  // Ok when the event is on the disk; it is given to the tasks until what they did is there too.
  // kLimitExceeded (the spool is full), kDiskFull, kIo.
  Status SendDurable(const event::Event& event);
  // Saves how far all is done. On the executor.
  void Close();

 private:
  void Feed();
  void FeedSoon();
  bool closed();
  void Tick();
  void SavePosition();

  store::Outbox& spool_;
  store::Outbox* const other_;
  task::TaskSet& tasks_;
  sys::Executor& executor_;
  std::mutex mutex_;  // of the three below; held while early events go to the tasks
  bool loaded_ = false;
  std::deque<event::Event> early_;
  size_t early_bytes_ = 0;
  std::mutex post_mutex_;  // of `closed_`, and held while something is posted; taken last
  bool closed_ = false;
  // On the executor.
  uint64_t given_ = 0;  // the last spooled event that went to the tasks
  std::shared_ptr<store::Progress> progress_;
};

}  // namespace ferry::api
