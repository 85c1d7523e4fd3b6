// What is noted of a day.
#include "cloud-server/fleet/days.h"

#include <gtest/gtest.h>

#include "cloud-server/store/test_store.h"
#include "common/sys/sim/world.h"

namespace ferry::server::fleet {
namespace {

struct DaysWorld {
  sys::SimWorld sim{1};
  std::unique_ptr<Store> store = *OpenTestStore();
  Fleet fleet{store.get()};
  Days days{&fleet, store.get(), &sim.clock()};

  void Runs(const std::string& id, const std::string& version) {
    ASSERT_TRUE(store
                    ->Write([&](Transaction& tx) -> Status {
                      if (!tx.devices().Get(id).ok()) {
                        DeviceRow row;
                        row.id = id;
                        row.identity_public = Bytes(32, 1);
                        row.seal_public = Bytes(32, 2);
                        FERRY_TRY(tx.devices().Put(row));
                      }
                      return tx.devices().PutInstalled({id, "digits", version, "", false});
                    })
                    .ok());
  }
  std::vector<FleetDayRow> Rows(int64_t first) {
    std::vector<FleetDayRow> rows;
    EXPECT_TRUE(store
                    ->Read([&](Transaction& tx) -> Status {
                      FERRY_ASSIGN_OR_RETURN(rows, tx.fleet().Days(first));
                      return OkStatus();
                    })
                    .ok());
    return rows;
  }
  int64_t today() { return DayOf(sim.clock().NowUnixMs()); }
};

TEST(Days, TheLastLookOfADayStays) {
  DaysWorld world;
  const int64_t day = world.today();
  world.Runs("d1", "1.0.0");
  world.Runs("d2", "1.0.0");
  ASSERT_TRUE(world.days.Note().ok());
  EXPECT_EQ(world.Rows(day),
            (std::vector<FleetDayRow>{{day, "", "", 2}, {day, "digits", "1.0.0", 2}}));
  world.Runs("d2", "1.1.0");
  ASSERT_TRUE(world.days.Note().ok());
  const std::vector<FleetDayRow> second = {
      {day, "", "", 2}, {day, "digits", "1.0.0", 1}, {day, "digits", "1.1.0", 1}};
  EXPECT_EQ(world.Rows(day), second);
  world.sim.RunFor(86'400'000);
  world.Runs("d3", "1.1.0");
  ASSERT_TRUE(world.days.Note().ok());
  EXPECT_EQ(world.Rows(day).size(), 6u);
  EXPECT_EQ(world.Rows(day + 1)[0].devices, 3);
}

TEST(Days, OldOnesGo) {
  DaysWorld world;
  world.Runs("d1", "1.0.0");
  ASSERT_TRUE(world.days.Note().ok());
  const int64_t first = world.today();
  world.sim.RunFor(kMaxFleetDays * int64_t{86'400'000});
  ASSERT_TRUE(world.days.Note().ok());
  EXPECT_EQ(world.Rows(first)[0].day, first + kMaxFleetDays);
}

TEST(Days, AreCalledByTheirDate) {
  EXPECT_EQ(DayText(0), "1970-01-01");
  EXPECT_EQ(DayText(DayOf(1'800'000'000'000)), "2027-01-15");
}

}  // namespace
}  // namespace ferry::server::fleet
