// Records of an admitted device, at the rate and up to the quota that it has.
#include <algorithm>

#include "cloud-server/gateway/session.h"

namespace ferry::server {

// Devices of the first release do not say what was acknowledged to them. They begin each line with
// the record after it, so that the first batch says it, whether or not that batch can be stored.
void Session::FillAcknowledged(proto::TunnelBatch& batch) {
  if (first_missing_ == 0) {
    first_outbox_ = batch.outbox_id();
    first_missing_ = batch.first_seq();
  }
  const bool silent = batch.acked_seq() == 0 && batch.outbox_id() == first_outbox_;
  if (silent && first_missing_ > 0 && batch.first_seq() >= first_missing_)
    batch.set_acked_seq(first_missing_ - 1);
}

void Session::OnBatch(const proto::TunnelBatch& received) {
  if (batches_.size() >= kMaxWaitingBatches) return;  // not acknowledged: it comes again
  FillAcknowledged(batches_.emplace_back(received));
  executor_.Post([weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->TakeBatch();
  });
}

void Session::TakeBatch() {
  if (state_ != State::kReady || batches_.empty()) return;
  const int64_t now_ns = options().clock->MonotonicNs();
  const bool passed_over = now_ns < batches_from_ns_;
  // Faster than its rate: the batch waits, and so does the device for its acknowledgement.
  const int64_t hold_ms = passed_over ? 0 : options().ingest->HoldMs(device_);
  if (hold_ms > 0) {
    executor_.PostAfter(std::min(hold_ms, kMaxBatchHoldMs), [weak = weak_from_this()] {
      if (const auto self = weak.lock()) self->TakeBatch();
    });
    return;
  }
  const proto::TunnelBatch batch = std::move(batches_.front());
  batches_.pop_front();
  // What follows a failed batch would be a gap, and its answer would make the device send at once.
  if (passed_over) return;
  const Status stored = StoreBatch(batch);
  if (stored.ok()) return;
  batches_from_ns_ = options().clock->MonotonicNs() + kBatchPauseMs * 1'000'000;
  NoteRefusal("batch",
              fmt::format("a batch: {}", proto::CutText(stored.ToString(), kMaxReportText)));
}

Status Session::StoreBatch(const proto::TunnelBatch& batch) {
  NoteSeen();
  proto::Envelope answer;
  IngestNotes notes;
  proto::TunnelAck* ack = answer.mutable_tunnel_ack();
  FERRY_TRY(options().ingest->OnBatch(device_, batch, ack, &notes));
  if (notes.lost_first != 0)
    NoteRefusal("lost", fmt::format("records {} to {} were acknowledged and are not here",
                                    notes.lost_first, notes.lost_last));
  if (notes.refused != 0)
    NoteRefusal("records", fmt::format("{} records, {}", notes.refused,
                                       proto::CutText(notes.first_reason, kMaxReportText)));
  if (!notes.used_up.empty())
    NoteRefusal("quota", fmt::format("{} is used up; its rows may come again in {} s",
                                     notes.used_up, ack->retry_after_ms() / 1000));
  // A device that does not know the field sends again at once: it is answered now and then.
  if (ack->retry_after_ms() > 0)
    batches_from_ns_ = options().clock->MonotonicNs() + kQuotaAnswerMs * 1'000'000;
  Send(answer);
  return OkStatus();
}

}  // namespace ferry::server
