#include <gmock/gmock.h>
#include <unistd.h>
#include <zstd.h>

#include <deque>
#include <filesystem>
#include <map>
#include <random>

#include "common/proto/wire.pb.h"
#include "pipeline/event/event.h"
#include "pipeline/event/record.h"
#include "pipeline/tunnel/client.h"
#include "pipeline/tunnel/server.h"

namespace ferry::tunnel {
namespace {

using testing::HasSubstr;

std::unique_ptr<store::Outbox> MakeOutbox(uint64_t seed = 1) {
  sys::SeededRandom random(seed);
  auto outbox = store::OpenOutbox(":memory:", random);
  EXPECT_TRUE(outbox.ok());
  return std::move(*outbox);
}

store::Record MakeRecord(uint64_t k) {
  return {"digits.result", static_cast<int64_t>(k), "{\"k\":" + std::to_string(k) + "}"};
}

proto::TunnelBatch MakeBatch(int records) {
  proto::TunnelBatch batch;
  batch.set_outbox_id(std::string(16, 'o'));
  batch.set_first_seq(5);
  for (int k = 0; k < records; ++k) {
    proto::Record* record = batch.add_records();
    record->set_stream("s");
    record->set_json("{}");
  }
  return batch;
}

// The cloud in a few lines: what it stored, in order.
struct Cloud {
  std::vector<std::string> stored;
  std::map<Bytes, uint64_t> marks;

