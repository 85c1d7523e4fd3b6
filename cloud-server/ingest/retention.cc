#include "cloud-server/ingest/retention.h"

#include <algorithm>

#include "cloud-server/ingest/quota.h"

namespace ferry::server {
namespace {

using Kind = RetentionRepository::Kind;
using StreamSize = RetentionRepository::StreamSize;

}  // namespace

// Unix milliseconds; INT64_MIN where no age is too old.
int64_t Retention::Before(Limit days, std::string_view stream) const {
  const int64_t most = limits_.Get(days, stream);
  const int64_t now_day = DayOf(clock_.NowUnixMs());
  return most == 0 || most > now_day ? INT64_MIN : clock_.NowUnixMs() - most * kDayMs;
}

Status Retention::Repeat(const Drop& drop, int64_t* count) {
  while (!Stopped()) {
    int64_t dropped = 0;
    FERRY_TRY(store_.Write([&](Transaction& tx) -> Status {
      FERRY_ASSIGN_OR_RETURN(dropped, drop(tx));
      return OkStatus();
    }));
    *count += dropped;
    if (dropped < kDropRows) break;
  }
  return OkStatus();
}

Status Retention::OldRecords(const StreamSize& size, RetentionCounts* counts) {
  const int64_t before_ms = Before(Limit::kStreamDays, size.stream);
  if (size.oldest_ms >= before_ms) return OkStatus();
  return Repeat(
      [&](Transaction& tx) -> Result<int64_t> {
        FERRY_ASSIGN_OR_RETURN(
            const DayUse dropped,
            tx.retention().DropRecords(size.stream, size.device, before_ms, 0, kDropRows));
        return dropped.rows;
      },
      &counts->records);
}

Status Retention::LargeStream(const std::string& stream, std::vector<StreamSize> devices,
                              RetentionCounts* counts) {
  const int64_t most = limits_.Get(Limit::kStreamBytes, stream);
  int64_t surplus = -most;
  for (const StreamSize& device : devices) surplus += device.bytes;
  const auto fewer = [](const StreamSize& a, const StreamSize& b) { return a.bytes < b.bytes; };
  std::make_heap(devices.begin(), devices.end(), fewer);
  while (most != 0 && surplus > 0 && !devices.empty() && !Stopped()) {
    std::pop_heap(devices.begin(), devices.end(), fewer);
    StreamSize& largest = devices.back();
    const int64_t second = devices.size() > 1 ? devices.front().bytes : 0;
    const int64_t bytes = std::min(surplus, std::max(largest.bytes - second, kLeastDrop));
    DayUse dropped;
    FERRY_TRY(store_.Write([&](Transaction& tx) -> Status {
      FERRY_ASSIGN_OR_RETURN(
          dropped, tx.retention().DropRecords(stream, largest.device, INT64_MIN, bytes, kDropRows));
      return OkStatus();
    }));
    counts->records += dropped.rows;
    surplus -= dropped.bytes;
    largest.bytes -= dropped.bytes;
    if (dropped.rows == 0 || largest.bytes <= 0)
      devices.pop_back();
    else
      std::push_heap(devices.begin(), devices.end(), fewer);
  }
  return OkStatus();
}

Status Retention::Streams(bool by_age, RetentionCounts* counts) {
  const auto sizes = [&](std::vector<StreamSize>* all) {
    return store_.Read([&](Transaction& tx) -> Status {
      FERRY_ASSIGN_OR_RETURN(*all, tx.retention().StreamSizes());
      return OkStatus();
    });
  };
  std::vector<StreamSize> all;
  FERRY_TRY(sizes(&all));
  if (by_age) {
    for (const StreamSize& size : all) FERRY_TRY(OldRecords(size, counts));
    FERRY_TRY(sizes(&all));
  }
  std::map<std::string, std::vector<StreamSize>> streams;
  for (StreamSize& size : all) streams[size.stream].push_back(std::move(size));
  for (auto& [stream, devices] : streams)
    FERRY_TRY(LargeStream(stream, std::move(devices), counts));
  return OkStatus();
}

Result<RetentionCounts> Retention::Run(bool by_age) {
  RetentionCounts counts;
  FERRY_TRY(Streams(by_age, &counts));
  const auto drop = [&](Kind kind, Limit days, Limit rows, int64_t* count) {
    const int64_t before_ms = by_age ? Before(days) : INT64_MIN;
    return Repeat(
        [&, before_ms](Transaction& tx) {
          return tx.retention().Drop(kind, before_ms, limits_.Get(rows), kDropRows);
        },
        count);
  };
  FERRY_TRY(drop(Kind::kReports, Limit::kReportDays, Limit::kReportRows, &counts.reports));
  FERRY_TRY(drop(Kind::kRefused, Limit::kRefusedDays, Limit::kRefusedRows, &counts.refused));
  FERRY_TRY(drop(Kind::kLosses, Limit::kRefusedDays, Limit::kRefusedRows, &counts.losses));
  if (!by_age) return counts;
  FERRY_TRY(Repeat(
      [&](Transaction& tx) {
        return tx.retention().DropEvents(Before(Limit::kEventDays), kDropRows);
      },
      &counts.events));
  FERRY_TRY(Repeat(
      [&](Transaction& tx) {
        return tx.retention().DropMarks(Before(Limit::kMarkDays), clock_.NowUnixMs(), kDropRows);
      },
      &counts.marks));
  FERRY_TRY(Repeat(
      [&](Transaction& tx) {
        return tx.retention().DropDays(DayOf(clock_.NowUnixMs()) - kUseDays, kDropRows);
      },
      &counts.days));
  return counts;
}

}  // namespace ferry::server
