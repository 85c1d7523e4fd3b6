// What a device may bring in on one day (UTC). The counts are rows of the store, written with the
// records that they count.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "cloud-server/ingest/limits.h"
#include "cloud-server/store/store.h"

namespace ferry::tunnel {
struct ReceivedRecord;
}  // namespace ferry::tunnel

namespace ferry::server {

inline constexpr int64_t kDayMs = 86'400'000;
// Names that one device may use for its streams in a day: made-up ones would fill tables and lists.
inline constexpr int64_t kMaxStreamsDay = 256;
inline constexpr char kRefusedStream[] = "*";  // refused records are counted under it

// Days since 1970.
int64_t DayOf(int64_t unix_ms);
// Until the next day begins, at least 1.
int64_t RestOfDayMs(int64_t unix_ms);

// Bytes that a record is counted as: what it takes in the store.
int64_t CostOf(const tunnel::ReceivedRecord& record);

// Within one transaction. Use one for each batch.
class Quota {
 public:
  Quota(const Limits& limits, Transaction& tx, std::string device, int64_t day)
      : limits_(limits), tx_(tx), device_(std::move(device)), day_(day) {}

  // How many of `records`, from the first, fit what is left of the day; the others would pass the
  // limit that `used_up()` names. A record of one stream too many is marked as refused.
  Result<size_t> Fit(std::vector<tunnel::ReceivedRecord>* records);
  // Whether a named loss fits: it is counted as a refused record, for devices say what was lost.
  Result<bool> FitLoss();
  // Counts what Fit and FitLoss took.
  Status Store();
  // "device_rows_day of 1000" with the stream where it is one's; "" when all fit.
  const std::string& used_up() const { return used_up_; }

 private:
  struct Count {
    DayUse before;
    DayUse more;
  };
  Result<Count*> Of(const std::string& device, const std::string& stream);
  Result<Count*> OfStreamOf(tunnel::ReceivedRecord* record);
  // Counts one row of `cost` bytes in `stream`, the count of one called `name`, if it fits.
  Result<bool> Add(Count* stream, int64_t cost, const std::string& name);
  bool Fits(const Count& count, int64_t cost, Limit rows, Limit bytes, const std::string& stream);

  const Limits& limits_;
  Transaction& tx_;
  const std::string device_;
  const int64_t day_;
  std::map<std::pair<std::string, std::string>, Count> counts_;  // by device and stream
  int64_t streams_ = -1;  // of the device today; -1: not looked at
  std::string used_up_;
};

}  // namespace ferry::server
