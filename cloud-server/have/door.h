// Answers have texts from memory: the fleet as it was looked at last, and the releases as they were
// then. The store is asked at most every kHaveFreshMs, however many texts come.
// ---- door.cc
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "cloud-server/core/desired.h"
#include "cloud-server/fleet/fleet.h"
#include "cloud-server/have/text.h"
#include "common/sys/clock.h"

namespace ferry::server {

class Rollout;

inline constexpr size_t kMaxHaveTexts = 1000;  // of one question
inline constexpr int64_t kHaveFreshMs = 1000;
// In which time those that are told to pull do so. Apps ask when their users come, which spreads
// them already.
inline constexpr int64_t kTakeWithinS = 30;

// Any thread.
class HaveDoor {
 public:
  struct Parts {
    fleet::Fleet* fleet = nullptr;  // borrowed, as all
    Rollout* rollout = nullptr;
    sys::Clock* clock = nullptr;
    const crypto::Secret32* secret = nullptr;  // as SealHave's
  };
  explicit HaveDoor(const Parts& parts) : parts_(parts) {}

  // A text to take for each, in their order; empty where there is nothing to pull, and for what is
  // no text of this server. kLimitExceeded above kMaxHaveTexts; the store's error while nothing was
  // ever read.
  Result<std::vector<std::string>> Answer(const std::vector<std::string>& texts);
  // Since the start: texts that were answered, and how many of them by "pull".
  int64_t answered() const { return answered_; }
  int64_t told() const { return told_; }

 private:
  struct Known {
    std::shared_ptr<const Catalogue> catalogue;
    int64_t generation = 0;
  };
  // Reads anew what is older than kHaveFreshMs; others go on with what is known meanwhile.
  Status Refresh();
  std::string AnswerOf(const std::string& text, const Known& known, const fleet::Devices& devices,
                       int64_t now_ms) const;

  const Parts parts_;
  std::atomic<int64_t> answered_{0}, told_{0};
  std::mutex refresh_;  // before mutex_
  std::mutex mutex_;    // of the rest
  Known known_;
  int64_t read_ns_ = 0;
};

}  // namespace ferry::server
