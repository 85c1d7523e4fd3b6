// Quotas, pace and retention over a store in memory, on a clock of the test.
#include "cloud-server/ingest/quota.h"

#include <gtest/gtest.h>

#include "cloud-server/ingest/ingest.h"
#include "cloud-server/store/test_store.h"
#include "common/proto/wire.pb.h"

namespace ferry::server {
namespace {

class QuotaClock : public sys::Clock {
 public:
  int64_t NowUnixMs() const override { return now_ms; }
  int64_t MonotonicNs() const override { return steady_ms * 1'000'000; }
  int64_t now_ms = 1'000 * kDayMs + 5'000;
  int64_t steady_ms = 1;
};

struct QuotaFixture : testing::Test {
  void SetUp() override {
    for (const char* id : {"d1", "d2"}) {
      DeviceRow device;
      device.id = id;
      ASSERT_TRUE(store->Write([&](Transaction& tx) { return tx.devices().Put(device); }).ok());
    }
  }
  void Start(const std::vector<std::string>& texts) {
    Limits limits;
    for (const std::string& text : texts) EXPECT_EQ(limits.SetText(text).ToString(), "ok");
    ingest = std::make_unique<Ingest>(*store, clock, limits);
  }
  // One row for each stream name, from number `first` on.
  proto::TunnelAck Send(const std::string& device, uint64_t first,
                        const std::vector<std::string>& streams, const std::string& json = "1") {
    proto::TunnelBatch batch;
    batch.set_outbox_id(std::string(16, 'a'));
    batch.set_first_seq(first);
    batch.set_acked_seq(first - 1);
    for (const std::string& stream : streams) {
      batch.add_records()->set_stream(stream);
      batch.mutable_records()->rbegin()->set_json(json);
    }
    proto::TunnelAck ack;
    notes = {};
    EXPECT_EQ(ingest->OnBatch(device, batch, &ack, &notes).ToString(), "ok");
    return ack;
  }
  int64_t Rows(const std::string& device) {
    int64_t rows = 0;
    EXPECT_TRUE(store
                    ->Read([&](Transaction& tx) -> Status {
                      FERRY_ASSIGN_OR_RETURN(auto sizes, tx.retention().StreamSizes());
                      for (const auto& size : sizes)
                        if (size.device == device) rows += size.rows;
                      return OkStatus();
                    })
                    .ok());
    return rows;
  }

