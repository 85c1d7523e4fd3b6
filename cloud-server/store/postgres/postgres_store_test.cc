// What PostgreSQL alone can do: several nodes on one database.
#include "cloud-server/store/postgres/postgres_store.h"

#include <gtest/gtest.h>

#include <future>
#include <thread>

#include "cloud-server/store/postgres/address.h"
#include "cloud-server/store/store_fixture.h"

namespace ferry::server {
namespace {

DeviceRow NodeDevice(const std::string& id) {
  DeviceRow device;
  device.id = id;
  device.os = id;  // devices that are alike are counted in one row, over which writers wait
  return device;
}

class PostgresNodesTest : public StoreTest {
 protected:
  void SetUp() override {
    StoreTest::SetUp();
    if (store_ == nullptr) return;  // skipped
    other_ = *OpenAgain();
  }
  void TearDown() override {
    other_.reset();
    StoreTest::TearDown();
  }
  static Status Count(Store& store, int64_t more) {
    return store.Write([&](Transaction& tx) -> Status {
      FERRY_ASSIGN_OR_RETURN(const auto value, tx.access().Setting("n"));
      return tx.access().PutSetting("n", std::to_string(std::stoll(value.value_or("0")) + more));
    });
  }
  std::string Counted() {
    std::string counted;
    EXPECT_TRUE(store_
                    ->Read([&](Transaction& tx) -> Status {
                      counted = tx.access().Setting("n").value().value_or("0");
                      return OkStatus();
                    })
                    .ok());
    return counted;
  }
  std::unique_ptr<Store> other_;  // another node
};
INSTANTIATE_TEST_SUITE_P(All, PostgresNodesTest, testing::Values(StorePlace::kPostgres),
                         NameOfPlace);

TEST_P(PostgresNodesTest, ManyWritersCountCorrectly) {
  constexpr int kThreads = 8, kEach = 20;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < kEach; ++i) {
        const Status done = Count(t % 2 == 0 ? *store_ : *other_, t);
        EXPECT_TRUE(done.ok()) << done.ToString();
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(Counted(), std::to_string(kEach * (0 + 1 + 2 + 3 + 4 + 5 + 6 + 7)));
}

TEST_P(PostgresNodesTest, AClashRepeatsTheBody) {
  int runs = 0;
  const Status done = store_->Write([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(const auto value, tx.access().Setting("n"));
    if (++runs == 1) FERRY_TRY(Count(*other_, 5));
    return tx.access().PutSetting("n", std::to_string(std::stoll(value.value_or("0")) + 1));
  });
  EXPECT_TRUE(done.ok()) << done.ToString();
  EXPECT_EQ(runs, 2);
  EXPECT_EQ(Counted(), "6");
}

// Two that look at what the other writes: no order lets both pass on what they saw.
TEST_P(PostgresNodesTest, WhatABodyLookedAtHoldsWhenItCommits) {
  int runs = 0;
  const auto put_if_alone = [](Transaction& tx, const char* mine, const char* others) -> Status {
    FERRY_ASSIGN_OR_RETURN(const auto there, tx.access().Setting(others));
    return there ? OkStatus() : tx.access().PutSetting(mine, "here");
  };
  EXPECT_TRUE(store_
                  ->Write([&](Transaction& tx) -> Status {
                    FERRY_TRY(put_if_alone(tx, "a", "b"));
                    if (++runs > 1) return OkStatus();
                    return other_->Write(
                        [&](Transaction& beside) { return put_if_alone(beside, "b", "a"); });
                  })
                  .ok());
  EXPECT_TRUE(store_
                  ->Read([&](Transaction& tx) -> Status {
                    const bool a = tx.access().Setting("a").value().has_value();
                    const bool b = tx.access().Setting("b").value().has_value();
                    EXPECT_NE(a, b);
                    return OkStatus();
                  })
                  .ok());
}

// A reader that remembers how far it came misses nothing of a writer that began before.
TEST_P(PostgresNodesTest, LogsDoNotGrowBehindTheirReaders) {
  const auto last = [&] {
    FleetChangeRange range;
    EXPECT_TRUE(other_
                    ->Read([&](Transaction& tx) -> Status {
                      FERRY_ASSIGN_OR_RETURN(range, tx.fleet().Changes());
                      return OkStatus();
                    })
                    .ok());
    return range.last;
  };
  EXPECT_TRUE(
      store_->Write([](Transaction& tx) { return tx.devices().Put(NodeDevice("d0")); }).ok());
  const int64_t before = last();
  EXPECT_GT(before, 0);
  int64_t between = -1;
  EXPECT_TRUE(store_
                  ->Write([&](Transaction& tx) -> Status {
                    FERRY_TRY(tx.devices().Put(NodeDevice("slow")));
                    EXPECT_TRUE(other_
                                    ->Write([](Transaction& beside) {
                                      return beside.devices().Put(NodeDevice("fast"));
                                    })
                                    .ok());
                    between = last();
                    return OkStatus();
                  })
                  .ok());
  std::vector<std::string> seen;
  EXPECT_TRUE(store_
                  ->Read([&](Transaction& tx) -> Status {
                    const std::vector<FleetChange> changes = tx.fleet().Since(between, 10).value();
                    for (const FleetChange& change : changes) seen.push_back(change.device);
                    return OkStatus();
                  })
                  .ok());
  std::sort(seen.begin(), seen.end());
  EXPECT_EQ(between, before);
  EXPECT_EQ(seen, (std::vector<std::string>{"fast", "slow"}));
}

TEST_P(PostgresNodesTest, AStatementThatFailedIsNoPartOfACommit) {
  const RecordRow of_nobody{"nobody", "aa", 1, "s", 1, 2, "{}"};
  const Status done = store_->Write([&](Transaction& tx) -> Status {
    FERRY_TRY(tx.access().PutSetting("n", "1"));
    EXPECT_FALSE(tx.records().Add(of_nobody).ok());
    return OkStatus();  // as if nothing were
  });
  EXPECT_EQ(done.code(), Code::kNotFound) << done.ToString();
  EXPECT_EQ(Counted(), "0");
}

TEST_P(PostgresNodesTest, NumbersGoOnAfterARestore) {
  EXPECT_TRUE((*PostgresConnection::Open(url_))
                  ->Script("INSERT INTO fleet_change VALUES ((1::BIGINT << 50) + 3, 'old', 0)")
                  .ok());
  Reopen();
  EXPECT_TRUE(
      store_->Write([](Transaction& tx) { return tx.devices().Put(NodeDevice("d1")); }).ok());
  EXPECT_TRUE(store_
                  ->Read([](Transaction& tx) -> Status {
                    const std::vector<FleetChange> all = tx.fleet().Since(0, 10).value();
                    EXPECT_EQ(all.size(), 2u);
                    EXPECT_EQ(all.back().device, "d1");
                    return OkStatus();
                  })
                  .ok());
}

TEST_P(PostgresNodesTest, NewerSchemasAreRefusedByName) {
  EXPECT_TRUE((*PostgresConnection::Open(url_))
                  ->Script("INSERT INTO ferry_schema (number, name) VALUES (999, 'later')")
                  .ok());
  const Result<std::unique_ptr<Store>> opened = OpenAgain();
  EXPECT_EQ(opened.code(), Code::kUnsupported);
  EXPECT_NE(opened.status().message().find("999"), std::string::npos);
}

TEST_P(PostgresNodesTest, SeveralNodesMayMakeTheSchema) {
  const std::string fresh = *scratch_->NewDatabase(false);
  std::vector<std::future<Status>> nodes;
  for (int i = 0; i < 4; ++i)
    nodes.push_back(
        std::async(std::launch::async, [&] { return AsStatus(OpenPostgresStore(fresh)); }));
  for (std::future<Status>& node : nodes) {
    const Status opened = node.get();
    EXPECT_TRUE(opened.ok()) << opened.ToString();
  }
  EXPECT_TRUE(scratch_->Remove(fresh).ok());
}

TEST(PostgresAddress, IsShownWithoutItsPassword) {
  EXPECT_EQ(*ShownAddress("postgres://ann:secret@db.example:5433/ferry?sslmode=require"),
            "postgres://ann@db.example:5433/ferry");
  EXPECT_EQ(*ShownAddress("postgresql://h/d?password=secret"), "postgres://h/d");
  EXPECT_EQ(*ShownAddress("postgres://ann:secret@one:1,two:2,three/d?target_session_attrs=any"),
            "postgres://ann@one:1,two:2,three/d");
  EXPECT_EQ(*ShownAddress("postgres://ann@one,two/d?port=7"), "postgres://ann@one:7,two:7/d");
  for (const char* bad : {"postgres://h/d?secret=1", "secret", "postgres://[secret/d"}) {
    const Status status = AsStatus(OpenPostgresStore(bad));
    EXPECT_EQ(status.code(), Code::kInvalidArgument) << bad;
    EXPECT_EQ(status.message().find("secret"), std::string::npos) << status.ToString();
  }
  const Status odd = AsStatus(OpenPostgresStore("postgres://ann:secret@h:x:y/ferry"));
  EXPECT_FALSE(odd.ok());
  EXPECT_EQ(odd.message().find("secret"), std::string::npos) << odd.ToString();
  const Status nobody = AsStatus(OpenPostgresStore("postgres://ann:secret@127.0.0.1:9/ferry"));
  EXPECT_EQ(nobody.code(), Code::kUnavailable);
  EXPECT_EQ(nobody.message().find("secret"), std::string::npos) << nobody.ToString();
  EXPECT_NE(nobody.message().find("127.0.0.1:9/ferry"), std::string::npos) << nobody.ToString();
}

TEST(PostgresAddress, TextsAreMadeStorable) {
  const auto stored = [](std::string_view text) {
    std::string copy;
    return std::string(StorableText(text, &copy));
  };
  for (const char* good :
       {"", "plain", "\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80", "\xF4\x8F\xBF\xBF"})
    EXPECT_EQ(stored(good), good);
  EXPECT_EQ(stored(std::string_view("a\0b", 3)),
            "a\xEF\xBF\xBD"
            "b");
  EXPECT_EQ(stored("\xC0\x80"), "\xEF\xBF\xBD\xEF\xBF\xBD");  // longer than needed
  EXPECT_EQ(stored("\xED\xA0\x80x").substr(9), "x");          // half of a pair
  EXPECT_EQ(stored("\xE2\x82"), "\xEF\xBF\xBD\xEF\xBF\xBD");  // cut off
  EXPECT_EQ(stored("\xF5\x80\x80\x80").size(), 12u);
}

}  // namespace
}  // namespace ferry::server
