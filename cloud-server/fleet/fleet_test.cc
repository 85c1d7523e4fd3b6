// The view against the store read anew, while everything that it shows changes.
#include "cloud-server/fleet/fleet.h"

#include <gtest/gtest.h>

#include <random>

#include "cloud-server/store/test_store.h"
#include "common/base/json.h"

namespace ferry::server::fleet {
namespace {

DeviceRow RowOf(const std::string& id) {
  DeviceRow row;
  row.id = id;
  row.identity_public = Bytes(32, 1);
  row.seal_public = Bytes(32, 2);
  row.os = "android";
  row.app_version = "1.0.0";
  return row;
}

struct World {
  std::unique_ptr<Store> store = *OpenTestStore();
  Fleet fleet{store.get()};

  void Write(const Store::Body& body) {
    const Status status = store->Write(body);
    ASSERT_TRUE(status.ok()) << status.ToString();
  }
  void AddBasics() {
    Write([](Transaction& tx) -> Status {
      FERRY_TRY(tx.packages().Put({"digits", "1.0.0", 1, std::string(64, 'a'), 1000, "0.9.0", 5}));
      ReleaseRow release;
      release.id = "r1";
      release.package = "digits";
      release.version = "1.0.0";
      release.fallback_version = "0.9.0";
      release.plan_json = release.settings_json = "{}";
      release.number = 1;
      FERRY_TRY(tx.releases().Put(release));
      GroupRow group;
      group.name = "staff";
      return tx.groups().Put(group);
    });
  }
  static std::string TextOf(Fleet& fleet, const char* filter = "") {
    std::string text;
    const Status status = fleet.Look([&](const Devices& devices) -> Status {
      FERRY_ASSIGN_OR_RETURN(const list::Query query,
                             list::ReadQuery({{"filter", filter}}, DeviceSpec()));
      for (const size_t i : SelectDevices(query, devices).rows)
        text += WriteJson(ToJson(*devices[i])) + "\n";
      return OkStatus();
    });
    EXPECT_TRUE(status.ok()) << status.ToString();
    return text;
  }
  // What a server that was started now shows page by page.
  std::string InPages() {
    Fleet fresh(store.get());
    std::string text, last;
    for (size_t found = 3; found == 3;) {
      const Status status = fresh.LookInStore(last, 3, [&](const Devices& devices, int64_t all) {
        EXPECT_LE(devices.size(), static_cast<size_t>(all));
        for (const auto& device : devices) text += WriteJson(ToJson(*device)) + "\n";
        found = devices.size();
        if (found > 0) last = devices[found - 1]->device_id;
        return OkStatus();
      });
      EXPECT_TRUE(status.ok()) << status.ToString();
    }
    EXPECT_FALSE(fresh.loaded());
    return text;
  }
  // What a view that begins now shows.
  std::string Anew(const char* filter = "") {
    Fleet fresh(store.get());
    return TextOf(fresh, filter);
  }
};

// One random change of what lists of devices show.
Status Change(Transaction& tx, std::mt19937_64& draw) {
  const std::string id = "d" + std::to_string(draw() % 8);
  Result<DeviceRow> row = tx.devices().Get(id);
  if (!row.ok()) return tx.devices().Put(RowOf(id));
  switch (draw() % 10) {
    case 0:
      row->app_version = fmt::format("{}.0.0", draw() % 4);
      return tx.devices().Put(*row);
    case 1:
      return tx.devices().PutHeard(id, 1, static_cast<int64_t>(draw() % 1000), 3);
    case 2:
      return tx.devices().PutInstalled({id, "speech", draw() % 2 == 0 ? "" : "2.0.0", "", false});
    case 3:
      return AsStatus(tx.groups().AddDevice("staff", id));
    case 4:
      return AsStatus(tx.groups().RemoveDevice("staff", id));
    case 5: {
      GroupRow group;
      if (const auto there = tx.groups().Get("apps"); there.ok()) group = *there;
      group.name = "apps";
      group.rule = fmt::format("app_version >= \"{}.0.0\"", draw() % 4);
      return tx.groups().Put(group);
    }
    case 6:
      return tx.devices().PutState({id, "copied", static_cast<int64_t>(draw() % 1000)});
    case 7:
      row->blocked = draw() % 2 == 0;
      row->operator_tags = {"eu"};
      return tx.devices().Put(*row);
    default: {
      MemberRow member;
      member.release = "r1";
      member.device = id;
      member.outcome = draw() % 2 == 0 ? Outcome::kHealthy : Outcome::kFailed;
      member.back = draw() % 3 == 0;
      member.done = draw() % 2 == 0;
      member.step = draw() % 2 == 0 ? "confirmed" : "failed";
      return tx.releases().PutMember(member);
    }
  }
}

TEST(Fleet, FollowsEveryChange) {
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    std::mt19937_64 draw(seed);
    World world;
    world.AddBasics();
    for (int step = 0; step < 120; ++step) {
      world.Write([&](Transaction& tx) { return Change(tx, draw); });
      if (draw() % 3 == 0) continue;  // several at once
      ASSERT_EQ(World::TextOf(world.fleet), world.Anew()) << "seed " << seed << " step " << step;
      RunningCounts counts;
      ASSERT_TRUE(world.fleet
                      .Look([&](const Devices& devices) {
                        for (const auto& device : devices)
                          for (const auto& running : device->running) ++counts[running];
                        return OkStatus();
                      })
                      .ok());
      ASSERT_EQ(world.fleet.Running().value_or({}), counts) << "seed " << seed << " step " << step;
      const char* filter = "group(\"apps\") or runs(\"digits\") == \"1.0.0\" or last_seen_ms > 500";
      ASSERT_EQ(World::TextOf(world.fleet, filter), world.Anew(filter)) << seed << " " << step;
      ASSERT_EQ(world.InPages(), world.Anew()) << "seed " << seed << " step " << step;
    }
  }
}

TEST(Fleet, ARemovedGroupIsGone) {
  World world;
  world.AddBasics();
  world.Write([](Transaction& tx) -> Status {
    FERRY_TRY(tx.devices().Put(RowOf("d1")));
    return AsStatus(tx.groups().AddDevice("staff", "d1"));
  });
  EXPECT_NE(World::TextOf(world.fleet, "group(\"staff\")"), "");
  world.Write([](Transaction& tx) { return tx.groups().Remove("staff"); });
  EXPECT_EQ(World::TextOf(world.fleet, "group(\"staff\")"), "");
}

TEST(Fleet, ReadsAllAnewWhereItMissedChanges) {
  World world;
  world.AddBasics();
  world.Write([](Transaction& tx) { return tx.devices().Put(RowOf("d1")); });
  EXPECT_NE(World::TextOf(world.fleet), "");
  world.Write([](Transaction& tx) -> Status {
    for (int64_t i = 0; i < kMaxFleetStep + 5; ++i) FERRY_TRY(tx.devices().PutHeard("d1", 1, i, 0));
    return tx.devices().Put(RowOf("d2"));
  });
  EXPECT_EQ(World::TextOf(world.fleet), world.Anew());
}

TEST(Fleet, FiltersKnowRulesColumnsAndWhatRuns) {
  World world;
  world.AddBasics();
  world.Write([](Transaction& tx) -> Status {
    DeviceRow one = RowOf("aa01"), two = RowOf("bb02");
    one.tags = {"kiosk"};
    two.blocked = true;
    two.extra = {{"city", "Berlin"}};
    FERRY_TRY(tx.devices().Put(one));
    FERRY_TRY(tx.devices().Put(two));
    return tx.devices().PutInstalled({"aa01", "digits", "1.0.0", "", false});
  });
  const auto ids = [&](const char* filter) {
    std::string found;
    EXPECT_TRUE(world.fleet
                    .Look([&](const Devices& devices) -> Status {
                      const auto query = list::ReadQuery({{"filter", filter}}, DeviceSpec());
                      EXPECT_TRUE(query.ok()) << query.status().ToString();
                      for (const size_t i : SelectDevices(*query, devices).rows)
                        found += devices[i]->device_id + " ";
                      return OkStatus();
                    })
                    .ok());
    return found;
  };
  EXPECT_EQ(ids("os == \"android\""), "aa01 bb02 ");
  EXPECT_EQ(ids("tag(\"kiosk\")"), "aa01 ");
  EXPECT_EQ(ids("blocked == \"true\""), "bb02 ");
  EXPECT_EQ(ids("runs(\"digits\")"), "aa01 ");
  EXPECT_EQ(ids("runs(\"digits\") == \"1.0.0\""), "aa01 ");
  EXPECT_EQ(ids("runs(\"digits\") in (\"0.9.0\")"), "");
  EXPECT_EQ(ids("not runs(\"digits\")"), "bb02 ");
  EXPECT_EQ(ids("text(\"berlin\")"), "bb02 ");
  EXPECT_EQ(ids("text(\"aa0\") or text(\"kios\")"), "aa01 ");
  EXPECT_EQ(ids("id < \"b\""), "aa01 ");
  EXPECT_EQ(list::ReadQuery({{"filter", "runs(\"digits\") > \"1\""}}, DeviceSpec()).code(),
            Code::kBadRule);
}

}  // namespace
}  // namespace ferry::server::fleet
