// The life of a job: posted, run or dropped, ended.
#include "device-runtime/vm/schedule/scheduler.h"

#include <algorithm>
#include <thread>

#include "device-runtime/vm/schedule/entry.h"

namespace ferry::vm {
namespace {

Scheduler::Options Filled(Scheduler::Options options) {
  if (options.slots <= 0)
    options.slots = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  if (options.threads <= 0) options.threads = 4 * options.slots + 4;
  return options;
}

}  // namespace

Scheduler::Scheduler(Options options)
    : options_(Filled(std::move(options))),
      clock_(options_.clock != nullptr ? *options_.clock : sys::SystemClock()) {}

Scheduler::~Scheduler() {
  std::vector<JobId> ids;
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
    for (const auto& [id, entry] : entries_) ids.push_back(id);
  }
  for (const JobId id : ids) Cancel(id);
  std::unique_lock lock(mutex_);
  ended_.wait(lock, [this] { return entries_.empty(); });
}

// With the mutex held.
std::unique_ptr<Scheduler::Entry> Scheduler::MakeEntry(JobOptions options) {
  options.weight = std::clamp(options.weight, 1, kMaxWeight);
  auto [place, is_new] = owners_.try_emplace(options.owner);
  Owner& owner = place->second;
  if (is_new) owner.virtual_steps = virtual_now_;
  owner.weight = options.weight;
  ++owner.jobs;
  auto entry = std::make_unique<Entry>(*this, next_id_++, std::move(options));
  entry->owner = &owner;
  entry->since_ns = clock_.MonotonicNs();
  return entry;
}

// With the mutex held; the entry has left the map or is about to.
void Scheduler::Remove(Entry& entry) {
  if (--entry.owner->jobs == 0) owners_.erase(entry.options.owner);
  entry.owner = nullptr;
}

Result<Scheduler::JobId> Scheduler::Post(JobOptions options, Job job, Done done) {
  std::lock_guard lock(mutex_);
  if (stopping_) return Status(Code::kCancelled, "the scheduler ends");
  if (entries_.size() >= options_.max_jobs)
    return Status::Of(Code::kLimitExceeded, "{} jobs are the limit", options_.max_jobs);
  auto entry = MakeEntry(std::move(options));
  entry->job = std::move(job);
  entry->done = std::move(done);
  const JobId id = entry->id;
  entries_.emplace(id, std::move(entry));
  ++wanting_;
  GiveTurns();
  return id;
}

Status Scheduler::Finish(Entry& entry, const Job& job) {
  if (entry.cancelled) return Status(Code::kCancelled, "the job was cancelled");
  if (clock_.MonotonicNs() >= entry.options.deadline_ns)
    return Status(Code::kDeadlineExceeded, "the job's deadline passed before it began");
  return job(entry);
}

// On a worker; the job has the turn.
void Scheduler::RunEntry(Entry* entry, sys::Executor* worker) {
  const Status status = Finish(*entry, entry->job);
  entry->job = nullptr;
  if (entry->done) entry->done(status);
  std::unique_ptr<Entry> ended;
  std::lock_guard lock(mutex_);
  Charge(*entry);
  const auto place = entries_.find(entry->id);
  ended = std::move(place->second);
  entries_.erase(place);
  Remove(*ended);
  idle_.push_back(worker);
  --running_;
  GiveTurns();
  ended_.notify_all();
}

Status Scheduler::RunHere(JobOptions options, const Job& job) {
  Entry* entry;
  {
    std::unique_lock lock(mutex_);
    if (stopping_) return Status(Code::kCancelled, "the scheduler ends");
    if (entries_.size() >= options_.max_jobs)
      return Status::Of(Code::kLimitExceeded, "{} jobs are the limit", options_.max_jobs);
    auto made = MakeEntry(std::move(options));
    entry = made.get();
    entry->state = State::kWantsTurn;
    entries_.emplace(entry->id, std::move(made));
    ++wanting_;
    GiveTurns();
    AwaitTurn(lock, *entry);
  }
  const Status status = Finish(*entry, job);
  std::lock_guard lock(mutex_);
  Charge(*entry);
  Remove(*entry);
  entries_.erase(entry->id);
  --running_;
  GiveTurns();
  ended_.notify_all();
  return status;
}

void Scheduler::Drop(std::unique_ptr<Entry> entry, const Status& status) {
  entry->job = nullptr;
  if (entry->done) entry->done(status);
}

void Scheduler::Cancel(JobId id) {
  std::unique_ptr<Entry> dropped;
  {
    std::lock_guard lock(mutex_);
    const auto place = entries_.find(id);
    if (place == entries_.end()) return;
    place->second->cancelled = true;
    if (place->second->state == State::kWaiting) {
      dropped = std::move(place->second);
      entries_.erase(place);
      Remove(*dropped);
      --wanting_;
      ended_.notify_all();
    }
  }
  if (dropped != nullptr)
    Drop(std::move(dropped), Status(Code::kCancelled, "the job was cancelled"));
}

void Scheduler::CancelOwner(std::string_view owner) {
  std::vector<JobId> ids;
  {
    std::lock_guard lock(mutex_);
    for (const auto& [id, entry] : entries_)
      if (entry->options.owner == owner) ids.push_back(id);
  }
  for (const JobId id : ids) Cancel(id);
}

std::vector<Scheduler::OwnerStats> Scheduler::owners() const {
  std::lock_guard lock(mutex_);
  std::vector<OwnerStats> out;
  for (const auto& [name, owner] : owners_) out.push_back({name, owner.steps, owner.jobs});
  return out;
}

size_t Scheduler::jobs() const {
  std::lock_guard lock(mutex_);
  return entries_.size();
}

}  // namespace ferry::vm
