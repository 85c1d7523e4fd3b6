#include "cloud-server/ingest/ingest.h"

#include <algorithm>

#include "cloud-server/ingest/quota.h"
#include "common/proto/wire.pb.h"
#include "pipeline/tunnel/server.h"

namespace ferry::server {
namespace {

constexpr size_t kOutboxIdBytes = 16;  // what is longer is for DecodeBatch to refuse

}  // namespace

// UNIQUE(device, outbox, seq) keeps each once, whatever comes.
Status Ingest::Keep(Transaction& tx, const std::string& device, const std::string& outbox,
                    tunnel::Admission admission, IngestNotes* notes) {
  const int64_t now_ms = clock_.NowUnixMs();
  if (admission.lost_last != 0) {
    notes->lost_first = admission.lost_first;
    notes->lost_last = admission.lost_last;
    FERRY_TRY(AsStatus(
        tx.intake().AddLoss({device, outbox, admission.lost_first, admission.lost_last, now_ms})));
  }
  for (tunnel::ReceivedRecord& record : admission.fresh) {
    if (record.refused.ok()) {
      FERRY_TRY(AsStatus(tx.records().Add({device, outbox, record.seq, std::move(record.stream),
                                           record.time_ms, now_ms, std::move(record.json)})));
      continue;
    }
    if (++notes->refused == 1)
      notes->first_reason = fmt::format("record {}: {}", record.seq, record.refused.ToString());
    FERRY_TRY(AsStatus(tx.intake().AddRefused({device, outbox, record.seq, std::move(record.stream),
                                               static_cast<int>(record.refused.code()),
                                               record.refused.message(), now_ms})));
  }
  return tx.intake().PutMark(device, outbox, admission.acknowledge, now_ms);
}

Ingest::Today& Ingest::TodayOf(const std::string& device, int64_t day) {
  if (today_.size() >= kMaxPaced && !today_.contains(device)) today_.clear();
  Today& today = today_[device];
  if (today.day != day) today = {day, false, -1};
  return today;
}

Status Ingest::TakeReport(const std::string& device) {
  const int64_t most = limits_.Get(Limit::kDeviceReportsDay);
  if (most == 0) return OkStatus();
  const int64_t day = DayOf(clock_.NowUnixMs());
  int64_t reports = 0;
  {
    const std::lock_guard lock(mutex_);
    reports = TodayOf(device, day).reports;
  }
  if (reports < 0) {
    FERRY_TRY(store_.Read([&](Transaction& tx) -> Status {
      FERRY_ASSIGN_OR_RETURN(reports, tx.intake().ReportsSince(device, day * kDayMs, most));
      return OkStatus();
    }));
  }
  const std::lock_guard lock(mutex_);
  Today& today = TodayOf(device, day);
  today.reports = std::max(today.reports, reports);
  if (today.reports >= most) {
    return Status::Of(Code::kQuotaUsed, "device_reports_day of {} is used up, device {}", most,
                      device);
  }
  ++today.reports;
  return OkStatus();
}

Status Ingest::OnBatch(const std::string& device, const proto::TunnelBatch& batch,
                       proto::TunnelAck* ack, IngestNotes* notes) {
  const int64_t now_ms = clock_.NowUnixMs(), day = DayOf(now_ms);
  {
    const std::lock_guard lock(mutex_);
    if (TodayOf(device, day).full && batch.outbox_id().size() == kOutboxIdBytes) {
      *ack = tunnel::MakeAck(AsBytes(batch.outbox_id()), batch.acked_seq());
      ack->set_retry_after_ms(RestOfDayMs(now_ms));
      return OkStatus();
    }
  }
  FERRY_ASSIGN_OR_RETURN(tunnel::ReceivedBatch received,
                         tunnel::DecodeBatch(batch).Context("tunnel of device {}", device));
  int64_t cost = 0;
  for (const tunnel::ReceivedRecord& record : received.records) cost += CostOf(record);
  pace_.Took(device, cost, clock_.MonotonicNs());
  uint64_t acknowledge = 0;
  IngestNotes told;
  FERRY_TRY(store_.Write([&](Transaction& tx) -> Status {
    told = {};  // the store runs this again after a conflict
    return Take(tx, device, received, day, &acknowledge, &told);
  }));
  *ack = tunnel::MakeAck(received.outbox_id, acknowledge);
  if (!told.used_up.empty()) {
    ack->set_retry_after_ms(RestOfDayMs(now_ms));
    const std::lock_guard lock(mutex_);
    TodayOf(device, day).full = true;
  }
  if (notes != nullptr) *notes = std::move(told);
  return OkStatus();
}

Status Ingest::Take(Transaction& tx, const std::string& device,
                    const tunnel::ReceivedBatch& received, int64_t day, uint64_t* acknowledge,
                    IngestNotes* notes) {
  const std::string outbox = ToHex(received.outbox_id);
  FERRY_ASSIGN_OR_RETURN(const uint64_t mark, tx.intake().Mark(device, outbox));
  tunnel::Admission admission = tunnel::Admit(received, mark);
  Quota quota(limits_, tx, device, day);
  if (admission.lost_last != 0) {
    FERRY_ASSIGN_OR_RETURN(const bool fits, quota.FitLoss());
    if (!fits) {
      notes->used_up = quota.used_up();
      *acknowledge = mark;
      return OkStatus();
    }
  }
  FERRY_ASSIGN_OR_RETURN(const size_t fits, quota.Fit(&admission.fresh));
  if (fits < admission.fresh.size()) {
    notes->used_up = quota.used_up();
    admission.acknowledge = admission.fresh[fits].seq - 1;
    admission.fresh.resize(fits);
  }
  *acknowledge = admission.acknowledge;
  if (*acknowledge == mark) return OkStatus();
  FERRY_TRY(quota.Store());
  return Keep(tx, device, outbox, std::move(admission), notes);
}

}  // namespace ferry::server
