#include "tools/device/event_source.h"
#include "device-runtime/task/outcome.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <vector>

#include "device-runtime/agent/state/twin_file.h"
#include "tools/device/output.h"

namespace ferry::device {
namespace {

class EventSourceTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "ferry-events-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    file_ = folder_ + "/events.jsonl";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void Append(const std::string& text) { std::ofstream(file_, std::ios::app) << text; }
  // As of a process that starts: what the one before did not save is gone.
  EventSource Source() { return Source(file_); }
  EventSource Source(const std::string& path) {
    outbox_ = nullptr;
    outbox_ = store::OpenOutbox(folder_ + "/outbox.db", sys::SystemRandom()).value();
    return EventSource(sys::SystemFileSystem(), path, folder_ + "/position", *outbox_);
  }
  // What the events up to this one led to is committed.
  void Commit(uint64_t number) {
    store::Changes changes;
    changes.position = number;
    EXPECT_TRUE(outbox_->Commit(changes).ok());
  }
  // Each is worked off at once, unless `undone` takes its number.
  std::vector<std::string> Lines(EventSource& source, size_t most = 100,
                                 std::vector<uint64_t>* undone = nullptr) {
    std::vector<std::string> lines;
    uint64_t last = 0;
    const Status status = source.Read(most, [&](const std::string& line, uint64_t number) {
      lines.push_back(line);
      last = number;
      if (undone != nullptr) undone->push_back(number);
    });
    EXPECT_TRUE(status.ok()) << status.ToString();
    if (last != 0 && undone == nullptr) Commit(last);
    return lines;
  }
  using Strings = std::vector<std::string>;

  std::string folder_, file_;
  std::unique_ptr<store::Outbox> outbox_;
};

TEST_F(EventSourceTest, WaitsForTheFileAndForWholeLines) {
  EventSource source = Source();
  EXPECT_EQ(Lines(source), Strings{});
  Append("one\ntw");
  EXPECT_EQ(Lines(source), Strings{"one"});
  EXPECT_EQ(Lines(source), Strings{});
  Append("o\n\nthree\n");
  EXPECT_EQ(Lines(source), (Strings{"two", "three"}));
}

TEST_F(EventSourceTest, ARestartGoesOnAfterTheLastLineGiven) {
  Append("one\ntwo\nthree\nfo");
  {
    EventSource source = Source();
    EXPECT_EQ(Lines(source, 2), (Strings{"one", "two"}));
  }
  {
    EventSource source = Source();
    EXPECT_EQ(Lines(source), Strings{"three"});
  }
  Append("ur\n");
  EventSource source = Source();
  EXPECT_EQ(Lines(source), Strings{"four"});
}

TEST_F(EventSourceTest, AFileThatWasReplacedByAShorterOneIsReadFromItsStart) {
  Append("one\ntwo\nthree\n");
  {
    EventSource source = Source();
    EXPECT_EQ(Lines(source).size(), 3u);
  }
  std::filesystem::remove(file_);
  Append("new\n");
  EventSource source = Source();
  EXPECT_EQ(Lines(source), Strings{"new"});
}

TEST_F(EventSourceTest, LinesThatAreNotCommittedComeAgainAndNoOthers) {
  Append("one\ntwo\n\nthree\nfour\n");
  std::vector<uint64_t> numbers;
  {
    EventSource source = Source();
    EXPECT_EQ(Lines(source, 100, &numbers).size(), 4u);
    EXPECT_EQ(numbers, (std::vector<uint64_t>{4, 8, 15, 20}));
    Commit(4);
  }
  numbers.clear();
  {
    EventSource source = Source();
    EXPECT_EQ(Lines(source, 100, &numbers), (Strings{"two", "three", "four"}));
    EXPECT_EQ(numbers, (std::vector<uint64_t>{8, 15, 20}));
  }
  EventSource source = Source();
  EXPECT_EQ(Lines(source).size(), 3u);
}

TEST_F(EventSourceTest, WhatCameOutOfAPipeComesAgainUntilItIsCommitted) {
  ASSERT_EQ(::mkfifo(file_.c_str(), 0600), 0);
  const int writer = ::open(file_.c_str(), O_RDWR);
  ASSERT_GE(writer, 0);
  const std::string text = "one\ntwo\nthr";
  ASSERT_EQ(::write(writer, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  std::vector<uint64_t> numbers;
  {
    EventSource source = Source();
    EXPECT_EQ(Lines(source, 100, &numbers), (Strings{"one", "two"}));
    Commit(numbers[0]);
  }
  EventSource source = Source();
  EXPECT_EQ(Lines(source), Strings{"two"});
  ASSERT_EQ(::write(writer, "four\n", 5), 5);
  EXPECT_EQ(Lines(source), Strings{"four"});
  EXPECT_EQ(outbox_->stats().spooled, 0);
  ::close(writer);
}

TEST_F(EventSourceTest, ThePositionOfAnOlderVersionIsTakenOver) {
  Append("one\ntwo\nthree\n");
  agent::TwinFile old(sys::SystemFileSystem(), folder_ + "/position");
  ASSERT_TRUE(old.Write(AsBytes(std::string_view(R"({"offset":4})"))).ok());
  std::ofstream(folder_ + "/position") << "{\"offset\":";  // one copy is damaged
  {
    EventSource source = Source();
    EXPECT_EQ(Lines(source), (Strings{"two", "three"}));
  }
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/position"));
  EventSource source = Source();
  EXPECT_EQ(Lines(source), Strings{});
}

TEST_F(EventSourceTest, ALineThatIsTooLongIsSkipped) {
  Append("one\n" + std::string(kMaxLineBytes + (1 << 20), 'x') + "\ntwo\n");
  EventSource source = Source();
  EXPECT_EQ(Lines(source), (Strings{"one", "two"}));
}

TEST_F(EventSourceTest, OnlyAsManyLinesAsAskedFor) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += std::to_string(i) + "\n";
  Append(text);
  EventSource source = Source();
  int next = 0;
  for (int turn = 0; turn < 10; ++turn) {
    for (const std::string& line : Lines(source, 100)) EXPECT_EQ(line, std::to_string(next++));
  }
  EXPECT_EQ(next, 1000);
}

TEST(ResultLine, ResultOrError) {
  agent::TaskOutcome outcome;
  outcome.package = "digits";
  outcome.version = "1.0.0";
  outcome.outcome.result = {{"digit", 3}};
  outcome.outcome.latency_ns = 1'500'000;
  EXPECT_EQ(WriteJson(ResultLine(outcome, 7)),
            R"({"latency_us":1500,"package":"digits","result":{"digit":3},"time_ms":7,)"
            R"("version":"1.0.0"})");
  outcome.outcome.error = Status(Code::kScriptRaised, "task.py:3: KeyError");
  const Json line = ResultLine(outcome, 7);
  EXPECT_FALSE(line.contains("result"));
  EXPECT_EQ(line["error"]["name"], "script_raised");
}

}  // namespace
}  // namespace ferry::device
