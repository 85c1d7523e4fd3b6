// What keeps events from being lost or doubled: marks of runs, the position of a log, the spool.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "pipeline/store/outbox.h"

namespace ferry::store {
namespace {

class EventLogTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "ferry_event_log_" + std::to_string(getpid());
    std::filesystem::create_directories(folder_);
    Reopen();
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // As after a kill: what was not committed is gone.
  void Reopen(const OutboxOptions& options = {}) {
    outbox_ = nullptr;
    auto opened = OpenOutbox(folder_ + "/outbox.db", random_, options);
    ASSERT_TRUE(opened.ok()) << opened.status().ToString();
    outbox_ = std::move(*opened);
  }
  static TaskRun MakeRun(uint64_t event, const std::string& task, int records = 1) {
    TaskRun run;
    run.event = event;
    run.task = task;
    run.result = task + std::to_string(event);
    for (int k = 0; k < records; ++k) run.records.push_back({"s", 1, "{}"});
    return run;
  }
  Status Commit(std::vector<TaskRun> runs) { return CommitAll(&runs); }
  Status CommitAll(std::vector<TaskRun>* runs) {
    std::vector<TaskRun*> all;
    for (TaskRun& run : *runs) all.push_back(&run);
    return outbox_->Commit(all);
  }
  std::string Found(uint64_t event, const std::string& task) {
    auto found = outbox_->FindRun(event, task);
    EXPECT_TRUE(found.ok()) << found.status().ToString();
    return found.ok() && *found ? **found : "none";
  }

