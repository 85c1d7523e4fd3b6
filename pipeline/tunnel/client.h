// The device's half of the tunnel: which records to send next, and what an acknowledgement or a
// lost connection means. Knows no network: the caller moves the messages.
//
//   on connected:   client.OnConnected()
//   while free:     if (auto batch = client.NextBatch(now_ms)) send it
//   on TunnelAck:   client.OnAck(ack)
//   on timer:       NextBatch resends by itself after resend_ms
//   on lost:        client.OnDisconnected()
#pragma once

#include <algorithm>
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
  int64_t max_wait_ms = 3'600'000;   // a server that asks for a longer wait is asked again then
  int64_t rewind_ms = 1'000;         // between two times that a server makes it send all again
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
  // Deletes what arrived. An acknowledgement of an unknown outbox id or of records never sent is
  // kMalformed and changes nothing; an old one is ok. One that says when to come back stops all
  // batches for that time, at most max_wait_ms, and up to a quarter more by the outbox's id:
  // devices whose quota begins anew at one moment do not come at that moment.
  Status OnAck(const proto::TunnelAck& ack, int64_t now_ms);
  // When NextBatch may have something by time alone (a resend); nullopt: only by new records or
  // acknowledgements.
  std::optional<int64_t> NextTimeMs() const;
  bool idle() const;  // nothing in flight and nothing waiting
  // How long the server's last word still keeps batches back; 0: it does not.
  int64_t WaitMs(int64_t now_ms) const { return std::max<int64_t>(wait_until_ms_ - now_ms, 0); }

 private:
  void NoteDone(ByteView id);
  void Wait(int64_t retry_after_ms, int64_t now_ms);

  store::Outbox& outbox_;
  ClientOptions options_;
  bool connected_ = false;
  uint64_t next_seq_ = 1;    // first record not yet sent on this connection
  uint64_t sent_up_to_ = 0;  // highest number ever sent
  uint64_t acked_ = 0;
  std::vector<uint64_t> in_flight_;  // last sequence number of each batch on its way
  Bytes in_flight_id_;               // of them: an outbox id begins when those before it are done
  std::vector<Bytes> done_ids_;      // of which a late acknowledgement may come
  int64_t last_progress_ms_ = 0;
  int64_t wait_until_ms_ = 0;          // of the caller's clock; 0: nobody asked for it
  std::optional<int64_t> rewound_ms_;  // when a server last made it send all again
};

}  // namespace ferry::tunnel
