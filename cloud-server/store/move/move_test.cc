#include "cloud-server/store/move/move.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>

#include "cloud-server/store/move/sides.h"
#include "cloud-server/store/open.h"
#include "cloud-server/store/sqlite/migrations.h"
#include "cloud-server/store/store_fixture.h"

namespace ferry::server {
namespace {

constexpr int kRows = 450;  // more than one answer and one batch hold, and no multiple of them

// Every text of row i is the same, so that whatever points to another table's row finds it.
MoveRow MadeRow(const MoveTable& table, int i) {
  MoveRow row;
  for (const MoveColumn& column : table.columns) {
    MoveCell& cell = row.emplace_back();
    cell.kind = column.kind;
    cell.number = i;
    cell.text = fmt::format("\xC3\xA9|{}", i);
    cell.bytes = {0, static_cast<uint8_t>(i), static_cast<uint8_t>(i >> 8), 0xFF};
  }
  return row;
}

class MoveTest : public testing::Test {
 protected:
  void SetUp() override {
    const Result<ScratchPostgres*> scratch = ScratchPostgres::Get();
    if (scratch.code() == Code::kUnsupported) GTEST_SKIP() << scratch.status().ToString();
    ASSERT_TRUE(scratch.ok()) << scratch.status().ToString();
    scratch_ = *scratch;
    url_ = *scratch_->NewDatabase(false);
    ASSERT_TRUE(fs_.RemoveTree(folder_).ok());
    ASSERT_TRUE(fs_.MakeDirectories(folder_).ok());
    ASSERT_TRUE(OpenStore(file_).ok());
  }
  void TearDown() override {
    if (url_.empty()) return;
    EXPECT_TRUE(scratch_->Remove(url_).ok());
    EXPECT_TRUE(fs_.RemoveTree(folder_).ok());
  }

  // Rows in every table that there is, also in those that later schemas add.
  void Fill() {
    MoveSide side;
    side.sql = *Database::Open(file_, Database::Mode::kReadWrite);
    const std::vector<MoveTable> lite = *ReadCatalogue(*side.sql);
    const auto tables = TablesInBoth(lite, lite);
    ASSERT_TRUE(tables.ok()) << tables.status().ToString();
    ASSERT_GT(tables->size(), 50U);
    ASSERT_TRUE(side.sql->Script("BEGIN").ok());
    StillTriggers triggers(*side.sql, *tables);
    ASSERT_TRUE(triggers.Stop().ok());
    for (const MoveTable& table : *tables) {
      if (table.name == "generation") continue;  // it has one row, always
      RowWriter writer(side, table);
      for (int i = 1; i <= kRows; ++i) {
        const Status added = writer.Add(MadeRow(table, i));
        ASSERT_TRUE(added.ok()) << table.name << ": " << added.ToString();
      }
      ASSERT_TRUE(writer.Finish().ok());
    }
    ASSERT_TRUE(side.sql->Script("UPDATE generation SET value = 77").ok());
    ASSERT_TRUE(triggers.Resume().ok());
    ASSERT_TRUE(side.sql->Script("COMMIT").ok());
  }

  void PutDevice(const std::string& place, const std::string& id, const std::string& os) {
    const auto store = OpenStore(place);
    ASSERT_TRUE(store.ok()) << store.status().ToString();
    const Status put = (*store)->Write([&](Transaction& tx) -> Status {
      const Result<DeviceRow> before = tx.devices().Get(id);
      DeviceRow device = before.ok() ? *before : DeviceRow();
      device.id = id;
      device.tenant = "default";
      device.os = os;
      return tx.devices().Put(device);
    });
    ASSERT_TRUE(put.ok()) << put.ToString();
  }

  static std::vector<std::string> Sums(const MoveDone& done) {
    std::vector<std::string> all;
    for (const MovedTable& table : done.tables)
      all.push_back(fmt::format("{} {} {}", table.name, table.rows, table.sum));
    return all;
  }

  std::string Ask(const std::string& sql) {
    const auto connection = PostgresConnection::Open(url_);
    return connection.ok() ? (*connection)->Ask(sql).value_or("error") : "no connection";
  }

