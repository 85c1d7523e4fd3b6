// Notes what the fleet runs and what its tasks do, so that one sees how that went over days.
// ---- days.cc
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "cloud-server/fleet/fleet.h"
#include "cloud-server/store/fleet.h"
#include "common/sys/clock.h"

namespace ferry::server::fleet {

inline constexpr int64_t kNoteEveryMs = 15 * int64_t{60'000};
inline constexpr size_t kMaxVersionsOfDay = 1000;  // those of most devices

// How many devices run each version, by package and version; first of all how many there are.
std::vector<FleetDayRow> DayRows(const RunningCounts& counts, int64_t devices, int64_t day);
int64_t DayOf(int64_t unix_ms);
// "2026-11-27".
std::string DayText(int64_t day);

// A thread that looks at once, which also brings the fleet into memory before somebody asks for it,
// and then every kNoteEveryMs.
class Days {
 public:
  // All are borrowed.
  Days(Fleet* fleet, Store* store, const sys::Clock* clock);
  ~Days();  // waits for the look under way
  void Start();
  // One look; any thread.
  Status Note();

 private:
  void Run();
  Status NoteUse(int64_t day);

  Fleet* const fleet_;
  Store* const store_;
  const sys::Clock* const clock_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false;
  std::vector<FleetDayRow> noted_;  // in the store; of Note alone, under note_
  std::mutex note_;                 // before mutex_ of the fleet
  std::thread thread_;
};

}  // namespace ferry::server::fleet
