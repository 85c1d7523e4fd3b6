// Many rows in one call against a call a row: two fleets of one store get the same random rows, one
// each way, and come to the same.
#include <gtest/gtest.h>

#include <atomic>
#include <random>
#include <thread>

#include "cloud-server/core/tally.h"
#include "cloud-server/store/sql/batches/batches.h"
#include "cloud-server/store/store.h"
#include "cloud-server/store/store_fixture.h"

namespace ferry::server {
namespace {

constexpr int kDevices = 6;
constexpr int kRounds = 40;

class BatchesTest : public StoreTest {
 protected:
  void SetUp() override {
    StoreTest::SetUp();
    if (IsSkipped()) return;
    ASSERT_TRUE(store_
                    ->Write([&](Transaction& tx) -> Status {
                      FERRY_TRY(tx.packages().Put(
                          {"digits", "1.0.0", 1, std::string(64, 'a'), 1000, "", 5}));
                      for (int i = 1; i <= 2; ++i) FERRY_TRY(AddRelease(tx, i));
                      for (int i = 0; i < kDevices; ++i)
                        for (const char* fleet : {"lists", "calls"})
                          FERRY_TRY(AddDevice(tx, fleet, i));
                      return OkStatus();
                    })
                    .ok());
  }

  static Status AddRelease(Transaction& tx, int number) {
    ReleaseRow release;
    release.id = fmt::format("r{}", number);
    release.package = "digits";
    release.version = "1.0.0";
    release.plan_json = release.settings_json = "{}";
    release.number = number;
    return tx.releases().Put(release);
  }

  static Status AddDevice(Transaction& tx, const std::string& fleet, int number) {
    DeviceRow device;
    device.id = fmt::format("{}{}", fleet, number);
    device.identity_public = device.seal_public = Bytes(32, 1);
    device.reads_desired = number % 3 != 0;
    return tx.devices().Put(device);
  }

  int Below(int count) { return std::uniform_int_distribution<>(0, count - 1)(random_); }
  bool Maybe() { return Below(2) == 0; }
  std::string Text() {
    static constexpr const char* kTexts[] = {"", "a", "\"quoted\" {1,2}", "NULL", "\\x00", "öß"};
    return kTexts[Below(6)];
  }
  // The fleet's name is put before it.
  std::string Device() { return std::to_string(Below(kDevices)); }

  template <typename Make>
  auto Some(const Make& make) {
    std::vector<decltype(make())> rows;
    for (int count = Below(2 * kDevices); count > 0; --count) rows.push_back(make());
    return rows;
  }

  MemberRow Member() {
    MemberRow row;
    row.release = Maybe() ? "r1" : "r2";
    row.device = Device();
    row.stage = Below(3);
    row.offered_ms = Below(1000);
    row.outcome = static_cast<Outcome>(Below(3));
    row.overdue = Maybe();
    row.done = Maybe();
    row.back = Maybe();
    row.control = Maybe();
    row.window = static_cast<Window>(Below(3));
    row.attempt = Below(4);
    row.told = Text();
    row.had_version = Text();
    row.step = Text();
    row.step_ms = Below(1000);
    row.error_code = Below(20);
    row.error_text = Text();
    row.bytes_pulled = static_cast<uint64_t>(Below(1 << 30)) << 20;
    row.was_delta = Maybe();
    row.by_push = Maybe();
    if (Maybe()) row.metrics = {{"latency", 0.5}, {Text() + "x", -1e300}};
    return row;
  }

  ReportRow Report() {
    ReportRow row;
    row.device = Device();
    row.seq = static_cast<uint64_t>(Below(20));
    row.release = Text();
    row.epoch = Below(5);
    row.step = Text();
    row.package = Text();
    row.version = Text();
    row.error_text = Text();
    row.time_ms = -Below(1000);
    row.was_delta = Maybe();
    if (Maybe()) row.metrics = {{"m", 1.25}};
    return row;
  }

  // Of what is stored.
  DeviceRow Changed(DeviceRow row) {
    row.identity_public = Maybe() ? Bytes() : Bytes(32, static_cast<uint8_t>(Below(256)));
    row.os = Text();
    row.app_version = Text();
    row.tags = {Text()};
    if (Maybe()) row.operator_tags = {Text(), Text()};
    row.extra = {{"k", Text()}};
    row.user = {{Text(), "v"}};
    row.isa = {Text()};
    row.blocked = Maybe();
    row.memory_bytes = Below(9);
    row.utc_offset_minutes = -Below(600);
    row.new_keys_ms = Below(5);
    row.reads_bins = Maybe();
    return row;
  }

  AssignmentRow Assignment() {
    AssignmentRow row;
    row.device = Device();
    row.counter = ++counter_;
    row.release = Text();
    row.action = "install";
    row.targets = {Text(), "t"};
    row.done = Maybe();
    row.desired_json = Text();
    row.personal = Below(3);
    return row;
  }

