// Which devices changed, for whoever keeps a view of the whole fleet: a log that the store's
// triggers write, so that no writer can forget it.
// ---- sql/fleet/changes.cc
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cloud-server/core/rows.h"
#include "common/base/status.h"

namespace ferry::server {

// Changes that are kept; who is further behind reads everything anew.
inline constexpr int64_t kMaxFleetChanges = 1 << 18;

struct FleetChange {
  int64_t seq = 0;
  std::string device;  // empty: the groups of the fleet
  bool heard = false;  // it spoke, and nothing else is new
};

// The numbers of changes that are kept; both 0 where there was none. Numbers grow, with gaps.
struct FleetChangeRange {
  int64_t first = 0;
  int64_t last = 0;
};

// What a release says that a device runs.
struct OfferedVersion {
  std::string device;
  std::string package;
  std::string version;
  std::string fallback_version;
  Outcome outcome = Outcome::kOpen;
  std::string step;
  bool back = false;
  bool done = false;
};

inline constexpr int64_t kMaxFleetDays = 400;  // kept of what the fleet ran

// How many devices ran a version when it was last looked that day; both texts empty: how many
// devices there were.
struct FleetDayRow {
  int64_t day = 0;  // since 1970-01-01, UTC
  std::string package;
  std::string version;
  int64_t devices = 0;
  bool operator==(const FleetDayRow&) const = default;
};

class FleetRepository {
 public:
  virtual ~FleetRepository() = default;
  virtual Result<FleetChangeRange> Changes() = 0;
  // In order, after `seq`, at most `limit`.
  virtual Result<std::vector<FleetChange>> Since(int64_t seq, size_t limit) = 0;
  // What PutHeard writes: last_seen_ms and root_version. kNotFound.
  struct Heard {
    int64_t last_seen_ms = 0;
    int64_t root_version = 0;
  };
  virtual Result<Heard> HeardOf(const std::string& device) = 0;
  // All of these are by device, of one device or (empty) of all.
  virtual Status EachInstalled(const std::string& device,
                               const std::function<void(InstalledRow&&)>& row) = 0;
  // Of one device the newest release first.
  virtual Status EachOffered(const std::string& device,
                             const std::function<void(OfferedVersion&&)>& row) = 0;
  virtual Status EachState(const std::string& device,
                           const std::function<void(DeviceStateRow&&)>& row) = 0;
  // `rows` are all of that day; those of before kMaxFleetDays go.
  virtual Status PutDay(int64_t day, const std::vector<FleetDayRow>& rows) = 0;
  // By day, package and version, from `first` on.
  virtual Result<std::vector<FleetDayRow>> Days(int64_t first) = 0;
};

}  // namespace ferry::server
