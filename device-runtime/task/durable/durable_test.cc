// Runs of events that come again after a kill: each leaves its rows and its result once.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <set>

#include "common/package/manifest.h"
#include "common/package/reader.h"
#include "common/package/writer.h"
#include "common/sys/sim/world.h"
#include "device-runtime/task/durable/kept_run.h"
#include "device-runtime/task/host.h"
#include "device-runtime/task/outcome.h"
#include "device-runtime/task/set/group_flow.h"
#include "device-runtime/task/task_set.h"
#include "pipeline/event/event.h"
#include "pipeline/store/outbox.h"

namespace ferry::task {
namespace {

constexpr char kDurableScript[] = R"py(
from ferry import events

runs = []

def on_trigger(matched):
    number = matched[-1]["data"]
    runs.append(number)
    if number == 13:
        raise ValueError("bad luck")
    if number % 2 == 0:
        events.emit("seen", {"number": number})
    return {"number": number, "runs": len(runs)}
)py";

class DurableTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "ferry_durable_" + std::to_string(getpid());
    std::filesystem::create_directories(folder_);
    Start();
  }
  void TearDown() override {
    Kill();
    std::filesystem::remove_all(folder_);
  }

  void Start(const store::OutboxOptions& options = {}) {
    outbox_ = store::OpenOutbox(folder_ + "/outbox.db", world_->random(), options).value();
    ASSERT_TRUE(outbox_->OpenLog("/events").ok());
    executor_ = world_->MakeExecutor();
    set_ = std::make_unique<TaskSet>(
        TaskSetOptions{.executor = executor_.get(), .clock = &world_->clock(), .own_lanes = false});
    group_ = set_->MakeGroup(
        {.name = "g/", .outbox = outbox_.get(), .on_outcome = [this](TaskOutcome outcome, auto&) {
           rows_at_outcome_ = outbox_->stats().waiting;
           outcomes_.push_back(std::move(outcome));
           if (!slow_app_) outcomes_.back().waits = nullptr;
         }});
    Use("one");
  }
  // The process dies: what waits in memory is gone, `done` is never called for it.
  void Kill() {
    group_ = nullptr;
    set_ = nullptr;
    executor_ = nullptr;
    outbox_ = nullptr;
    outcomes_.clear();
    done_.clear();
  }

  void Use(const std::string& package, const std::string& version = "1.0.0") {
    UseTask(package, R"({"name":"t","version":"1.0.0","script":"task.py",
        "trigger":{"sequence":[{"event":"go"}]},
        "streams":[{"name":"rows","source":"seen","upload":true}]})",
            kDurableScript, version);
  }
  void UseTask(const std::string& package, std::string_view task, std::string_view script,
               const std::string& version = "1.0.0") {
    package::Manifest manifest;
    manifest.name = package;
    manifest.version = version;
    manifest.content = "task";
    manifest.task = ParseJson(task).value();
    bytes_.push_back(std::make_unique<Bytes>(
        package::WritePackage(manifest, {{"task.py", AsBytes(script)}}).value()));
    auto opened =
        std::make_shared<const package::Package>(package::Package::Open(*bytes_.back()).value());
    std::shared_ptr<PackageRunner> host = TaskHost::Load(opened, set_->host_options("g/")).value();
    ASSERT_TRUE(group_->Use(package, version, "", std::move(host)).ok());
  }
  void Send(uint64_t number, const std::string& id = "go") {
    event::Event event;
    event.id = id;
    event.number = number;
    event.data = number;
    ASSERT_TRUE(set_->Send(std::move(event), [this, number] { done_.push_back(number); }).ok());
  }
  void Run() { world_->RunFor(50); }
  std::vector<std::string> Rows() {
    std::vector<std::string> rows;
    const auto batch = outbox_->Read(1, 1000, 1 << 20);
    for (const store::Record& record : batch->records) rows.push_back(record.json);
    return rows;
  }
  using Numbers = std::vector<uint64_t>;

  std::unique_ptr<sys::SimWorld> world_ = std::make_unique<sys::SimWorld>(1);
  std::string folder_;
  std::vector<std::unique_ptr<Bytes>> bytes_;
  std::unique_ptr<store::Outbox> outbox_;
  std::unique_ptr<sys::Executor> executor_;
  std::unique_ptr<TaskSet> set_;
  std::unique_ptr<TaskGroup> group_;
  std::vector<TaskOutcome> outcomes_;
  int64_t rows_at_outcome_ = 0;
  bool slow_app_ = false;  // keeps outcomes waiting
  Numbers done_;
};

TEST_F(DurableTest, NobodyHearsOfARunBeforeItIsDurable) {
  for (const uint64_t number : {2, 4, 5, 6}) Send(number);
  Send(7, "other");
  Run();
  ASSERT_EQ(outcomes_.size(), 4u);
  EXPECT_EQ(outcomes_[2].event, 5u);
  EXPECT_EQ(rows_at_outcome_, 3);
  EXPECT_EQ(done_, (Numbers{7, 2, 4, 5, 6}));  // 7 starts nothing
  EXPECT_EQ(set_->waiting(), 0u);
}

