#include "cloud-server/ingest/ingest.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "cloud-server/ingest/accuracy.h"
#include "cloud-server/store/sqlite/database.h"
#include "cloud-server/store/sqlite/sqlite_store.h"
#include "cloud-server/store/test_store.h"
#include "common/proto/wire.pb.h"
#include "common/sys/random.h"

namespace ferry::server {
namespace {

void AddDevices(Store& store) {
  for (const char* id : {"d1", "d2"}) {
    DeviceRow device;
    device.id = id;
    device.identity_public = Bytes(32, 1);
    device.seal_public = Bytes(32, 2);
    ASSERT_TRUE(
        store.Write([&](Transaction& tx) -> Status { return tx.devices().Put(device); }).ok());
  }
}

proto::TunnelBatch MakeBatch(uint64_t first, const std::vector<std::string>& rows,
                             char outbox = 'a') {
  proto::TunnelBatch batch;
  batch.set_outbox_id(std::string(16, outbox));
  batch.set_first_seq(first);
  for (const std::string& row : rows) {
    proto::Record* record = batch.add_records();
    record->set_stream("s");
    record->set_time_ms(1);
    record->set_json(row);
  }
  return batch;
}

class IngestTest : public testing::Test {
 protected:
  void SetUp() override { AddDevices(*store_); }
  static proto::TunnelBatch Batch(uint64_t first, const std::vector<std::string>& rows,
                                  char outbox = 'a') {
    return MakeBatch(first, rows, outbox);
  }
  Result<uint64_t> Send(const proto::TunnelBatch& batch, const std::string& device = "d1") {
    proto::TunnelAck ack;
    FERRY_TRY(ingest_.OnBatch(device, batch, &ack));
    EXPECT_EQ(ack.outbox_id(), batch.outbox_id());
    return uint64_t{ack.up_to_seq()};
  }
  std::vector<std::string> Stored() {
    std::vector<std::string> rows;
    EXPECT_TRUE(store_
                    ->Read([&](Transaction& tx) -> Status {
                      int64_t last = 0;
                      FERRY_ASSIGN_OR_RETURN(auto page,
                                             tx.records().List("", "", 0, kMaxPageRows, &last));
                      for (const RecordRow& row : page) rows.push_back(row.json);
                      return OkStatus();
                    })
                    .ok());
    return rows;
  }

