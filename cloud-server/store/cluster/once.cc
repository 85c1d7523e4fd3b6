#include <chrono>

#include "cloud-server/store/store.h"
#include "common/base/log.h"

namespace ferry::server {
namespace {

int64_t SteadyMs() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace

Once::Once(Store* store, std::string name, std::string holder, int64_t life_ms)
    : store_(store), name_(std::move(name)), holder_(std::move(holder)), life_ms_(life_ms) {}

Once::~Once() {
  if (!number_) return;
  const Status given =
      store_->Write([&](Transaction& tx) { return tx.leases().GiveBack(name_, holder_); });
  if (!given.ok()) LogInfo("lease", "{} runs out by itself: {}", name_, given.ToString());
}

bool Once::held() const {
  std::lock_guard lock(mutex_);
  return number_.has_value();
}

Result<std::optional<int64_t>> Once::Hold() {
  std::lock_guard lock(mutex_);
  const int64_t now_ms = SteadyMs();
  if (number_ && now_ms - renewed_ms_ < life_ms_ / 3) return number_;
  std::optional<int64_t> taken;
  FERRY_TRY(store_->Write([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(taken, tx.leases().Take(name_, holder_, life_ms_));
    return OkStatus();
  }));
  if (taken && taken != number_) LogInfo("lease", "{}: this node does it now", name_);
  if (!taken && number_) LogWarn("lease", "{}: another node does it now", name_);
  number_ = taken;
  renewed_ms_ = now_ms;  // of before the call: the lease lasts no shorter than that
  return number_;
}

Status Once::Run(const std::function<Status()>& work) {
  FERRY_ASSIGN_OR_RETURN(const std::optional<int64_t> number, Hold());
  if (!number) return OkStatus();
  const LeaseScope scope(name_, *number);
  return work();
}

Status RunOnce(Once* once, const std::function<Status()>& work) {
  return once == nullptr ? work() : once->Run(work);
}

}  // namespace ferry::server
