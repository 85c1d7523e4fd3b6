// The server's rows over a disk that fills up, loses power and fails.
#pragma once

#include <functional>
#include <memory>

#include "cloud-server/store/sqlite/sim/disk.h"
#include "cloud-server/store/store.h"
#include "common/sys/clock.h"

namespace ferry::fleetsim {

// Passes everything on, but for what the disk refuses. One thread.
class FaultyStore : public server::Store {
 public:
  // Rows in memory; with a disk of its own under them where `disk_seed` is not 0. `clock` outlives
  // it.
  static Result<std::unique_ptr<FaultyStore>> Open(sys::Clock& clock, uint64_t disk_seed);

  Status Write(const Body& body) override;
  Status Read(const Body& body) override;
  int64_t schema_version() override { return store_->schema_version(); }
  Result<server::StoreSizes> Sizes() override { return store_->Sizes(); }
  Status Shrink(int64_t bytes) override { return store_->Shrink(bytes); }

  // Every commit fails until then.
  void FillUntil(int64_t monotonic_ms) { full_until_ms_ = monotonic_ms; }

  // The rest only with a disk.
  bool has_disk() const { return disk_ != nullptr; }
  // Between a power cut and PowerUp nothing works.
  bool has_power() const { return disk_ == nullptr || !disk_->dead(); }
  // The power goes in the middle of the n-th write or sync from now; 0: not any more.
  void CutPowerAt(int64_t n);
  // Some writes end early and some syncs fail, until then.
  void FailUntil(int64_t monotonic_ms);
  // Called once at each power cut, inside of the call that met it: nothing works until PowerUp.
  void OnPowerCut(std::function<void()> notice) { notice_ = std::move(notice); }
  // Rows are those that were committed. An error is a fault of the store.
  Status PowerUp();

 private:
  FaultyStore(std::unique_ptr<server::SimStoreDisk> disk, std::unique_ptr<server::Store> store,
              sys::Clock& clock)
      : disk_(std::move(disk)), store_(std::move(store)), clock_(clock) {}
  int64_t NowMs() const { return clock_.MonotonicNs() / 1'000'000; }
  Status Notice(Status status);

  std::unique_ptr<server::SimStoreDisk> disk_;  // before the store that lies on it
  std::unique_ptr<server::Store> store_;
  sys::Clock& clock_;
  std::function<void()> notice_;
  bool noticed_ = false;
  int64_t full_until_ms_ = 0;
  int64_t fails_until_ms_ = 0;
};

}  // namespace ferry::fleetsim
