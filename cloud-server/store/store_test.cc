#include "cloud-server/store/store.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <thread>

#include "cloud-server/store/sqlite/database.h"
#include "cloud-server/store/sqlite/migrations.h"
#include "cloud-server/store/sqlite/sqlite_store.h"
#include "common/sys/filesystem.h"

namespace ferry::server {
namespace {

DeviceRow MakeDevice(const std::string& id) {
  DeviceRow device;
  device.id = id;
  device.identity_public = Bytes(32, 1);
  device.seal_public = Bytes(32, 2);
  device.os = "android";
  device.tags = {"beta", "tag with \"quotes\""};
  device.extra = {{"key", "value"}};
  device.report_seq = 7;
  return device;
}

PackageRow MakePackage() {
  return {"digits", "1.0.0", 1, std::string(64, 'a'), 1000, "", 5};
}

ReleaseRow MakeRelease(const std::string& id, int64_t number) {
  ReleaseRow release;
  release.id = id;
  release.package = "digits";
  release.version = "1.0.0";
  release.plan_json = "{}";
  release.settings_json = "{}";
  release.salt = "s";
  release.number = number;
  return release;
}

Status AddBasics(Transaction& tx) {
  FERRY_TRY(tx.devices().Put(MakeDevice("d1")));
  FERRY_TRY(tx.packages().Put(MakePackage()));
  return tx.releases().Put(MakeRelease("r1", 1));
}

// Every test runs on a database in memory and on one in a file.
class StoreTest : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    if (GetParam()) {
      Result<std::unique_ptr<Store>> opened = OpenMemoryStore();
      ASSERT_TRUE(opened.ok()) << opened.status().ToString();
      store_ = std::move(*opened);
      return;
    }
    folder_ = testing::TempDir() + "ferry_store_" + std::to_string(getpid());
    ASSERT_TRUE(sys::SystemFileSystem().RemoveTree(folder_).ok());
    ASSERT_TRUE(sys::SystemFileSystem().MakeDirectories(folder_).ok());
    Reopen();
  }
  void TearDown() override {
    store_.reset();
    if (folder_.empty()) return;
    EXPECT_TRUE(sys::SystemFileSystem().RemoveTree(folder_).ok());
  }
  void Reopen() {
    store_.reset();
    Result<std::unique_ptr<Store>> opened = OpenSqliteStore(folder_ + "/ferry.db");
    ASSERT_TRUE(opened.ok()) << opened.status().ToString();
    store_ = std::move(*opened);
  }
  std::string folder_;
  std::unique_ptr<Store> store_;
};
INSTANTIATE_TEST_SUITE_P(MemoryAndFile, StoreTest, testing::Bool());

#define EXPECT_OK(expression)                      \
  do {                                             \
    const Status result = AsStatus(expression);    \
    EXPECT_TRUE(result.ok()) << result.ToString(); \
  } while (0)

