#include "device-runtime/api/runtime/event_feed.h"

#include <algorithm>
#include <chrono>

#include "common/base/log.h"

namespace ferry::api {
namespace {

constexpr size_t kMaxSpoolBytes = 1 << 20;  // read at once
constexpr size_t kMaxSpoolEvents = 256;

}  // namespace

Result<std::shared_ptr<EventFeed>> EventFeed::Open(const Ground& ground,
                                                   const std::string& directory,
                                                   const std::optional<crypto::Secret32>& key,
                                                   store::Outbox& outbox) {
  std::shared_ptr<EventFeed> feed(new EventFeed(ground));
  log::LogOptions options;
  options.directory = directory;
  options.key = key;
  feed->name_ = std::string(store::kEventLog) + ":" + directory;
  FERRY_ASSIGN_OR_RETURN(const auto position, outbox.OpenLog(feed->name_));
  options.next_at_least = position.value_or(0) + 1;  // numbers never come again
  auto log = log::Log::Open(*ground.fs, *ground.clock, *ground.random, options);
  if (log.code() == Code::kWrongKey && ground.forget_sealed) {
    LogWarn("api", "the log of events is sealed under another key: it begins anew");
    FERRY_TRY(ground.fs->RemoveTree(directory));
    log = log::Log::Open(*ground.fs, *ground.clock, *ground.random, options);
  }
  FERRY_ASSIGN_OR_RETURN(feed->log_, std::move(log));
  FERRY_TRY(feed->Join(outbox));
  feed->Retain();
  return feed;
}

EventFeed::~EventFeed() = default;

Status EventFeed::TakeSpool(store::Outbox& outbox) {
  FERRY_ASSIGN_OR_RETURN(const auto position, outbox.OpenLog(store::kSpoolLog));
  uint64_t taken = position.value_or(0);
  for (;;) {
    FERRY_ASSIGN_OR_RETURN(const auto events,
                           outbox.ReadSpool(taken, kMaxSpoolEvents, kMaxSpoolBytes));
    if (events.empty()) return OkStatus();
    uint64_t last = 0;
    for (const store::SpooledEvent& spooled : events) {
      taken = spooled.number;
      auto event = event::ParseEvent(spooled.json);
      if (!event.ok()) continue;
      FERRY_ASSIGN_OR_RETURN(last, log_->Append(*event, ground_.clock->NowUnixMs()));
    }
    if (last != 0) FERRY_TRY(log_->WaitDurable(last));
    outbox.NotePosition(taken);
    FERRY_TRY(outbox.SavePosition());
  }
}

Status EventFeed::Join(store::Outbox& outbox) {
  const std::lock_guard lock(mutex_);
  const uint64_t before = log_->next() - 1;
  FERRY_TRY(TakeSpool(outbox).Context("spool"));
  FERRY_ASSIGN_OR_RETURN(auto position, outbox.OpenLog(name_));
  if (!position || *position > before) {
    FERRY_TRY(outbox.ResetLog(before));
    position = before;
  }
  given_ = outboxes_.empty() ? *position : std::min(given_, *position);
  outboxes_.push_back(&outbox);
  caught_up_ = false;
  return OkStatus();
}

void EventFeed::Leave(store::Outbox& outbox) {
  const std::lock_guard lock(mutex_);
  std::erase(outboxes_, &outbox);
}

void EventFeed::Pause() {
  const std::lock_guard lock(mutex_);
  paused_ = true;
  caught_up_ = false;
}

void EventFeed::Resume() {
  {
    const std::lock_guard lock(mutex_);
    paused_ = false;
  }
  FeedSoon();
}

Result<uint64_t> EventFeed::Append(event::Event event) {
  const int64_t arrival_ms = ground_.clock->NowUnixMs();
  uint64_t number = 0;
  bool feed = false;
  {
    const std::lock_guard lock(mutex_);
    if (closed_) return Status(Code::kFailedPrecondition, "the runtime is closing");
    if (event::StampArrival(arrival_ms, &event)) ground_.tasks->CountFuture();
    FERRY_ASSIGN_OR_RETURN(number, log_->Append(event, arrival_ms));
    event.number = number;
    if (caught_up_)
      Give(std::move(event));
    else
      feed = !paused_ && !erasing_;
  }
  FlushSoon();
  if (feed) FeedSoon();
  return number;
}

// With the mutex held.
void EventFeed::Give(event::Event event) {
  const uint64_t number = event.number;
  const Status sent = ground_.tasks->Send(std::move(event), [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->FeedSoon();
  });
  caught_up_ = sent.ok();  // else the tasks are full: it is read again
  if (sent.ok()) given_ = number;
  moved_.notify_all();
}

void EventFeed::WaitGiven(int64_t timeout_ms) {
  std::unique_lock lock(mutex_);
  const uint64_t last = log_->next() - 1;
  moved_.wait_for(lock, std::chrono::milliseconds(timeout_ms),
                  [&] { return given_ >= last || paused_ || closed_; });
}

Status EventFeed::Send(event::Event event) {
  return Append(std::move(event)).status();
}

Status EventFeed::SendDurable(event::Event event) {
  FERRY_ASSIGN_OR_RETURN(const uint64_t number, Append(std::move(event)));
  return WaitDurable(number);
}

Status EventFeed::WaitDurable(uint64_t number) {
  return log_->WaitDurable(std::min(number, log_->next() - 1));
}

Result<log::EraseReceipt> EventFeed::Erase(const std::function<Status(uint64_t last)>& rest) {
  uint64_t last = 0;
  Result<log::EraseReceipt> receipt = log::EraseReceipt();
  {
    const std::lock_guard lock(mutex_);
    erasing_ = true;
    caught_up_ = false;
    receipt = log_->Erase();
    if (receipt.ok()) given_ = last = log_->next() - 1;
  }
  const Status erased = receipt.ok() ? rest(last) : receipt.status();
  {
    const std::lock_guard lock(mutex_);
    erasing_ = false;
    moved_.notify_all();
  }
  FeedSoon();
  FERRY_TRY(erased);
  return receipt;
}

log::LogStats EventFeed::stats() const {
  return log_->stats();
}

void EventFeed::PostLater(int64_t delay_ms, void (EventFeed::*work)()) {
  const auto task = [weak = weak_from_this(), work] {
    if (const auto self = weak.lock()) (self.get()->*work)();
  };
  if (delay_ms == 0)
    ground_.executor->Post(task);
  else
    ground_.executor->PostAfter(delay_ms, task);
}

void EventFeed::FlushSoon(int64_t delay_ms) {
  {
    const std::lock_guard lock(mutex_);
    if (closed_ || std::exchange(flush_posted_, true)) return;
    ground_.executor->PostAfter(delay_ms, [weak = weak_from_this()] {
      const auto self = weak.lock();
      if (self == nullptr) return;
      {
        const std::lock_guard guard(self->mutex_);
        self->flush_posted_ = false;
        if (self->closed_) return;
      }
      const Status flushed = self->log_->Flush(self->ground_.clock->MonotonicNs());
      if (!flushed.ok()) LogWarn("api", "log of events: {}", flushed.ToString());
      if (self->log_->due_ns() != INT64_MAX)
        self->FlushSoon(flushed.ok() ? log::kGroupMs : kFeedRetryMs);
    });
  }
}

void EventFeed::FeedSoon(int64_t delay_ms) {
  const std::lock_guard lock(mutex_);
  if (closed_ || paused_ || erasing_ || caught_up_ || std::exchange(feed_posted_, true)) return;
  PostLater(delay_ms, &EventFeed::Feed);
}

void EventFeed::Feed() {
  Status read;
  {
    const std::lock_guard lock(mutex_);
    feed_posted_ = false;
    if (closed_ || paused_ || erasing_ || caught_up_) return;
    read = ReadOn();
  }
  if (!read.ok()) {
    LogWarn("api", "log of events: {}", read.ToString());
    return FeedSoon(kFeedRetryMs);
  }
}

// With the mutex held: gives what can be read back, as much as the tasks take.
Status EventFeed::ReadOn() {
  while (ground_.tasks->waiting() < kMaxFedEvents) {
    const uint64_t last = log_->next() - 1;
    if (given_ >= last) {
      caught_up_ = true;
      return OkStatus();
    }
    FERRY_TRY(log_->WaitDurable(last));
    std::vector<event::Event> events;
    FERRY_TRY(log_->ForEach(given_ + 1, last, [&](const log::Entry& entry) {
      events.push_back(entry.event);
      return events.size() < kMaxFedEvents;
    }));
    if (events.empty()) given_ = last;  // what the log has lost
    moved_.notify_all();
    for (event::Event& event : events) {
      event::Event one = std::move(event);
      caught_up_ = true;
      Give(std::move(one));
      if (!caught_up_) return OkStatus();  // the end of one that waits calls again
      caught_up_ = false;
    }
  }
  return OkStatus();
}

void EventFeed::Retain() {
  {
    const std::lock_guard lock(mutex_);
    if (closed_) return;
    // What somebody has not committed stays; while tasks are loaded, others may join who have not.
    // Half-matched rules and open windows are state of their own and need no old events.
    uint64_t oldest = log_->next() - 1;
    for (const store::Outbox* outbox : outboxes_)
      oldest = std::min(oldest, outbox->position().value_or(0));
    const Status retained =
        paused_ ? OkStatus() : log_->Retain(ground_.clock->NowUnixMs(), oldest + 1);
    if (!retained.ok()) LogWarn("api", "log of events: {}", retained.ToString());
  }
  PostLater(kRetainMs, &EventFeed::Retain);
}

void EventFeed::Close() {
  const std::lock_guard lock(mutex_);
  if (std::exchange(closed_, true)) return;
  const Status flushed = log_->WaitDurable(log_->next() - 1);
  if (!flushed.ok()) LogWarn("api", "log of events: {}", flushed.ToString());
}

}  // namespace ferry::api
