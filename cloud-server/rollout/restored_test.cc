// A server that was restored from a backup, and devices that are ahead of it.
#include <gtest/gtest.h>

#include "cloud-server/core/counters.h"
#include "cloud-server/rollout/new_release.h"
#include "cloud-server/rollout/test_rollout.h"
#include "common/base/json.h"
#include "common/trust/assignment.h"
#include "common/trust/envelope.h"

namespace ferry::server {
namespace {

constexpr int64_t kHourMs = 3'600'000;

// One server, and the server that its backup became: the same rows as far as they matter here.
class RestoredTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(fleet_.registry->PutRoot(publisher_.RootDocument()).ok());
    publisher_.Add("1.0.0", 1, "package one");
    publisher_.Add("2.0.0", 2, "package two", "1.0.0");
    ASSERT_TRUE(fleet_.registry->Publish(publisher_.Make()).ok());
    fleet_.AddDevice("d1", "high", "1.4.0");
    fleet_.clock.now_ms += 24 * kHourMs;
  }
  void Release(const std::string& version) {
    NewRelease release;
    release.package = "digits";
    release.version = version;
    release.plan = *ParseJson(
        R"json({"rule":"os == \"android\"","stages":[{"kind":"full","min_reports":1}]})json");
    const Result<ReleaseRow> row = fleet_.rollout->Create(release);
    ASSERT_TRUE(row.ok()) << row.status().ToString();
    ASSERT_TRUE(fleet_.rollout->Do(row->id, command::Start{"ann"}).ok());
  }
  // The counter of what the device gets; 0: nothing.
  int64_t Ask(int64_t have) {
    const Result<Bytes> document = fleet_.rollout->SignedAssignment("d1", have);
    EXPECT_TRUE(document.ok()) << document.status().ToString();
    if (!document.ok() || document->empty()) return 0;
    return trust::AssignmentFromJson(trust::ParseEnvelope(*document)->signed_part)->counter;
  }

  TestFleet fleet_;
  TestPublisher publisher_{fleet_};
};

TEST_F(RestoredTest, ANewReleaseIsAboveWhatWasSaidBeforeTheRestore) {
  // What the server said to the device after the backup, once a minute for an hour.
  int64_t said = 0;
  for (int i = 0; i < 60; ++i) said = NextNumber(said, fleet_.clock.now_ms + i * 60'000);
  fleet_.clock.now_ms += kHourMs;
  Release("1.0.0");
  EXPECT_GT(fleet_.AssignmentOf("d1").counter, said);
  EXPECT_GT(Ask(said), said);
}

TEST_F(RestoredTest, AnOpenAssignmentIsGivenAgainToADeviceThatIsAhead) {
  Release("1.0.0");
  const int64_t counter = fleet_.AssignmentOf("d1").counter;
  // Its answer came before the restore: the device believes that all is said.
  EXPECT_EQ(Ask(counter), 0) << "the answer may be on its way";
  fleet_.clock.now_ms += kHourMs;
  EXPECT_GT(Ask(counter), counter);
  // A clock that went back: time alone does not do it.
  const int64_t ahead = counter + 10 * 365 * 24 * 3600;
  EXPECT_EQ(Ask(ahead), ahead + 1);
  EXPECT_EQ(fleet_.AssignmentOf("d1").counter, ahead + 1);
  EXPECT_TRUE(fleet_.Report("d1", "healthy").ok());
  EXPECT_TRUE(fleet_.AssignmentOf("d1").done);
  EXPECT_EQ(Ask(ahead + 1), 0);
}

TEST_F(RestoredTest, WhoIsAheadIsRememberedForTheNextRelease) {
  Release("1.0.0");
  ASSERT_TRUE(fleet_.Report("d1", "healthy").ok());
  ASSERT_TRUE(fleet_.rollout->Tick().ok());
  const int64_t ahead = fleet_.AssignmentOf("d1").counter + 10 * 365 * 24 * 3600;
  EXPECT_EQ(Ask(ahead), 0) << "nothing is open";
  Release("2.0.0");
  EXPECT_GT(fleet_.AssignmentOf("d1").counter, ahead);
  EXPECT_GT(Ask(ahead), ahead);
}

TEST_F(RestoredTest, WhoHasAnOpenAssignmentIsMadeToAsk) {
  EXPECT_EQ(fleet_.rollout->Epoch("d1").value(), 0);
  Release("1.0.0");
  const int64_t counter = fleet_.AssignmentOf("d1").counter;
  fleet_.clock.now_ms += kHourMs;
  EXPECT_GT(fleet_.rollout->Epoch("d1").value(), counter) << "as a device sees it that has it";
  EXPECT_TRUE(fleet_.Report("d1", "healthy").ok());
  EXPECT_EQ(fleet_.rollout->Epoch("d1").value(), counter);
}

// What was published after the backup is not there: devices have seen newer metadata.
TEST_F(RestoredTest, MetadataThatIsTooOldIsNoEvidenceAndIsTriedAgain) {
  Release("1.0.0");
  ReportRow report;
  report.device = "d1";
  report.seq = 1;
  report.release = fleet_.AssignmentOf("d1").release;
  report.epoch = fleet_.AssignmentOf("d1").counter;
  report.step = "failed";
  report.error_code = static_cast<int64_t>(Code::kVersionRollback);
  report.error_text = "snapshot version 9: targets.json version 2 offered after version 3";
  ASSERT_TRUE(fleet_.rollout->OnReport(report).ok());
  ASSERT_TRUE(fleet_.rollout->Tick().ok());
  std::vector<EventRow> events;
  std::optional<MemberRow> member;
  ASSERT_TRUE(fleet_.store
                  ->Read([&](Transaction& tx) -> Status {
                    FERRY_ASSIGN_OR_RETURN(member, tx.releases().Member(report.release, "d1"));
                    FERRY_ASSIGN_OR_RETURN(events, tx.releases().Events(report.release, 0, 100));
                    return OkStatus();
                  })
                  .ok());
  EXPECT_EQ(member->outcome, Outcome::kDeviceCause);
  ASSERT_FALSE(events.empty());
  EXPECT_NE(events.back().text.find("ferry publish --again"), std::string::npos)
      << events.back().text;
  std::vector<uint64_t> woken;
  const auto subscription = fleet_.bus->Subscribe(
      "d1", [&](const std::string&, uint64_t epoch) { woken.push_back(epoch); });
  ASSERT_TRUE(fleet_.rollout->OnPublished().ok());
  EXPECT_EQ(woken, std::vector<uint64_t>{static_cast<uint64_t>(report.epoch)});
  fleet_.seq["d1"] = 1;
  ASSERT_TRUE(fleet_.Report("d1", "healthy").ok());
  EXPECT_TRUE(fleet_.rollout->OnPublished().ok());
  EXPECT_EQ(woken.size(), 1u);
}

TEST_F(RestoredTest, ALiarReachesNothing) {
  Release("1.0.0");
  const AssignmentRow before = fleet_.AssignmentOf("d1");
  fleet_.clock.now_ms += kHourMs;
  EXPECT_EQ(Ask(kMaxLearntCounter + 1), 0);
  EXPECT_EQ(Ask(INT64_MAX), 0);
  EXPECT_EQ(fleet_.AssignmentOf("d1"), before);
  EXPECT_EQ(Ask(kMaxLearntCounter), kMaxLearntCounter + 1);
}

}  // namespace
}  // namespace ferry::server
