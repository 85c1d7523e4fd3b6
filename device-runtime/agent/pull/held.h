// Packages whose install waits for its conditions: the window, and what the host is at.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "common/trust/desired.h"
#include "device-runtime/agent/parts.h"

namespace ferry::agent {

// How soon a condition that came true is seen.
inline constexpr int64_t kHeldCheckMs = 15'000;

class Held {
 public:
  // `look` is called when it is time to ask again.
  Held(const Parts& parts, std::function<void()> look);
  ~Held();

  // Nothing is held from now on.
  void Clear();
  // Whether the package may begin: ok; kUnavailable while it waits, for which it is remembered and
  // reported once; kDeadlineExceeded where it never will, and kMalformed and the like where its
  // conditions cannot be understood.
  Status Ask(const std::string& package, const trust::DesiredPackage& wish, int64_t epoch);
  // Why each of them waits.
  const std::map<std::string, std::string>& reasons() const { return reasons_; }

 private:
  void Schedule(int64_t look_again_ms);
  void ReportWaiting(const std::string& package, const trust::DesiredPackage& wish, int64_t epoch,
                     const std::string& why);

  Parts parts_;
  std::function<void()> look_;
  std::map<std::string, std::string> reasons_;
  std::set<std::string> reported_;  // wishes that the server knows to wait
  sys::Executor::TimerId timer_ = 0;
  int64_t timer_ms_ = 0;  // when it is due, by the clock; 0: none is set
  Alive alive_;
};

}  // namespace ferry::agent
