#include "pipeline/tunnel/client.h"

#include <zstd.h>

#include <algorithm>

#include "common/proto/wire.pb.h"

namespace ferry::tunnel {
namespace {

constexpr int kZstdLevel = 3;

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
  if (!connected_) return false;
  if (!in_flight_.empty() && now_ms - last_progress_ms_ >= options_.resend_ms) {
    in_flight_.clear();
    next_seq_ = acked_ + 1;
  }
  if (in_flight_.size() >= options_.max_in_flight) return false;
  FERRY_ASSIGN_OR_RETURN(store::Outbox::Batch read,
                         outbox_.Read(next_seq_, options_.max_records, options_.max_bytes));
  if (read.records.empty()) return false;
  const Bytes id = outbox_.id();
  batch->Clear();
  batch->set_outbox_id(id.data(), id.size());
  batch->set_first_seq(read.first_seq);
  batch->set_acked_seq(acked_);
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
  const Bytes id = outbox_.id();
  if (ack.outbox_id() != AsText(id))
    return Status(Code::kMalformed, "an acknowledgement for another outbox");
  if (ack.up_to_seq() > sent_up_to_)
    return Status::Of(Code::kMalformed, "an acknowledgement of record {}, sent were {}",
                      ack.up_to_seq(), sent_up_to_);
  // Below what was acknowledged: an old message, or a server that lost its rows. Sending again does
  // not help at once; it happens after resend_ms.
  if (ack.up_to_seq() < acked_) return OkStatus();
  last_progress_ms_ = now_ms;
  if (ack.up_to_seq() > acked_) {
    FERRY_TRY(outbox_.Acknowledge(ack.up_to_seq()));
    acked_ = ack.up_to_seq();
    next_seq_ = std::max(next_seq_, acked_ + 1);
    std::erase_if(in_flight_, [this](uint64_t last) { return last <= acked_; });
  } else if (!in_flight_.empty()) {
    // The same number again: the server misses what came before the batch that it got. All goes
    // again from there.
    in_flight_.clear();
    next_seq_ = acked_ + 1;
  }
  return OkStatus();
}

std::optional<int64_t> Client::NextTimeMs() const {
  if (!connected_ || in_flight_.empty()) return std::nullopt;
  return last_progress_ms_ + options_.resend_ms;
}

bool Client::idle() const {
  return in_flight_.empty() && outbox_.stats().waiting == 0;
}

}  // namespace ferry::tunnel