  // What is stored of a fleet, with its devices' names as the other's.
  Status ReadAll(Transaction& tx, const std::string& fleet, DeviceRows* rows,
                 std::vector<ReportRow>* reports) {
    const auto plain = [&](std::string& device) { device.erase(0, fleet.size()); };
    std::set<std::string> ids;
    for (int i = 0; i < kDevices; ++i) ids.insert(fmt::format("{}{}", fleet, i));
    const auto calls = MakeBatchesOfCalls(tx);
    FERRY_ASSIGN_OR_RETURN(*rows, calls->Devices(ids));
    std::map<std::string, AssignmentRow> assignments;
    for (auto& [id, row] : rows->assignments) {
      plain(row.device);
      assignments[row.device] = row;
    }
    rows->assignments = assignments;
    for (DeviceRow& row : rows->devices) plain(row.id);
    for (InstalledRow& row : rows->installed) plain(row.device);
    for (MemberRow& row : rows->members) plain(row.device);
    for (const std::string& id : ids) {
      FERRY_ASSIGN_OR_RETURN(std::vector<ReportRow> of, tx.reports().OfDevice(id, 100));
      for (ReportRow& row : of) plain(row.device);
      reports->insert(reports->end(), of.begin(), of.end());
    }
    return OkStatus();
  }

