// Whether the runs of a plan are split over the threads of its pool: what took less time of late.
#pragma once

#include <array>
#include <cstdint>

namespace ferry::engine {

// Small plans lose by threads where a step takes as long as to tell threads of it, or where two
// threads are of one core; which it is differs by machine and by hour, so that no cost model knows.
// A plan whose runs are short is therefore run a few times with threads and a few times without;
// the faster way is kept, and looked at again after ever more runs while it stays the same one.
// Results do not depend on it. Used by one thread at a time, as its plan. Source: own.
class ThreadTrial {
 public:
  // Of each way in a trial; their median counts, for others use the machine too.
  static constexpr int kRuns = 9;
  // Runs that take longer with threads are never tried without: one of many threads' work would be
  // felt, and there threads pay.
  static constexpr int64_t kLongestNs = 1'000'000;
  // A way that took so much longer than the other in both of its first runs is given up.
  static constexpr double kFarSlower = 1.5;
  // Between two trials, doubled while the verdict stays.
  static constexpr int64_t kLeastPause = 256, kMostPause = 16384;

  // Whether the coming run is to be made by the calling thread.
  bool is_alone() const { return is_alone_; }
  // Whether the plan was found to take too long to be tried: nothing needs to be timed any more.
  bool is_over() const { return phase_ == Phase::kOver; }
  // How long the run took that is_alone() told of.
  void Add(int64_t ns);

 private:
  enum class Phase : uint8_t { kFirst, kThreads, kAlone, kPause, kOver };

  void Begin();
  void Decide(bool is_alone);

  Phase phase_ = Phase::kFirst;
  bool is_alone_ = false;
  bool was_alone_ = false;  // the last verdict
  int64_t runs_ = 0;        // of the phase
  int64_t pause_ = kLeastPause;
  std::array<int64_t, kRuns> ns_ = {};  // of the runs of the phase
  int64_t threads_ns_ = 0;              // the median
};

}  // namespace ferry::engine
