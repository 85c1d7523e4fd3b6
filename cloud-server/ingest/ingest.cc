#include "cloud-server/ingest/ingest.h"

#include "common/proto/wire.pb.h"
#include "pipeline/tunnel/server.h"

namespace ferry::server {

Status Ingest::OnBatch(const std::string& device, const proto::TunnelBatch& batch,
                       proto::TunnelAck* ack) {
  FERRY_ASSIGN_OR_RETURN(tunnel::ReceivedBatch received,
                         tunnel::DecodeBatch(batch).Context("tunnel of device {}", device));
  const std::string outbox = ToHex(received.outbox_id);
  const Bytes outbox_id = received.outbox_id;
  const int64_t now_ms = clock_.NowUnixMs();
  uint64_t acknowledge = 0;
  FERRY_TRY(store_.Write([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(const uint64_t stored, tx.records().HighestSeq(device, outbox));
    // A copy: the store runs this again after a conflict.
    tunnel::Admission admission = tunnel::Admit(received, stored);
    for (tunnel::ReceivedRecord& record : admission.fresh) {
      const RecordRow row{device,
                          outbox,
                          record.seq,
                          std::move(record.stream),
                          record.time_ms,
                          now_ms,
                          std::move(record.json)};
      FERRY_TRY(
          tx.records().Add(row));  // UNIQUE(device, outbox, seq) keeps each once, whatever comes
    }
    acknowledge = admission.acknowledge;
    return OkStatus();
  }));
  *ack = tunnel::MakeAck(outbox_id, acknowledge);
  return OkStatus();
}

}  // namespace ferry::server
