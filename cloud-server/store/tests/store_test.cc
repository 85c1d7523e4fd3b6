#include "cloud-server/store/store.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "cloud-server/store/sqlite/database.h"
#include "cloud-server/store/sqlite/migrations.h"
#include "cloud-server/store/store_fixture.h"
#include "policy/target/groups.h"

namespace ferry::server {
namespace {

DeviceRow MakeDevice(const std::string& id) {
  DeviceRow device;
  device.id = id;
  device.identity_public = Bytes(32, 1);
  device.seal_public = Bytes(32, 2);
  device.os = "android";
  device.tags = {"beta", "tag with \"quotes\""};
  device.operator_tags = {"staff"};
  device.extra = {{"key", "value"}};
  device.report_seq = 7;
  device.memory_bytes = int64_t{4} << 30;
  device.isa = {"x86_64", "avx2"};
  device.measured_class = "mid";
  device.user = {{"plan", "pro"}};
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

INSTANTIATE_TEST_SUITE_P(All, StoreTest,
                         testing::Values(StorePlace::kMemory, StorePlace::kFile,
                                         StorePlace::kPostgres),
                         NameOfPlace);

#define EXPECT_OK(expression)                      \
  do {                                             \
    const Status result = AsStatus(expression);    \
    EXPECT_TRUE(result.ok()) << result.ToString(); \
  } while (0)

TEST_P(StoreTest, TotalsLeaveSlicesOut) {
  const Tallies all = {{{"r1", 0, false, "all"}, {1, 2}}};
  Tallies sliced = all;
  sliced[{"r1", 0, false, "os=ios"}] = {1, 1};
  ASSERT_TRUE(store_
                  ->Write([&](Transaction& tx) -> Status {
                    FERRY_TRY(AddBasics(tx));
                    return tx.releases().AddTallies(sliced);
                  })
                  .ok());
  ASSERT_TRUE(store_
                  ->Read([&](Transaction& tx) -> Status {
                    EXPECT_EQ(tx.releases().TotalsOf("r1").value(), all);
                    EXPECT_EQ(tx.releases().TalliesOf("r1").value(), sliced);
                    return OkStatus();
                  })
                  .ok());
}

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
    const Tallies one = {{{"r1", 0, false, "all"}, {1, 2, 3, 4, 5, 6, 7, 8, 9}}};
    FERRY_TRY(tx.releases().AddTallies(one));
    FERRY_TRY(tx.releases().AddTallies(one));
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
    const Tallies two = {{{"r1", 0, false, "all"}, {2, 4, 6, 8, 10, 12, 14, 16, 18}}};
    EXPECT_EQ(tx.releases().TalliesOf("r1").value(), two) << "increments";
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

TEST_P(StoreTest, UndecidedMembersComeTheLongestSilentFirst) {
  EXPECT_OK(store_->Write([&](Transaction& tx) -> Status {
    FERRY_TRY(AddBasics(tx));
    MemberRow member;
    member.release = "r1";
    member.device = "d1";
    member.step = "confirmed";
    member.step_ms = 70;
    member.had_version = "0.9.0";
    member.told = "run 1.0.0 0";
    member.control = false;
    member.attempt = 3;
    FERRY_TRY(tx.releases().PutMember(member));
    EXPECT_EQ(*tx.releases().Member("r1", "d1").value(), member);
    const auto undecided = tx.releases().Undecided("r1", 100, 0, "", 10).value();
    EXPECT_EQ(undecided.size(), 1u);
    EXPECT_EQ(undecided[0].member, member);
    EXPECT_EQ(tx.releases().Undecided("r1", 100, 70, "d1", 10).value().size(), 0u);
    EXPECT_EQ(tx.releases().Undecided("r1", 69, 0, "", 10).value().size(), 0u);
    EXPECT_EQ(tx.releases().SilentSince("r1").value(), 70);
    member.offered_ms = 50;
    FERRY_TRY(tx.releases().PutMember(member));
    EXPECT_EQ(tx.releases().OpenWindows("r1", 50, 10).value(), std::vector<MemberRow>{member});
    EXPECT_TRUE(tx.releases().OpenWindows("r1", 49, 10).value().empty());
    member.window = Window::kFailed;
    FERRY_TRY(tx.releases().PutMember(member));
    EXPECT_EQ(*tx.releases().Member("r1", "d1").value(), member);
    EXPECT_TRUE(tx.releases().OpenWindows("r1", 50, 10).value().empty());
    EXPECT_TRUE(tx.releases().WaitsForReturn("r1", 0).value());
    member.outcome = Outcome::kFailed;
    FERRY_TRY(tx.releases().PutMember(member));
    EXPECT_EQ(tx.releases().SilentSince("r1").value(), 0);
    EXPECT_EQ(tx.releases().DevicesWithOutcome("r1", Outcome::kFailed, 10).value(),
              std::vector<std::string>{"d1"});
    EXPECT_EQ(tx.releases().RetryFailed("r1", "other").value(), 0);
    EXPECT_EQ(tx.releases().RetryFailed("r1", "").value(), 1);
    EXPECT_EQ(tx.releases().Member("r1", "d1").value()->attempt, 4);
    EXPECT_EQ(tx.releases().Member("r1", "d1").value()->outcome, Outcome::kOpen);
    member.back = member.done = true;
    FERRY_TRY(tx.releases().PutMember(member));
    EXPECT_FALSE(tx.releases().WaitsForReturn("r1", 0).value());
    return OkStatus();
  }));
}

// The index of profiles is what counting the devices gives, whatever happens to them.
TEST_P(StoreTest, ProfilesAreCounted) {
  EXPECT_OK(store_->Write([&](Transaction& tx) -> Status {
    const auto counts = [&] {
      std::map<std::string, int64_t> found;
      const std::vector<ProfileRow> profiles = tx.devices().Profiles("default").value();
      for (const ProfileRow& row : profiles) found[row.sample.os] = row.devices;
      return found;
    };
    for (const char* id : {"p1", "p2", "p3"}) {
      DeviceRow device;
      device.id = id;
      device.os = "android";
      FERRY_TRY(tx.devices().Put(device));
    }
    EXPECT_EQ(counts(), (std::map<std::string, int64_t>{{"android", 3}}));
    DeviceRow row = tx.devices().Get("p1").value();
    row.last_seen_ms = 5;
    FERRY_TRY(tx.devices().Put(row));
    row = tx.devices().Get("p1").value();
    row.os = "ios";
    FERRY_TRY(tx.devices().Put(row));
    EXPECT_EQ(counts(), (std::map<std::string, int64_t>{{"android", 2}, {"ios", 1}}));
    row = tx.devices().Get("p1").value();
    row.blocked = true;
    FERRY_TRY(tx.devices().Put(row));
    EXPECT_EQ(counts(), (std::map<std::string, int64_t>{{"android", 2}}));
    return OkStatus();
  }));
}

TEST_P(StoreTest, WhatADeviceHasIsKept) {
  EXPECT_OK(store_->Write([&](Transaction& tx) -> Status {
    FERRY_TRY(AddBasics(tx));
    const InstalledRow row{"d1", "digits", "1.0.0", "r1", true};
    FERRY_TRY(tx.devices().PutInstalled(row));
    EXPECT_EQ(tx.devices().Installed("d1").value(), std::vector<InstalledRow>{row});
    FERRY_TRY(tx.devices().PutInstalled({"d1", "digits", "", "", false}));
    EXPECT_TRUE(tx.devices().Installed("d1").value().empty());
    const int64_t generation = tx.releases().Generation().value();
    FERRY_TRY(tx.releases().Put(MakeRelease("r9", 9)));
    EXPECT_GT(tx.releases().Generation().value(), generation);
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

// Keys that languages order in ways of their own: every store orders them as bytes.
TEST_P(StoreTest, PagesAreInTheOrderOfBytes) {
  std::vector<std::string> ids = {"a",
                                  "A",
                                  "B",
                                  "b",
                                  "-a",
                                  "_a",
                                  "a b",
                                  "a-b",
                                  "ab",
                                  "a_b",
                                  "10",
                                  "9",
                                  "e",
                                  "f",
                                  "E",
                                  "~",
                                  " ",
                                  "z",
                                  "\xC3\xA9",
                                  "\xC3\x89",
                                  "\xC3\x9F",
                                  "\xE2\x82\xAC",
                                  "\xF0\x9F\x98\x80"};
  EXPECT_OK(store_->Write([&](Transaction& tx) -> Status {
    for (const std::string& id : ids) FERRY_TRY(tx.devices().Put(MakeDevice(id)));
    return OkStatus();
  }));
  std::sort(ids.begin(), ids.end());
  std::vector<std::string> listed;
  EXPECT_OK(store_->Read([&](Transaction& tx) -> Status {
    for (std::string after;;) {
      FERRY_ASSIGN_OR_RETURN(const std::vector<DeviceRow> page, tx.devices().List(after, 4));
      for (const DeviceRow& row : page) listed.push_back(row.id);
      if (page.empty()) return OkStatus();
      after = page.back().id;
    }
  }));
  EXPECT_EQ(listed, ids);
}

TEST_P(StoreTest, TokensSessionsAndSettings) {
  EXPECT_OK(store_->Write([&](Transaction& tx) -> Status {
    JoinTokenRow token{"t1", "default", "hash", 1, 2, 3, 0, {"beta", "a \"b\""}};
    FERRY_TRY(tx.access().PutJoinToken(token));
    token.uses_left = 2;
    FERRY_TRY(tx.access().PutJoinToken(token));
    EXPECT_EQ(tx.access().JoinToken("hash").value(), token);
    FERRY_TRY(tx.access().PutSession({"s", "ann", 1, 2, 0}));
    FERRY_TRY(tx.access().PutSession({"r", "bob", 0, 2, 0}));
    FERRY_TRY(tx.access().TouchSession("s", 7));
    FERRY_TRY(tx.access().TouchSession("gone", 7));
    const std::vector<SessionRow> sessions = {{"r", "bob", 0, 2, 0}, {"s", "ann", 1, 2, 7}};
    EXPECT_EQ(tx.access().Sessions().value(), sessions);
    EXPECT_EQ(tx.access().Session("s").value(), sessions[1]);
    const SessionRow of_browser = {"c", "ann", 3, 9, 0, "ann", true, "192.0.2.1", "Browser"};
    FERRY_TRY(tx.access().PutSession(of_browser));
    EXPECT_EQ(tx.access().SessionsOf("ann").value(), std::vector<SessionRow>{of_browser});
    EXPECT_EQ(tx.access().SessionsOf("admin").value(), sessions);
    FERRY_TRY(tx.access().RemoveSession("s"));
    EXPECT_EQ(tx.access().Session("s").code(), Code::kNotFound);
    EXPECT_FALSE(tx.access().Setting("k").value().has_value());
    FERRY_TRY(tx.access().PutSetting("k", "v"));
    EXPECT_EQ(*tx.access().Setting("k").value(), "v");
    return OkStatus();
  }));
}

// However long a release takes, it keeps a bounded number of points, the first and the last ones
// among them.
TEST_P(StoreTest, SeriesAreThinnedByHalves) {
  std::vector<SeriesPoint> kept;
  int64_t thinned = 0;
  EXPECT_OK(store_->Write([&](Transaction& tx) -> Status {
    FERRY_TRY(AddBasics(tx));
    EXPECT_EQ(tx.series().State("r1").value(), SeriesState());
    for (int64_t i = 1; i <= 2000; ++i) {
      const SeriesPoint point = {"r1", 10 * i, i, i / 2, i / 3, i / 5, R"({"all":[1.5,80]})"};
      FERRY_TRY(tx.series().Add(point));
      kept.push_back(point);
      if (kept.size() <= static_cast<size_t>(kMaxSeriesPoints)) continue;
      std::vector<SeriesPoint> half;
      for (size_t at = 0; at < kept.size(); ++at)
        if (at % 2 == 0 || at + 1 == kept.size()) half.push_back(kept[at]);
      kept = std::move(half);
      ++thinned;
    }
    SeriesPoint again = kept.back();
    again.failed = 7;
    kept.back() = again;
    return tx.series().Add(again);
  }));
  EXPECT_OK(store_->Read([&](Transaction& tx) -> Status {
    EXPECT_EQ(tx.series().Points("r1").value(), kept);
    const SeriesState state = {thinned, kSeriesStepMs << thinned, 20'000};
    EXPECT_EQ(tx.series().State("r1").value(), state);
    EXPECT_TRUE(tx.series().Points("r2").value().empty());
    return OkStatus();
  }));
  EXPECT_GT(thinned, 4);
  EXPECT_EQ(kept.front().time_ms, 10);
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

// Of stores that outlive the object.
class KeptStoreTest : public StoreTest {};
INSTANTIATE_TEST_SUITE_P(All, KeptStoreTest,
                         testing::Values(StorePlace::kFile, StorePlace::kPostgres), NameOfPlace);

class FileStoreTest : public StoreTest {};
INSTANTIATE_TEST_SUITE_P(All, FileStoreTest, testing::Values(StorePlace::kFile), NameOfPlace);

TEST_P(KeptStoreTest, SurvivesClosing) {
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
  {
    std::unique_ptr<Database> old = *Database::Open(path, Database::Mode::kReadWrite);
    EXPECT_OK(Migrate(*old, 3));
    EXPECT_OK(
        old->Script("INSERT INTO device VALUES ('d1', 't', x'01', x'02', 0, '', '', '', '[]', "
                    "'{}', '', 1, 1, 0, 1);"));
    for (const int seq : {1, 2, 5})
      EXPECT_OK(old->Script(fmt::format(
          "INSERT INTO record VALUES (NULL, 'd1', 'aa', {}, 's', 1, 2, '[{}]');", seq, seq)));
  }
  Result<std::unique_ptr<Store>> store = OpenSqliteStore(path);
  ASSERT_TRUE(store.ok()) << store.status().ToString();
  EXPECT_OK((*store)->Read([&](Transaction& tx) -> Status {
    EXPECT_EQ(tx.intake().Mark("d1", "aa").value(), 5u);
    EXPECT_EQ(tx.retention().StreamSizes().value().at(0).bytes, 3 * (256 + 1 + 3));
    return OkStatus();
  }));
}

TEST_P(StoreTest, MarksOfTheLatestOutboxesAreKept) {
  EXPECT_OK(store_->Write([&](Transaction& tx) -> Status {
    FERRY_TRY(AddBasics(tx));
    for (uint64_t k = 1; k <= kMaxOutboxMarks + 3; ++k)
      FERRY_TRY(tx.intake().PutMark("d1", fmt::format("box{}", k), k));
    return OkStatus();
  }));
  EXPECT_OK(store_->Read([&](Transaction& tx) -> Status {
    for (uint64_t k = 1; k <= kMaxOutboxMarks + 3; ++k)
      EXPECT_EQ(tx.intake().Mark("d1", fmt::format("box{}", k)).value(), k > 3 ? k : 0) << k;
    return OkStatus();
  }));
}

TEST_P(StoreTest, StartsOfADeviceAreInOrderAndBounded) {
  EXPECT_OK(store_->Write([&](Transaction& tx) -> Status {
    FERRY_TRY(AddBasics(tx));
    for (size_t k = 1; k <= kMaxDeviceStarts + 2; ++k)
      FERRY_TRY(tx.devices().PutStart("d1", fmt::format("s{}", k), 1));
    FERRY_TRY(tx.devices().PutStart("d1", "s10", 2));
    const std::vector<std::string> starts = tx.devices().Starts("d1").value();
    EXPECT_EQ(starts.size(), kMaxDeviceStarts);
    EXPECT_EQ(starts[0], "s10");
    EXPECT_EQ(starts[1], fmt::format("s{}", kMaxDeviceStarts + 2));
    EXPECT_EQ(starts.back(), "s3");
    EXPECT_FALSE(tx.devices().State("d1").value().has_value());
    FERRY_TRY(tx.devices().PutState({"d1", "restored", 5}));
    FERRY_TRY(tx.devices().PutState({"d1", "copied", 6}));
    EXPECT_EQ(tx.devices().State("d1").value()->state, "copied");
    EXPECT_EQ(tx.devices().State("d1").value()->noted_ms, 6);
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
  expected = 1;
  for (const Migration& step : PostgresMigrations()) EXPECT_EQ(step.number, expected++);
}

TEST_P(StoreTest, GroupsComeWithTheirDevices) {
  Status status = store_->Write([](Transaction& tx) -> Status {
    FERRY_TRY(AddBasics(tx));
    FERRY_TRY(tx.devices().Put(MakeDevice("d2")));
    FERRY_TRY(tx.groups().Put({"staff", "", 5}));
    FERRY_TRY(tx.groups().Put({"lab", "", 6}));
    FERRY_TRY(tx.groups().Put({"pros", R"(user("plan") == "pro")", 7}));
    // Two from a newer server or a damaged row: nobody is in them, and devices are still read.
    FERRY_TRY(tx.groups().Put({"broken", "os ===", 8}));
    for (const char* group : {"staff", "lab"}) {
      FERRY_ASSIGN_OR_RETURN(const bool added, tx.groups().AddDevice(group, "d1"));
      EXPECT_TRUE(added);
    }
    FERRY_ASSIGN_OR_RETURN(const bool again, tx.groups().AddDevice("lab", "d1"));
    EXPECT_FALSE(again);
    EXPECT_EQ(tx.groups().AddDevice("lab", "nobody").code(), Code::kNotFound);
    EXPECT_EQ(tx.groups().Put({"lab", "", 6}).code(), Code::kConflict);
    return OkStatus();
  });
  ASSERT_TRUE(status.ok()) << status.ToString();
  status = store_->Write([](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(DeviceRow d1, tx.devices().Get("d1"));
    EXPECT_EQ(d1.groups, (std::vector<std::string>{"lab", "staff"}));
    EXPECT_TRUE(d1.fleet.all->Has("lab"));
    EXPECT_NE(d1.fleet.all->RuleOf("pros"), nullptr);
    EXPECT_FALSE(d1.fleet.all->Has("broken"));
    d1.groups.clear();  // a row that is put leaves them as they are
    FERRY_TRY(tx.devices().Put(d1));
    FERRY_ASSIGN_OR_RETURN(std::vector<DeviceRow> all, tx.devices().All("default"));
    EXPECT_EQ(all[0].groups.size(), 2u);
    EXPECT_TRUE(all[1].groups.empty());
    EXPECT_EQ(all[1].user.at("plan"), "pro");
    FERRY_ASSIGN_OR_RETURN(std::vector<std::string> members, tx.groups().Devices("lab", "", 10));
    EXPECT_EQ(members, (std::vector<std::string>{"d1"}));
    FERRY_ASSIGN_OR_RETURN(const bool gone, tx.groups().RemoveDevice("lab", "d1"));
    EXPECT_TRUE(gone);
    FERRY_ASSIGN_OR_RETURN(const bool twice, tx.groups().RemoveDevice("lab", "d1"));
    EXPECT_FALSE(twice);
    FERRY_TRY(tx.groups().Remove("staff"));  // with its list
    EXPECT_EQ(tx.groups().Remove("staff").code(), Code::kNotFound);
    FERRY_ASSIGN_OR_RETURN(const int64_t left, tx.groups().Count("staff"));
    EXPECT_EQ(left, 0);
    FERRY_ASSIGN_OR_RETURN(d1, tx.devices().Get("d1"));
    EXPECT_TRUE(d1.groups.empty());
    return OkStatus();
  });
  ASSERT_TRUE(status.ok()) << status.ToString();
}

}  // namespace
}  // namespace ferry::server
