// Devices that are told to come back: no room, a node that goes, a line that has lived its time.
#include "cloud-server/gateway/gateway_fixture.h"

namespace ferry::server {
namespace {

class LeaveTest : public GatewayTest {
 protected:
  void SetUp() override {
    GatewayTest::SetUp();
    ASSERT_TRUE(store_
                    ->Write([&](Transaction& tx) -> Status {
                      FERRY_ASSIGN_OR_RETURN(JoinTokenRow token,
                                             tx.access().JoinToken(crypto::Sha256Hex(secret_)));
                      token.uses_left = 100;
                      return tx.access().PutJoinToken(token);
                    })
                    .ok());
  }
  void Build(const std::function<void(Gateway::Options&)>& change) {
    Gateway::Options options = GatewayOptions();
    change(options);
    own_ = std::make_unique<Gateway>(options);
    serving_ = own_.get();
  }
  Gateway& gateway() { return *serving_; }
  std::unique_ptr<TestDevice> Device(const std::string& host) {
    return std::make_unique<TestDevice>(world_, net_, host);
  }

 private:
  std::unique_ptr<Gateway> own_;
};

TEST_F(LeaveTest, AboveItsNumberOfDevicesItSaysWhenToComeBack) {
  Build([](Gateway::Options& options) { options.max_sessions = 2; });
  auto one = Ready("one"), two = Ready("two");
  auto three = Device("three");
  three->Connect();
  ASSERT_TRUE(three->IsClosed());
  ASSERT_FALSE(three->heard.empty());
  const proto::Error error = three->heard.front().error();
  EXPECT_EQ(error.code(), static_cast<int>(Code::kUnavailable));
  EXPECT_TRUE(error.fatal());
  EXPECT_EQ(error.retry_after_ms(), kFullComeBackMs);
  EXPECT_EQ(gateway().sessions(), 2u);
  EXPECT_EQ(gateway().sent_away(), 1);
  // There is room again.
  one.reset();
  world_.RunFor(1'000);
  EXPECT_EQ(gateway().sessions(), 1u);
  EXPECT_NE(Ready("three"), nullptr);
  EXPECT_EQ(gateway().sent_away(), 1);
}

TEST_F(LeaveTest, ANodeThatGoesSendsAwayAsManyAsItIsTold) {
  std::vector<std::unique_ptr<TestDevice>> devices;
  for (int i = 0; i < 5; ++i) devices.push_back(Ready("phone" + std::to_string(i)));
  gateway().StopAccepting();
  gateway().SendAway(2);
  gateway().SendAway(1);
  world_.RunFor(5'000);
  EXPECT_EQ(gateway().sessions(), 2u);
  int told = 0;
  for (const auto& device : devices) {
    if (device->closed.ok()) continue;
    ++told;
    ASSERT_FALSE(device->heard.empty());
    EXPECT_EQ(device->heard.back().error().retry_after_ms(), kSoonComeBackMs);
  }
  EXPECT_EQ(told, 3);
  auto late = Device("late");
  late->Connect();
  ASSERT_TRUE(late->IsClosed());
  EXPECT_EQ(late->heard.front().error().retry_after_ms(), kSoonComeBackMs);
  gateway().SendAway(100);
  world_.RunFor(5'000);
  EXPECT_EQ(gateway().sessions(), 0u);
}

TEST_F(LeaveTest, LinesLiveTheirTimeGiveOrTakeAFifth) {
  Build([](Gateway::Options& options) { options.session_life_ms = 3'600'000; });
  std::vector<std::unique_ptr<TestDevice>> devices;
  for (int i = 0; i < 20; ++i) devices.push_back(Ready("phone" + std::to_string(i)));
  world_.RunFor(3'600'000 * 4 / 5 - 60'000);
  EXPECT_EQ(gateway().sessions(), devices.size());
  world_.RunFor(60'000 + 3'600'000 / 5);
  EXPECT_GT(gateway().sessions(), 2u);
  EXPECT_LT(gateway().sessions(), 18u);
  world_.RunFor(3'600'000 / 5 + 60'000);
  EXPECT_EQ(gateway().sessions(), 0u);
  for (const auto& device : devices)
    EXPECT_EQ(device->heard.back().error().retry_after_ms(), kSoonComeBackMs);
}

}  // namespace
}  // namespace ferry::server