  std::mt19937 random_{25};
  int64_t counter_ = 0;
};

INSTANTIATE_TEST_SUITE_P(All, BatchesTest,
                         testing::Values(StorePlace::kMemory, StorePlace::kFile,
                                         StorePlace::kPostgres),
                         NameOfPlace);

template <typename Row>
std::vector<Row> Of(const std::string& fleet, std::vector<Row> rows) {
  for (Row& row : rows) row.device = fleet + row.device;
  return rows;
}

std::set<std::string> Ids(const std::string& fleet, const std::vector<std::string>& numbers) {
  std::set<std::string> ids;
  for (const std::string& number : numbers) ids.insert(fleet + number);
  return ids;
}

TEST_P(BatchesTest, ListsComeToWhatCallsDo) {
  for (int round = 0; round < kRounds; ++round) {
    const auto members = Some([&] { return Member(); }), reported = Some([&] { return Member(); });
    const auto reports = Some([&] { return Report(); });
    const auto assignments = Some([&] { return Assignment(); });
    const auto versions = Some([&] {
      return InstalledRow{Device(), Maybe() ? "p" : "q", Text() + "1", Text(), Maybe()};
    });
    const auto heard = Some([&] {
      return HeardRow{Device(), static_cast<uint64_t>(Below(99)), Below(99), Below(9)};
    });
    const auto settle = Some([&] { return Device(); });
    ASSERT_TRUE(store_
                    ->Write([&](Transaction& tx) -> Status {
                      const auto calls = MakeBatchesOfCalls(tx);
                      std::vector<bool> fresh[2];
                      size_t settled[2] = {};
                      for (const bool by_calls : {false, true}) {
                        BatchRepository& batches = by_calls ? *calls : tx.batches();
                        const std::string fleet = by_calls ? "calls" : "lists";
                        FERRY_ASSIGN_OR_RETURN(fresh[by_calls],
                                               batches.AddReports(Of(fleet, reports)));
                        FERRY_TRY(batches.PutHeard(Of(fleet, heard)));
                        FERRY_TRY(batches.PutHeard({{"nobody", 1, 1, 1}}));
                        FERRY_TRY(batches.PutVersions(Of(fleet, versions)));
                        FERRY_TRY(batches.PutMembers(Of(fleet, members)));
                        FERRY_TRY(batches.PutReported(Of(fleet, reported)));
                        FERRY_TRY(batches.PutAssignments(Of(fleet, assignments)));
                        FERRY_ASSIGN_OR_RETURN(const auto done,
                                               batches.SettleAssignments(Ids(fleet, settle)));
                        settled[by_calls] = done.size();
                      }
                      EXPECT_EQ(fresh[0], fresh[1]);
                      EXPECT_EQ(settled[0], settled[1]);
                      return OkStatus();
                    })
                    .ok());
    ASSERT_TRUE(store_
                    ->Read([&](Transaction& tx) -> Status {
                      DeviceRows lists, calls;
                      std::vector<ReportRow> list_reports, call_reports;
                      FERRY_TRY(ReadAll(tx, "lists", &lists, &list_reports));
                      FERRY_TRY(ReadAll(tx, "calls", &calls, &call_reports));
                      EXPECT_EQ(list_reports, call_reports);
                      EXPECT_EQ(lists.members, calls.members);
                      EXPECT_EQ(lists.installed, calls.installed);
                      EXPECT_EQ(lists.assignments, calls.assignments);
                      for (size_t i = 0; i < calls.devices.size(); ++i) {
                        EXPECT_EQ(lists.devices[i].report_seq, calls.devices[i].report_seq);
                        EXPECT_EQ(lists.devices[i].last_seen_ms, calls.devices[i].last_seen_ms);
                        EXPECT_EQ(lists.devices[i].root_version, calls.devices[i].root_version);
                        EXPECT_EQ(lists.devices[i].row_version, calls.devices[i].row_version);
                      }
                      return OkStatus();
                    })
                    .ok());
  }
}

TEST_P(BatchesTest, ListsOfDevicesComeToWhatCallsDo) {
  for (int round = 0; round < kRounds; ++round) {
    std::vector<DeviceRow> put;
    ASSERT_TRUE(store_
                    ->Write([&](Transaction& tx) -> Status {
                      put.clear();
                      std::vector<DeviceRow> lists, calls;
                      for (int i = 0; i < kDevices; ++i) {
                        if (Maybe()) continue;
                        FERRY_ASSIGN_OR_RETURN(const DeviceRow before,
                                               tx.devices().Get(fmt::format("lists{}", i)));
                        lists.push_back(Changed(before));
                        put.push_back(lists.back());
                        calls.push_back(lists.back());
                        calls.back().id = fmt::format("calls{}", i);
                      }
                      FERRY_TRY(tx.batches().PutDevices(lists));
                      return MakeBatchesOfCalls(tx)->PutDevices(calls);
                    })
                    .ok());
    ASSERT_TRUE(store_
                    ->Read([&](Transaction& tx) -> Status {
                      for (DeviceRow want : put) {
                        FERRY_ASSIGN_OR_RETURN(DeviceRow list, tx.devices().Get(want.id));
                        want.id.replace(0, 5, "calls");
                        FERRY_ASSIGN_OR_RETURN(DeviceRow call, tx.devices().Get(want.id));
                        EXPECT_EQ(list.row_version, want.row_version + 1);
                        EXPECT_EQ(list.row_version, call.row_version);
                        for (DeviceRow* row : {&list, &call, &want}) {
                          row->id.clear();
                          row->row_version = 0;
                          row->fleet.all = nullptr;
                        }
                        EXPECT_EQ(list, want);
                        EXPECT_EQ(call, want);
                      }
                      return OkStatus();
                    })
                    .ok());
  }
  const Status older = store_->Write([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(DeviceRow row, tx.devices().Get("lists1"));
    --row.row_version;
    return tx.batches().PutDevices({row});
  });
  EXPECT_EQ(older.code(), Code::kConflict);
}

TEST_P(BatchesTest, DevicesThatComeTogetherAreCounted) {
  ASSERT_TRUE(store_
                  ->Write([&](Transaction& tx) -> Status {
                    std::vector<DeviceRow> rows;
                    for (int i = 0; i < 50; ++i) {
                      DeviceRow& row = rows.emplace_back();
                      row.id = fmt::format("new{}", i);
                      row.os = fmt::format("os{}", i % 3);
                      row.blocked = i % 10 == 9;
                    }
                    return tx.batches().PutDevices(rows);
                  })
                  .ok());
  ASSERT_TRUE(store_
                  ->Read([&](Transaction& tx) -> Status {
                    std::map<std::string, int64_t> counted;
                    FERRY_ASSIGN_OR_RETURN(const std::vector<ProfileRow> profiles,
                                           tx.devices().Profiles("default"));
                    for (const ProfileRow& profile : profiles)
                      counted[profile.sample.os] += profile.devices;
                    const std::map<std::string, int64_t> expected = {
                        {"", 2 * kDevices}, {"os0", 15}, {"os1", 15}, {"os2", 15}};
                    EXPECT_EQ(counted, expected);
                    return OkStatus();
                  })
                  .ok());
}

TEST_P(BatchesTest, ListsReadWhatCallsRead) {
  const auto members = Of("lists", Some([&] { return Member(); }));
  const auto assignments = Of("lists", Some([&] { return Assignment(); }));
  ASSERT_TRUE(store_
                  ->Write([&](Transaction& tx) -> Status {
                    FERRY_TRY(tx.batches().PutMembers(members));
                    FERRY_TRY(tx.groups().Put({"g", "", 1}));
                    FERRY_TRY(AsStatus(tx.groups().AddDevice("g", "lists2")));
                    return tx.batches().PutAssignments(assignments);
                  })
                  .ok());
  ASSERT_TRUE(
      store_
          ->Read([&](Transaction& tx) -> Status {
            const std::set<std::string> ids = {"lists0", "lists2", "lists5", "nobody"};
            FERRY_ASSIGN_OR_RETURN(const DeviceRows lists, tx.batches().Devices(ids));
            FERRY_ASSIGN_OR_RETURN(const DeviceRows calls, MakeBatchesOfCalls(tx)->Devices(ids));
            EXPECT_EQ(lists.devices.size(), 3u);
            for (size_t i = 0; i < calls.devices.size(); ++i) {
              EXPECT_EQ(lists.devices[i].id, calls.devices[i].id);
              EXPECT_EQ(lists.devices[i].groups, calls.devices[i].groups);
              EXPECT_NE(lists.devices[i].fleet.all, nullptr);
            }
            EXPECT_EQ(lists.assignments, calls.assignments);
            EXPECT_EQ(lists.members, calls.members);
            FERRY_ASSIGN_OR_RETURN(const auto some, tx.batches().Members("r1", ids));
            FERRY_ASSIGN_OR_RETURN(const auto same, MakeBatchesOfCalls(tx)->Members("r1", ids));
            EXPECT_EQ(some, same);
            FERRY_ASSIGN_OR_RETURN(const DeviceRows none, tx.batches().Devices({}));
            EXPECT_TRUE(none.devices.empty());
            return OkStatus();
          })
          .ok());
}

TEST_P(BatchesTest, AnOlderAssignmentIsAConflict) {
  AssignmentRow newer = Assignment(), older = newer, other = newer;
  newer.device = older.device = "lists1";
  other.device = "lists2";
  newer.counter = 5;
  older.counter = 4;
  ASSERT_TRUE(
      store_->Write([&](Transaction& tx) { return tx.devices().PutAssignment(newer); }).ok());
  const Status status = store_->Write([&](Transaction& tx) {
    return tx.batches().PutAssignments({other, older});
  });
  EXPECT_EQ(status.code(), Code::kConflict);
}

TEST_P(BatchesTest, CountsAddUp) {
  Tallies expected;
  for (int round = 0; round < kRounds; ++round) {
    Tallies more;
    for (int i = Below(5); i > 0; --i) {
      MemberRow member = Member();
      member.release = "r1";
      CountMember(more, member, Below(4) - 1);
    }
    ASSERT_TRUE(
        store_->WriteInTurn([&](Transaction& tx) { return tx.releases().AddTallies(more); }).ok());
    AddTallies(expected, more);
  }
  ASSERT_TRUE(store_
                  ->Read([&](Transaction& tx) -> Status {
                    FERRY_ASSIGN_OR_RETURN(const Tallies stored, tx.releases().TalliesOf("r1"));
                    EXPECT_GE(stored.size(), expected.size());
                    for (const auto& [key, counts] : expected) {
                      EXPECT_EQ(stored.at(key).members(), counts.members()) << key.slice;
                      EXPECT_EQ(stored.at(key).failed, counts.failed) << key.slice;
                    }
                    return OkStatus();
                  })
                  .ok());
}

Status CountUp(Transaction& tx) {
  FERRY_ASSIGN_OR_RETURN(const auto text, tx.access().Setting("count"));
  return tx.access().PutSetting("count", std::to_string(std::stoi(text.value_or("0")) + 1));
}

// Of two nodes, each with two writers in turn; and, where `beside`, one that takes no turns, which
// makes the database refuse some of them.
void CountFromAllSides(std::vector<Store*> nodes, bool beside, std::atomic<int>* runs) {
  std::vector<std::thread> writers;
  for (Store* node : nodes)
    for (int i = 0; i < 2 + (beside ? 1 : 0); ++i)
      writers.emplace_back([node, i, runs] {
        const Store::Body body = [runs](Transaction& tx) {
          ++*runs;
          return CountUp(tx);
        };
        for (int times = 0; times < 10; ++times)
          EXPECT_TRUE((i < 2 ? node->WriteInTurn(body) : node->Write(body)).ok());
      });
  for (std::thread& writer : writers) writer.join();
}

TEST_P(BatchesTest, WritersInTurnDoNotClash) {
  if (GetParam() == StorePlace::kMemory) GTEST_SKIP() << "one object";
  auto other = OpenAgain();
  ASSERT_TRUE(other.ok());
  std::atomic<int> runs = 0;
  CountFromAllSides({store_.get(), other->get()}, false, &runs);
  EXPECT_EQ(runs, 40);  // none was made for nothing
  CountFromAllSides({store_.get(), other->get()}, true, &runs);
  ASSERT_TRUE(store_
                  ->Read([&](Transaction& tx) -> Status {
                    FERRY_ASSIGN_OR_RETURN(const auto text, tx.access().Setting("count"));
                    EXPECT_EQ(text.value_or(""), "100");
                    return OkStatus();
                  })
                  .ok());
}

}  // namespace
}  // namespace ferry::server
