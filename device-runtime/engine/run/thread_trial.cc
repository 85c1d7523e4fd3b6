#include "device-runtime/engine/run/thread_trial.h"

#include <algorithm>

namespace ferry::engine {
namespace {

int64_t Median(std::array<int64_t, ThreadTrial::kRuns> ns) {
  std::nth_element(ns.begin(), ns.begin() + ThreadTrial::kRuns / 2, ns.end());
  return ns[ThreadTrial::kRuns / 2];
}

}  // namespace

void ThreadTrial::Begin() {
  phase_ = Phase::kThreads;
  is_alone_ = false;
  runs_ = 0;
}

void ThreadTrial::Decide(bool is_alone) {
  pause_ = is_alone == was_alone_ ? std::min(pause_ * 2, kMostPause) : kLeastPause;
  is_alone_ = was_alone_ = is_alone;
  phase_ = Phase::kPause;
  runs_ = 0;
}

void ThreadTrial::Add(int64_t ns) {
  if (phase_ == Phase::kThreads || phase_ == Phase::kAlone) ns_[static_cast<size_t>(runs_)] = ns;
  ++runs_;
  switch (phase_) {
    case Phase::kFirst:  // caches are cold
      return Begin();
    case Phase::kThreads:
      if (runs_ < kRuns) return;
      threads_ns_ = Median(ns_);
      is_alone_ = threads_ns_ <= kLongestNs;
      phase_ = is_alone_ ? Phase::kAlone : Phase::kOver;
      runs_ = 0;
      return;
    case Phase::kAlone: {
      const double far = kFarSlower * static_cast<double>(threads_ns_);
      if (runs_ == 2 && static_cast<double>(std::min(ns_[0], ns_[1])) > far) return Decide(false);
      if (runs_ == kRuns) Decide(Median(ns_) < threads_ns_);
      return;
    }
    case Phase::kPause:
      if (runs_ >= pause_) Begin();
      return;
    case Phase::kOver:
      return;
  }
}

}  // namespace ferry::engine
