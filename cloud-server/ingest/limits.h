// How much devices may bring in and how long it is kept: one table (limits.inc) of numbers that an
// operator may set.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/status.h"

namespace ferry::server {

enum class Limit {
#define FERRY_LIMIT(constant, ...) constant,
#include "cloud-server/ingest/limits.inc"
#undef FERRY_LIMIT
};

// A row of the table, for help and checks.
struct LimitInfo {
  Limit limit;
  const char* name;
  int64_t standard;  // unless it is set
  int64_t least;     // 0 apart: no limit
  bool of_stream;    // may be set for one stream alone
  const char* text;
};
const std::vector<LimitInfo>& AllLimits();

// What a stored record takes beside its own bytes, with its indexes; quotas and sizes count it.
inline constexpr int64_t kRowOverheadBytes = 256;

// Plain data. Numbers of days, rows or bytes; 0 is none.
class Limits {
 public:
  int64_t Get(Limit limit, std::string_view stream = {}) const;
  void Set(Limit limit, int64_t value, const std::string& stream = {});
  // "device_rows_day=5000", "stream_days@digits.window=7"; k, M and G after a number are powers of
  // 1024. kInvalidArgument names the limit, and what may stand there.
  Status SetText(std::string_view text);

 private:
  std::map<std::pair<Limit, std::string>, int64_t> set_;
};

}  // namespace ferry::server
