#include "cloud-server/ingest/quota.h"

#include "pipeline/tunnel/server.h"

namespace ferry::server {

int64_t DayOf(int64_t unix_ms) {
  return unix_ms / kDayMs;
}

int64_t RestOfDayMs(int64_t unix_ms) {
  return (DayOf(unix_ms) + 1) * kDayMs - unix_ms;
}

int64_t CostOf(const tunnel::ReceivedRecord& record) {
  const size_t text = record.refused.ok() ? record.json.size() : record.refused.message().size();
  return kRowOverheadBytes + static_cast<int64_t>(record.stream.size() + text);
}

Result<Quota::Count*> Quota::Of(const std::string& device, const std::string& stream) {
  const auto found = counts_.find({device, stream});
  if (found != counts_.end()) return &found->second;
  Count count;
  // The sum of all devices is read where there is a limit to it: all writers change it, and on
  // PostgreSQL who looks at it clashes with them.
  const bool of_all = device.empty();
  if (!of_all || limits_.Get(Limit::kTenantRowsDay) != 0 ||
      limits_.Get(Limit::kTenantBytesDay) != 0) {
    FERRY_ASSIGN_OR_RETURN(count.before, tx_.intake().Used(day_, device, stream));
  }
  return &counts_.emplace(std::pair(device, stream), count).first->second;
}

Result<Quota::Count*> Quota::OfStreamOf(tunnel::ReceivedRecord* record) {
  if (!record->refused.ok()) return Of(device_, kRefusedStream);
  FERRY_ASSIGN_OR_RETURN(Count * count, Of(device_, record->stream));
  if (count->before.rows + count->more.rows > 0) return count;
  if (streams_ < 0) {
    FERRY_ASSIGN_OR_RETURN(streams_, tx_.intake().StreamsUsed(day_, device_));
  }
  if (streams_ < kMaxStreamsDay) {
    ++streams_;
    return count;
  }
  record->refused =
      Status::Of(Code::kLimitExceeded, "more than {} streams on one day", kMaxStreamsDay);
  record->json.clear();
  return Of(device_, kRefusedStream);
}

bool Quota::Fits(const Count& count, int64_t cost, Limit rows, Limit bytes,
                 const std::string& stream) {
  const int64_t most_rows = limits_.Get(rows, stream), most_bytes = limits_.Get(bytes, stream);
  const int64_t all_rows = count.before.rows + count.more.rows + 1;
  const int64_t all_bytes = count.before.bytes + count.more.bytes + cost;
  const bool many = most_rows != 0 && all_rows > most_rows;
  if (!many && (most_bytes == 0 || all_bytes <= most_bytes)) return true;
  used_up_ = fmt::format("{} of {}", AllLimits()[static_cast<size_t>(many ? rows : bytes)].name,
                         many ? most_rows : most_bytes);
  if (!stream.empty()) used_up_ += fmt::format(", stream {}", stream);
  return false;
}

Result<bool> Quota::Add(Count* stream, int64_t cost, const std::string& name) {
  FERRY_ASSIGN_OR_RETURN(Count * all, Of("", ""));
  FERRY_ASSIGN_OR_RETURN(Count * whole, Of(device_, ""));
  if (!Fits(*whole, cost, Limit::kDeviceRowsDay, Limit::kDeviceBytesDay, "") ||
      !Fits(*stream, cost, Limit::kStreamRowsDay, Limit::kStreamBytesDay, name) ||
      !Fits(*all, cost, Limit::kTenantRowsDay, Limit::kTenantBytesDay, ""))
    return false;
  for (Count* count : {all, whole, stream}) {
    ++count->more.rows;
    count->more.bytes += cost;
  }
  return true;
}

Result<size_t> Quota::Fit(std::vector<tunnel::ReceivedRecord>* records) {
  for (size_t i = 0; i < records->size(); ++i) {
    tunnel::ReceivedRecord& record = (*records)[i];
    FERRY_ASSIGN_OR_RETURN(Count * stream, OfStreamOf(&record));
    FERRY_ASSIGN_OR_RETURN(const bool added, Add(stream, CostOf(record), record.stream));
    if (!added) return i;
  }
  return records->size();
}

Result<bool> Quota::FitLoss() {
  FERRY_ASSIGN_OR_RETURN(Count * refused, Of(device_, kRefusedStream));
  return Add(refused, kRowOverheadBytes, kRefusedStream);
}

Status Quota::Store() {
  for (const auto& [key, count] : counts_) {
    if (count.more.rows == 0) continue;
    FERRY_TRY(tx_.intake().AddUsed(day_, key.first, key.second, count.more));
  }
  return OkStatus();
}

}  // namespace ferry::server