TEST_F(DurableTest, AfterAKillRunsAreNotDoneAgainAndTheirResultsAreNotLost) {
  slow_app_ = true;
  for (const uint64_t number : {2, 5, 13}) Send(number);
  Run();
  Send(20);  // does not get its turn
  Kill();
  Start();
  for (const uint64_t number : {2, 5, 13, 20}) Send(number);
  Run();
  ASSERT_EQ(outcomes_.size(), 4u);
  EXPECT_TRUE(outcomes_[0].outcome.again);
  EXPECT_EQ(outcomes_[0].outcome.result, (Json{{"number", 2}, {"runs", 1}}));
  EXPECT_EQ(outcomes_[1].outcome.result, (Json{{"number", 5}, {"runs", 2}}));
  EXPECT_EQ(outcomes_[2].outcome.error.code(), Code::kScriptRaised);
  EXPECT_FALSE(outcomes_[3].outcome.again);
  EXPECT_EQ(outcomes_[3].outcome.result, (Json{{"number", 20}, {"runs", 1}}));
  EXPECT_EQ(outbox_->stats().waiting, 2);
  // What the app has had does not come again.
  outcomes_.clear();
  world_->RunFor(kMaxHeldStateMs + 50);
  Kill();
  Start();
  Run();
  EXPECT_TRUE(outcomes_.empty());
}

TEST_F(DurableTest, EachPackageRunsOnceAlsoInAnotherVersion) {
  slow_app_ = true;
  Send(2);
  Run();
  Kill();
  Start();
  Use("two");
  Use("one", "2.0.0");
  Send(2);
  Run();
  ASSERT_EQ(outcomes_.size(), 1u);  // what came after the event has nothing of it
  EXPECT_TRUE(outcomes_[0].outcome.again);
  EXPECT_EQ(outbox_->stats().waiting, 1);
  EXPECT_EQ(done_, Numbers{2});
}

TEST_F(DurableTest, AFullOutboxIsNoReasonToRunAgain) {
  Kill();
  Start({.max_records = 1});
  Send(2);
  Send(4);
  Run();
  ASSERT_EQ(outcomes_.size(), 2u);
  EXPECT_TRUE(outcomes_[0].outcome.stream_error.ok());
  EXPECT_EQ(outcomes_[1].outcome.stream_error.code(), Code::kLimitExceeded);
  EXPECT_EQ(done_, (Numbers{2, 4}));
}

TEST_F(DurableTest, ClosingMakesWhatRanDurable) {
  for (const uint64_t number : {2, 4}) Send(number);
  bool closed = false;
  group_->Close([&] { closed = true; });
  Run();
  EXPECT_TRUE(closed);
  EXPECT_EQ(done_, (Numbers{2, 4}));
  EXPECT_EQ(outbox_->stats().waiting, 2);
}

// A version of Ferry before marked runs by their events.
TEST_F(DurableTest, AMarkedRunIsNotDoneAgain) {
  store::TaskRun marked;
  marked.event = 4;
  marked.task = "g/one";
  marked.result = R"({"latency_ns":5,"result":"kept"})";
  store::TaskRun* const runs[] = {&marked};
  ASSERT_TRUE(outbox_->Commit(runs).ok());
  Kill();
  Start();
  Send(4);
  Send(6);
  Run();
  ASSERT_EQ(outcomes_.size(), 2u);
  EXPECT_TRUE(outcomes_[0].outcome.again);
  EXPECT_EQ(outcomes_[0].outcome.result, Json("kept"));
  EXPECT_EQ(outcomes_[1].outcome.result["number"], 6);
  EXPECT_EQ(outbox_->stats().waiting, 1);
}

// The position passes a run that has not ended: it is state, and done again.
TEST_F(DurableTest, ARunThatHadBegunIsDoneAgain) {
  Kill();
  Start();
  const auto begun = std::make_shared<flow::Start>();
  begun->owner = "one";
  begun->number = 4;
  begun->why = flow::ValueStart{Json::array({{{"id", "go"}, {"data", 4}}}), 1000};
  store::StateChanges state;
  state.Put(RunKey(kBegunKey, 9), TextOfStart(*begun));
  state.Put(RunKey(kBegunKey, 10), "no start");
  store::Changes changes;
  changes.state = &state;
  changes.position = 6;
  ASSERT_TRUE(outbox_->Commit(changes).ok());
  Kill();
  Start();
  Run();
  ASSERT_EQ(outcomes_.size(), 1u);
  EXPECT_EQ(outcomes_[0].event, 4u);
  EXPECT_FALSE(outcomes_[0].outcome.again);
  EXPECT_EQ(outbox_->stats().waiting, 1);
  world_->RunFor(kMaxHeldStateMs + 50);
  Kill();
  Start();
  Run();
  EXPECT_TRUE(outcomes_.empty());
  EXPECT_TRUE(outbox_->LoadState(kBegunKey)->empty());
}

