#include "tools/device/event_source.h"
#include "device-runtime/task/outcome.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <vector>

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
  EventSource Source() {
    return EventSource(sys::SystemFileSystem(), file_, folder_ + "/position");
  }
  static std::vector<std::string> Lines(EventSource& source, size_t most = 100) {
    std::vector<std::string> lines;
    const Status status =
        source.Read(most, [&](const std::string& line) { lines.push_back(line); });
    EXPECT_TRUE(status.ok()) << status.ToString();
    return lines;
  }
  using Strings = std::vector<std::string>;

  std::string folder_, file_;
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

TEST_F(EventSourceTest, ADamagedPositionIsTakenFromItsOtherCopy) {
  Append("one\ntwo\n");
  {
    EventSource source = Source();
    EXPECT_EQ(Lines(source).size(), 2u);
  }
  std::ofstream(folder_ + "/position") << "{\"offset\":";
  Append("three\n");
  EventSource source = Source();
  EXPECT_EQ(Lines(source), Strings{"three"});
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
