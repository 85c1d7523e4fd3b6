#include "cloud-server/main/fill/fill.h"

#include <gtest/gtest.h>

#include <set>

#include "cloud-server/core/tally.h"
#include "cloud-server/store/test_store.h"

namespace ferry::server {
namespace {

struct FilledStore {
  std::unique_ptr<Store> store = *OpenTestStore();
  Result<Filled> filled;
  explicit FilledStore(uint64_t seed, int64_t devices = 500)
      : filled(FillStore(*store, "default", devices, seed, 1'800'000'000'000)) {}

  std::vector<DeviceRow> Devices() {
    std::vector<DeviceRow> rows;
    EXPECT_TRUE(store
                    ->Read([&](Transaction& tx) -> Status {
                      FERRY_ASSIGN_OR_RETURN(rows, tx.devices().All("default"));
                      return OkStatus();
                    })
                    .ok());
    return rows;
  }
};

TEST(Fill, TheSameSeedMakesTheSameFleet) {
  FilledStore one(7), same(7), other(8);
  ASSERT_TRUE(one.filled.ok()) << one.filled.status().ToString();
  EXPECT_EQ(one.filled->devices, 500);
  EXPECT_EQ(one.Devices(), same.Devices());
  EXPECT_EQ(one.filled->some.size(), 500U);
  EXPECT_NE(one.Devices(), other.Devices());
}

TEST(Fill, TheMonthBeforeIsThere) {
  FilledStore fleet(1);
  ASSERT_TRUE(fleet.store
                  ->Read([&](Transaction& tx) -> Status {
                    FERRY_ASSIGN_OR_RETURN(const auto rows, tx.fleet().Days(0));
                    EXPECT_EQ(rows.size(), 30u * 4);
                    EXPECT_EQ(rows.back().day, 1'800'000'000'000 / 86'400'000 - 1);
                    for (size_t i = 0; i < rows.size(); i += 4)
                      EXPECT_EQ(rows[i].devices,
                                rows[i + 1].devices + rows[i + 2].devices + rows[i + 3].devices);
                    return OkStatus();
                  })
                  .ok());
}

TEST(Fill, TheFleetIsMixedAndItsCountsAreThoseOfItsMembers) {
  FilledStore fleet(1);
  ASSERT_TRUE(fleet.filled.ok());
  std::set<std::string> systems, versions;
  for (const DeviceRow& device : fleet.Devices()) {
    systems.insert(device.os);
    versions.insert(device.app_version);
  }
  EXPECT_EQ(systems.size(), 3u);
  EXPECT_GT(versions.size(), 20u);
  int64_t members = 0;
  ASSERT_TRUE(fleet.store
                  ->Read([&](Transaction& tx) -> Status {
                    FERRY_ASSIGN_OR_RETURN(const auto releases, tx.releases().All());
                    for (const ReleaseRow& release : releases) {
                      FERRY_ASSIGN_OR_RETURN(const auto rows, tx.releases().Members(release.id));
                      FERRY_ASSIGN_OR_RETURN(const Tallies stored,
                                             tx.releases().TalliesOf(release.id));
                      Tallies counted;
                      for (const MemberRow& row : rows) CountMember(counted, row, 1);
                      EXPECT_EQ(TotalOf(stored), TotalOf(counted)) << release.id;
                      members += static_cast<int64_t>(rows.size());
                    }
                    return OkStatus();
                  })
                  .ok());
  EXPECT_EQ(members, fleet.filled->members);
  EXPECT_GT(members, 500);
}

TEST(Fill, AFleetThatIsThereStays) {
  FilledStore fleet(1, 10);
  EXPECT_EQ(FillStore(*fleet.store, "default", 10, 1, 0).code(), Code::kFailedPrecondition);
  EXPECT_EQ(fleet.Devices().size(), 10u);
}

}  // namespace
}  // namespace ferry::server
