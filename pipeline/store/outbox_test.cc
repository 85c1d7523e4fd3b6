#include "pipeline/store/outbox.h"

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <deque>
#include <filesystem>
#include <fstream>
#include <random>

#include "common/base/buffers.h"
#include "pipeline/event/record.h"
#include "pipeline/sqlite/sqlite.h"

namespace ferry::store {
namespace {

using testing::HasSubstr;

class OutboxTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "ferry_outbox_" + std::to_string(getpid());
    std::filesystem::create_directories(folder_);
    path_ = folder_ + "/outbox.db";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::unique_ptr<Outbox> Open(const OutboxOptions& options = {}) {
    auto outbox = OpenOutbox(path_, random_, options);
    EXPECT_TRUE(outbox.ok()) << outbox.status().ToString();
    return std::move(*outbox);
  }

  std::string folder_, path_;
  sys::SeededRandom random_{1};
};

Record MakeRecord(int k) {
  return {"s", k, "{\"k\":" + std::to_string(k) + "}"};
}

TEST_F(OutboxTest, NumbersHaveNoGapsOverReopening) {
  {
    auto outbox = Open();
    EXPECT_EQ(*outbox->Append({MakeRecord(1), MakeRecord(2)}), 1u);
    EXPECT_EQ(*outbox->Append({MakeRecord(3)}), 3u);
    EXPECT_EQ(outbox->Read(1, 1, 1000)->outbox_id.size(), kOutboxIdBytes);
    EXPECT_TRUE(outbox->Acknowledge(3).ok());
  }
  auto outbox = Open();
  EXPECT_EQ(*outbox->Append({MakeRecord(4)}), 4u);
  auto batch = outbox->Read(1, 10, 1000);
  ASSERT_TRUE(batch.ok());
  EXPECT_EQ(batch->first_seq, 4u);
  ASSERT_EQ(batch->records.size(), 1u);
  EXPECT_EQ(batch->records[0].json, "{\"k\":4}");
  EXPECT_EQ(outbox->stats().acked_seq, 3u);
  EXPECT_EQ(outbox->stats().waiting, 1);
}

TEST_F(OutboxTest, EachOpeningNumbersItsRecordsUnderAnIdOfItsOwn) {
  std::vector<Bytes> ids;
  for (uint64_t opening = 0; opening < 3; ++opening) {
    auto outbox = Open();
    ASSERT_TRUE(outbox->Append({MakeRecord(1), MakeRecord(2)}).ok());
    auto batch = outbox->Read(2 * opening + 2, 10, 1000);
    ASSERT_TRUE(batch.ok());
    ASSERT_EQ(batch->records.size(), 1u);  // of one id
    EXPECT_EQ(batch->first_seq - batch->base, 2u);
    for (const Bytes& before : ids) EXPECT_NE(batch->outbox_id, before);
    ids.push_back(batch->outbox_id);
  }
  auto outbox = Open();
  EXPECT_EQ(*outbox->SeqOf(ids[1], 2), 4u);
  EXPECT_EQ(outbox->SeqOf(ids[1], 3).code(), Code::kInvalidArgument);
  ASSERT_TRUE(outbox->Acknowledge(3).ok());
  EXPECT_EQ(outbox->SeqOf(ids[0], 2).code(), Code::kNotFound);
  EXPECT_EQ(*outbox->SeqOf(ids[1], 2), 4u);
}

// A file of the first release: its records keep their id and numbers.
TEST_F(OutboxTest, AFileOfTheFirstVersionIsReadOn) {
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(path_.c_str(), &db), SQLITE_OK);
  ASSERT_TRUE(sqlite::Execute(db, R"(
    PRAGMA application_id = 1182363490;
    PRAGMA user_version = 1;
    CREATE TABLE record(seq INTEGER PRIMARY KEY, stream TEXT NOT NULL,
      time_ms INTEGER NOT NULL, json TEXT NOT NULL);
    CREATE TABLE state(one INTEGER PRIMARY KEY CHECK (one = 1), id BLOB NOT NULL,
      next_seq INTEGER NOT NULL, acked_seq INTEGER NOT NULL, waiting INTEGER NOT NULL,
      waiting_bytes INTEGER NOT NULL, refused INTEGER NOT NULL);
    INSERT INTO state VALUES (1, x'00112233445566778899aabbccddeeff', 9, 7, 1, 8, 2);
    INSERT INTO record VALUES (8, 's', 8, '{"k":8}');
  )")
                  .ok());
  sqlite3_close(db);
  auto outbox = Open();
  EXPECT_EQ(*outbox->Append({MakeRecord(9)}), 9u);
  auto old = outbox->Read(1, 10, 1000);
  ASSERT_TRUE(old.ok());
  ASSERT_EQ(old->records.size(), 1u);
  EXPECT_EQ(ToHex(old->outbox_id), "00112233445566778899aabbccddeeff");
  EXPECT_EQ(old->first_seq - old->base, 8u);
  auto fresh = outbox->Read(9, 10, 1000);
  EXPECT_EQ(fresh->first_seq - fresh->base, 1u);
  EXPECT_EQ(outbox->stats().refused, 2);
}

