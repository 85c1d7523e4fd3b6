// A bounded set of sessions at one address. Any thread.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "cloud-server/store/postgres/address.h"
#include "cloud-server/store/postgres/session.h"

namespace ferry::server {

class PostgresPool {
 public:
  PostgresPool(std::string url, size_t most)
      : url_(std::move(url)), most_(most), several_(HostsOf(url_).size() > 1) {}

  // Gives the session back when it goes; one whose connection is lost is closed then.
  class Lease {
   public:
    Lease(PostgresPool& pool, std::unique_ptr<PostgresSession> session)
        : pool_(&pool), session_(std::move(session)) {}
    Lease(Lease&& other) noexcept = default;
    ~Lease();
    PostgresSession* operator->() { return session_.get(); }

   private:
    PostgresPool* pool_;
    std::unique_ptr<PostgresSession> session_;
  };

  // An idle session, or a new one. Waits for one while all are in use, and tries to connect again
  // and again, up to kLockTimeoutMs: then kUnavailable.
  Result<Lease> Take();
  // Connects once, for the start of the program. From the moment that a server is met which took
  // over (a higher timeline), sessions with the one before are closed and it is not gone back to.
  Status Try();
  // Closes idle sessions: where one was cut the others often are too.
  void Drop();

 private:
  Result<std::unique_ptr<PostgresSession>> Connect();
  void GiveBack(std::unique_ptr<PostgresSession> session);

  const std::string url_;
  const size_t most_;
  const bool several_;  // hosts
  std::mutex mutex_;
  std::condition_variable free_;
  size_t open_ = 0;                                   // in use and idle
  int64_t timeline_ = PostgresConnection::kAllHosts;  // then the highest that was met
  PostgresHost last_;                                 // that a connection went to
  std::vector<std::unique_ptr<PostgresSession>> idle_;
};

}  // namespace ferry::server
