// What is kept and what goes, on a store in memory.
#include "cloud-server/ingest/retention.h"

#include <gtest/gtest.h>

#include "cloud-server/ingest/quota.h"
#include "cloud-server/store/test_store.h"

namespace ferry::server {
namespace {

class KeptClock : public sys::Clock {
 public:
  int64_t NowUnixMs() const override { return now_ms; }
  int64_t MonotonicNs() const override { return 0; }
  int64_t now_ms = 1'000 * kDayMs;
};

struct RetentionTest : testing::Test {
  void SetUp() override {
    Write([](Transaction& tx) -> Status {
      for (const char* id : {"d1", "d2", "d3"}) {
        DeviceRow device;
        device.id = id;
        FERRY_TRY(tx.devices().Put(device));
      }
      return OkStatus();
    });
  }
  void Write(const Store::Body& body) { EXPECT_EQ(store->Write(body).ToString(), "ok"); }
  // Rows of 1,000 bytes as the store counts them.
  void Add(const std::string& stream, const std::string& device, int rows, int64_t age_days) {
    Write([&](Transaction& tx) -> Status {
      const std::string json = "\"" + std::string(1'000 - 256 - 2 - stream.size(), 'x') + "\"";
      for (int i = 0; i < rows; ++i)
        FERRY_TRY(AsStatus(tx.records().Add(
            {device, "aa", ++seq, stream, 1, clock.now_ms - age_days * kDayMs, json})));
      return tx.intake().PutMark(device, "aa", seq, clock.now_ms - age_days * kDayMs);
    });
  }
  std::map<std::string, int64_t> Rows() {
    std::map<std::string, int64_t> rows;
    EXPECT_TRUE(store
                    ->Read([&](Transaction& tx) -> Status {
                      FERRY_ASSIGN_OR_RETURN(const auto sizes, tx.retention().StreamSizes());
                      for (const auto& size : sizes) {
                        rows[size.stream + " " + size.device] = size.rows;
                        EXPECT_EQ(size.bytes, size.rows * 1'000);
                      }
                      return OkStatus();
                    })
                    .ok());
    return rows;
  }
  RetentionCounts Run(bool by_age = true) {
    return Retention(*store, clock, limits).Run(by_age).value();
  }

  std::unique_ptr<Store> store = OpenTestStore().value();
  KeptClock clock;
  Limits limits;
  uint64_t seq = 0;
};

TEST_F(RetentionTest, OldRowsGoByTheLimitOfTheirStream) {
  limits.Set(Limit::kStreamDays, 10);
  limits.Set(Limit::kStreamDays, 0, "kept");
  limits.Set(Limit::kStreamDays, 2, "short");
  for (const char* stream : {"kept", "short", "s"}) {
    Add(stream, "d1", 700, 11);
    Add(stream, "d1", 3, 5);
    Add(stream, "d1", 4, 1);
  }
  EXPECT_EQ(Run(false).sum(), 0);
  EXPECT_EQ(Run().records, 700 + 703);
  EXPECT_EQ(Rows(),
            (std::map<std::string, int64_t>{{"kept d1", 707}, {"s d1", 7}, {"short d1", 4}}));
}

// One device that floods a stream does not push out what others sent into it.
TEST_F(RetentionTest, ALargeStreamLosesTheRowsOfWhoSendsMost) {
  limits.Set(Limit::kStreamBytes, 1'000'000);
  Add("s", "d1", 100, 3);
  Add("s", "d2", 1'500, 2);
  Add("s", "d3", 400, 1);
  Add("other", "d1", 900, 1);
  EXPECT_EQ(Run(false).records, 1'000);
  EXPECT_EQ(Rows(), (std::map<std::string, int64_t>{
                        {"other d1", 900}, {"s d1", 100}, {"s d2", 500}, {"s d3", 400}}));
  EXPECT_EQ(Run(false).records, 0);
}

TEST_F(RetentionTest, MarksStayWhileTheirOutboxIsHeardOf) {
  limits.Set(Limit::kStreamDays, 1);
  limits.Set(Limit::kMarkDays, 400);
  Add("s", "d1", 5, 399);
  Write([&](Transaction& tx) { return tx.intake().PutMark("d2", "bb", 3, 0); });
  const auto mark = [&](const char* device, const char* outbox) {
    uint64_t found = 0;
    EXPECT_TRUE(store
                    ->Read([&](Transaction& tx) -> Status {
                      FERRY_ASSIGN_OR_RETURN(found, tx.intake().Mark(device, outbox));
                      return OkStatus();
                    })
                    .ok());
    return found;
  };
  EXPECT_EQ(Run().records, 5);
  EXPECT_TRUE(Rows().empty());
  EXPECT_EQ(mark("d1", "aa"), 5u);
  clock.now_ms += 2 * kDayMs;
  EXPECT_EQ(Run().marks, 1);
  EXPECT_EQ(mark("d1", "aa"), 0u);
  EXPECT_EQ(mark("d2", "bb"), 3u);  // its last move was not known: it counts from the first look
  clock.now_ms += 400 * kDayMs;
  EXPECT_EQ(Run().marks, 1);
}

TEST_F(RetentionTest, ReportsRefusedAndLossesGoByAgeAndNumber) {
  limits.Set(Limit::kReportDays, 10);
  limits.Set(Limit::kReportRows, 4);
  limits.Set(Limit::kRefusedDays, 10);
  Write([&](Transaction& tx) -> Status {
    for (uint64_t i = 1; i <= 8; ++i) {
      ReportRow report;
      report.device = "d1";
      report.seq = i;
      report.received_ms = clock.now_ms - (i <= 2 ? 11 : 1) * kDayMs;
      FERRY_TRY(AsStatus(tx.reports().Add(report)));
      FERRY_TRY(
          AsStatus(tx.intake().AddRefused({"d1", "aa", i, "s", 12, "bad", report.received_ms})));
      FERRY_TRY(AsStatus(tx.intake().AddLoss({"d1", "aa", i, i, report.received_ms})));
    }
    return OkStatus();
  });
  const RetentionCounts counts = Run();
  EXPECT_EQ(counts.reports, 4);
  EXPECT_EQ(counts.refused, 2);
  EXPECT_EQ(counts.losses, 2);
  Write([](Transaction& tx) -> Status {
    EXPECT_EQ(tx.reports().OfDevice("d1", 10).value().back().seq, 5u);
    EXPECT_EQ(tx.intake().Refused("", 10).value().back().seq, 3u);
    return OkStatus();
  });
}

TEST_F(RetentionTest, HistoryGoesOfReleasesThatHaveEnded) {
  Write([&](Transaction& tx) -> Status {
    FERRY_TRY(tx.packages().Put({"p", "1.0.0", 1, "aa", 5, "", 1}));
    for (const char* id : {"over", "open"}) {
      ReleaseRow release;
      release.id = id;
      release.package = "p";
      release.version = "1.0.0";
      release.number = id == std::string("over") ? 1 : 2;
      release.state = release.number == 1 ? ReleaseState::kRolledBack : ReleaseState::kFull;
      FERRY_TRY(tx.releases().Put(release));
      for (int64_t i = 1; i <= 3; ++i)
        FERRY_TRY(tx.releases().AddEvent({id, i, clock.now_ms - 500 * kDayMs, "k", "t", "{}"}));
    }
    return OkStatus();
  });
  EXPECT_EQ(Run().events, 2);
  Write([](Transaction& tx) -> Status {
    EXPECT_EQ(tx.releases().Events("over", 0, 10).value().at(0).seq, 3);
    EXPECT_EQ(tx.releases().Events("open", 0, 10).value().size(), 3u);
    return OkStatus();
  });
}

TEST_F(RetentionTest, EndsBetweenTwoTransactions) {
  limits.Set(Limit::kStreamDays, 1);
  Add("s", "d1", 2'000, 5);
  int steps = 0;
  Retention stopped(*store, clock, limits, [&] { return ++steps <= 2; });
  EXPECT_EQ(stopped.Run(true)->records, 2 * kDropRows);
}

}  // namespace
}  // namespace ferry::server
