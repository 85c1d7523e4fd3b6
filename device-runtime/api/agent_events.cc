#include "device-runtime/api/agent_events.h"

#include "common/base/log.h"

namespace ferry::api {
namespace {

constexpr size_t kMaxFeedBytes = 1 << 20;

}  // namespace

AgentEvents::AgentEvents(store::Outbox& spool, store::Outbox* other, task::TaskSet& tasks,
                         sys::Executor& executor)
    : spool_(spool), other_(other), tasks_(tasks), executor_(executor) {}

Status AgentEvents::Open(const std::string& name) {
  FERRY_ASSIGN_OR_RETURN(const auto position, spool_.OpenLog(store::kSpoolLog));
  if (other_ != nullptr) FERRY_TRY(other_->OpenLog(name));
  given_ = position.value_or(0);
  progress_ = std::make_shared<store::Progress>(given_);
  return OkStatus();
}

void AgentEvents::Loaded() {
  {
    const std::lock_guard lock(mutex_);
    for (; !early_.empty(); early_.pop_front()) {
      const Status sent = tasks_.Send(std::move(early_.front()));
      if (!sent.ok()) LogWarn("api", "an early event was dropped: {}", sent.ToString());
    }
    early_bytes_ = 0;
    loaded_ = true;
  }
  Feed();
  Tick();
}

Status AgentEvents::Send(event::Event event) {
  {
    const std::lock_guard lock(mutex_);
    if (!loaded_) {
      if (early_.size() >= kMaxEarlyEvents)
        return Status::Of(Code::kLimitExceeded,
                          "{} events wait for the installed tasks to be loaded, the limit",
                          kMaxEarlyEvents);
      if (early_bytes_ >= kMaxEarlyBytes)
        return Status::Of(Code::kLimitExceeded,
                          "events of {} bytes wait for the installed tasks to be loaded, the limit "
                          "is {}",
                          early_bytes_, kMaxEarlyBytes);
      // Arrival is now, however long it waits.
      if (event::StampArrival(sys::SystemClock().NowUnixMs(), &event)) tasks_.CountFuture();
      early_bytes_ += event.bytes;
      early_.push_back(std::move(event));
      return OkStatus();
    }
  }
  return tasks_.Send(std::move(event));
}

Status AgentEvents::SendDurable(const event::Event& event) {
  event::Event stamped = event;  // with the time at which it happened, whenever a task sees it
  if (event::StampArrival(sys::SystemClock().NowUnixMs(), &stamped)) tasks_.CountFuture();
  FERRY_TRY(spool_.Spool({WriteJson(EventToJson(stamped))}));
  FeedSoon();
  return OkStatus();
}

void AgentEvents::FeedSoon() {
  const std::lock_guard lock(post_mutex_);
  if (closed_) return;
  executor_.Post([weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->Feed();
  });
}

void AgentEvents::Feed() {
  {
    const std::lock_guard lock(mutex_);
    if (!loaded_) return;
  }
  if (closed()) return;
  const size_t waiting = tasks_.waiting();
  if (waiting >= kMaxFedEvents) return;  // the end of one of them calls again
  const auto events = spool_.ReadSpool(given_, kMaxFedEvents - waiting, kMaxFeedBytes);
  if (!events.ok()) return LogError("api", "spool: {}", events.status().ToString());
  for (const store::SpooledEvent& spooled : *events) {
    auto event = event::ParseEvent(spooled.json);
    Status status = event.status();
    const auto done = [progress = progress_, number = spooled.number, weak = weak_from_this()] {
      progress->Done(number);
      if (const auto self = weak.lock()) self->FeedSoon();
    };
    if (event.ok()) {
      event->number = spooled.number;
      progress_->Begin(spooled.number);
      status = tasks_.Send(std::move(*event), done);
      // It is read again: the tasks are full of other events.
      if (status.code() == Code::kLimitExceeded) return;
    } else {
      progress_->Begin(spooled.number);
      progress_->Done(spooled.number);
    }
    given_ = spooled.number;
    if (!status.ok()) LogWarn("api", "a spooled event: {}", status.ToString());
  }
}

bool AgentEvents::closed() {
  const std::lock_guard lock(post_mutex_);
  return closed_;
}

void AgentEvents::Tick() {
  if (closed()) return;
  SavePosition();
  Feed();
  executor_.PostAfter(kSavePositionMs, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->Tick();
  });
}

void AgentEvents::SavePosition() {
  const uint64_t position = progress_->position();
  spool_.NotePosition(position);
  Status saved = spool_.SavePosition();
  // The marks of the app's own tasks go after the events that they belong to.
  if (saved.ok() && other_ != nullptr) {
    other_->NotePosition(position);
    saved = other_->SavePosition();
  }
  if (!saved.ok()) LogWarn("api", "position of the events: {}", saved.ToString());
}

void AgentEvents::Close() {
  if (closed()) return;
  SavePosition();
  const std::lock_guard lock(post_mutex_);
  closed_ = true;
}

}  // namespace ferry::api
