// Records, marks, state, tables and position commit together or not at all.
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "pipeline/sqlite/sqlite.h"
#include "pipeline/store/outbox.h"

namespace ferry::store {
namespace {

class CommitTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "ferry_commit_" + std::to_string(getpid());
    std::filesystem::create_directories(folder_);
    path_ = folder_ + "/outbox.db";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::unique_ptr<Outbox> Open() {
    auto outbox = OpenOutbox(path_, random_);
    EXPECT_TRUE(outbox.ok()) << outbox.status().ToString();
    if (!outbox.ok()) return nullptr;
    EXPECT_TRUE((*outbox)->OpenLog(kEventLog).ok());
    return std::move(*outbox);
  }
  static table::Definition Counts() {
    return table::DefinitionFromJson({{"name", "counts"},
                                      {"key", {"user"}},
                                      {"columns", {{"user", "int"}, {"events", "int"}}},
                                      {"retention", {{"rows", 3}}}})
        .value();
  }
  // What event `number` leaves, in every part.
  static Status CommitEvent(Outbox& outbox, uint64_t number) {
    TaskRun run;
    run.event = number + 1;  // above the position, so that its mark stays
    run.task = "t";
    run.records.push_back({"s", 1, std::to_string(number)});
    StateChanges state;
    state.Put("events", std::to_string(number));
    state.Put("e/" + std::to_string(number), "x");
    state.Delete("e/" + std::to_string(number - 1));
    table::Batch batch(outbox.tables());
    FERRY_TRY(batch.Put("counts", {{"user", number % 5}, {"events", number}}));
    TaskRun* const runs[] = {&run};
    table::Batch* const batches[] = {&batch};
    return outbox.Commit({.runs = runs,
                          .state = &state,
                          .tables = batches,
                          .position = number,
                          .now_ms = static_cast<int64_t>(number)});
  }
  // All parts say the same number, which is the answer.
  static uint64_t Agreed(Outbox& outbox) {
    const uint64_t position = outbox.OpenLog(kEventLog)->value_or(0);
    const auto events = outbox.LoadState("");
    if (position == 0) {
      EXPECT_TRUE(events->empty());
      EXPECT_EQ(outbox.stats().next_seq, 1u);
      return 0;
    }
    const std::string number = std::to_string(position);
    EXPECT_THAT(*events, testing::ElementsAre(testing::Pair("e/" + number, "x"),
                                              testing::Pair("events", number)));
    EXPECT_EQ(outbox.stats().state_pairs, 2);
    EXPECT_EQ(outbox.stats().next_seq, position + 1);
    EXPECT_EQ(outbox.Read(position, 1, 1000)->records.at(0).json, number);
    EXPECT_TRUE(outbox.FindRun(position + 1, "t")->has_value());
    EXPECT_FALSE(outbox.FindRun(position + 2, "t")->has_value());
    table::Batch batch(outbox.tables());
    EXPECT_EQ((*batch.Get("counts", {position % 5}))["events"], position);
    EXPECT_EQ(batch.Range("counts", {})->size(), std::min<uint64_t>(position, 3));
    EXPECT_EQ(outbox.tables().stats()[0].rows,
              static_cast<int64_t>(std::min<uint64_t>(position, 3)));
    return position;
  }

  std::string folder_, path_;
  sys::SeededRandom random_{1};
};

// A trigger in the database makes each kind of statement fail in turn.
TEST_F(CommitTest, AFailureAtAnyStatementLeavesNothing) {
  const char* const statements[] = {"INSERT ON record",
                                    "INSERT ON run",
                                    "DELETE ON run",
                                    "INSERT ON pair",
                                    "DELETE ON pair",
                                    "UPDATE ON log",
                                    "UPDATE ON state",
                                    "INSERT ON collective_row",
                                    "DELETE ON collective_row",
                                    "INSERT ON collective"};
  auto outbox = Open();
  ASSERT_TRUE(outbox->tables().Declare(Counts()).ok());
  uint64_t number = 0;
  while (number < 8) ASSERT_TRUE(CommitEvent(*outbox, ++number).ok());
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open(path_.c_str(), &other), SQLITE_OK);
  for (const std::string statement : statements) {
    ASSERT_TRUE(sqlite::Execute(other, ("CREATE TRIGGER fail BEFORE " + statement +
                                        " BEGIN SELECT RAISE(ABORT, 'injected'); END")
                                           .c_str())
                    .ok())
        << statement;
    EXPECT_FALSE(CommitEvent(*outbox, number + 1).ok()) << statement;
    ASSERT_TRUE(sqlite::Execute(other, "DROP TRIGGER fail").ok());
    EXPECT_EQ(Agreed(*outbox), number) << statement;
    outbox = nullptr;
    outbox = Open();
    EXPECT_EQ(Agreed(*outbox), number) << statement;
    ASSERT_TRUE(CommitEvent(*outbox, ++number).ok()) << statement;
    EXPECT_EQ(Agreed(*outbox), number);
  }
  sqlite3_close(other);
}

