#include <algorithm>

#include "common/base/check.h"
#include "common/package/compress.h"
#include "common/proto/envelope.h"
#include "common/proto/wire.pb.h"
#include "pipeline/event/event.h"
#include "pipeline/event/record.h"
#include "pipeline/store/outbox.h"
#include "pipeline/tunnel/server.h"
#include "tools/fuzz/target.h"

namespace ferry::fuzz {
namespace {

// A server with any mark keeps each record once and never acknowledges what it did not keep.
void CheckAdmission(const tunnel::ReceivedBatch& batch, uint64_t mark) {
  const tunnel::Admission admission = tunnel::Admit(batch, mark);
  CHECK(admission.acknowledge >= mark);
  uint64_t next = std::max(mark, batch.acked_seq) + 1;
  for (const tunnel::ReceivedRecord& record : admission.fresh) CHECK(record.seq == next++);
  CHECK(admission.acknowledge == next - 1);
  CHECK((admission.lost_first == 0) == (batch.acked_seq <= mark));
}

void DecodeBoth(const proto::TunnelBatch& message) {
  auto batch = tunnel::DecodeBatch(message);
  if (!batch.ok()) return;
  CHECK(batch->outbox_id.size() == store::kOutboxIdBytes);
  CHECK(!batch->records.empty() && batch->records.back().seq == batch->last_seq);
  for (const tunnel::ReceivedRecord& record : batch->records) {
    CHECK(record.refused.ok() == event::CheckRecord(record.stream, record.json).ok());
    CHECK(record.stream.size() <= event::kMaxNameBytes);
  }
  const uint64_t first = batch->records.front().seq;
  for (const uint64_t mark : {uint64_t{0}, first - 1, first, batch->last_seq, batch->last_seq + 9})
    CheckAdmission(*batch, mark);
}

// The frame that carries `batch`: its length is right, or hardly any change would come past it.
Bytes FrameOf(ByteView batch) {
  constexpr uint32_t kLengthDelimited = 2;
  Bytes frame;
  const auto put = [&](uint64_t number) {
    for (; number >= 128; number >>= 7) frame.push_back(static_cast<uint8_t>(number | 128));
    frame.push_back(static_cast<uint8_t>(number));
  };
  put(uint64_t{proto::Envelope::kTunnelBatchFieldNumber} << 3 | kLengthDelimited);
  put(batch.size());
  frame.insert(frame.end(), batch.begin(), batch.end());
  return frame;
}

void RunTunnelBatch(ByteView bytes) {
  proto::Envelope envelope;
  if (!proto::DecodeEnvelope(FrameOf(bytes), &envelope).ok()) return;
  CHECK(envelope.has_tunnel_batch());
  proto::TunnelBatch message = envelope.tunnel_batch();
  DecodeBoth(message);
  // Compressed by the target itself, or hardly any change would come past zstd.
  proto::TunnelBatch records;
  records.mutable_records()->Swap(message.mutable_records());
  auto packed = package::Compress(AsBytes(records.SerializeAsString()));
  CHECK(packed.ok()) << packed.status().ToString();
  message.set_zstd_records(packed->data(), packed->size());
  DecodeBoth(message);
}

std::vector<Bytes> TunnelBatchSeeds() {
  proto::TunnelBatch batch;
  batch.set_outbox_id(std::string(store::kOutboxIdBytes, 'o'));
  batch.set_first_seq(7);
  batch.set_acked_seq(3);
  const auto add = [&](const std::string& stream, const std::string& json) {
    proto::Record* record = batch.add_records();
    record->set_stream(stream);
    record->set_time_ms(1'700'000'000'000);
    record->set_json(json);
  };
  add("digits.window", R"({"count":12,"mean":0.5,"best":[1,null,"x"]})");
  add("digits.raw", "[[1,2],[3]]");
  std::vector<Bytes> seeds = {ToBytes(AsBytes(batch.SerializeAsString()))};
  // Refused ones: a name that is too long, a text that is no JSON.
  std::string name = "n";
  while (name.size() <= event::kMaxNameBytes) name += "\xc3\xa9";
  add(name, "{}");
  add("digits", "{\"a\":");
  seeds.push_back(ToBytes(AsBytes(batch.SerializeAsString())));
  return seeds;
}

}  // namespace

const Target kTunnelBatchTarget = {"tunnel_batch", RunTunnelBatch, TunnelBatchSeeds};

}  // namespace ferry::fuzz
