// A change of one device's own files is news for that device alone.
#include <gtest/gtest.h>

#include "cloud-server/rollout/test_rollout.h"
#include "common/base/json.h"
#include "common/trust/desired.h"
#include "common/trust/envelope.h"

namespace ferry::server {
namespace {

class RolloutPersonalTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(fleet_.registry->PutRoot(publisher_.RootDocument()).ok());
    publisher_.Add("1.0.0", 1, "package one");
    publisher_.Delegate("personal/digits/*");
    ASSERT_TRUE(fleet_.registry->Publish(publisher_.Make()).ok());
    for (const char* id : {"d1", "d2"}) {
      fleet_.AddDevice(id, "mid", "1.0.0");
      ASSERT_TRUE(fleet_.store
                      ->Write([&](Transaction& tx) -> Status {
                        FERRY_ASSIGN_OR_RETURN(DeviceRow device, tx.devices().Get(id));
                        device.reads_desired = true;
                        return tx.devices().Put(device);
                      })
                      .ok());
    }
  }
  void Put(const std::string& device, const std::string& content) {
    const auto done = fleet_.registry->ChangePersonal(
        {"digits", {publisher_.MakePersonal(device, "gain", content)}, {}, "vera"});
    ASSERT_TRUE(done.ok()) << done.status().ToString();
    for (const std::string& id : done->devices) fleet_.rollout->OnDeviceChanged(id);
  }
  // What the device is told when it is done up to `have`; nullopt: nothing.
  std::optional<trust::Desired> Ask(const std::string& device, int64_t have,
                                    std::optional<int64_t> personal = std::nullopt) {
    const std::vector<InstalledRow> installed;
    const auto document =
        fleet_.rollout->SignedAssignment(device, have, &installed, personal ? &*personal : nullptr);
    EXPECT_TRUE(document.ok()) << document.status().ToString();
    if (!document.ok() || document->empty()) return std::nullopt;
    return *trust::DesiredFromJson(trust::ParseEnvelope(*document)->signed_part);
  }

  TestFleet fleet_;
  TestPublisher publisher_{fleet_};
};

TEST_F(RolloutPersonalTest, AChangeIsANewEpochOfThatDeviceAlone) {
  EXPECT_EQ(Ask("d1", 0), std::nullopt);
  uint64_t woken = 0;
  const auto line =
      fleet_.bus->Subscribe("d1", [&](const std::string&, uint64_t epoch) { woken = epoch; });
  Put("d1", "one");
  const auto first = Ask("d1", 0);
  ASSERT_TRUE(first && first->personal);
  EXPECT_EQ(woken, static_cast<uint64_t>(first->counter));
  EXPECT_EQ(Ask("d2", 0), std::nullopt);
  EXPECT_EQ(Ask("d1", first->counter, first->personal->version), std::nullopt);
  Put("d1", "two");
  const auto second = Ask("d1", first->counter, first->personal->version);
  ASSERT_TRUE(second && second->personal);
  EXPECT_GT(second->counter, first->counter);
  EXPECT_GT(second->personal->version, first->personal->version);
}

// A server whose rows were restored, or a device that refused what it got.
TEST_F(RolloutPersonalTest, ADeviceWithAnotherDocumentIsToldAgain) {
  Put("d1", "one");
  const auto first = Ask("d1", 0);
  ASSERT_TRUE(first && first->personal);
  const auto again = Ask("d1", first->counter, first->personal->version + 1);
  ASSERT_TRUE(again && again->personal);
  EXPECT_EQ(*again->personal, *first->personal);
  EXPECT_GT(again->counter, first->counter);
  // One that says nothing of it (an older one) is left alone.
  EXPECT_EQ(Ask("d1", again->counter), std::nullopt);
}

TEST_F(RolloutPersonalTest, ADeviceThatReadsAssignmentsHearsOfNothing) {
  fleet_.AddDevice("old", "mid", "1.0.0");
  Put("old", "one");
  EXPECT_EQ(fleet_.AssignmentOf("old").counter, 0);
  EXPECT_EQ(*fleet_.rollout->SignedAssignment("old", 0), Bytes());
}

}  // namespace
}  // namespace ferry::server
