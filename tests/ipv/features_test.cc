// tasks/ipv: what its streams say of recorded events, beside what tasks/ipv/batch.py computes from
// the whole log: visits inside visits, missing exits and enters, events that overtake each other,
// restarts at any event. And how many bytes leave, beside the events themselves.
#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>

#include "common/base/json.h"
#include "common/package/manifest.h"
#include "common/package/writer.h"
#include "common/sys/random.h"
#include "device-runtime/task/tables/fill_tables.h"
#include "pipeline/event/event.h"
#include "pipeline/flow/flow.h"
#include "pipeline/store/outbox.h"

namespace ferry {
namespace {

constexpr char kFolder[] = FERRY_SOURCE_DIR "/tasks/ipv/";
constexpr char kFeatures[] = "ipv.features";
constexpr size_t kMostBytes = 128;  // of a visit's features
constexpr double kLeastSaving = 10;

std::string ReadText(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// One visit's features, to compare in any order: visits that end in one millisecond have none.
using Rows = std::multiset<std::string>;

std::string RowText(int64_t time_ms, const Json& row) {
  return fmt::format("{} {}", time_ms, WriteJson(row));
}

// A device with the task: its outbox is what lasts.
class Device {
 public:
  Device() {
    task_ = *ParseJson(ReadText(std::string(kFolder) + "task.json"));
    auto read = flow::DefinitionFromJson(task_);
    EXPECT_TRUE(read.ok()) << read.status().ToString();
    definition_ = std::make_shared<const flow::Definition>(*std::move(read));
    EXPECT_THAT(flow::LeadsNowhere(*definition_), testing::IsEmpty());
    Start();
    package::Manifest manifest;
    manifest.name = "ipv";
    manifest.version = "1.0.0";
    manifest.task = task_;
    package_ = *package::WritePackage(
        manifest, {{"items.jsonl", ToBytes(ReadText(std::string(kFolder) + "items.jsonl"))}});
    const auto package = package::Package::Open(package_);
    const Status filled = task::FillTables(*package, *definition_, *outbox_, 0);
    EXPECT_TRUE(filled.ok()) << filled.ToString();
  }

  void Take(const std::string& line) {
    auto event = event::ParseEvent(line);
    ASSERT_TRUE(event.ok()) << line;
    event->number = events_.size() + 1;
    latest_ms_ = std::max(latest_ms_, event->time_ms);
    effects_.Clear();
    events_.push_back(std::make_shared<const event::Event>(*std::move(event)));
    flow_->OnEvent(events_.back(), latest_ms_, 0, &effects_);
    ASSERT_TRUE(effects_.error.ok()) << effects_.error.ToString();
    for (const flow::LeavingRow& row : effects_.rows) {
      ASSERT_TRUE(row.output.upload && row.output.stream == kFeatures);
      const std::string json = WriteJson(row.output.row.fields);
      sizes.push_back(json.size());
      rows.insert(RowText(row.output.row.time_ms, row.output.row.fields));
    }
    for (const flow::Start& start : effects_.starts) ++starts[start.function];
  }

  // What happened so far is durable.
  void Commit() {
    store::StateChanges changes;
    flow_->SaveChanges(changes);
    table::Batch* const batches[] = {&flow_->batch()};
    ASSERT_TRUE(outbox_->Commit({.state = &changes, .tables = batches, .now_ms = 1}).ok());
    flow_->batch().Clear();
  }
  // The process ends and begins again.
  void Restart() {
    Commit();
    Start();
    flow_->DropUnclaimed();
  }

  flow::OwnerStats stats() const { return flow_->stats("ipv"); }

  Rows rows;
  std::vector<size_t> sizes;
  std::map<std::string, int> starts;

 private:
  void Start() {
    flow::FlowOptions options;
    options.tables = &outbox_->tables();
    options.stored = [this](std::string_view prefix) { return outbox_->LoadState(prefix).value(); };
    options.resolver = [this](uint64_t number) { return events_[number - 1]; };
    flow_ = std::make_unique<flow::Flow>(options);
    ASSERT_TRUE(flow_->Use("ipv", definition_).ok());
  }

  std::unique_ptr<store::Outbox> outbox_ = *store::OpenOutbox(":memory:", sys::SystemRandom());
  Json task_;
  std::shared_ptr<const flow::Definition> definition_;
  Bytes package_;
  std::unique_ptr<flow::Flow> flow_;
  flow::Effects effects_;
  int64_t latest_ms_ = 0;
  std::vector<flow::EventPtr> events_;  // the device's log
};

class IpvTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "ferry_ipv_" + std::to_string(getpid());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  static void Python(const std::string& arguments, const std::string& out) {
    const std::string command =
        fmt::format("PYTHONDONTWRITEBYTECODE=1 python3 {}{} > {}", kFolder, arguments, out);
    ASSERT_EQ(std::system(command.c_str()), 0) << command;
  }
  // Lines of a log, and the features that the whole of it has.
  void Record(int seed, int sessions) {
    const std::string log = folder_ + "/events.jsonl", features = folder_ + "/features.jsonl";
    Python(fmt::format("generate.py events --seed {} --sessions {}", seed, sessions), log);
    Python(fmt::format("batch.py {} {}items.jsonl", log, kFolder), features);
    std::ifstream in(log);
    lines_.clear();
    for (std::string line; std::getline(in, line);) lines_.push_back(line);
    std::ifstream rows(features);
    expected_.clear();
    for (std::string line; std::getline(rows, line);) {
      const Json row = *ParseJson(line);
      expected_.insert(RowText(row["time_ms"].get<int64_t>(), row["row"]));
    }
    ASSERT_GT(expected_.size(), static_cast<size_t>(sessions));
  }

  std::string folder_;
  std::vector<std::string> lines_;
  Rows expected_;
};

TEST_F(IpvTest, FeaturesEqualABatchOverTheWholeLog) {
  int64_t missing_exits = 0, missing_enters = 0;
  for (int seed = 1; seed <= 8; ++seed) {
    Record(seed, 25);
    Device device;
    for (const std::string& line : lines_) ASSERT_NO_FATAL_FAILURE(device.Take(line));
    ASSERT_EQ(device.rows, expected_) << "seed " << seed;
    EXPECT_EQ(device.starts["on_visit"], static_cast<int>(expected_.size()));
    for (const graph::StreamStats& stream : device.stats().streams) {
      EXPECT_EQ(stream.late + stream.refused + stream.errors + stream.future, 0) << stream.stream;
      missing_exits += stream.missing_exits;
      missing_enters += stream.missing_enters;
    }
    EXPECT_EQ(device.stats().table_errors, 0);
  }
  EXPECT_GT(missing_exits, 10);
  EXPECT_GT(missing_enters, 10);
}

TEST_F(IpvTest, RestartsAtAnyEventChangeNothing) {
  std::mt19937 random(9);
  for (int seed = 21; seed <= 24; ++seed) {
    Record(seed, 10);
    Device device;
    for (const std::string& line : lines_) {
      ASSERT_NO_FATAL_FAILURE(device.Take(line));
      if (random() % 20 == 0) device.Restart();
    }
    ASSERT_EQ(device.rows, expected_) << "seed " << seed;
  }
}

TEST_F(IpvTest, AVisitIsAtMost128BytesAndTenTimesLessThanItsEvents) {
  Record(40, 60);
  Device device;
  size_t raw = 0;
  for (const std::string& line : lines_) {
    ASSERT_NO_FATAL_FAILURE(device.Take(line));
    raw += line.size();
  }
  size_t sent = 0;
  for (const size_t size : device.sizes) {
    EXPECT_LE(size, kMostBytes);
    sent += size;
  }
  EXPECT_GE(static_cast<double>(raw), kLeastSaving * static_cast<double>(sent));
  EXPECT_GT(device.starts["on_return"], 0);
}

// The widest values that a visit can have.
TEST_F(IpvTest, NoVisitPasses128Bytes) {
  Device device;
  constexpr int64_t kStart = 1'700'000'000'000;
  const auto event = [&](const char* id, int64_t time_ms, const char* data) {
    ASSERT_NO_FATAL_FAILURE(device.Take(
        fmt::format(R"({{"id":"{}","page":"item","time_ms":{},"data":{{"item":100400,{}}}}})", id,
                    kStart + time_ms, data)));
  };
  for (int visit = 0; visit < 3; ++visit) {
    const int64_t at = visit * 1'900'000;
    event("page_enter", at, R"("x":1)");
    for (int k = 0; k < 1'200; ++k)
      event("exposure", at + k, fmt::format(R"("seen":{},"shown_ms":1000000)", k).c_str());
    for (int k = 0; k < 200; ++k) event("click", at + 2'000 + k, R"("target":1)");
    for (int k = 0; k < 200; ++k) event("cart", at + 3'000 + k, R"("count":9)");
    event("scroll", at + 4'000, R"("depth":100)");
    event("favorite", at + 4'000, R"("favorite":1)");
    event("click", at + 1'799'000, R"("target":1)");
  }
  event("page_exit", 6'000'000, R"("x":1)");
  event("page_enter", 6'000'100, R"("x":1)");
  ASSERT_EQ(device.sizes.size(), 3u);
  for (const size_t size : device.sizes) EXPECT_LE(size, kMostBytes);
}

}  // namespace
}  // namespace ferry
