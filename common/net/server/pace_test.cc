#include "common/net/server/pace.h"

#include "common/net/test_support.h"

namespace ferry::net {
namespace {

// How many begin in so many seconds where all want to at once.
int Begun(Pace& pace, int64_t from_ns, int64_t seconds) {
  int begun = 0;
  for (int64_t now_ns = from_ns; now_ns < from_ns + seconds * 1'000'000'000; ++begun)
    now_ns += pace.WaitAfterMs(now_ns) * 1'000'000;
  return begun;
}

TEST(Pace, AStormBeginsAtItsRate) {
  Pace pace(100);
  const int begun = Begun(pace, 5'000'000'000, 10);
  EXPECT_GE(begun, 950);
  EXPECT_LE(begun, 1'000 + 100 * kPaceBurstMs / 1000 + 1);
}

TEST(Pace, SomeAtOnceAreFree) {
  Pace pace(1000);
  for (int i = 0; i < kPaceBurstMs; ++i) EXPECT_EQ(pace.WaitAfterMs(9'000'000'000), 0) << i;
  EXPECT_GT(pace.WaitAfterMs(9'000'000'000), 0);
  // And again after a while, but no more of them for a long one.
  for (int i = 0; i < kPaceBurstMs; ++i) EXPECT_EQ(pace.WaitAfterMs(900'000'000'000), 0) << i;
  EXPECT_GT(pace.WaitAfterMs(900'000'000'000), 0);
}

TEST(Pace, NoRateIsNoLimit) {
  Pace pace(0);
  for (int i = 0; i < 100'000; ++i) EXPECT_EQ(pace.WaitAfterMs(1), 0);
}

class PaceTest : public NetTest {};

TEST_F(PaceTest, AStormIsServedWholeAndAtTheRateOfTheServer) {
  constexpr int kClients = 30, kPerSecond = 20;
  ServerLimits limits;
  limits.handshakes_per_second = kPerSecond;
  StartServer(limits);
  const auto began = std::chrono::steady_clock::now();
  std::vector<std::unique_ptr<RawClient>> clients;
  for (int i = 0; i < kClients; ++i) {
    clients.push_back(std::make_unique<RawClient>(endpoint_, kFrameProtocol));
    EXPECT_TRUE(clients.back()->connected()) << i;
  }
  const auto took = std::chrono::steady_clock::now() - began;
  const int free = kPerSecond * static_cast<int>(kPaceBurstMs) / 1000 + 1;
  EXPECT_GE(took, std::chrono::milliseconds(1000 * (kClients - free - 1) / kPerSecond));
  // A client is through before the server has counted it.
  EXPECT_TRUE(Eventually([&] { return server_->handshakes().begun == kClients; }));
  EXPECT_GT(server_->handshakes().held_back_ms, 500);
}

TEST_F(PaceTest, WhoStopsAcceptingKeepsTheLinesThatAreThere) {
  StartServer();
  RawClient client(endpoint_, kFrameProtocol);
  ASSERT_TRUE(client.connected());
  server_->StopAccepting();
  EXPECT_TRUE(Eventually([&] {
    MakeDialer({.dial_timeout_ms = 500});
    return Dial().code() == Code::kUnavailable;
  }));
  ASSERT_TRUE(client.Write(std::string("\x05\0\0\0hello", 9)));
  EXPECT_TRUE(Eventually([&] { return server_ear_.count() == 1; }));
}

}  // namespace
}  // namespace ferry::net