TEST_F(OutboxTest, AgreesWithAListInMemory) {
  std::mt19937 random(4);
  std::deque<Record> model;
  uint64_t first = 1, next = 1;  // of the model
  auto outbox = Open();
  for (int round = 0; round < 300; ++round) {
    const uint32_t pick = random() % 10;
    if (pick < 5) {
      std::vector<Record> records;
      for (uint32_t k = random() % 5; k > 0; --k)
        records.push_back(MakeRecord(static_cast<int>(random() % 1000)));
      ASSERT_EQ(*outbox->Append(records), next);
      next += records.size();
      model.insert(model.end(), records.begin(), records.end());
    } else if (pick < 7) {
      const uint64_t to = first + random() % (next - first + 1) - 1;
      ASSERT_TRUE(outbox->Acknowledge(to).ok());
      for (; first <= to; ++first) model.pop_front();
    } else if (pick == 7) {
      outbox = nullptr;
      outbox = Open();
    } else {
      const uint64_t from = random() % (next + 2);
      auto batch = outbox->Read(from, 1 + random() % 8, 1 << 20);
      ASSERT_TRUE(batch.ok());
      EXPECT_EQ(batch->first_seq, std::max(from, first));
      for (size_t k = 0; k < batch->records.size(); ++k)
        EXPECT_EQ(batch->records[k].json, model.at(batch->first_seq - first + k).json);
      if (batch->first_seq < next) {
        EXPECT_GT(batch->records.size(), 0u);
      }
    }
    int64_t bytes = 0;
    for (const Record& record : model)
      bytes += static_cast<int64_t>(record.stream.size() + record.json.size());
    ASSERT_EQ(outbox->stats().waiting, static_cast<int64_t>(model.size()));
    ASSERT_EQ(outbox->stats().waiting_bytes, bytes);
  }
}

TEST_F(OutboxTest, FullRefusesTheNewAndKeepsTheOld) {
  OutboxOptions options;
  options.max_records = 3;
  auto outbox = Open(options);
  ASSERT_TRUE(outbox->Append({MakeRecord(1), MakeRecord(2), MakeRecord(3)}).ok());
  auto refused = outbox->Append({MakeRecord(4)});
  EXPECT_EQ(refused.code(), Code::kLimitExceeded);
  EXPECT_THAT(refused.status().message(), HasSubstr("3 records of 3"));
  EXPECT_EQ(outbox->stats().refused, 1);
  outbox = nullptr;
  outbox = Open(options);
  EXPECT_EQ(outbox->stats().refused, 1);
  ASSERT_TRUE(outbox->Acknowledge(1).ok());
  EXPECT_EQ(*outbox->Append({MakeRecord(5)}), 4u);  // a refused record took no number

  OutboxOptions bytes;
  bytes.max_bytes = outbox->stats().waiting_bytes + 8;
  outbox = nullptr;
  outbox = Open(bytes);
  EXPECT_TRUE(outbox->Append({MakeRecord(6)}).ok());  // exactly 8
  EXPECT_EQ(outbox->Append({{"s", 1, "1"}}).code(), Code::kLimitExceeded);
}

TEST_F(OutboxTest, BatchesAreBoundedInRecordsAndBytes) {
  auto outbox = Open();
  std::vector<Record> records(20, Record{"s", 1, std::string(99, '1')});
  ASSERT_TRUE(outbox->Append(records).ok());
  const bool tiny = BufferBytes(1 << 20) < (1 << 20);  // a rerun with small buffers
  EXPECT_EQ(outbox->Read(1, 7, 1 << 20)->records.size(), tiny ? 1u : 7u);
  EXPECT_LE(outbox->Read(1, 100, 500)->records.size(), 5u);
  EXPECT_EQ(outbox->Read(1, 100, 10)->records.size(), 1u);  // one goes even when it is larger
  EXPECT_TRUE(outbox->Read(21, 100, 500)->records.empty());
  EXPECT_EQ(outbox->Acknowledge(21).code(), Code::kInvalidArgument);
}