  std::string folder_;
  sys::SeededRandom random_{1};
  std::unique_ptr<Outbox> outbox_;
};

TEST_F(EventLogTest, ARunIsFoundUntilThePositionIsPastIt) {
  EXPECT_EQ(*outbox_->OpenLog("/events"), std::nullopt);
  ASSERT_TRUE(Commit({MakeRun(10, "a"), MakeRun(10, "b", 0), MakeRun(25, "a", 2)}).ok());
  Reopen();
  EXPECT_EQ(outbox_->stats().waiting, 3);
  ASSERT_TRUE(outbox_->OpenLog("/events").ok());
  EXPECT_EQ(Found(10, "a"), "a10");
  EXPECT_EQ(Found(10, "b"), "b10");
  EXPECT_EQ(Found(10, "c"), "none");
  EXPECT_EQ(Found(25, "a"), "a25");
  outbox_->NotePosition(10);
  Reopen();  // before it was written
  ASSERT_TRUE(outbox_->OpenLog("/events").ok());
  EXPECT_EQ(Found(10, "a"), "a10");
  outbox_->NotePosition(10);
  ASSERT_TRUE(Commit({MakeRun(40, "b")}).ok());
  Reopen();
  EXPECT_EQ(*outbox_->OpenLog("/events"), 10u);
  EXPECT_EQ(Found(10, "a"), "none");
  EXPECT_EQ(Found(25, "a"), "a25");
  EXPECT_EQ(Found(40, "b"), "b40");
  outbox_->NotePosition(40);
  outbox_->NotePosition(25);  // never back
  ASSERT_TRUE(outbox_->SavePosition().ok());
  Reopen();
  EXPECT_EQ(*outbox_->OpenLog("/events"), 40u);
}

TEST_F(EventLogTest, LogsDoNotMix) {
  ASSERT_TRUE(outbox_->OpenLog("/one").ok());
  ASSERT_TRUE(Commit({MakeRun(10, "a")}).ok());
  outbox_->NotePosition(5);
  ASSERT_TRUE(outbox_->SavePosition().ok());
  EXPECT_EQ(*outbox_->OpenLog("/two"), std::nullopt);
  EXPECT_EQ(Found(10, "a"), "none");
  EXPECT_EQ(*outbox_->OpenLog("/one"), 5u);
  EXPECT_EQ(Found(10, "a"), "a10");
  ASSERT_TRUE(outbox_->ResetLog(0).ok());  // another file under the same name
  EXPECT_EQ(Found(10, "a"), "none");
  EXPECT_EQ(*outbox_->OpenLog("/one"), 0u);
}

TEST_F(EventLogTest, AllLogsAreKnownWithTheirPositions) {
  ASSERT_TRUE(outbox_->OpenLog("/events").ok());
  ASSERT_TRUE(outbox_->ResetLog(25).ok());
  ASSERT_TRUE(outbox_->OpenLog(kSpoolLog).ok());
  Reopen();
  const auto logs = outbox_->Logs();
  ASSERT_TRUE(logs.ok());
  ASSERT_EQ(logs->size(), 2u);
  EXPECT_EQ((*logs)[0].name, "/events");
  EXPECT_EQ((*logs)[0].position, 25u);
  EXPECT_EQ((*logs)[1].name, kSpoolLog);
  EXPECT_EQ((*logs)[1].position, std::nullopt);
}

TEST_F(EventLogTest, AFullOutboxRefusesTheRecordsOfARunAndKeepsItsMark) {
  Reopen({.max_records = 2});
  ASSERT_TRUE(outbox_->OpenLog("/events").ok());
  std::vector<TaskRun> runs = {MakeRun(1, "a", 2), MakeRun(2, "a", 1), MakeRun(3, "a", 0)};
  runs.push_back(MakeRun(4, "a", 1));
  runs[3].records[0].json = "{";
  ASSERT_TRUE(CommitAll(&runs).ok());
  EXPECT_TRUE(runs[0].refused.ok());
  EXPECT_EQ(runs[1].refused.code(), Code::kLimitExceeded);
  EXPECT_TRUE(runs[2].refused.ok());
  EXPECT_EQ(runs[3].refused.code(), Code::kMalformed);
  EXPECT_EQ(outbox_->stats().waiting, 2);
  EXPECT_EQ(outbox_->stats().refused, 1);
  Reopen();
  ASSERT_TRUE(outbox_->OpenLog("/events").ok());
  for (uint64_t event = 1; event <= 4; ++event) EXPECT_NE(Found(event, "a"), "none");
}

TEST_F(EventLogTest, SpooledEventsStayUntilThePositionIsPastThem) {
  ASSERT_TRUE(outbox_->OpenLog(kSpoolLog).ok());
  EXPECT_EQ(*outbox_->Spool({"one", "two"}), 1u);
  EXPECT_EQ(*outbox_->Spool({"three"}), 3u);
  Reopen();
  ASSERT_TRUE(outbox_->OpenLog(kSpoolLog).ok());
  EXPECT_EQ(outbox_->stats().spooled, 3);
  auto events = outbox_->ReadSpool(1, 10, 1000);
  ASSERT_TRUE(events.ok());
  ASSERT_EQ(events->size(), 2u);
  EXPECT_EQ((*events)[1].json, "three");
  EXPECT_EQ(outbox_->ReadSpool(0, 10, 1)->size(), 1u);
  outbox_->NotePosition(3);
  ASSERT_TRUE(Commit({}).ok());
  EXPECT_EQ(outbox_->stats().spooled, 0);
  Reopen();
  EXPECT_EQ(*outbox_->OpenLog(kSpoolLog), 3u);
  EXPECT_EQ(*outbox_->Spool({"four"}), 4u);  // a number never comes again
}

TEST_F(EventLogTest, AFullSpoolTakesNone) {
  Reopen({.max_spooled = 2, .max_spooled_bytes = 10});
  ASSERT_TRUE(outbox_->OpenLog(kSpoolLog).ok());
  EXPECT_EQ(outbox_->Spool({"1", "2", "3"}).code(), Code::kLimitExceeded);
  EXPECT_EQ(outbox_->Spool({"12345678901"}).code(), Code::kLimitExceeded);
  ASSERT_TRUE(outbox_->Spool({"1234567890"}).ok());
  EXPECT_EQ(outbox_->Spool({"1"}).code(), Code::kLimitExceeded);
  outbox_->NotePosition(1);
  ASSERT_TRUE(outbox_->SavePosition().ok());
  EXPECT_TRUE(outbox_->Spool({"1"}).ok());
}

}  // namespace
}  // namespace ferry::store
