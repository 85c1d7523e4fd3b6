#include "cloud-server/rollout/trial/fleet.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cloud-server/rollout/new_release.h"
#include "cloud-server/rollout/test_rollout.h"
#include "common/base/json.h"

namespace ferry::server {
namespace {

constexpr int64_t kTestMiB = 1 << 20;

TEST(MachineOf, TakesWhatMakesARunDiffer) {
  target::Attributes device;
  EXPECT_EQ(MachineOf(device), SimulatedMachine{});
  device.os = "android";
  device.tags = {"beta"};
  device.memory_bytes = 8 * 1024 * kTestMiB;
  EXPECT_EQ(MachineOf(device), SimulatedMachine{}) << "ample memory is no limit";
  EXPECT_EQ(NameOfMachine(MachineOf(device)), "any");
  device.isa = {"avx512", "x86_64", "avx2"};
  device.memory_bytes = 1999 * kTestMiB;
  EXPECT_EQ(NameOfMachine(MachineOf(device)), "avx512, 1792 MiB");
  device.isa = {"x86_64"};
  device.memory_bytes = 200 * kTestMiB;
  EXPECT_EQ(NameOfMachine(MachineOf(device)), "reference, 192 MiB");
  device.isa = {"arm64", "neon", "dotprod", "quantum"};
  device.memory_bytes = 1;
  EXPECT_EQ(NameOfMachine(MachineOf(device)), "dotprod, 64 MiB");
  device.isa.clear();
  EXPECT_EQ(NameOfMachine(MachineOf(device)), "64 MiB");
}

class TrialFleetTest : public testing::Test {
 protected:
  void Put(const std::string& id, const std::string& isa, int64_t memory_mb, bool blocked = false,
           const std::string& version = "1.0.0") {
    DeviceRow device;
    device.id = id;
    device.app_version = version;
    if (!isa.empty()) device.isa = {"x86_64", isa};
    if (memory_mb > 0) device.memory_bytes = memory_mb * kTestMiB;
    device.blocked = blocked;
    ASSERT_TRUE(
        fleet_.store->Write([&](Transaction& tx) { return tx.devices().Put(device); }).ok());
  }
  std::vector<MachineDevices> Machines(const std::string& rule) {
    ReleaseRow release;
    release.salt = "s";
    release.plan_json = WriteJson({{"rule", rule}, {"stages", {{{"kind", "full"}}}}});
    std::vector<MachineDevices> machines;
    const Status status = fleet_.store->Read([&](Transaction& tx) -> Status {
      FERRY_ASSIGN_OR_RETURN(machines, MachinesOf(tx, release));
      return OkStatus();
    });
    EXPECT_TRUE(status.ok()) << status.ToString();
    return machines;
  }
  std::string Running(const std::vector<std::pair<const char*, ReleaseState>>& releases) {
    std::string running;
    const Status status = fleet_.store->Write([&](Transaction& tx) -> Status {
      ReleaseRow row;
      row.package = "p";
      row.plan_json = R"({"rule":"all"})";
      for (const auto& [version, state] : releases) {
        row.number = ++releases_;
        row.id = fmt::format("p-{}", row.number);
        row.version = version;
        row.state = state;
        PackageRow package;
        package.name = row.package;
        package.version = row.version;
        package.release_counter = row.number;
        FERRY_TRY(tx.packages().Put(package));
        FERRY_TRY(tx.releases().Put(row));
      }
      row.id = "next";
      row.version = "9.0.0";
      FERRY_ASSIGN_OR_RETURN(running, RunningVersion(tx, row));
      return OkStatus();
    });
    EXPECT_TRUE(status.ok()) << status.ToString();
    return running;
  }
  TestFleet fleet_;
  int64_t releases_ = 0;
};

TEST_F(TrialFleetTest, CountsTheKindsThatTheRuleReaches) {
  EXPECT_TRUE(Machines("all").empty());
  Put("a1", "avx2", 0);
  Put("a2", "avx2", 9000);
  Put("b1", "neon", 600);
  Put("c1", "avx512", 0, true);
  Put("d1", "vnni", 0, false, "2.0.0");
  const std::vector<MachineDevices> expected = {{{"avx2", 0}, 2}, {{"neon", 512 << 20}, 1}};
  EXPECT_EQ(Machines("app_version < \"2.0.0\""), expected);
}

// Above kExactPlanned devices are not read one by one: shares are estimates there.
TEST_F(TrialFleetTest, LargeFleetsAreCountedByTheirProfiles) {
  for (int k = 0; k < 1100; ++k) Put(fmt::format("d{}", k), k % 11 == 0 ? "neon" : "avx2", 0);
  const std::vector<MachineDevices> expected = {{{"avx2", 0}, 1000}, {{"neon", 0}, 100}};
  EXPECT_EQ(Machines("all"), expected);
  const std::vector<MachineDevices> half = Machines("percent(50)");
  ASSERT_EQ(half.size(), 2u);
  EXPECT_NEAR(static_cast<double>(half[0].devices), 500, 200);
}

TEST_F(TrialFleetTest, TheRunningVersionIsTheNewestThatIsComplete) {
  EXPECT_EQ(Running({}), "");
  EXPECT_EQ(Running({{"1.0.0", ReleaseState::kRolledBack}}), "");
  EXPECT_EQ(Running({{"1.1.0", ReleaseState::kSuperseded}}), "1.1.0");
  EXPECT_EQ(Running({{"1.2.0", ReleaseState::kComplete},
                     {"1.3.0", ReleaseState::kSuperseded},
                     {"1.4.0", ReleaseState::kFailedSimulation}}),
            "1.2.0");
  EXPECT_EQ(Running({{"9.0.0", ReleaseState::kComplete}}), "") << "it is that version";
}

}  // namespace
}  // namespace ferry::server
