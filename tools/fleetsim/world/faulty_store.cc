#include "tools/fleetsim/world/faulty_store.h"

#include <utility>

#include "cloud-server/store/sqlite/sqlite_store.h"

namespace ferry::fleetsim {
namespace {

constexpr double kFailing = 0.01;  // of writes and syncs, while the disk is bad

}  // namespace

Result<std::unique_ptr<FaultyStore>> FaultyStore::Open(sys::Clock& clock, uint64_t disk_seed) {
  std::unique_ptr<server::SimStoreDisk> disk;
  if (disk_seed != 0) disk = std::make_unique<server::SimStoreDisk>(disk_seed);
  FERRY_ASSIGN_OR_RETURN(auto store, disk != nullptr ? server::OpenSimulatedStore(disk->vfs())
                                                     : server::OpenMemoryStore());
  return std::unique_ptr<FaultyStore>(new FaultyStore(std::move(disk), std::move(store), clock));
}

Status FaultyStore::Write(const Body& body) {
  if (store_ == nullptr) return Status(Code::kUnavailable, "the store did not open again");
  if (disk_ != nullptr && fails_until_ms_ != 0 && NowMs() >= fails_until_ms_) {
    disk_->SetTrouble(0);
    fails_until_ms_ = 0;
  }
  if (NowMs() >= full_until_ms_) return Notice(store_->Write(body));
  // The disk is full when the commit wants it, and not before.
  return Notice(store_->Write([&](server::Transaction& tx) -> Status {
    FERRY_TRY(body(tx));
    return Status(Code::kDiskFull, "the simulated disk is full");
  }));
}

Status FaultyStore::Read(const Body& body) {
  if (store_ == nullptr) return Status(Code::kUnavailable, "the store did not open again");
  return Notice(store_->Read(body));
}

Status FaultyStore::Notice(Status status) {
  if (disk_ != nullptr && disk_->dead() && !std::exchange(noticed_, true) && notice_) notice_();
  return status;
}

void FaultyStore::CutPowerAt(int64_t n) {
  if (disk_ != nullptr) disk_->CutAt(n);
}

void FaultyStore::FailUntil(int64_t monotonic_ms) {
  if (disk_ == nullptr) return;
  fails_until_ms_ = monotonic_ms;
  disk_->SetTrouble(NowMs() < monotonic_ms ? kFailing : 0);
}

Status FaultyStore::PowerUp() {
  if (disk_ == nullptr) return OkStatus();
  store_.reset();
  disk_->Restore();
  noticed_ = false;
  // A start that fails for the disk is tried until it does not, which says nothing of the rows.
  disk_->SetTrouble(0);
  fails_until_ms_ = 0;
  FERRY_ASSIGN_OR_RETURN(store_, server::OpenSimulatedStore(disk_->vfs()));
  return OkStatus();
}

}  // namespace ferry::fleetsim