  std::unique_ptr<Store> store_ = OpenTestStore().value();
  Ingest ingest_{*store_, sys::SystemClock()};
};

TEST_F(IngestTest, StoresInOrderAndAcknowledges) {
  EXPECT_EQ(*Send(Batch(1, {"1", "2"})), 2u);
  EXPECT_EQ(*Send(Batch(3, {"3"})), 3u);
  EXPECT_EQ(Stored(), (std::vector<std::string>{"1", "2", "3"}));
}

TEST_F(IngestTest, RepeatsAreStoredOnce) {
  EXPECT_EQ(*Send(Batch(1, {"1", "2"})), 2u);
  EXPECT_EQ(*Send(Batch(1, {"1", "2"})), 2u);
  EXPECT_EQ(*Send(Batch(2, {"2", "3"})), 3u);
  EXPECT_EQ(*Send(Batch(1, {"1"})), 3u);
  EXPECT_EQ(Stored(), (std::vector<std::string>{"1", "2", "3"}));
}

TEST_F(IngestTest, GapsStoreNothing) {
  EXPECT_EQ(*Send(Batch(1, {"1"})), 1u);
  EXPECT_EQ(*Send(Batch(3, {"3"})), 1u);
  EXPECT_EQ(Stored(), std::vector<std::string>{"1"});
}

TEST_F(IngestTest, DevicesAndOutboxesCountApart) {
  EXPECT_EQ(*Send(Batch(1, {"1"}, 'a')), 1u);
  EXPECT_EQ(*Send(Batch(1, {"2"}, 'b')), 1u);
  EXPECT_EQ(*Send(Batch(1, {"3"}, 'a'), "d2"), 1u);
  EXPECT_EQ(Stored().size(), 3u);
}

TEST_F(IngestTest, BadBatchesStoreNothing) {
  EXPECT_EQ(Send(Batch(0, {"1"})).code(), Code::kMalformed);
  EXPECT_EQ(Send(Batch(1, {})).code(), Code::kMalformed);
  EXPECT_TRUE(Stored().empty());
}

// A record that can never be stored would else come first on every line, for ever.
TEST_F(IngestTest, RefusedRecordsAreNamedAndPassed) {
  const std::string deep = std::string(65, '[') + std::string(65, ']');
  EXPECT_EQ(*Send(Batch(1, {"1", "{broken", deep, "4"})), 4u);
  EXPECT_EQ(*Send(Batch(3, {deep, "4", "5"})), 5u);
  EXPECT_EQ(Stored(), (std::vector<std::string>{"1", "4", "5"}));
  ASSERT_TRUE(store_
                  ->Read([&](Transaction& tx) -> Status {
                    FERRY_ASSIGN_OR_RETURN(const auto refused, tx.intake().Refused("d1", 10));
                    EXPECT_EQ(refused.size(), 2u);
                    EXPECT_EQ(refused.at(0).seq, 3u);
                    EXPECT_EQ(refused.at(0).reason, "JSON nested deeper than 64");
                    EXPECT_EQ(refused.at(1).seq, 2u);
                    return OkStatus();
                  })
                  .ok());
}

// As after a restore: the device was acknowledged what the server no longer has.
TEST_F(IngestTest, WhatWasAcknowledgedAndIsGoneIsALossAndPassed) {
  EXPECT_EQ(*Send(Batch(1, {"1", "2"})), 2u);
  proto::TunnelBatch batch = Batch(8, {"8"});
  batch.set_acked_seq(5);
  EXPECT_EQ(*Send(batch), 5u);  // 6 and 7 are still on the device
  batch = Batch(6, {"6", "7"});
  batch.set_acked_seq(5);
  EXPECT_EQ(*Send(batch), 7u);
  EXPECT_EQ(*Send(batch), 7u);
  EXPECT_EQ(Stored(), (std::vector<std::string>{"1", "2", "6", "7"}));
  ASSERT_TRUE(store_
                  ->Read([&](Transaction& tx) -> Status {
                    FERRY_ASSIGN_OR_RETURN(const auto losses, tx.intake().Losses("d1", 10));
                    EXPECT_EQ(losses.size(), 1u);
                    EXPECT_EQ(losses.at(0).first_seq, 3u);
                    EXPECT_EQ(losses.at(0).last_seq, 5u);
                    return OkStatus();
                  })
                  .ok());
  batch.set_acked_seq(6);
  EXPECT_EQ(Send(batch).code(), Code::kMalformed);
}

TEST(Ingest, DeletedRowsAreStillKnownAsStored) {
  const std::string path = testing::TempDir() + "ferry_ingest_" + std::to_string(getpid()) + ".db";
  std::unique_ptr<Store> store = OpenSqliteStore(path).value();
  Ingest ingest{*store, sys::SystemClock()};
  AddDevices(*store);
  proto::TunnelAck ack;
  ASSERT_TRUE(ingest.OnBatch("d1", MakeBatch(1, {"1", "2"}), &ack).ok());
  ASSERT_TRUE(
      Database::Open(path, Database::Mode::kReadWrite).value()->Script("DELETE FROM record;").ok());
  ASSERT_TRUE(ingest.OnBatch("d1", MakeBatch(3, {"3"}), &ack).ok());
  EXPECT_EQ(ack.up_to_seq(), 3u);
  store.reset();
  for (const char* end : {"", "-wal", "-shm"}) std::filesystem::remove(path + end);
}

// Any order of lost and repeated batches ends with each record once.
TEST_F(IngestTest, EveryScheduleKeepsEachOnce) {
  sys::SeededRandom random(4);
  uint64_t acked = 0;
  std::vector<std::string> expected;
  for (int i = 1; i <= 200; ++i) expected.push_back(std::to_string(i));
  while (acked < 200) {
    const uint64_t first = 1 + random.Below(std::min<uint64_t>(acked + 20, 200));
    const uint64_t count = 1 + random.Below(std::min<uint64_t>(30, 201 - first));
    std::vector<std::string> rows;
    for (uint64_t i = 0; i < count; ++i) rows.push_back(std::to_string(first + i));
    const auto up_to = Send(Batch(first, rows));
    ASSERT_TRUE(up_to.ok());
    ASSERT_GE(*up_to, acked);
    acked = *up_to;
  }
  EXPECT_EQ(Stored(), expected);
}

TEST_F(IngestTest, AccuracyCountsEachThingOnce) {
  const Json labels = {{"a", 3}, {"b", "4"}, {"c", 5}, {"d", 6}};
  EXPECT_EQ(*PutLabels(*store_, "set", labels), 4);
  ASSERT_TRUE(Send(Batch(1,
                         {
                             R"({"image":"a","digit":"3","latency_us":100})",
                             R"({"image":"b","digit":4.0,"latency_us":300})",
                             R"({"image":"a","digit":9})",
                             R"({"image":"zz","digit":9})",
                             R"({"digit":9})",
                             "7",
                         }))
                  .ok());
  ASSERT_TRUE(Send(Batch(1, {R"({"image":"c","digit":4,"latency_us":200})"}), "d2").ok());
  const auto accuracy = CountAccuracy(*store_, {.set = "set", .stream = "s"});
  ASSERT_TRUE(accuracy.ok()) << accuracy.status().ToString();
  EXPECT_EQ(accuracy->all.rows, 3);
  EXPECT_EQ(accuracy->all.right, 2);
  EXPECT_EQ(accuracy->missing, 1);
  EXPECT_EQ(accuracy->unlabelled, 1);
  EXPECT_EQ(accuracy->devices.at("d1").right, 2);
  EXPECT_EQ(accuracy->devices.at("d2").rows, 1);
  EXPECT_EQ(accuracy->devices.at("d2").right, 0);
  EXPECT_EQ(accuracy->all.latency_p50, 200);
  EXPECT_EQ(accuracy->all.latency_p99, 300);
  const Json json = AccuracyToJson(*accuracy);
  EXPECT_NEAR(*GetNumber(json, "accuracy"), 2.0 / 3, 1e-12);
  ASSERT_EQ(json["days"].size(), 1u) << "all records are of one day";
  EXPECT_EQ(json["days"].begin()->at("right"), 2);
  EXPECT_EQ(json["days"].begin()->at("latency")["p99"], 300);
}

TEST_F(IngestTest, AccuracyWithoutRows) {
  const auto accuracy = CountAccuracy(*store_, {.set = "none", .stream = "s"});
  ASSERT_TRUE(accuracy.ok());
  EXPECT_TRUE(AccuracyToJson(*accuracy)["accuracy"].is_null());
}

TEST_F(IngestTest, BadLabelsAreNamed) {
  EXPECT_EQ(PutLabels(*store_, "set", Json::array()).code(), Code::kInvalidArgument);
  const auto bad = PutLabels(*store_, "set", {{"a", 1}, {"x", Json::array()}});
  EXPECT_EQ(bad.code(), Code::kInvalidArgument);
  EXPECT_NE(bad.status().message().find("\"x\""), std::string::npos);
  EXPECT_EQ(CountAccuracy(*store_, {.set = "set"})->missing, 0);
}

TEST_F(IngestTest, MoreRowsThanAPage) {
  std::vector<std::string> rows;
  Json labels = Json::object();
  for (int i = 0; i < 1200; ++i) {
    rows.push_back(R"({"image":)" + std::to_string(i) + R"(,"digit":1})");
    labels[std::to_string(i)] = 1;
  }
  ASSERT_TRUE(PutLabels(*store_, "set", labels).ok());
  ASSERT_TRUE(Send(Batch(1, rows)).ok());
  EXPECT_EQ(CountAccuracy(*store_, {.set = "set", .stream = "s"})->all.right, 1200);
}

}  // namespace
}  // namespace ferry::server
