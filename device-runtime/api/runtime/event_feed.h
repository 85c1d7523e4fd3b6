// The app's events on their way to the tasks: each gets a number in the log of events, is on the
// disk some milliseconds later, and goes to the tasks at once; what a killed process had not
// committed is given again. Internal to the room.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "common/crypto/secret.h"
#include "common/sys/clock.h"
#include "common/sys/executor.h"
#include "common/sys/filesystem.h"
#include "common/sys/random.h"
#include "device-runtime/task/task_set.h"
#include "pipeline/event/event.h"
#include "pipeline/log/log.h"
#include "pipeline/store/outbox.h"

namespace ferry::api {

inline constexpr size_t kMaxFedEvents = 256;  // read back from the log at once
inline constexpr int64_t kRetainMs =
    60'000;  // how often old segments are looked for (log::kKeepMs)
inline constexpr int64_t kFeedRetryMs = 1'000;  // after the disk refused

// Any thread may call. Lives as long as someone holds it; after Close it does nothing.
class EventFeed : public std::enable_shared_from_this<EventFeed> {
 public:
  // All outlive the feed, or what is said to.
  struct Ground {
    sys::FileSystem* fs = nullptr;
    sys::Clock* clock = nullptr;
    sys::Random* random = nullptr;
    task::TaskSet* tasks = nullptr;     // until Close
    sys::Executor* executor = nullptr;  // of the disk: waits for it; until Close
    bool forget_sealed = false;         // a log under a key that is lost begins anew
  };
  // The log is in `directory`, sealed when there is a key; `outbox` joins it. Events wait until
  // Resume.
  static Result<std::shared_ptr<EventFeed>> Open(const Ground& ground, const std::string& directory,
                                                 const std::optional<crypto::Secret32>& key,
                                                 store::Outbox& outbox);
  ~EventFeed();

  // The group of this outbox goes on from where it was in the log; one that is new to the log
  // begins behind it, with what an older version's spool holds. While the feed waits.
  Status Join(store::Outbox& outbox);
  // The outbox is about to go.
  void Leave(store::Outbox& outbox);
  // Events wait in the log: tasks that should see them are being loaded.
  void Pause();
  // The tasks are there: all that the outboxes do not know goes to them, in order.
  void Resume();

  // kDiskFull and others: too much waits for the disk.
  Status Send(event::Event event);
  // Ok when the event is on the disk; kDiskFull, kIo.
  Status SendDurable(event::Event event);
  // All up to this number are on the disk. kFailedPrecondition after Close.
  Status WaitDurable(uint64_t number);
  // Until all that was sent was given to the tasks, at most this long; not while the feed waits for
  // tasks to be loaded.
  void WaitGiven(int64_t timeout_ms);
  // Removes all events, also those that wait; numbers go on. `rest`, which is called with the last
  // number, erases what they led to; events that come meanwhile are given after it.
  Result<log::EraseReceipt> Erase(const std::function<Status(uint64_t last)>& rest);
  log::LogStats stats() const;
  // Nothing follows; all that was sent is on the disk if the disk takes it.
  void Close();

 private:
  explicit EventFeed(const Ground& ground) : ground_(ground) {}
  Result<uint64_t> Append(event::Event event);
  Status TakeSpool(store::Outbox& outbox);
  void FlushSoon(int64_t delay_ms = log::kGroupMs);
  void FeedSoon(int64_t delay_ms = 0);
  void Feed();
  Status ReadOn();
  void Give(event::Event event);
  void Retain();
  void PostLater(int64_t delay_ms, void (EventFeed::*work)());

  const Ground ground_;
  std::unique_ptr<log::Log> log_;
  std::string name_;               // of the log, for outboxes
  std::mutex mutex_;               // of all below; held while events go to the tasks
  std::condition_variable moved_;  // `given_`, `paused_` or `closed_`
  bool closed_ = false;
  bool paused_ = true;
  bool erasing_ = false;
  bool caught_up_ = false;  // every event of the log has been given
  bool flush_posted_ = false, feed_posted_ = false;
  uint64_t given_ = 0;  // the last one that was given
  std::vector<store::Outbox*> outboxes_;
};

}  // namespace ferry::api
