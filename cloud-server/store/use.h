// What tasks did and streams brought in, by day: of each device while the day goes on, added up for
// good. Devices add to rows of their own, so that no two writers wait for each other.
// ---- sql/fleet/use.cc
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cloud-server/core/rows.h"
#include "common/base/status.h"

namespace ferry::server {

inline constexpr int64_t kMaxUseDays = 400;    // kept of sums
inline constexpr int64_t kMaxOpenUseDays = 2;  // of each device: yesterday's sums may be late

struct TaskDayRow {
  int64_t day = 0;  // since 1970-01-01, UTC
  std::string package;
  std::string version;
  int64_t devices = 0;
  TaskUse use;
  bool operator==(const TaskDayRow&) const = default;
};

struct StreamDayRow {
  int64_t day = 0;
  std::string stream;
  int64_t devices = 0;
  int64_t rows = 0;
  int64_t bytes = 0;
  bool operator==(const StreamDayRow&) const = default;
};

class UseRepository {
 public:
  virtual ~UseRepository() = default;
  // To what the device told before of that day.
  virtual Status Add(int64_t day, const std::string& device, const std::string& package,
                     const std::string& version, const TaskUse& more) = 0;
  // Of all devices, of one day that is still open.
  virtual Result<std::vector<TaskDayRow>> SumTasks(int64_t day) = 0;
  virtual Result<std::vector<StreamDayRow>> SumStreams(int64_t day) = 0;
  // They are all of that day; what is too old goes.
  virtual Status PutDay(int64_t day, const std::vector<TaskDayRow>& tasks,
                        const std::vector<StreamDayRow>& streams) = 0;
  // By day and name, from `first` on.
  virtual Result<std::vector<TaskDayRow>> TaskDays(int64_t first) = 0;
  virtual Result<std::vector<StreamDayRow>> StreamDays(int64_t first) = 0;
};

}  // namespace ferry::server