  sys::FileSystem& fs_ = sys::SystemFileSystem();
  const std::string folder_ = testing::TempDir() + "ferry_move_" + std::to_string(getpid());
  const std::string file_ = folder_ + "/ferry.db", back_ = folder_ + "/back.db";
  ScratchPostgres* scratch_ = nullptr;
  std::string url_;
};

TEST_F(MoveTest, EveryTableGoesAndComesBackEqual) {
  Fill();
  const auto up = MoveRows(file_, url_);
  ASSERT_TRUE(up.ok()) << up.status().ToString();
  EXPECT_FALSE(up->was_there);
  for (const MovedTable& table : up->tables) {
    const int64_t seeded = table.name == "account" ? 1 : 0;
    EXPECT_EQ(table.rows, table.name == "generation" ? 1 : kRows + seeded) << table.name;
  }
  EXPECT_EQ(Ask("SELECT value FROM generation"), "77");
  EXPECT_EQ(Ask("SELECT count(*) FROM fleet_change"), std::to_string(kRows)) << "no trigger wrote";
  EXPECT_EQ(Ask("SELECT count(*) FROM pg_trigger WHERE NOT tgisinternal AND tgenabled <> 'O'"),
            "0");
  EXPECT_EQ(Ask("SELECT count(*) FROM setting WHERE key LIKE 'cluster.%'"), "0");

  const auto down = MoveRows(url_, back_);
  ASSERT_TRUE(down.ok()) << down.status().ToString();
  EXPECT_EQ(Sums(*up), Sums(*down));
  const auto facts = InspectStore(back_);
  ASSERT_TRUE(facts.ok());
  EXPECT_TRUE(std::ranges::none_of(facts->problems, [](const std::string& problem) {
    return problem.find("point to no row") != std::string::npos;
  }));
  const auto again = MoveRows(url_, folder_ + "/other.db");
  EXPECT_EQ(again.code(), Code::kFailedPrecondition) << "its rows are elsewhere now";
  EXPECT_NE(again.status().message().find(back_), std::string::npos);
}

TEST_F(MoveTest, OneRowThatDiffersIsSeen) {
  const MoveTable table{"t", {{"a", Value::Kind::kText}, {"b", Value::Kind::kText}}, {}};
  TableSum one, two, three;
  MoveRow row = MadeRow(table, 1);
  one.Add(row);
  one.Add(MadeRow(table, 2));
  two.Add(MadeRow(table, 2));
  two.Add(row);
  EXPECT_EQ(one.Hex(), two.Hex()) << "the order does not count";
  std::swap(row[0].text, row[1].text);
  row[0].text += "x";
  three.Add(row);
  three.Add(MadeRow(table, 2));
  EXPECT_NE(one.Hex(), three.Hex());
  one.Add(row);
  EXPECT_FALSE(one == two);
}

TEST_F(MoveTest, WhatCameGoesOnCounting) {
  PutDevice(file_, "d1", "linux");
  PutDevice(file_, "d2", "linux");
  {
    const auto sql = *Database::Open(file_, Database::Mode::kReadWrite);
    ASSERT_TRUE(sql->Script("INSERT INTO sqlite_sequence VALUES ('erasure', 40); INSERT INTO "
                            "webhook VALUES ('w', 'u', '[]', 's', 'admin', 0, 900, 0, 0, '')")
                    .ok());
  }
  ASSERT_TRUE(MoveRows(file_, url_).ok());
  PutDevice(url_, "d2", "android");
  EXPECT_EQ(Ask("SELECT string_agg(os || devices, ',' ORDER BY os) FROM profile"),
            "android1,linux1");
  const char* erase =
      "INSERT INTO erasure (device, asked_by, asked_ms, device_number, device_ms, device_receipt, "
      "records, refused, texts) VALUES ('d1', '', 0, 0, 0, '', 0, 0, 0) RETURNING id";
  EXPECT_EQ(Ask(erase), "41");
  EXPECT_EQ(Ask("DELETE FROM erasure"), "");
  const auto down = MoveRows(url_, back_);
  ASSERT_TRUE(down.ok()) << down.status().ToString();
  MoveSide side;
  side.sql = *Database::Open(back_, Database::Mode::kReadOnly);
  const LastNumbers last = *ReadLastNumbers(*side.sql);
  EXPECT_EQ(last.at("erasure"), 41);
  EXPECT_GE(last.at("webhook_event"), 900) << "an event below would never be sent";
  PutDevice(back_, "d1", "android");
}

TEST_F(MoveTest, WhatWasCutOffRefusesAndIsBegunAgain) {
  Fill();
  MoveOptions cut;
  cut.copied = [](const std::string& table) {
    return table == "member" ? Status(Code::kIo, "cut") : OkStatus();
  };
  EXPECT_EQ(MoveRows(file_, url_, cut).code(), Code::kIo);
  EXPECT_EQ(Ask("SELECT count(*) FROM device"), "0");
  EXPECT_EQ(Ask("SELECT value FROM setting WHERE key = 'cluster.moving'"), file_);
  const auto source = MoveRows(url_, back_);
  EXPECT_EQ(source.code(), Code::kFailedPrecondition);
  EXPECT_FALSE(sys::Exists(fs_, back_));
  const auto up = MoveRows(file_, url_);
  ASSERT_TRUE(up.ok()) << up.status().ToString();

  EXPECT_EQ(MoveRows(url_, back_, cut).code(), Code::kIo);
  EXPECT_FALSE(sys::Exists(fs_, back_));
  ASSERT_TRUE(sys::WriteFileAtomically(fs_, back_ + ".moving", AsBytes("half")).ok());
  const auto down = MoveRows(url_, back_);
  ASSERT_TRUE(down.ok()) << down.status().ToString();
  EXPECT_EQ(Sums(*up), Sums(*down));
  EXPECT_FALSE(sys::Exists(fs_, back_ + ".moving"));
}

TEST_F(MoveTest, ATargetWithOtherRowsIsRefused) {
  PutDevice(file_, "d1", "linux");
  PutDevice(url_, "d9", "linux");
  const auto up = MoveRows(file_, url_);
  EXPECT_EQ(up.code(), Code::kAlreadyExists);
  EXPECT_EQ(Ask("SELECT string_agg(id, ',') FROM device"), "d9");
  const auto down = MoveRows(url_, file_);
  EXPECT_EQ(down.code(), Code::kAlreadyExists) << down.status().ToString();
  EXPECT_NE(down.status().message().find("device"), std::string::npos);
  EXPECT_EQ(MoveRows(file_, back_).code(), Code::kInvalidArgument);
}

TEST_F(MoveTest, ASecondCallFindsTheRowsThere) {
  PutDevice(file_, "d1", "linux");
  MoveOptions lost;
  lost.committed = [] { return Status(Code::kIo, "cut"); };
  EXPECT_EQ(MoveRows(file_, url_, lost).code(), Code::kIo);
  const auto again = MoveRows(file_, url_);
  ASSERT_TRUE(again.ok()) << again.status().ToString();
  EXPECT_TRUE(again->was_there);
  EXPECT_EQ(MoveRows(url_, back_, lost).code(), Code::kIo);
  const auto down = MoveRows(url_, back_);
  ASSERT_TRUE(down.ok()) << down.status().ToString();
  EXPECT_TRUE(down->was_there);
  EXPECT_EQ(Ask("SELECT value FROM setting WHERE key = 'cluster.moved'"), back_);
}

TEST_F(MoveTest, BesideAServerNothingMoves) {
  {
    const auto serving = OpenStore(url_);
    ASSERT_TRUE(serving.ok());
    EXPECT_EQ(MoveRows(file_, url_).code(), Code::kFailedPrecondition);
    EXPECT_EQ(MoveRows(url_, back_).code(), Code::kFailedPrecondition);
    ASSERT_TRUE((*serving)
                    ->Write([](Transaction& tx) {
                      return AsStatus(tx.leases().Take("server", "node", 60'000));
                    })
                    .ok());
  }
  // Killed, not stopped.
  ASSERT_TRUE(scratch_->Settle(url_).ok());
  const auto held = MoveRows(url_, back_);
  EXPECT_EQ(held.code(), Code::kFailedPrecondition);
  EXPECT_NE(held.status().message().find("lease"), std::string::npos) << held.status().ToString();
}

TEST_F(MoveTest, SchemasThatDifferAreRefusedByName) {
  {
    const auto old = *Database::Open(back_, Database::Mode::kReadWrite);
    ASSERT_TRUE(Migrate(*old, AllMigrations().back().number - 1).ok());
    const auto sql = *Database::Open(file_, Database::Mode::kReadWrite);
    ASSERT_TRUE(sql->Script("ALTER TABLE tally ADD COLUMN extra TEXT NOT NULL DEFAULT ''").ok());
  }
  EXPECT_EQ(MoveRows(back_, url_).code(), Code::kUnsupported);
  const auto differs = MoveRows(file_, url_);
  EXPECT_EQ(differs.code(), Code::kUnsupported);
  EXPECT_NE(differs.status().message().find("tally"), std::string::npos);
}

}  // namespace
}  // namespace ferry::server
