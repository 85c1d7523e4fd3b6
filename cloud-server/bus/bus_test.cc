#include "cloud-server/bus/bus.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <mutex>
#include <thread>
#include <vector>

namespace ferry::server {
namespace {

// Every test runs within one process, and over NATS where FERRY_TEST_NATS names a server
// (tests/e2e/cluster/nats_test.py starts one).
class BusTest : public testing::TestWithParam<bool> {
 protected:
  // Another node of the same cluster each time.
  std::unique_ptr<Bus> Make() {
    if (!GetParam()) return MakeInprocBus();
    const testing::TestInfo* test = testing::UnitTest::GetInstance()->current_test_info();
    std::string cluster = std::string(test->name()).substr(0, std::string(test->name()).find('/'));
    Result<std::unique_ptr<Bus>> bus = ConnectNatsBus(std::getenv("FERRY_TEST_NATS"), cluster);
    EXPECT_TRUE(bus.ok()) << bus.status().ToString();
    return bus.ok() ? std::move(*bus) : MakeInprocBus();
  }
  void SetUp() override {
    if (GetParam() && std::getenv("FERRY_TEST_NATS") == nullptr)
      GTEST_SKIP() << "FERRY_TEST_NATS names no server";
  }
};
INSTANTIATE_TEST_SUITE_P(Buses, BusTest, testing::Bool(),
                         [](const auto& info) { return info.param ? "Nats" : "Inproc"; });

TEST_P(BusTest, WakesOnlyTheDeviceNamed) {
  auto bus = Make();
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

TEST_P(BusTest, TwoSubscribersOfOneDeviceBothWake) {
  auto bus = Make();
  int calls = 0;
  auto one = bus->Subscribe("a", [&](const std::string&, uint64_t) { ++calls; });
  auto two = bus->Subscribe("a", [&](const std::string&, uint64_t) { ++calls; });
  bus->Publish("a", 1);
  EXPECT_EQ(calls, 2);
  one.reset();
  bus->Publish("a", 2);
  EXPECT_EQ(calls, 3);
}

TEST_P(BusTest, ASubscriptionMayOutliveTheBus) {
  auto bus = Make();
  auto held = bus->Subscribe("a", [](const std::string&, uint64_t) {});
  bus.reset();
  held.reset();
}

TEST_P(BusTest, NoCallAfterDropWhilePublishersRun) {
  auto bus = Make();
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

// Over the line; each node has its own subscribers.
TEST_P(BusTest, NodesWakeEachOthersDevices) {
  if (!GetParam()) GTEST_SKIP() << "one process is one node";
  auto one = Make(), two = Make();
  std::mutex mutex;
  std::vector<uint64_t> heard;
  const auto held = one->Subscribe("a", [&](const std::string& device, uint64_t epoch) {
    std::lock_guard lock(mutex);
    EXPECT_EQ(device, "a");
    heard.push_back(epoch);
  });
  const auto count = [&] {
    std::lock_guard lock(mutex);
    return heard.size();
  };
  two->Publish("a", 7);
  two->Publish("b", 8);
  one->Publish("a", 9);
  for (int i = 0; i < 5'000 && count() < 2; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  std::lock_guard lock(mutex);
  std::sort(heard.begin(), heard.end());
  EXPECT_EQ(heard, (std::vector<uint64_t>{7, 9})) << "its own is not heard twice";
  EXPECT_EQ(two->Listening(), std::set<std::string>()) << "they are of each node";
}

TEST_P(BusTest, OtherNodesAreToldToLook) {
  if (!GetParam()) GTEST_SKIP() << "one process is one node";
  auto one = Make(), two = Make();
  std::atomic<int> first = 0, second = 0;
  one->OnLook([&] { ++first; });
  two->OnLook([&] { ++second; });
  one->PublishLook();
  for (int i = 0; i < 5'000 && second == 0; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(second, 1);
  EXPECT_EQ(first, 0);
  two->OnLook(nullptr);
  one->PublishLook();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_EQ(second, 1);
}

TEST(NatsBus, AnAddressWhereNobodyAnswersIsSaidAtOnce) {
  const auto bus = ConnectNatsBus("nats://user:secret@127.0.0.1:1", "c");
  EXPECT_EQ(bus.code(), Code::kUnavailable);
  EXPECT_EQ(bus.status().message().find("secret"), std::string::npos);
  EXPECT_NE(bus.status().message().find("127.0.0.1:1"), std::string::npos);
}

// tests/e2e/cluster/nats_test.py ends the server at "connected", and starts it anew at "lost".
TEST(NatsBus, IsThereAgainWhenTheServerIs) {
  const char* url = std::getenv("FERRY_TEST_NATS");
  if (url == nullptr) GTEST_SKIP() << "FERRY_TEST_NATS names no server";
  const auto one = *ConnectNatsBus(url, "again"), two = *ConnectNatsBus(url, "again");
  std::atomic<int> heard = 0;
  const auto held = one->Subscribe("a", [&](const std::string&, uint64_t) { ++heard; });
  std::atomic<int> looks = 0;
  one->OnLook([&] { ++looks; });
  const auto waits = [](const std::function<bool()>& done) {
    for (int i = 0; i < 30'000 && !done(); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return done();
  };
  two->Publish("a", 1);
  ASSERT_TRUE(waits([&] { return heard == 1; }));
  std::cout << "connected" << std::endl;
  const bool lost = waits([&] { return !one->connected() && !two->connected(); });
  std::cout << "lost" << std::endl;
  ASSERT_TRUE(lost);
  one->Publish("a", 2);
  EXPECT_EQ(heard, 2) << "its own devices are woken without the line";
  ASSERT_TRUE(waits([&] { return one->connected() && two->connected(); }));
  // One line may be back before the other: what is published between is lost, as it may be.
  EXPECT_TRUE(waits([&] {
    two->Publish("a", 3);
    return heard >= 3;
  }));
  EXPECT_TRUE(waits([&] { return looks >= 1; })) << "who listens is looked at";
}

}  // namespace
}  // namespace ferry::server
