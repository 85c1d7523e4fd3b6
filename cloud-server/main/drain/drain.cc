#include "cloud-server/main/drain/drain.h"

#include <algorithm>
#include <cmath>

#include "common/base/log.h"

namespace ferry::server {

void Drain::Start() {
  if (const Status forgotten = ForgetDrain(*parts_.fs, parts_.directory); !forgotten.ok())
    LogError("server", "drain: {}", forgotten.ToString());
  Next();
}

void Drain::Next() {
  parts_.executor->PostAfter(kDrainLookMs, [this] {
    if (const Status looked = Step(); !looked.ok())
      LogError("server", "drain: {}", looked.ToString());
    Next();
  });
}

Status Drain::Step() {
  FERRY_ASSIGN_OR_RETURN(const std::optional<DrainOrder> order,
                         ReadOrder(*parts_.fs, parts_.directory));
  const int64_t now_ms = parts_.clock->NowUnixMs();
  if (order && order != order_) {
    order_ = order;
    const auto here = static_cast<int64_t>(parts_.sessions());
    // A second order gives another time; it is the same farewell.
    if (!draining_.exchange(true)) progress_.devices = here;
    parts_.stop_accepting();
    left_at_order_ = here;
    progress_.asked_ms = order->asked_ms;
    progress_.ends_ms = now_ms + order->within_ms;
    LogInfo("server", "draining: {} devices go within {} s", here, order->within_ms / 1000);
  }
  if (!draining_) return OkStatus();
  const size_t here = parts_.sessions();
  const int64_t rest_ms = std::clamp<int64_t>(progress_.ends_ms - now_ms, 0, order_->within_ms);
  // As much of them as of the time; rounded up, so that the last one goes at the end.
  const double part =
      static_cast<double>(rest_ms) / static_cast<double>(std::max<int64_t>(order_->within_ms, 1));
  const auto stay = static_cast<size_t>(std::ceil(static_cast<double>(left_at_order_) * part));
  if (here > stay) parts_.send_away(here - stay);
  progress_.left = static_cast<int64_t>(here);
  progress_.transfers = static_cast<int64_t>(parts_.transfers());
  const bool done = here == 0 && (progress_.transfers == 0 || rest_ms == 0);
  if (done && !progress_.done) LogInfo("server", "drained");
  progress_.done = done;
  return WriteProgress(*parts_.fs, parts_.directory, progress_);
}

}  // namespace ferry::server
