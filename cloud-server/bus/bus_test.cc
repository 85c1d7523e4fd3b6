#include "cloud-server/bus/bus.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace ferry::server {
namespace {

TEST(Bus, WakesOnlyTheDeviceNamed) {
  auto bus = MakeInprocBus();
  std::vector<uint64_t> a, b;
  auto first = bus->Subscribe("a", [&](const std::string&, uint64_t epoch) { a.push_back(epoch); });
  auto second =
      bus->Subscribe("b", [&](const std::string&, uint64_t epoch) { b.push_back(epoch); });
  bus->Publish("a", 3);
  bus->Publish("c", 4);
  bus->Publish("b", 5);
  EXPECT_EQ(a, std::vector<uint64_t>{3});
  EXPECT_EQ(b, std::vector<uint64_t>{5});
}

TEST(Bus, TwoSubscribersOfOneDeviceBothWake) {
  auto bus = MakeInprocBus();
  int calls = 0;
  auto one = bus->Subscribe("a", [&](const std::string&, uint64_t) { ++calls; });
  auto two = bus->Subscribe("a", [&](const std::string&, uint64_t) { ++calls; });
  bus->Publish("a", 1);
  EXPECT_EQ(calls, 2);
  one.reset();
  bus->Publish("a", 2);
  EXPECT_EQ(calls, 3);
}

TEST(Bus, ASubscriptionMayOutliveTheBus) {
  auto bus = MakeInprocBus();
  auto held = bus->Subscribe("a", [](const std::string&, uint64_t) {});
  bus.reset();
  held.reset();
}

TEST(Bus, NoCallAfterDropWhilePublishersRun) {
  auto bus = MakeInprocBus();
  std::atomic<bool> stop = false;
  std::thread publisher([&] {
    while (!stop) bus->Publish("a", 1);
  });
  for (int i = 0; i < 200; ++i) {
    auto alive = std::make_unique<std::atomic<int>>(0);
    auto held = bus->Subscribe("a", [p = alive.get()](const std::string&, uint64_t) { ++*p; });
    held.reset();
    const int seen = *alive;
    std::this_thread::yield();
    EXPECT_EQ(*alive, seen);
  }
  stop = true;
  publisher.join();
}

}  // namespace
}  // namespace ferry::server