TEST_P(StoreTest, RowsComeBackAsTheyWere) {
  MemberRow member;
  member.release = "r1";
  member.device = "d1";
  member.stage = 2;
  member.outcome = Outcome::kFailed;
  member.error_text = "KeyError: 'x' \xE2\x82\xAC";
  member.bytes_pulled = 123;
  AssignmentRow assignment{"d1", 3, "r1", "install", {"a/1/full"}, {"a/1/exclusive/x"}, false, 9};
  ArtefactRow artefact{"digits/1.0.0/full",  "digits", "1.0.0", "full",
                       std::string(64, 'b'), 10,       "",      "{}",
                       Bytes{0, 1, 2},       Bytes{}};
  EXPECT_OK(store_->Write([&](Transaction& tx) -> Status {
    FERRY_TRY(AddBasics(tx));
    FERRY_TRY(tx.releases().PutMember(member));
    FERRY_TRY(tx.devices().PutAssignment(assignment));
    FERRY_TRY(tx.packages().PutArtefact(artefact));
    FERRY_TRY(tx.releases().PutStage({"r1", 0, 1, 2, 3, true}));
    FERRY_TRY(tx.releases().PutSlice({"r1", "all", 1, 2, 3, 4}));
    return tx.releases().AddEvent({"r1", 1, 5, "created", "text", "{}"});
  }));
  EXPECT_OK(store_->Read([&](Transaction& tx) -> Status {
    DeviceRow device = MakeDevice("d1");
    device.row_version = 1;
    FERRY_ASSIGN_OR_RETURN(DeviceRow found, tx.devices().Get("d1"));
    EXPECT_EQ(found, device);
    EXPECT_EQ(*tx.releases().Member("r1", "d1").value(), member);
    EXPECT_EQ(tx.devices().Assignment("d1").value(), assignment);
    EXPECT_EQ(tx.packages().Artefact(artefact.path).value(), artefact);
    EXPECT_TRUE(tx.packages().HasContent(artefact.sha256).value());
    EXPECT_FALSE(tx.packages().HasContent("x").value());
    EXPECT_EQ(tx.releases().Stages("r1").value()[0], (StageRow{"r1", 0, 1, 2, 3, true}));
    EXPECT_EQ(tx.releases().Slices("r1").value()[0], (SliceRow{"r1", "all", 1, 2, 3, 4}));
    EXPECT_EQ(tx.releases().Events("r1", 0, 10).value().size(), 1u);
    EXPECT_EQ(tx.releases().Events("r1", 1, 10).value().size(), 0u);
    EXPECT_EQ(tx.releases().LastEventSeq("r1").value(), 1);
    EXPECT_EQ(tx.releases().NextNumber().value(), 2);
    ReleaseRow release = MakeRelease("r1", 1);
    release.row_version = 1;
    EXPECT_EQ(tx.releases().Get("r1").value(), release);
    return OkStatus();
  }));
}

TEST_P(StoreTest, MissingRowsSayWhich) {
  EXPECT_OK(store_->Read([&](Transaction& tx) -> Status {
    EXPECT_EQ(tx.devices().Get("nobody").code(), Code::kNotFound);
    EXPECT_NE(tx.devices().Get("nobody").status().message().find("nobody"), std::string::npos);
    EXPECT_EQ(tx.releases().Get("r").code(), Code::kNotFound);
    EXPECT_EQ(tx.packages().Get("p", "1").code(), Code::kNotFound);
    EXPECT_EQ(tx.packages().Metadata("root", 0).code(), Code::kNotFound);
    EXPECT_EQ(tx.access().Session("x").code(), Code::kNotFound);
    EXPECT_EQ(tx.devices().Assignment("nobody").value().action, "none");
    return OkStatus();
  }));
}

TEST_P(StoreTest, AFailingBodyLeavesNothing) {
  Status status = store_->Write([&](Transaction& tx) -> Status {
    FERRY_TRY(AddBasics(tx));
    return Status(Code::kInvalidArgument, "changed my mind");
  });
  EXPECT_EQ(status.code(), Code::kInvalidArgument);
  EXPECT_OK(store_->Read([&](Transaction& tx) -> Status {
    EXPECT_EQ(tx.devices().Count().value(), 0);
    return OkStatus();
  }));
}

TEST_P(StoreTest, ReadsCannotWrite) {
  EXPECT_FALSE(store_->Read([&](Transaction& tx) { return AddBasics(tx); }).ok());
  EXPECT_OK(store_->Write([&](Transaction& tx) { return AddBasics(tx); }));
}

TEST_P(StoreTest, AStaleRowVersionIsAConflict) {
  EXPECT_OK(store_->Write([&](Transaction& tx) { return AddBasics(tx); }));
  DeviceRow stale = MakeDevice("d1");  // row_version 0: not the stored one
  int attempts = 0;
  EXPECT_EQ(store_
                ->Write([&](Transaction& tx) {
                  ++attempts;
                  return tx.devices().Put(stale);
                })
                .code(),
            Code::kConflict);
  EXPECT_EQ(attempts, kMaxConflictRepeats);
  EXPECT_EQ(store_->Write([&](Transaction& tx) { return tx.releases().Put(MakeRelease("r1", 1)); })
                .code(),
            Code::kConflict);
}

