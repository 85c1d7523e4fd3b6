// How releases went over time: few points each, however long it takes.
// ---- sql/fleet/series.cc
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/status.h"

namespace ferry::server {

inline constexpr int64_t kMaxSeriesPoints = 512;  // kept of a release; more lose every second one
inline constexpr int64_t kSeriesStepMs = 1'000;   // between two points at first; doubles with that

// How a release stood at a time.
struct SeriesPoint {
  std::string release;
  int64_t time_ms = 0;
  int64_t members = 0;
  int64_t healthy = 0;
  int64_t failed = 0;
  int64_t back = 0;
  std::string evidence = "{}";  // JSON: {slice: [evidence, where it stops]}
  bool operator==(const SeriesPoint&) const = default;
};

struct SeriesState {
  int64_t thinned = 0;  // how often it lost every second point
  int64_t step_ms = kSeriesStepMs;
  int64_t last_ms = 0;  // of its newest point; 0: none
  bool operator==(const SeriesState&) const = default;
};

class SeriesRepository {
 public:
  virtual ~SeriesRepository() = default;
  virtual Result<SeriesState> State(const std::string& release) = 0;
  virtual Result<std::vector<SeriesPoint>> Points(const std::string& release) = 0;  // oldest first
  // Of two points of one time the later stays. Thins when there are too many.
  virtual Status Add(const SeriesPoint& point) = 0;
};

}  // namespace ferry::server
