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

TEST(Days, WhatTasksAndStreamsDidIsKeptAsSums) {
  DaysWorld world;
  const int64_t day = world.today();
  const auto add = [&](int64_t of, const std::string& device, const TaskUse& use) {
    ASSERT_TRUE(world.store
                    ->Write([&](Transaction& tx) -> Status {
                      FERRY_TRY(tx.use().Add(of, device, "digits", "1.0.0", use));
                      return tx.intake().AddUsed(of, device, "digits.rows", {2, 300});
                    })
                    .ok());
  };
  add(day, "d1", {10, 2, 1, 4});
  add(day, "d2", {5, 1, 0, 2});
  ASSERT_TRUE(world.days.Note().ok());
  add(day, "d1", {1, 1, 0, 1});
  world.sim.RunFor(86'400'000);
  add(day + 1, "d1", {7, 7, 7, 7});
  ASSERT_TRUE(world.days.Note().ok()) << "what came after the last look of a day is in it";
  std::vector<TaskDayRow> tasks;
  std::vector<StreamDayRow> streams;
  const auto read = [&] {
    ASSERT_TRUE(world.store
                    ->Read([&](Transaction& tx) -> Status {
                      FERRY_ASSIGN_OR_RETURN(tasks, tx.use().TaskDays(day));
                      FERRY_ASSIGN_OR_RETURN(streams, tx.use().StreamDays(day));
                      return OkStatus();
                    })
                    .ok());
  };
  read();
  const std::vector<TaskDayRow> wanted = {{day, "digits", "1.0.0", 2, {16, 4, 1, 7}},
                                          {day + 1, "digits", "1.0.0", 1, {7, 7, 7, 7}}};
  EXPECT_EQ(tasks, wanted);
  EXPECT_EQ(streams, (std::vector<StreamDayRow>{{day, "digits.rows", 2, 6, 900},
                                                {day + 1, "digits.rows", 1, 2, 300}}));
  world.sim.RunFor(5 * int64_t{86'400'000});
  add(day + 6, "d1", {1, 0, 0, 0});
  ASSERT_TRUE(world.days.Note().ok());
  read();
  EXPECT_EQ(tasks.size(), 3u) << "sums stay when rows of devices have gone";
  EXPECT_EQ(tasks[0], wanted[0]);
}

TEST(Days, AreCalledByTheirDate) {
  EXPECT_EQ(DayText(0), "1970-01-01");
  EXPECT_EQ(DayText(DayOf(1'800'000'000'000)), "2027-01-15");
}

}  // namespace
}  // namespace ferry::server::fleet
