#include "cloud-server/store/postgres/pool.h"

#include <algorithm>
#include <thread>

#include "common/base/log.h"

namespace ferry::server {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kFirstPause{50};
constexpr milliseconds kLongestPause{1000};

}  // namespace

PostgresPool::Lease::~Lease() {
  if (session_ != nullptr) pool_->GiveBack(std::move(session_));
}

Result<std::unique_ptr<PostgresSession>> PostgresPool::Connect() {
  int64_t least = 0;
  PostgresHost last;
  {
    const std::lock_guard lock(mutex_);
    least = timeline_;
    last = last_;
  }
  FERRY_ASSIGN_OR_RETURN(std::unique_ptr<PostgresConnection> connection,
                         PostgresConnection::Open(url_, least, last));
  const int64_t timeline = connection->timeline();
  bool another = false;
  {
    const std::lock_guard lock(mutex_);
    another = timeline_ > 0 && timeline > timeline_;
    timeline_ = std::max(timeline_, timeline);
    if (several_) last_ = connection->host();
  }
  if (another) {
    LogInfo("store", "another server took over, at timeline {}", timeline);
    Drop();
  }
  return std::make_unique<PostgresSession>(std::move(connection));
}

Status PostgresPool::Try() {
  FERRY_ASSIGN_OR_RETURN(std::unique_ptr<PostgresSession> session, Connect());
  {
    const std::lock_guard lock(mutex_);
    ++open_;
  }
  GiveBack(std::move(session));
  return OkStatus();
}

Result<PostgresPool::Lease> PostgresPool::Take() {
  const auto until = steady_clock::now() + milliseconds(kLockTimeoutMs);
  {
    std::unique_lock lock(mutex_);
    const bool one = free_.wait_until(lock, until, [&] { return !idle_.empty() || open_ < most_; });
    if (!one)
      return Status::Of(Code::kUnavailable,
                        "all {} connections to the database were in use for {} s", most_,
                        kLockTimeoutMs / 1000);
    if (!idle_.empty()) {
      std::unique_ptr<PostgresSession> session = std::move(idle_.back());
      idle_.pop_back();
      return Lease(*this, std::move(session));
    }
    ++open_;
  }
  for (milliseconds pause = kFirstPause;; pause = std::min(2 * pause, kLongestPause)) {
    Result<std::unique_ptr<PostgresSession>> session = Connect();
    if (session.ok()) return Lease(*this, std::move(*session));
    LogWarn("store", "{}", session.status().message());
    if (steady_clock::now() + pause >= until) {
      GiveBack(nullptr);
      return session.status();
    }
    std::this_thread::sleep_for(pause);
  }
}

void PostgresPool::Drop() {
  std::vector<std::unique_ptr<PostgresSession>> idle;
  const std::lock_guard lock(mutex_);
  open_ -= idle_.size();
  idle.swap(idle_);
  free_.notify_all();
}

void PostgresPool::GiveBack(std::unique_ptr<PostgresSession> session) {
  const std::lock_guard lock(mutex_);
  if (session == nullptr || session->lost() || session->timeline() < timeline_) {
    --open_;
  } else {
    idle_.push_back(std::move(session));
  }
  free_.notify_one();
}

}  // namespace ferry::server