TEST_F(OutboxTest, WhatNoServerTakesGetsNoNumber) {
  auto outbox = Open();
  const std::string longest(event::kMaxRecordBytes - 3, 'x');
  EXPECT_EQ(*outbox->Append({{"s", 1, '"' + longest + '"'}}), 1u);
  EXPECT_EQ(outbox->Append({{"s", 1, '"' + longest + "x\""}}).code(), Code::kLimitExceeded);
  const auto deep = outbox->Append({{"s", 1, std::string(65, '[') + std::string(65, ']')}});
  EXPECT_EQ(deep.code(), Code::kLimitExceeded);
  EXPECT_THAT(deep.status().message(), HasSubstr("stream s: JSON nested deeper than 64"));
  EXPECT_EQ(outbox->Append({{"s", 1, "\"\xff\""}}).code(), Code::kMalformed);
  EXPECT_EQ(outbox->Append({{"two words", 1, "{}"}}).code(), Code::kMalformed);
  EXPECT_EQ(outbox->stats().next_seq, 2u);
}

// The others of its batch go.
TEST_F(OutboxTest, ARecordThatIsTooLargeIsRefusedAlone) {
  auto outbox = Open();
  ASSERT_TRUE(outbox->OpenLog(kEventLog).ok());
  const Record large = {"big", 1, '"' + std::string(event::kMaxRecordBytes, 'x') + '"'};
  std::vector<RefusedRecord> refused;
  EXPECT_EQ(*outbox->Append({MakeRecord(1), large, MakeRecord(2)}, &refused), 1u);
  ASSERT_EQ(refused.size(), 1u);
  EXPECT_EQ(refused[0].at, 1u);
  EXPECT_THAT(refused[0].why.message(), HasSubstr("stream big"));
  TaskRun run;
  run.event = 1;
  run.records = {large, MakeRecord(3), MakeRecord(4), large};
  TaskRun* const runs[] = {&run};
  ASSERT_TRUE(outbox->Commit(runs).ok());
  EXPECT_EQ(run.refused.code(), Code::kLimitExceeded);
  ASSERT_EQ(run.refused_records.size(), 2u);
  EXPECT_EQ(run.refused_records[1].at, 3u);
  const auto batch = outbox->Read(1, 100, 1 << 20);
  ASSERT_EQ(batch->records.size(), 4u);
  EXPECT_EQ(batch->records[3].json, MakeRecord(4).json);
  EXPECT_EQ(outbox->stats().unfit, 3);
  EXPECT_THAT(outbox->stats().last_unfit, HasSubstr("stream big"));
}

TEST_F(OutboxTest, ItsFilesAreForTheAppsUserAlone) {
  const auto rights = [](const std::string& path) {
    return static_cast<int>(std::filesystem::status(path).permissions());
  };
  std::ofstream(path_).close();  // made by a release that left it to others
  std::filesystem::permissions(path_, std::filesystem::perms(0644));
  auto outbox = Open();
  ASSERT_TRUE(outbox->Append({MakeRecord(1)}).ok());
  for (const char* ending : {"", "-wal", "-shm"}) EXPECT_EQ(rights(path_ + ending), 0600) << ending;
}

TEST_F(OutboxTest, OtherFilesAreLeftAlone) {
  std::ofstream(path_) << std::string(5000, 'x');
  auto outbox = OpenOutbox(path_, random_);
  EXPECT_EQ(outbox.code(), Code::kMalformed);
  EXPECT_THAT(outbox.status().message(), HasSubstr("outbox.db"));
  EXPECT_EQ(std::filesystem::file_size(path_), 5000u);
  EXPECT_EQ(OpenOutbox(folder_ + "/none/outbox.db", random_).code(), Code::kIo);
}

TEST_F(OutboxTest, InMemory) {
  auto outbox = OpenOutbox(":memory:", random_);
  ASSERT_TRUE(outbox.ok());
  EXPECT_EQ(*(*outbox)->Append({MakeRecord(1)}), 1u);
}

