#include "cloud-server/main/keeper.h"

#include <gtest/gtest.h>

#include "cloud-server/registry/test_publisher.h"

namespace ferry::server {
namespace {

constexpr int64_t kDay = int64_t{86'400'000};

struct KeeperTest : testing::Test {
  KeeperTest() {
    EXPECT_TRUE(server.registry->PutRoot(publisher.RootDocument()).ok());
    parts.store = server.store.get();
    parts.registry = server.registry.get();
    parts.clock = &server.clock;
    parts.limits = &limits;
    parts.certificates = {{"certificate of the server", server.clock.now_ms + 20 * kDay, 0}};
  }
  void AddRow(int64_t age_ms) {
    EXPECT_TRUE(server.store
                    ->Write([&](Transaction& tx) -> Status {
                      DeviceRow device;
                      device.id = fmt::format("d{}", ++rows);
                      FERRY_TRY(tx.devices().Put(device));
                      return AsStatus(tx.records().Add(
                          {device.id, "aa", 1, "s", 1, server.clock.now_ms - age_ms, "{}"}));
                    })
                    .ok());
  }
  static std::map<std::string, std::string> States(const Json& view) {
    std::map<std::string, std::string> states;
    for (const Json& thing : view["expires"])
      states[thing["what"].get<std::string>()] = thing["state"].get<std::string>();
    return states;
  }

  TestServer server;
  TestPublisher publisher{server};
  Limits limits;
  Keeper::Parts parts;
  int rows = 0;
};

TEST_F(KeeperTest, NothingIsTooOldBeforeTheClockHasSettled) {
  Keeper keeper(parts);
  AddRow(100 * kDay);
  AddRow(1 * kDay);
  keeper.Pass();
  server.clock.now_ms += kSettledMs - 1;
  keeper.Pass();
  EXPECT_EQ(keeper.View()["dropped"]["records"], 0);
  server.clock.now_ms += 1;
  keeper.Pass();
  EXPECT_EQ(keeper.View()["dropped"]["records"], 1);
  // A year ahead by mistake: everything would be too old.
  server.clock.Step(365 * kDay);
  keeper.Pass();
  server.clock.now_ms += kSettledMs / 2;
  keeper.Pass();
  EXPECT_EQ(keeper.View()["dropped"]["records"], 1);
  server.clock.Step(-365 * kDay);
  keeper.Pass();
  server.clock.now_ms += 2 * kSettledMs;
  keeper.Pass();
  EXPECT_EQ(keeper.View()["dropped"]["records"], 1);
}

TEST_F(KeeperTest, CollectsWhenAskedAndADryRunDropsNothing) {
  Keeper keeper(parts);
  EXPECT_TRUE(keeper.View()["content"].is_null());
  const Bytes bytes(5'000, 9);
  ASSERT_TRUE(server.blobs->PutBytes(crypto::Sha256Hex(bytes), bytes).ok());
  AddRow(100 * kDay);
  EXPECT_EQ((*keeper.Collect(false))["dropped"]["records"], 1);
  server.clock.now_ms += 14 * kDay;
  AddRow(100 * kDay);
  const Json dry = *keeper.Collect(true);
  EXPECT_EQ(dry["content"]["dropped_bytes"], 5'000);
  EXPECT_EQ(dry["content"]["unused"][0]["sha256"], crypto::Sha256Hex(bytes));
  EXPECT_EQ(dry["dropped"]["records"], 0);
  EXPECT_EQ((*keeper.Collect(false))["content"]["dropped_blobs"], 1);
  EXPECT_EQ((*keeper.Collect(false))["content"]["blobs"], 0);
}

TEST_F(KeeperTest, SaysWhatExpiresBeforeItDoes) {
  publisher.Add("1.0.0", 1, "package one");
  ASSERT_TRUE(server.registry->Publish(publisher.Make()).ok());
  Keeper keeper(parts);
  const auto expect = [&](const char* server_certificate, const char* targets,
                          const char* timestamp) {
    const auto states = States(keeper.View());
    EXPECT_EQ(states.at("certificate of the server"), server_certificate);
    EXPECT_EQ(states.at("metadata targets"), targets);
    EXPECT_EQ(states.at("metadata timestamp"), timestamp);
    EXPECT_EQ(states.at("metadata root"), "ok");
  };
  expect("soon", "ok", "ok");
  server.clock.now_ms += 14 * kDay;
  expect("urgent", "ok", "expired");  // nobody refreshed it: a running server does
  ASSERT_TRUE(server.registry->Refresh().ok());
  expect("urgent", "ok", "ok");
  server.clock.now_ms += 60 * kDay;
  ASSERT_TRUE(server.registry->Refresh().ok());
  expect("expired", "soon", "ok");
}

}  // namespace
}  // namespace ferry::server
