// Runs of events that come again after a kill: each leaves its rows and its result once.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "common/package/manifest.h"
#include "common/package/reader.h"
#include "common/package/writer.h"
#include "common/sys/sim/world.h"
#include "device-runtime/task/host.h"
#include "device-runtime/task/outcome.h"
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
    group_ = set_->MakeGroup({.name = "g/", .on_outcome = [this](TaskOutcome outcome, auto&) {
                                rows_at_outcome_ = outbox_->stats().waiting;
                                outcomes_.push_back(std::move(outcome));
                                outcomes_.back().waits = nullptr;
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
    package::Manifest manifest;
    manifest.name = package;
    manifest.version = version;
    manifest.content = "task";
    manifest.task = ParseJson(R"({"name":"t","version":"1.0.0","script":"task.py",
        "trigger":{"sequence":[{"event":"go"}]},
        "streams":[{"name":"rows","source":"seen","upload":true}]})")
                        .value();
    bytes_.push_back(std::make_unique<Bytes>(
        package::WritePackage(manifest, {{"task.py", AsBytes(std::string_view(kDurableScript))}})
            .value()));
    auto opened =
        std::make_shared<const package::Package>(package::Package::Open(*bytes_.back()).value());
    std::shared_ptr<PackageRunner> host =
        TaskHost::Load(opened, set_->host_options("g/", outbox_.get())).value();
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
    for (const store::Record& record : outbox_->Read(1, 1000, 1 << 20)->records)
      rows.push_back(record.json);
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
  Numbers done_;
};

TEST_F(DurableTest, NobodyHearsOfARunBeforeItIsDurable) {
  for (const uint64_t number : {2, 4, 5, 6}) Send(number);
  Send(7, "other");
  EXPECT_EQ(done_, Numbers{7});  // starts nothing
  Run();
  ASSERT_EQ(outcomes_.size(), 4u);
  EXPECT_EQ(outcomes_[2].event, 5u);
  EXPECT_EQ(rows_at_outcome_, 3);
  EXPECT_EQ(done_, (Numbers{7, 2, 4, 5, 6}));
  EXPECT_EQ(set_->waiting(), 0u);
}

TEST_F(DurableTest, AfterAKillRunsAreNotDoneAgainAndTheirResultsAreNotLost) {
  for (const uint64_t number : {2, 5, 13}) Send(number);
  Run();
  Send(8);  // does not get its turn
  Kill();
  Start();
  for (const uint64_t number : {2, 5, 13, 8}) Send(number);
  Run();
  ASSERT_EQ(outcomes_.size(), 4u);
  EXPECT_TRUE(outcomes_[0].outcome.again);
  EXPECT_EQ(outcomes_[0].outcome.result, (Json{{"number", 2}, {"runs", 1}}));
  EXPECT_EQ(outcomes_[1].outcome.result, (Json{{"number", 5}, {"runs", 2}}));
  EXPECT_EQ(outcomes_[2].outcome.error.code(), Code::kScriptRaised);
  EXPECT_FALSE(outcomes_[3].outcome.again);
  EXPECT_EQ(outcomes_[3].outcome.result, (Json{{"number", 8}, {"runs", 1}}));
  EXPECT_EQ(done_, (Numbers{2, 5, 13, 8}));
  EXPECT_EQ(outbox_->stats().waiting, 2);
}

TEST_F(DurableTest, EachPackageRunsOnceAlsoInAnotherVersion) {
  Send(2);
  Run();
  Kill();
  Start();
  Use("two");
  Use("one", "2.0.0");
  Send(2);
  Run();
  ASSERT_EQ(outcomes_.size(), 2u);
  EXPECT_EQ(outcomes_[0].outcome.again, outcomes_[0].package == "one");
  EXPECT_EQ(outcomes_[1].outcome.again, outcomes_[1].package == "one");
  EXPECT_EQ(outbox_->stats().waiting, 2);
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

}  // namespace
}  // namespace ferry::task
