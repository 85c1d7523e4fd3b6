// What one node of several does at a time: who holds a lease does it, until the lease runs out or
// is given back. Each holder gets a number above all before; its writes name the number inside
// their transaction, so that a node that was stopped and wakes up late changes nothing.
// Source: fencing tokens, Kleppmann, "How to do distributed locking", 2016.
// ---- lease_scope.cc once.cc ../sql/operators/leases.cc
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "common/base/status.h"

namespace ferry::server {

class Store;
class Transaction;

inline constexpr int64_t kLeaseLifeMs = 15'000;

struct LeaseRow {
  std::string name, holder;
  int64_t number = 0, until_ms = 0;
};

class LeaseRepository {
 public:
  virtual ~LeaseRepository() = default;
  // The database's own clock, which all nodes share.
  virtual Result<int64_t> NowMs() = 0;
  // The lease's number when `holder` has it from now on for `life_ms`, as it had before or because
  // nobody has; nullopt while another does.
  virtual Result<std::optional<int64_t>> Take(const std::string& name, const std::string& holder,
                                              int64_t life_ms) = 0;
  // kFailedPrecondition when another number was given out since.
  virtual Status Check(const std::string& name, int64_t number) = 0;
  virtual Result<std::vector<LeaseRow>> All() = 0;  // by name; those that ran out too
  // Others may take it at once; nothing when `holder` does not have it.
  virtual Status GiveBack(const std::string& name, const std::string& holder) = 0;
};

// While it lives, every write of this thread to any store fails unless the lease's number is still
// the last one.
class LeaseScope {
 public:
  LeaseScope(std::string name, int64_t number);
  ~LeaseScope();
  LeaseScope(const LeaseScope&) = delete;
  // For stores, in each transaction that writes.
  static Status Check(Transaction& tx);

 private:
  const std::string name_;
  const int64_t number_;
  const LeaseScope* const outer_;
};

// One name's lease, as one node sees it. Any thread.
class Once {
 public:
  // `store` is borrowed. `holder` tells this node's run from all others.
  Once(Store* store, std::string name, std::string holder, int64_t life_ms = kLeaseLifeMs);
  ~Once();  // gives it back
  // Runs `work` under the lease when this node has it or gets it; else nothing. Errors are the
  // store's or those of `work`.
  Status Run(const std::function<Status()>& work);
  bool held() const;

 private:
  // The number when it is held, renewed when a third of its life has passed.
  Result<std::optional<int64_t>> Hold();

  Store* const store_;
  const std::string name_, holder_;
  const int64_t life_ms_;
  mutable std::mutex mutex_;
  std::optional<int64_t> number_;
  int64_t renewed_ms_ = 0;  // by the machine's steady clock
};

// `work` under `once`, or by itself where `once` is null: there is one node.
Status RunOnce(Once* once, const std::function<Status()>& work);

}  // namespace ferry::server