TEST_P(StoreTest, AssignmentCountersOnlyGrow) {
  EXPECT_OK(store_->Write([&](Transaction& tx) -> Status {
    FERRY_TRY(AddBasics(tx));
    return tx.devices().PutAssignment({"d1", 5, "r1", "install", {}, {}, false, 0});
  }));
  EXPECT_EQ(store_
                ->Write([&](Transaction& tx) {
                  return tx.devices().PutAssignment({"d1", 4, "r1", "none", {}, {}, true, 0});
                })
                .code(),
            Code::kConflict);
}

TEST_P(StoreTest, MetadataVersionsNeverChange) {
  EXPECT_OK(store_->Write([&](Transaction& tx) -> Status {
    FERRY_TRY(tx.packages().PutMetadata({"root", 1, Bytes{1}, 10}));
    FERRY_TRY(tx.packages().PutMetadata({"root", 1, Bytes{1}, 10}));
    return tx.packages().PutMetadata({"root", 2, Bytes{2}, 20});
  }));
  EXPECT_EQ(store_
                ->Write([&](Transaction& tx) {
                  return tx.packages().PutMetadata({"root", 1, Bytes{9}, 10});
                })
                .code(),
            Code::kConflict);
  EXPECT_OK(store_->Read([&](Transaction& tx) -> Status {
    EXPECT_EQ(tx.packages().Metadata("root", 0).value().version, 2);
    EXPECT_EQ(tx.packages().Metadata("root", 1).value().document, Bytes{1});
    EXPECT_EQ(tx.packages().Metadata("root", 3).code(), Code::kNotFound);
    return OkStatus();
  }));
}

TEST_P(StoreTest, ReportsAndRecordsAreKeptOnce) {
  ReportRow report;
  report.device = "d1";
  report.seq = 1;
  report.step = "pulled";
  RecordRow record{"d1", "aa", 1, "digits.window", 1, 2, "{\"x\":1}"};
  EXPECT_OK(store_->Write([&](Transaction& tx) -> Status {
    FERRY_TRY(AddBasics(tx));
    EXPECT_TRUE(tx.reports().Add(report).value());
    EXPECT_FALSE(tx.reports().Add(report).value());
    EXPECT_TRUE(tx.records().Add(record).value());
    EXPECT_FALSE(tx.records().Add(record).value());
    record.outbox = "bb";
    EXPECT_TRUE(tx.records().Add(record).value());
    record.seq = 5;
    EXPECT_TRUE(tx.records().Add(record).value());
    int64_t last = 0;
    EXPECT_EQ(tx.records().List("digits.window", "", 0, 2, &last).value().size(), 2u);
    EXPECT_EQ(tx.records().List("digits.window", "d1", last, 10, &last).value().size(), 1u);
    EXPECT_EQ(tx.records().List("other", "", 0, 10, nullptr).value().size(), 0u);
    EXPECT_EQ(tx.records().Counts().value()[0].rows, 3);
    return OkStatus();
  }));
}

TEST_P(StoreTest, MarksRefusedRecordsAndLosses) {
  const RefusedRecordRow refused{"d1", "aa", 7, "s", 12, "JSON nested deeper than 64", 5};
  const RecordLossRow loss{"d1", "aa", 1, 6, 5};
  EXPECT_OK(store_->Write([&](Transaction& tx) -> Status {
    FERRY_TRY(AddBasics(tx));
    EXPECT_EQ(tx.intake().Mark("d1", "aa").value(), 0u);
    EXPECT_OK(tx.intake().PutMark("d1", "aa", 7));
    EXPECT_OK(tx.intake().PutMark("d1", "aa", 7));
    EXPECT_EQ(tx.intake().PutMark("d1", "aa", 6).code(), Code::kConflict);
    EXPECT_EQ(tx.intake().Mark("d1", "aa").value(), 7u);
    EXPECT_EQ(tx.intake().Mark("d1", "bb").value(), 0u);
    EXPECT_TRUE(tx.intake().AddRefused(refused).value());
    EXPECT_FALSE(tx.intake().AddRefused(refused).value());
    EXPECT_EQ(tx.intake().Refused("", 10).value(), std::vector<RefusedRecordRow>{refused});
    EXPECT_TRUE(tx.intake().Refused("d2", 10).value().empty());
    EXPECT_TRUE(tx.intake().AddLoss(loss).value());
    EXPECT_FALSE(tx.intake().AddLoss(loss).value());
    EXPECT_EQ(tx.intake().Losses("d1", 10).value(), std::vector<RecordLossRow>{loss});
    return OkStatus();
  }));
}