constexpr char kFeaturesTask[] = R"({"name":"t","version":"1.0.0","script":"task.py",
  "rules":[{"name":"pair","steps":[{"name":"a","event":"first"},{"name":"b","event":"second"}],
            "to":"on_pair"}],
  "streams":[
    {"name":"counts","source":"hit","operators":[{"op":"window","kind":"count","size":3,
       "aggregates":[{"op":"sum","field":"n","as":"sum"}]}],
     "into":"sums","to":"on_sum","upload":true}],
  "tables":[{"name":"sums","key":["sum"],"columns":{"sum":"int","window_start_ms":"int",
       "window_end_ms":"int"}}]})";
constexpr char kFeaturesScript[] = R"py(
def on_pair(match):
    return [match["rule"], match["steps"]["a"][0]["data"], match["steps"]["b"][0]["data"]]

def on_sum(start):
    return start["row"]["sum"]
)py";

// Half-matched rules, open windows and tables outlive kills at any place; each row leaves once.
TEST_F(DurableTest, ACallOfTheAppIsNotDoneAgain) {
  int answered = 0;
  for (int steps = 0; steps < 30; ++steps) {
    Send(static_cast<uint64_t>(2 * steps + 1));
    Json argument = Json::array({{{"data", 1000 + 2 * steps}}});
    ASSERT_TRUE(group_->Call("one", "on_trigger", std::move(argument), 7).ok());
    for (int k = 0; k < steps; ++k) world_->Step();
    for (const TaskOutcome& outcome : outcomes_) answered += outcome.call == 7;
    Kill();
    Start();
    Run();
    for (const TaskOutcome& outcome : outcomes_) EXPECT_EQ(outcome.call, 0u) << steps;
    outcomes_.clear();
  }
  EXPECT_GT(answered, 0);
  EXPECT_LT(answered, 30);
  const std::vector<std::string> rows = Rows();
  EXPECT_EQ(std::set(rows.begin(), rows.end()).size(), rows.size()) << "a call was done twice";
  EXPECT_TRUE(outbox_->LoadState(kBegunKey)->empty());
}

TEST_F(DurableTest, StateOfRulesStreamsAndTablesOutlivesKills) {
  const auto event = [&](uint64_t number, const std::string& id, int n) {
    event::Event one;
    one.id = id;
    one.number = number;
    one.time_ms = 1'000'000 + static_cast<int64_t>(number);
    if (id == "hit")
      one.data = {{"n", n}};
    else
      one.data = n;
    return one;
  };
  const std::vector<event::Event> events = {
      event(1, "first", 1), event(2, "hit", 10),   event(3, "hit", 20),  event(4, "second", 2),
      event(5, "hit", 30),  event(6, "hit", 1),    event(7, "first", 3), event(8, "hit", 2),
      event(9, "hit", 4),   event(10, "second", 4)};
  for (size_t cut = 0; cut <= events.size(); ++cut) {
    SCOPED_TRACE(cut);
    TearDown();
    std::filesystem::create_directories(folder_);
    std::vector<std::string> results;
    for (int life = 0; life < 2; ++life) {
      Start();
      UseTask("features", kFeaturesTask, kFeaturesScript);
      const uint64_t known = outbox_->position().value_or(0);
      const size_t end = life == 0 ? cut : events.size();
      for (size_t k = 0; k < end; ++k) ASSERT_TRUE(set_->Send(events[k], nullptr).ok());
      world_->RunFor(kMaxHeldStateMs + 50);
      EXPECT_EQ(outbox_->position().value_or(0), end);
      EXPECT_LE(known, end);
      for (const TaskOutcome& outcome : outcomes_) {
        EXPECT_TRUE(outcome.outcome.error.ok()) << outcome.outcome.error.ToString();
        EXPECT_TRUE(outcome.outcome.stream_error.ok()) << outcome.outcome.stream_error.ToString();
        results.push_back(WriteJson(outcome.outcome.result));
      }
      if (life == 1) {
        EXPECT_EQ(outbox_->stats().waiting, 2);
        table::Batch reader(*group_->tables());
        EXPECT_EQ(reader.Get("sums", {60})->at("sum"), 60);
        EXPECT_EQ(reader.Get("sums", {7})->at("sum"), 7);
      }
      Kill();
    }
    std::sort(results.begin(), results.end());
    EXPECT_EQ(results, (std::vector<std::string>{"60", "7", R"(["pair",1,2])", R"(["pair",3,4])"}));
  }
  Start();
}

}  // namespace
}  // namespace ferry::task
