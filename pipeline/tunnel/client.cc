#include "pipeline/tunnel/client.h"

#include <zstd.h>

#include <algorithm>

#include "common/proto/wire.pb.h"

namespace ferry::tunnel {
namespace {

constexpr int kZstdLevel = 3;
constexpr size_t kMaxDoneIds = 8;
constexpr int64_t kWaitSpread = 4;  // a wait is up to one part of so many longer than was asked for

// Replaces the records by their compressed form when that is smaller.
void Compress(proto::TunnelBatch* batch) {
  proto::TunnelBatch records;
  records.mutable_records()->Swap(batch->mutable_records());
  const std::string plain = records.SerializeAsString();
  std::string packed(ZSTD_compressBound(plain.size()), '\0');
  const size_t size =
      ZSTD_compress(packed.data(), packed.size(), plain.data(), plain.size(), kZstdLevel);
  if (ZSTD_isError(size) != 0 || size >= plain.size()) {
    batch->mutable_records()->Swap(records.mutable_records());
    return;
  }
  packed.resize(size);
  batch->set_zstd_records(std::move(packed));
}

}  // namespace

Client::Client(store::Outbox& outbox, ClientOptions options)
    : outbox_(outbox), options_(options), acked_(outbox.stats().acked_seq) {
  // Numbers given before this client was made may have been sent by an earlier one.
  sent_up_to_ = outbox.stats().next_seq - 1;
  next_seq_ = acked_ + 1;
}

Client::~Client() = default;

void Client::OnConnected() {
  connected_ = true;
  in_flight_.clear();
  next_seq_ = acked_ + 1;
}

void Client::OnDisconnected() {
  connected_ = false;
  in_flight_.clear();
  next_seq_ = acked_ + 1;
}

Result<bool> Client::NextBatch(int64_t now_ms, proto::TunnelBatch* batch) {
  if (!connected_ || now_ms < wait_until_ms_) return false;
  if (!in_flight_.empty() && now_ms - last_progress_ms_ >= options_.resend_ms) {
    in_flight_.clear();
    next_seq_ = acked_ + 1;
  }
  if (in_flight_.size() >= options_.max_in_flight) return false;
  FERRY_ASSIGN_OR_RETURN(store::Outbox::Batch read,
                         outbox_.Read(next_seq_, options_.max_records, options_.max_bytes));
  if (read.records.empty()) return false;
  // An acknowledgement stands for all before it: records under the next id wait until those under
  // this one have arrived.
  if (!in_flight_.empty() && read.outbox_id != in_flight_id_) return false;
  in_flight_id_ = read.outbox_id;
  batch->Clear();
  batch->set_outbox_id(in_flight_id_.data(), in_flight_id_.size());
  batch->set_first_seq(read.first_seq - read.base);
  batch->set_acked_seq(acked_ - std::min(acked_, read.base));
  size_t bytes = 0;
  for (store::Record& record : read.records) {
    proto::Record* out = batch->add_records();
    bytes += record.json.size();
    out->set_stream(std::move(record.stream));
    out->set_time_ms(record.time_ms);
    out->set_json(std::move(record.json));
  }
  if (bytes >= options_.compress_from_bytes) Compress(batch);
  const uint64_t last = read.first_seq + read.records.size() - 1;
  if (in_flight_.empty()) last_progress_ms_ = now_ms;
  in_flight_.push_back(last);
  next_seq_ = last + 1;
  sent_up_to_ = std::max(sent_up_to_, last);
  return true;
}

Status Client::OnAck(const proto::TunnelAck& ack, int64_t now_ms) {
  const ByteView id = AsBytes(ack.outbox_id());
  const auto seq = outbox_.SeqOf(id, ack.up_to_seq());
  if (seq.code() == Code::kNotFound && !in_flight_.empty() && AsText(id) == AsText(in_flight_id_)) {
    // They were erased, or consent to them was withdrawn, while they were on their way.
    NoteDone(id);
    in_flight_.clear();
    acked_ = std::max(acked_, sent_up_to_);
    return OkStatus();
  }
  if (seq.code() == Code::kNotFound) {
    const bool late = std::any_of(done_ids_.begin(), done_ids_.end(),
                                  [id](const Bytes& one) { return AsText(one) == AsText(id); });
    return late ? OkStatus() : Status(Code::kMalformed, "an acknowledgement for another outbox");
  }
  if (!seq.ok() || *seq > sent_up_to_)
    return Status::Of(Code::kMalformed, "an acknowledgement of record {} that was not sent",
                      ack.up_to_seq());
  // Below what was acknowledged: an old message, or a server that lost its rows. Sending again does
  // not help at once; it happens after resend_ms.
  if (*seq < acked_) return OkStatus();
  last_progress_ms_ = now_ms;
  if (ack.retry_after_ms() > 0) Wait(ack.retry_after_ms(), now_ms);
  if (*seq > acked_) {
    FERRY_TRY(outbox_.Acknowledge(*seq));
    acked_ = *seq;
    NoteDone(id);
    next_seq_ = std::max(next_seq_, acked_ + 1);
    std::erase_if(in_flight_, [this](uint64_t last) { return last <= acked_; });
  } else if (!in_flight_.empty()) {
    // The same number again: the server misses what came before the batch that it got. All goes
    // again from there; but not at once each time, or a server that can take none of it would get
    // the same batches without pause.
    if (rewound_ms_ && now_ms - *rewound_ms_ < options_.rewind_ms) return OkStatus();
    rewound_ms_ = now_ms;
    in_flight_.clear();
    next_seq_ = acked_ + 1;
  }
  return OkStatus();
}

void Client::NoteDone(ByteView id) {
  if (!done_ids_.empty() && AsText(done_ids_.back()) == AsText(id)) return;
  done_ids_.push_back(ToBytes(id));
  if (done_ids_.size() > kMaxDoneIds) done_ids_.erase(done_ids_.begin());
}

// What is in flight behind the batch that met the quota was passed over.
void Client::Wait(int64_t retry_after_ms, int64_t now_ms) {
  const int64_t wait_ms = std::min(retry_after_ms, options_.max_wait_ms);
  const Bytes id = outbox_.id();
  wait_until_ms_ = now_ms + wait_ms + wait_ms * (id.empty() ? 0 : id[0]) / 256 / kWaitSpread;
  in_flight_.clear();
  next_seq_ = acked_ + 1;
}

std::optional<int64_t> Client::NextTimeMs() const {
  if (!connected_) return std::nullopt;
  if (!in_flight_.empty()) return std::max(last_progress_ms_ + options_.resend_ms, wait_until_ms_);
  if (wait_until_ms_ != 0 && outbox_.stats().waiting > 0) return wait_until_ms_;
  return std::nullopt;
}

bool Client::idle() const {
  return in_flight_.empty() && outbox_.stats().waiting == 0;
}

}  // namespace ferry::tunnel
