// A server's rollout over a store, without sockets: as many devices as wanted, all with an open
// line, and one package version that may be released to them. Threads: one.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "cloud-server/bus/bus.h"
#include "cloud-server/rollout/rollout.h"
#include "cloud-server/store/store.h"
#include "common/sys/executor.h"
#include "common/sys/random.h"

namespace ferry::bench {

// Passes everything on, and keeps how long the longest write took, and the longest one without its
// commit, which waits for the disk.
class TimedStore : public server::Store {
 public:
  TimedStore(std::unique_ptr<server::Store> store, sys::Clock& clock)
      : store_(std::move(store)), clock_(clock) {}
  Status Write(const Body& body) override { return Timed(body, &server::Store::Write); }
  Status WriteInTurn(const Body& body) override { return Timed(body, &server::Store::WriteInTurn); }
  Status Read(const Body& body) override { return store_->Read(body); }
  int64_t schema_version() override { return store_->schema_version(); }
  Result<server::StoreSizes> Sizes() override { return store_->Sizes(); }
  Status Shrink(int64_t bytes) override { return store_->Shrink(bytes); }
  struct Longest {
    double write_ms = 0;
    double statements_ms = 0;
  };
  Longest TakeLongest();

 private:
  Status Timed(const Body& body, Status (server::Store::*write)(const Body&));

  std::unique_ptr<server::Store> store_;
  sys::Clock& clock_;
  std::atomic<int64_t> longest_ns_ = 0, longest_statements_ns_ = 0;
};

class Fleet {
 public:
  // `place`: of an empty store, as OpenStore takes it.
  static Result<std::unique_ptr<Fleet>> Make(const std::string& place, int devices, int nodes);
  ~Fleet();

  // A release of the version to everyone, in one stage. Its id.
  Result<std::string> Create();
  Result<int64_t> Members(const std::string& release);
  server::ReportRow ReportOf(size_t device, uint64_t seq, const std::string& release) const;

  sys::Clock& clock = sys::SystemClock();
  std::unique_ptr<TimedStore> store;
  std::unique_ptr<server::Bus> bus = server::MakeInprocBus();
  std::unique_ptr<sys::Executor> ticker = sys::StartThreadExecutor("ticker");
  std::unique_ptr<sys::Executor> writer = sys::StartThreadExecutor("writer");
  std::unique_ptr<server::Rollout> rollout;
  std::vector<std::string> devices;
  // Of nodes beside it, which store what their own devices report.
  struct Node {
    ~Node();
    std::unique_ptr<server::Store> store;
    std::unique_ptr<sys::Executor> writer = sys::StartThreadExecutor("writer");
    std::unique_ptr<server::Rollout> rollout;
  };
  std::vector<std::unique_ptr<Node>> others;

 private:
  Status AddDevices(int count);
  Status AddPackage();
  Status AddNode(const std::string& place);
  std::vector<std::unique_ptr<server::BusSubscription>> lines_;
};

}  // namespace ferry::bench