// A child commits event after event and is killed at a random moment; what it said is there.
TEST_F(CommitTest, AKillAtAnyMomentLeavesAllPartsAgreed) {
  ASSERT_TRUE(Open()->tables().Declare(Counts()).ok());
  uint64_t before = 0;
  for (int round = 0; round < 25; ++round) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
      close(ends[0]);
      auto outbox = Open();
      for (uint64_t number = before + 1; outbox != nullptr; ++number)
        if (!CommitEvent(*outbox, number).ok() || write(ends[1], &number, 8) != 8) break;
      _exit(1);
    }
    close(ends[1]);
    uint64_t said = before;
    for (uint64_t k = random_.Below(4) + 1; k > 0; --k) ASSERT_EQ(read(ends[0], &said, 8), 8);
    usleep(static_cast<useconds_t>(random_.Below(4000)));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    while (read(ends[0], &said, 8) == 8) {
    }
    close(ends[0]);
    auto outbox = Open();
    const uint64_t agreed = Agreed(*outbox);
    ASSERT_GE(agreed, said);
    ASSERT_LE(agreed, said + 1);
    before = agreed;
  }
}

TEST_F(CommitTest, StateIsReadByItsBeginning) {
  auto outbox = Open();
  StateChanges state;
  PrefixedState one(state, "a/"), two(state, std::string("\xff", 1));
  one.Put("1", "x");
  one.Put("2", std::string("\0y", 2));
  two.Put("z", "");
  state.Put("b", "last");
  EXPECT_EQ(state.bytes(), 3u + 1 + 3 + 2 + 2 + 0 + 1 + 4);
  ASSERT_TRUE(outbox->Commit({.state = &state}).ok());
  outbox = nullptr;
  outbox = Open();
  EXPECT_THAT(
      *outbox->LoadState("a/"),
      testing::ElementsAre(testing::Pair("a/1", "x"), testing::Pair("a/2", std::string("\0y", 2))));
  EXPECT_EQ(outbox->LoadState("\xff")->size(), 1u);
  EXPECT_EQ(outbox->stats().state_bytes, 16);
  state.Clear();
  state.DeletePrefix("a/");
  state.Put("a/3", "z");
  ASSERT_TRUE(outbox->Commit({.state = &state}).ok());
  EXPECT_EQ(outbox->LoadState("a/")->size(), 1u);
  EXPECT_EQ(outbox->stats().state_pairs, 3);
}

// A file of the release before: its records, marks and positions stay.
TEST_F(CommitTest, AFileOfTheSecondVersionIsReadOn) {
  { ASSERT_TRUE(CommitEvent(*Open(), 1).code() == Code::kNotFound); }  // no such table
  {
    auto outbox = Open();
    ASSERT_TRUE(outbox->Append({{"s", 1, "1"}}).ok());
    outbox->NotePosition(7);
    ASSERT_TRUE(outbox->SavePosition().ok());
  }
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(path_.c_str(), &db), SQLITE_OK);
  ASSERT_TRUE(sqlite::Execute(db,
                              "DROP TABLE pair; DROP TABLE collective; DROP TABLE collective_row;"
                              "DROP TABLE erasure; ALTER TABLE state DROP COLUMN consent;"
                              "ALTER TABLE state DROP COLUMN withheld;"
                              "PRAGMA user_version = 2;")
                  .ok());
  sqlite3_close(db);
  auto outbox = Open();
  EXPECT_EQ(outbox->OpenLog(kEventLog)->value(), 7u);
  EXPECT_EQ(outbox->stats().waiting, 1);
  ASSERT_TRUE(outbox->tables().Declare(Counts()).ok());
  EXPECT_TRUE(CommitEvent(*outbox, 8).ok());
}

}  // namespace
}  // namespace ferry::store
