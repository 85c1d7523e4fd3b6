// The device's half of the tunnel: which records to send next, and what an acknowledgement or a
// lost connection means. Knows no network: the caller moves the messages.
//
//   on connected:   client.OnConnected()
//   while free:     if (auto batch = client.NextBatch(now_ms)) send it
//   on TunnelAck:   client.OnAck(ack)
//   on timer:       NextBatch resends by itself after resend_ms
//   on lost:        client.OnDisconnected()
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "common/base/status.h"
#include "pipeline/store/outbox.h"

namespace ferry::proto {
class TunnelBatch;
class TunnelAck;
}  // namespace ferry::proto

namespace ferry::tunnel {

struct ClientOptions {
  size_t max_records = 512;          // of one batch
  size_t max_bytes = 256 << 10;      // of one batch's records, before compression
  size_t compress_from_bytes = 512;  // smaller batches go as they are
  size_t max_in_flight = 4;          // batches sent and not acknowledged
  int64_t resend_ms = 10'000;        // without an acknowledgement, all is sent again
};

// One thread at a time; the outbox may be shared with other threads.
class Client {
 public:
  // `outbox` outlives the client.
  explicit Client(store::Outbox& outbox, ClientOptions options = {});
  ~Client();

  void OnConnected();
  void OnDisconnected();
  // Fills `batch` with the next records and returns true; false when nothing waits, too much is in
  // flight, or there is no connection. Every record is handed out again until it is acknowledged.
  Result<bool> NextBatch(int64_t now_ms, proto::TunnelBatch* batch);
  // Deletes what arrived. An acknowledgement of another outbox or of records never sent is
  // kMalformed and changes nothing; an old one is ok.
  Status OnAck(const proto::TunnelAck& ack, int64_t now_ms);
  // When NextBatch may have something by time alone (a resend); nullopt: only by new records or
  // acknowledgements.
  std::optional<int64_t> NextTimeMs() const;
  bool idle() const;  // nothing in flight and nothing waiting

 private:
  store::Outbox& outbox_;
  ClientOptions options_;
  bool connected_ = false;
  uint64_t next_seq_ = 1;    // first record not yet sent on this connection
  uint64_t sent_up_to_ = 0;  // highest number ever sent
  uint64_t acked_ = 0;
  std::vector<uint64_t> in_flight_;  // last sequence number of each batch on its way
  int64_t last_progress_ms_ = 0;
};

}  // namespace ferry::tunnel