TEST_P(StoreTest, RowsOfUnknownDevicesAreRefused) {
  RecordRow record{"nobody", "aa", 1, "s", 1, 2, "{}"};
  EXPECT_EQ(
      store_->Write([&](Transaction& tx) { return AsStatus(tx.records().Add(record)); }).code(),
      Code::kNotFound);
}

TEST_P(StoreTest, NewerMembersAreFound) {
  EXPECT_OK(store_->Write([&](Transaction& tx) -> Status {
    FERRY_TRY(AddBasics(tx));
    FERRY_TRY(tx.releases().Put(MakeRelease("r2", 2)));
    MemberRow member;
    member.release = "r2";
    member.device = "d1";
    FERRY_TRY(tx.releases().PutMember(member));
    EXPECT_EQ(tx.releases().NewerMembers("digits", 1).value().size(), 1u);
    EXPECT_EQ(tx.releases().NewerMembers("digits", 2).value().size(), 0u);
    EXPECT_EQ(tx.releases().NewerMembers("other", 0).value().size(), 0u);
    return OkStatus();
  }));
}

TEST_P(StoreTest, PagesOfDevicesFollowEachOther) {
  EXPECT_OK(store_->Write([&](Transaction& tx) -> Status {
    for (int i = 0; i < 600; ++i) FERRY_TRY(tx.devices().Put(MakeDevice(fmt::format("d{:04}", i))));
    EXPECT_EQ(tx.devices().List("", 10000).value().size(), kMaxPageRows);
    EXPECT_EQ(tx.devices().List("d0499", 10000).value().size(), 100u);
    EXPECT_EQ(tx.devices().All("default").value().size(), 600u);
    EXPECT_EQ(tx.devices().All("other").value().size(), 0u);
    return OkStatus();
  }));
}

TEST_P(StoreTest, TokensSessionsAndSettings) {
  EXPECT_OK(store_->Write([&](Transaction& tx) -> Status {
    JoinTokenRow token{"t1", "default", "hash", 1, 2, 3, 0};
    FERRY_TRY(tx.access().PutJoinToken(token));
    token.uses_left = 2;
    FERRY_TRY(tx.access().PutJoinToken(token));
    EXPECT_EQ(tx.access().JoinToken("hash").value().uses_left, 2);
    FERRY_TRY(tx.access().PutSession({"s", "ann", 1, 2, 0}));
    FERRY_TRY(tx.access().PutSession({"r", "bob", 0, 2, 0}));
    FERRY_TRY(tx.access().TouchSession("s", 7));
    FERRY_TRY(tx.access().TouchSession("gone", 7));
    const std::vector<SessionRow> sessions = {{"r", "bob", 0, 2, 0}, {"s", "ann", 1, 2, 7}};
    EXPECT_EQ(tx.access().Sessions().value(), sessions);
    EXPECT_EQ(tx.access().Session("s").value(), sessions[1]);
    FERRY_TRY(tx.access().RemoveSession("s"));
    EXPECT_EQ(tx.access().Session("s").code(), Code::kNotFound);
    EXPECT_FALSE(tx.access().Setting("k").value().has_value());
    FERRY_TRY(tx.access().PutSetting("k", "v"));
    EXPECT_EQ(*tx.access().Setting("k").value(), "v");
    return OkStatus();
  }));
}

TEST_P(StoreTest, ManyThreadsCountCorrectly) {
  EXPECT_OK(store_->Write([&](Transaction& tx) { return AddBasics(tx); }));
  constexpr int kThreads = 4, kEach = 25;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < kEach; ++i) {
        Status written = store_->Write([&](Transaction& tx) -> Status {
          FERRY_ASSIGN_OR_RETURN(DeviceRow device, tx.devices().Get("d1"));
          device.report_seq += 1;
          return tx.devices().Put(device);
        });
        EXPECT_TRUE(written.ok()) << written.ToString();
        Status read = store_->Read(
            [&](Transaction& tx) -> Status { return AsStatus(tx.devices().Get("d1")); });
        EXPECT_TRUE(read.ok()) << read.ToString();
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_OK(store_->Read([&](Transaction& tx) -> Status {
    EXPECT_EQ(tx.devices().Get("d1").value().report_seq, 7u + kThreads * kEach);
    return OkStatus();
  }));
}