  std::unique_ptr<Store> store = OpenTestStore().value();
  QuotaClock clock;
  std::unique_ptr<Ingest> ingest;
  IngestNotes notes;
};

using QuotaTest = QuotaFixture;

TEST_F(QuotaTest, WhatFitsIsStoredAndTheRestComesOnTheNextDay) {
  Start({"device_rows_day=3"});
  EXPECT_EQ(Send("d1", 1, {"s", "s"}).retry_after_ms(), 0);
  const proto::TunnelAck full = Send("d1", 3, {"s", "s"});
  EXPECT_EQ(full.up_to_seq(), 3u);
  EXPECT_EQ(full.retry_after_ms(), kDayMs - 5'000);
  EXPECT_EQ(notes.used_up, "device_rows_day of 3");
  EXPECT_EQ(Send("d1", 4, {"s"}).up_to_seq(), 3u);
  EXPECT_EQ(Rows("d1"), 3);
  EXPECT_EQ(Send("d2", 1, {"s"}).retry_after_ms(), 0);
  clock.now_ms += kDayMs;
  EXPECT_EQ(Send("d1", 4, {"s"}).up_to_seq(), 4u);
  EXPECT_EQ(Rows("d1"), 4);
}

TEST_F(QuotaTest, ARestartForgetsNothing) {
  Start({"device_rows_day=3"});
  Send("d1", 1, {"s", "s", "s"});
  Start({"device_rows_day=3"});
  EXPECT_EQ(Send("d1", 4, {"s"}).retry_after_ms(), kDayMs - 5'000);
  Start({"device_rows_day=4"});
  EXPECT_EQ(Send("d1", 4, {"s"}).up_to_seq(), 4u);
}

TEST_F(QuotaTest, RowsThatComeAgainAreNotCounted) {
  Start({"device_rows_day=3"});
  for (int i = 0; i < 10; ++i) EXPECT_EQ(Send("d1", 1, {"s", "s"}).retry_after_ms(), 0);
  EXPECT_EQ(Send("d1", 3, {"s"}).retry_after_ms(), 0);
}

// A device that makes losses up would fill the table of losses, and push out those of others.
TEST_F(QuotaTest, LossesAreCountedAsRows) {
  Start({"device_rows_day=10"});
  proto::TunnelBatch batch;
  batch.set_outbox_id(std::string(16, 'a'));
  batch.add_records()->set_stream("s");
  batch.mutable_records(0)->set_json("1");
  proto::TunnelAck ack;
  for (uint64_t i = 1; i <= 30; ++i) {
    batch.set_acked_seq(10 * i);
    batch.set_first_seq(10 * i + 5);  // its record comes after a gap, so nothing of it is stored
    notes = {};
    ASSERT_EQ(ingest->OnBatch("d1", batch, &ack, &notes).ToString(), "ok");
    EXPECT_EQ(ack.retry_after_ms() > 0, i > 10) << i;
  }
  size_t losses = 0;
  ASSERT_TRUE(store
                  ->Read([&](Transaction& tx) -> Status {
                    FERRY_ASSIGN_OR_RETURN(const auto rows, tx.intake().Losses("d1", 100));
                    losses = rows.size();
                    return OkStatus();
                  })
                  .ok());
  EXPECT_EQ(losses, 10u);
}

TEST_F(QuotaTest, BytesAreWhatRowsTake) {
  Start({"device_bytes_day=1M", "stream_bytes_day=0"});
  const std::string json = "\"" + std::string(60'000, 'x') + "\"";
  uint64_t next = 1;
  for (int i = 0; i < 30; ++i) next = Send("d1", next, {"s"}, json).up_to_seq() + 1;
  EXPECT_EQ(next - 1, (1u << 20) / (60'002 + 1 + kRowOverheadBytes));
}

TEST_F(QuotaTest, OneStreamMayBeLimitedMore) {
  Start({"stream_rows_day@chatty=1"});
  const proto::TunnelAck ack = Send("d1", 1, {"s", "chatty", "s", "chatty", "s"});
  EXPECT_EQ(ack.up_to_seq(), 3u);
  EXPECT_EQ(notes.used_up, "stream_rows_day of 1, stream chatty");
}

TEST_F(QuotaTest, TheTenantHasItsOwn) {
  Start({"tenant_rows_day=3"});
  EXPECT_EQ(Send("d1", 1, {"s", "s"}).up_to_seq(), 2u);
  const proto::TunnelAck ack = Send("d2", 1, {"s", "s"});
  EXPECT_EQ(ack.up_to_seq(), 1u);
  EXPECT_GT(ack.retry_after_ms(), 0);
}

TEST_F(QuotaTest, NamesThatAreMadeUpAreRefusedAsRecords) {
  Start({});
  std::vector<std::string> streams;
  for (int64_t i = 0; i < kMaxStreamsDay + 10; ++i) streams.push_back(fmt::format("s{}", i));
  EXPECT_EQ(Send("d1", 1, streams).up_to_seq(), streams.size());
  EXPECT_EQ(notes.refused, 10u);
  EXPECT_EQ(Rows("d1"), kMaxStreamsDay);
  EXPECT_EQ(Send("d1", streams.size() + 1, {"s5", "new"}).up_to_seq(), streams.size() + 2);
  EXPECT_EQ(notes.refused, 1u);
}

TEST_F(QuotaTest, ReportsHaveANumberADayToo) {
  Start({"device_reports_day=100"});
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(ingest->TakeReport("d1").ok());
  EXPECT_EQ(ingest->TakeReport("d1").code(), Code::kQuotaUsed);
  EXPECT_TRUE(ingest->TakeReport("d2").ok());
  clock.now_ms += kDayMs;
  EXPECT_TRUE(ingest->TakeReport("d1").ok());
}

TEST(PaceTest, ABurstThenTheRate) {
  Pace pace(1000);
  constexpr int64_t kSecondNs = 1'000'000'000;
  pace.Took("d", 8'000, 0);
  EXPECT_EQ(pace.HoldMs("d", 0), 0);
  pace.Took("d", 2'000, 0);
  EXPECT_EQ(pace.HoldMs("d", 0), 2'001);
  EXPECT_EQ(pace.HoldMs("d", kSecondNs), 1'001);
  EXPECT_EQ(pace.HoldMs("d", 3 * kSecondNs), 0);
  EXPECT_EQ(pace.HoldMs("other", 0), 0);
  pace.Took("d", int64_t{1} << 40, 3 * kSecondNs);
  EXPECT_EQ(pace.HoldMs("d", 3 * kSecondNs), kMaxHoldMs);
  Pace none(0);
  none.Took("d", int64_t{1} << 60, 0);
  EXPECT_EQ(none.HoldMs("d", 0), 0);
}

TEST(LimitsTest, TextsAreReadOrRefused) {
  Limits limits;
  EXPECT_EQ(limits.Get(Limit::kDeviceRowsDay), 1'000'000);
  EXPECT_TRUE(limits.SetText("device_bytes_day=64M").ok());
  EXPECT_EQ(limits.Get(Limit::kDeviceBytesDay), 64 << 20);
  EXPECT_TRUE(limits.SetText("stream_days@a.b=7").ok());
  EXPECT_EQ(limits.Get(Limit::kStreamDays, "a.b"), 7);
  EXPECT_EQ(limits.Get(Limit::kStreamDays, "a"), 90);
  EXPECT_TRUE(limits.SetText("tenant_bytes_day=0").ok());
  for (const char* bad :
       {"", "=", "device_rows_day", "device_rows_day=", "device_rows_day=-1", "device_rows_day=1x",
        "device_rows_day=1MM", "device_bytes_day=5", "device_rows_day@s=5", "stream_days@=5",
        "nothing=5", "device_rows_day=99999999999999999999", "device_bytes_day=99999999G"})
    EXPECT_EQ(limits.SetText(bad).code(), Code::kInvalidArgument) << bad;
  for (size_t i = 1; i < AllLimits().size(); ++i)
    EXPECT_LT(std::string_view(AllLimits()[i - 1].name), AllLimits()[i].name);
}

}  // namespace
}  // namespace ferry::server
