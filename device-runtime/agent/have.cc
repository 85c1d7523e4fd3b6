// A wake-up that comes by the app: its own server asked for this device, and the answer says to
// pull. Nothing in a text is trusted: all that it brings about is a pull as any other.
#include <algorithm>

#include "common/base/log.h"
#include "common/proto/have_text.h"
#include "device-runtime/agent/agent_impl.h"

namespace ferry::agent {

Status Agent::Impl::TakeText(std::string_view text) {
  if (text.empty() || stopped) return OkStatus();
  FERRY_ASSIGN_OR_RETURN(const proto::TakeText take, proto::TakeFromText(text));
  // Of another device, or of before the last answer, which said what there was to say.
  if (take.name != proto::HaveNameOf(link.have_text())) return OkStatus();
  // Several requests of the app bring the same.
  if (take_timer != 0) return OkStatus();
  const auto drawn_ms =
      static_cast<int64_t>(given.random->Below(static_cast<uint64_t>(take.within_s) * 1000 + 1));
  const int64_t left_ms = (take_from_ns - given.clock->MonotonicNs()) / 1'000'000;
  take_timer = given.executor->PostAfter(std::max(drawn_ms, left_ms), alive.Guard([this] {
    take_timer = 0;
    take_from_ns = given.clock->MonotonicNs() + kTakeEveryMs * 1'000'000;
    PullNow();
  }));
  return OkStatus();
}

void Agent::Impl::PullNow() {
  if (link.ready()) return StartJob(true);
  pull_at_line = true;
  link.Hurry();
}

const std::string& Agent::have_text() const {
  return impl_->link.have_text();
}

Status Agent::TakeText(std::string_view text) {
  return impl_->TakeText(text);
}

}  // namespace ferry::agent