class FileStoreTest : public StoreTest {};
INSTANTIATE_TEST_SUITE_P(File, FileStoreTest, testing::Values(false));

TEST_P(FileStoreTest, SurvivesClosing) {
  EXPECT_OK(store_->Write([&](Transaction& tx) { return AddBasics(tx); }));
  Reopen();
  EXPECT_OK(store_->Read([&](Transaction& tx) { return AsStatus(tx.devices().Get("d1")); }));
}

TEST_P(FileStoreTest, OldSchemasAreBroughtUpToDate) {
  const std::string path = folder_ + "/old.db";
  {
    std::unique_ptr<Database> old = *Database::Open(path, Database::Mode::kReadWrite);
    EXPECT_OK(Migrate(*old, 1));
    EXPECT_EQ(SchemaVersion(*old).value(), 1);
    EXPECT_OK(old->Script("INSERT INTO package VALUES ('digits', '1.0.0', 1, 'aa', 5, '', 1);"));
  }
  Result<std::unique_ptr<Store>> store = OpenSqliteStore(path);
  ASSERT_TRUE(store.ok()) << store.status().ToString();
  EXPECT_EQ((*store)->schema_version(), AllMigrations().back().number);
  EXPECT_OK((*store)->Write([&](Transaction& tx) -> Status {
    EXPECT_EQ(tx.packages().Get("digits", "1.0.0").value().plain_length, 5u);
    return tx.releases().Put(MakeRelease("r1", 1));
  }));
}

TEST_P(FileStoreTest, MarksOfOldDatabasesAreTheirHighestRecords) {
  const std::string path = folder_ + "/before_marks.db";
  Result<std::unique_ptr<Store>> made = OpenSqliteStore(path);
  ASSERT_TRUE(made.ok());
  EXPECT_OK((*made)->Write([&](Transaction& tx) -> Status {
    FERRY_TRY(AddBasics(tx));
    for (const uint64_t seq : {1, 2, 5})
      FERRY_TRY(AsStatus(tx.records().Add({"d1", "aa", seq, "s", 1, 2, "{}"})));
    return OkStatus();
  }));
  made->reset();
  EXPECT_OK((*Database::Open(path, Database::Mode::kReadWrite))
                ->Script("DROP TABLE outbox_mark; DROP TABLE record_refused; "
                         "DROP TABLE record_loss; "
                         "ALTER TABLE session DROP COLUMN last_used_ms; PRAGMA user_version = 3;"));
  Result<std::unique_ptr<Store>> store = OpenSqliteStore(path);
  ASSERT_TRUE(store.ok()) << store.status().ToString();
  EXPECT_OK((*store)->Read([&](Transaction& tx) -> Status {
    EXPECT_EQ(tx.intake().Mark("d1", "aa").value(), 5u);
    return OkStatus();
  }));
}

TEST_P(FileStoreTest, NewerSchemasAndOtherFilesAreRefused) {
  const std::string path = folder_ + "/new.db";
  {
    std::unique_ptr<Database> newer = *Database::Open(path, Database::Mode::kReadWrite);
    EXPECT_OK(newer->Script("PRAGMA user_version = 999;"));
  }
  EXPECT_EQ(OpenSqliteStore(path).code(), Code::kUnsupported);
  const std::string text = folder_ + "/text.db";
  EXPECT_OK(
      sys::WriteFileAtomically(sys::SystemFileSystem(), text, AsBytes(std::string(5000, 'x'))));
  Result<std::unique_ptr<Store>> opened = OpenSqliteStore(text);
  EXPECT_EQ(opened.code(), Code::kMalformed);
  EXPECT_NE(opened.status().message().find("text.db"), std::string::npos);
}

TEST(Migrations, AreNumberedFromOneWithoutGaps) {
  int64_t expected = 1;
  for (const Migration& step : AllMigrations()) EXPECT_EQ(step.number, expected++);
}

}  // namespace
}  // namespace ferry::server