  std::optional<proto::TunnelAck> Receive(const proto::TunnelBatch& batch) {
    auto decoded = DecodeBatch(batch);
    EXPECT_TRUE(decoded.ok()) << decoded.status().ToString();
    if (!decoded.ok()) return std::nullopt;
    const Bytes id = decoded->outbox_id;
    uint64_t& mark = marks[id];
    Admission admission = Admit(std::move(*decoded), mark);
    for (const ReceivedRecord& record : admission.fresh) {
      EXPECT_EQ(record.seq, ++mark);
      stored.push_back(record.json);
    }
    EXPECT_EQ(admission.acknowledge, mark);
    return MakeAck(id, admission.acknowledge);
  }
};

TEST(Tunnel, ExactlyOnceOverALossyDuplicatingReorderingLink) {
  std::mt19937 random(21);
  for (int round = 0; round < 20; ++round) {
    auto outbox = MakeOutbox();
    ClientOptions options;
    options.max_records = 1 + random() % 5;
    options.max_in_flight = 1 + random() % 4;
    options.compress_from_bytes = random() % 2 == 0 ? 0 : 1000;
    options.resend_ms = 50;
    auto client = std::make_unique<Client>(*outbox, options);
    Cloud cloud;
    std::vector<proto::TunnelBatch> up;
    std::vector<proto::TunnelAck> down;
    uint64_t made = 0;
    int64_t now_ms = 0;
    const auto lose = [&random](uint32_t percent) { return random() % 100 < percent; };
    for (int step = 0; step < 3000 && (made < 300 || !client->idle()); ++step) {
      now_ms += random() % 10;
      if (made < 300 && random() % 3 == 0) {
        ASSERT_EQ(*outbox->Append({MakeRecord(made + 1)}), made + 1);
        ++made;
      }
      if (random() % 40 == 0) {
        client->OnDisconnected();
        up.clear();
        down.clear();
      }
      if (random() % 200 == 0) client = std::make_unique<Client>(*outbox, options);  // restarted
      if (random() % 4 == 0) client->OnConnected();
      proto::TunnelBatch batch;
      auto sent = client->NextBatch(now_ms, &batch);
      ASSERT_TRUE(sent.ok());
      if (*sent && !lose(10)) up.push_back(batch);
      if (!up.empty()) {
        const size_t at = random() % up.size();
        auto ack = cloud.Receive(up[at]);
        ASSERT_TRUE(ack.has_value());
        if (!lose(10)) down.push_back(*ack);
        if (!lose(10)) up.erase(up.begin() + static_cast<std::ptrdiff_t>(at));  // else it doubles
      }
      if (!down.empty()) {
        const size_t at = random() % down.size();
        ASSERT_TRUE(client->OnAck(down[at], now_ms).ok());
        down.erase(down.begin() + static_cast<std::ptrdiff_t>(at));
      }
    }
    ASSERT_EQ(cloud.stored.size(), 300u);
    for (uint64_t k = 0; k < 300; ++k) EXPECT_EQ(cloud.stored[k], MakeRecord(k + 1).json);
    EXPECT_EQ(outbox->stats().waiting, 0);
  }
}

// A device whose state comes from an old copy: the numbers that it gives anew name other rows than
// those that the cloud has acknowledged, and none of them is taken for one of those.
TEST(Tunnel, RowsOfARestoredStateAllArrive) {
  namespace fs = std::filesystem;
  const fs::path folder =
      fs::path(testing::TempDir()) / ("ferry_restored_" + std::to_string(getpid()));
  fs::create_directories(folder);
  const std::string path = folder / "outbox.db", copy = folder / "copy.db";
  Cloud cloud;
  uint64_t made = 0;
  const auto use = [&](uint64_t seed, int rows, bool sends) {
    sys::SeededRandom random(seed);
    auto outbox = store::OpenOutbox(path, random);
    ASSERT_TRUE(outbox.ok()) << outbox.status().ToString();
    for (int k = 0; k < rows; ++k) ASSERT_TRUE((*outbox)->Append({MakeRecord(++made)}).ok());
    Client client(**outbox, {.max_records = 3});
    client.OnConnected();
    proto::TunnelBatch batch;
    while (sends && *client.NextBatch(0, &batch)) {
      const auto ack = cloud.Receive(batch);
      ASSERT_TRUE(ack.has_value());
      ASSERT_TRUE(client.OnAck(*ack, 0).ok());
    }
  };
  use(1, 5, true);
  use(2, 4, false);  // wait in the copy
  fs::copy_file(path, copy);
  use(3, 7, true);
  EXPECT_EQ(cloud.stored.size(), 16u);
  fs::copy_file(copy, path, fs::copy_options::overwrite_existing);
  use(4, 9, true);
  ASSERT_EQ(cloud.stored.size(), 25u);
  for (uint64_t k = 0; k < 25; ++k) EXPECT_EQ(cloud.stored[k], MakeRecord(k + 1).json);
  fs::remove_all(folder);
}

TEST(TunnelClient, SendsNothingWithoutConnectionAndStopsAtItsWindow) {
  auto outbox = MakeOutbox();
  for (uint64_t k = 1; k <= 10; ++k) ASSERT_TRUE(outbox->Append({MakeRecord(k)}).ok());
  ClientOptions options;
  options.max_records = 2;
  options.max_in_flight = 3;
  options.resend_ms = 100;
  Client client(*outbox, options);
  proto::TunnelBatch batch;
  EXPECT_FALSE(*client.NextBatch(0, &batch));
  client.OnConnected();
  for (int k = 0; k < 3; ++k) EXPECT_TRUE(*client.NextBatch(0, &batch));
  EXPECT_EQ(batch.first_seq(), 5u);
  EXPECT_FALSE(*client.NextBatch(0, &batch));
  EXPECT_EQ(client.NextTimeMs(), 100);
  ASSERT_TRUE(client.OnAck(MakeAck(AsBytes(batch.outbox_id()), 2), 50).ok());
  EXPECT_TRUE(*client.NextBatch(50, &batch));
  EXPECT_EQ(batch.first_seq(), 7u);
  EXPECT_EQ(client.NextTimeMs(), 150);
  EXPECT_TRUE(*client.NextBatch(150, &batch));
  EXPECT_EQ(batch.first_seq(), 3u);  // again from the last acknowledged
}

// Without the wait the same acknowledgement would send all again at once, for as long as the quota
// is used up.
TEST(TunnelClient, WaitsAsLongAsTheServerSays) {
  auto outbox = MakeOutbox();
  ASSERT_TRUE(outbox->Append({MakeRecord(1), MakeRecord(2), MakeRecord(3)}).ok());
  ClientOptions options;
  options.max_records = 1;
  options.max_wait_ms = 60'000;
  Client client(*outbox, options);
  client.OnConnected();
  proto::TunnelBatch batch;
  while (*client.NextBatch(0, &batch)) {
  }
  proto::TunnelAck ack = MakeAck(outbox->id(), 1);
  ack.set_retry_after_ms(20'000);
  ASSERT_TRUE(client.OnAck(ack, 1'000).ok());
  const int64_t wait_ms = client.WaitMs(1'000);
  EXPECT_GE(wait_ms, 20'000);
  EXPECT_LT(wait_ms, 25'000);
  EXPECT_FALSE(*client.NextBatch(20'999, &batch));
  client.OnDisconnected();
  client.OnConnected();
  EXPECT_FALSE(*client.NextBatch(20'999, &batch));
  EXPECT_EQ(client.NextTimeMs(), 1'000 + wait_ms);
  ASSERT_TRUE(*client.NextBatch(1'000 + wait_ms, &batch));
  EXPECT_EQ(batch.first_seq(), 2u);
  // A server that says "never" is asked again after max_wait_ms.
  ack.set_retry_after_ms(INT64_MAX);
  ASSERT_TRUE(client.OnAck(ack, 100'000).ok());
  EXPECT_LT(client.WaitMs(100'000), 75'000);
  ack.set_retry_after_ms(INT64_MIN);
  ASSERT_TRUE(client.OnAck(ack, 200'000).ok());
  EXPECT_EQ(client.WaitMs(200'000), 0);
}

TEST(TunnelClient, RefusesForeignAcknowledgements) {
  auto outbox = MakeOutbox(1);
  ASSERT_TRUE(outbox->Append({MakeRecord(1)}).ok());
  Client client(*outbox);
  client.OnConnected();
  const Bytes other(store::kOutboxIdBytes, 'x');
  EXPECT_EQ(client.OnAck(MakeAck(other, 1), 0).code(), Code::kMalformed);
  const Bytes own = outbox->Read(1, 1, 100)->outbox_id;
  EXPECT_EQ(client.OnAck(MakeAck(own, 2), 0).code(), Code::kMalformed);
  EXPECT_EQ(outbox->stats().waiting, 1);
}

TEST(TunnelClient, CompressesLargeBatches) {
  auto outbox = MakeOutbox();
  std::vector<store::Record> records;
  for (uint64_t k = 0; k < 200; ++k) records.push_back(MakeRecord(k));
  ASSERT_TRUE(outbox->Append(records).ok());
  Client client(*outbox, {.max_records = 200});
  client.OnConnected();
  proto::TunnelBatch batch;
  ASSERT_TRUE(*client.NextBatch(0, &batch));
  auto decoded = DecodeBatch(batch);
  ASSERT_TRUE(decoded.ok()) << decoded.status().ToString();
  if (decoded->records.size() == 200) {
    EXPECT_EQ(batch.records_size(), 0);
    EXPECT_LT(batch.ByteSizeLong(), 200u * 15);
  }
  EXPECT_EQ(decoded->records[0].json, records[0].json);
}

// A server whose rows are older than what it acknowledged, of the kind that does not pass a loss.
TEST(TunnelClient, AServerThatTakesNothingDoesNotGetItWithoutPause) {
  auto outbox = MakeOutbox();
  for (uint64_t k = 0; k < 10; ++k) ASSERT_TRUE(outbox->Append({MakeRecord(k)}).ok());
  Client client(*outbox, {.max_records = 1});
  client.OnConnected();
  proto::TunnelBatch batch;
  int sent = 0;
  for (int64_t now_ms = 0; now_ms < 20'000; now_ms += 100) {
    for (int turn = 0; turn < 50 && *client.NextBatch(now_ms, &batch); ++turn) {
      ++sent;
      ASSERT_TRUE(client.OnAck(MakeAck(outbox->id(), 0), now_ms).ok());
    }
  }
  EXPECT_LE(sent, 4 * 21);
  // When it takes them after all, nothing was missed.
  for (int64_t now_ms = 40'000; !client.idle() && now_ms < 80'000; now_ms += 100) {
    while (*client.NextBatch(now_ms, &batch))
      ASSERT_TRUE(client.OnAck(MakeAck(outbox->id(), batch.first_seq()), now_ms).ok());
  }
  EXPECT_TRUE(client.idle());
}

TEST(TunnelServer, BadBatches) {
  const auto error = [](const proto::TunnelBatch& batch) {
    auto decoded = DecodeBatch(batch);
    EXPECT_FALSE(decoded.ok());
    return decoded.ok() ? std::string() : decoded.status().ToString();
  };
  proto::TunnelBatch batch = MakeBatch(2);
  batch.set_outbox_id("short");
  EXPECT_THAT(error(batch), HasSubstr("an outbox id of 5 bytes"));
  batch = MakeBatch(2);
  batch.set_first_seq(0);
  EXPECT_THAT(error(batch), HasSubstr("first_seq 0"));
  EXPECT_THAT(error(MakeBatch(0)), HasSubstr("without records"));
  batch = MakeBatch(2);
  batch.set_zstd_records("x");
  EXPECT_THAT(error(batch), HasSubstr("both plain and compressed"));
  batch = MakeBatch(0);
  batch.set_zstd_records("not zstd at all");
  EXPECT_THAT(error(batch), HasSubstr("compressed records"));
}

TEST(TunnelServer, ABadRecordRefusesItselfAlone) {
  proto::TunnelBatch batch = MakeBatch(5);
  batch.mutable_records(1)->set_json("{");
  batch.mutable_records(2)->set_stream("a b" + std::string(200, 'c'));
  batch.mutable_records(3)->set_json(std::string(65, '[') + std::string(65, ']'));
  const auto decoded = DecodeBatch(batch);
  ASSERT_TRUE(decoded.ok()) << decoded.status().ToString();
  EXPECT_EQ(decoded->last_seq, 9u);
  EXPECT_TRUE(decoded->records[0].refused.ok());
  EXPECT_EQ(decoded->records[1].refused.code(), Code::kMalformed);
  EXPECT_EQ(decoded->records[2].refused.code(), Code::kLimitExceeded);
  EXPECT_EQ(decoded->records[2].stream.size(), event::kMaxNameBytes);
  EXPECT_THAT(decoded->records[3].refused.message(), HasSubstr("nested deeper than 64"));
  EXPECT_TRUE(decoded->records[3].json.empty());
  EXPECT_TRUE(decoded->records[4].refused.ok());
  EXPECT_EQ(Admit(*decoded, 4).acknowledge, 9u);  // past the refused ones
}

TEST(TunnelServer, Limits) {
  EXPECT_TRUE(DecodeBatch(MakeBatch(kMaxBatchRecords)).ok());
  EXPECT_EQ(DecodeBatch(MakeBatch(kMaxBatchRecords + 1)).code(), Code::kLimitExceeded);
  proto::TunnelBatch batch = MakeBatch(1);
  batch.mutable_records(0)->set_json("\"" + std::string(event::kMaxRecordBytes - 3, 'x') + "\"");
  EXPECT_TRUE(DecodeBatch(batch)->records[0].refused.ok());
  batch.mutable_records(0)->set_json("\"" + std::string(event::kMaxRecordBytes - 2, 'x') + "\"");
  EXPECT_EQ(DecodeBatch(batch)->records[0].refused.code(), Code::kLimitExceeded);
  // A small frame that would unpack to far more than the limit.
  const std::string zeros(kMaxBatchBytes + 1, '\0');
  std::string bomb(ZSTD_compressBound(zeros.size()), '\0');
  bomb.resize(ZSTD_compress(bomb.data(), bomb.size(), zeros.data(), zeros.size(), 3));
  batch = MakeBatch(0);
  batch.set_zstd_records(bomb);
  EXPECT_EQ(DecodeBatch(batch).code(), Code::kLimitExceeded);
}

TEST(TunnelServer, MutatedBatchesGiveErrorsOnly) {
  auto outbox = MakeOutbox();
  for (uint64_t k = 0; k < 50; ++k) ASSERT_TRUE(outbox->Append({MakeRecord(k)}).ok());
  Client client(*outbox, {.compress_from_bytes = 0});
  client.OnConnected();
  proto::TunnelBatch batch;
  ASSERT_TRUE(*client.NextBatch(0, &batch));
  const std::string base = batch.SerializeAsString();
  std::mt19937 random(9);
  for (int round = 0; round < 2000; ++round) {
    std::string bytes = base;
    for (int k = 0; k < 3; ++k) bytes[random() % bytes.size()] = static_cast<char>(random());
    if (random() % 4 == 0) bytes.resize(random() % bytes.size());
    proto::TunnelBatch mutated;
    if (!mutated.ParseFromString(bytes)) continue;
    auto decoded = DecodeBatch(mutated);
    if (!decoded.ok()) {
      EXPECT_FALSE(decoded.status().message().empty());
    }
  }
}

}  // namespace
}  // namespace ferry::tunnel