// A child appends one by one and says so over a pipe; it is killed in the middle. Everything it
// said is there, in order.
TEST_F(OutboxTest, WhatWasAppendedSurvivesAKill) {
  for (int round = 0; round < 5; ++round) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
      close(ends[0]);
      auto outbox = OpenOutbox(path_, random_);
      for (int k = 0; outbox.ok(); ++k) {
        auto seq = (*outbox)->Append({MakeRecord(k)});
        if (!seq.ok() || write(ends[1], &*seq, sizeof(*seq)) != sizeof(*seq)) break;
      }
      _exit(1);
    }
    close(ends[1]);
    uint64_t last = 0;
    for (int k = 0; k < 10 + round * 7; ++k) {
      ASSERT_EQ(read(ends[0], &last, sizeof(last)), static_cast<ssize_t>(sizeof(last)));
    }
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    while (read(ends[0], &last, sizeof(last)) == static_cast<ssize_t>(sizeof(last))) {
    }
    close(ends[0]);
    auto outbox = Open();
    EXPECT_GE(outbox->stats().next_seq, last + 1);
    auto batch = outbox->Read(1, 100000, 1 << 24);
    ASSERT_TRUE(batch.ok());
    EXPECT_GT(batch->records.size(), 0u);
  }
}

// With the app's key nothing that tasks wrote can be read from the disk; a plain file is sealed.
TEST_F(OutboxTest, ASealedOutboxHidesItsRowsAndKeepsThem) {
  const auto key = crypto::Secret32::From(Bytes(32, 5), "key").value();
  const auto other = crypto::Secret32::From(Bytes(32, 6), "key").value();
  const auto hidden = [&] {
    for (const auto& file : std::filesystem::directory_iterator(folder_)) {
      std::ifstream in(file.path(), std::ios::binary);
      const std::string bytes{std::istreambuf_iterator<char>(in), {}};
      if (bytes.find("visited_a_doctor") != std::string::npos) return false;
    }
    return true;
  };
  {
    auto outbox = Open();
    EXPECT_EQ(*outbox->Append({{"s", 1, R"({"page":"visited_a_doctor"})"}}), 1u);
    EXPECT_FALSE(hidden());
  }
  {
    auto outbox = Open({.key = key});
    EXPECT_TRUE(hidden());
    StateChanges state;
    state.Put("k", "visited_a_doctor");
    ASSERT_TRUE(outbox->Commit({.state = &state}).ok());
    EXPECT_EQ(*outbox->Append({{"s", 2, R"({"page":"visited_a_doctor","more":1})"}}), 2u);
    EXPECT_TRUE(hidden());
  }
  EXPECT_TRUE(hidden());
  EXPECT_EQ(OpenOutbox(path_, random_, {}).status().code(), Code::kWrongKey);
  EXPECT_EQ(OpenOutbox(path_, random_, {.key = other}).status().code(), Code::kWrongKey);
  auto outbox = Open({.key = key});
  const auto batch = outbox->Read(1, 10, 1000);
  ASSERT_TRUE(batch.ok());
  ASSERT_EQ(batch->records.size(), 1u);  // one outbox id a batch
  EXPECT_EQ(batch->records[0].json, R"({"page":"visited_a_doctor"})");
  EXPECT_EQ(outbox->stats().waiting, 2);
  EXPECT_EQ(outbox->LoadState("k")->at(0).second, "visited_a_doctor");
}

// A key that is lost: the file is of no use to anybody, and the device goes on with a new one.
TEST_F(OutboxTest, AKeyThatIsLostCostsWhatItSealed) {
  const auto key = crypto::Secret32::From(Bytes(32, 5), "key").value();
  const auto other = crypto::Secret32::From(Bytes(32, 6), "key").value();
  EXPECT_EQ(*Open({.key = key})->Append({MakeRecord(1)}), 1u);
  EXPECT_EQ(OpenOutbox(path_, random_, {.key = other}).status().code(), Code::kWrongKey);
  EXPECT_EQ(Open({.key = key, .forget_sealed = true})->stats().waiting, 1);
  EXPECT_EQ(Open({.key = other, .forget_sealed = true})->stats().waiting, 0);
  EXPECT_EQ(Open({.forget_sealed = true})->stats().waiting, 0);
  EXPECT_EQ(Open()->stats().next_seq, 1u);
}

TEST_F(OutboxTest, AStrangersFileIsNotSealed) {
  std::ofstream(path_) << "a letter that somebody keeps here";
  const auto key = crypto::Secret32::From(Bytes(32, 5), "key").value();
  EXPECT_EQ(OpenOutbox(path_, random_, {.key = key}).status().code(), Code::kMalformed);
  std::ifstream in(path_);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}),
            "a letter that somebody keeps here");
}

}  // namespace
}  // namespace ferry::store
