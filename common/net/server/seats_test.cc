// What strangers may hold, and who makes room for whom.
#include "common/net/server/seats.h"

#include "common/net/test_support.h"

namespace ferry::net {
namespace {

constexpr int64_t kGraceMs = 500;
constexpr auto kPastGrace = std::chrono::milliseconds(kGraceMs + 200);

class SeatsTest : public NetTest {
 protected:
  SeatsTest() { admit_ = false; }

  std::unique_ptr<RawClient> Stranger(const char* protocol = kFrameProtocol) {
    return std::make_unique<RawClient>(endpoint_, protocol);
  }
  static std::string Frame(size_t size, size_t sent) {
    std::string frame(kLength + sent, 'x');
    PutU32(reinterpret_cast<uint8_t*>(frame.data()), static_cast<uint32_t>(size));
    return frame;
  }
  static constexpr size_t kLength = 4;
};

TEST_F(SeatsTest, AStrangersFramesAreSmall) {
  StartServer();
  const auto small = Stranger();
  ASSERT_TRUE(small->connected());
  ASSERT_TRUE(small->Write(Frame(16 << 10, 16 << 10)));
  ASSERT_TRUE(Eventually([&] { return server_ear_.count() == 1; }));
  ASSERT_TRUE(small->Write(Frame((16 << 10) + 1, 0)));
  EXPECT_EQ(small->Read(), "");
  EXPECT_TRUE(Eventually([&] { return server_ear_.close_code() == Code::kLimitExceeded; }));
}

TEST_F(SeatsTest, WhoIsAdmittedMaySendLargeOnes) {
  StartServer();
  const auto client = Stranger();
  ASSERT_TRUE(client->connected());
  accepted_.Take();
  On(server_executor_, [&] { server_channel_->Admit(); });
  ASSERT_TRUE(client->Write(Frame(sys::kMaxFrameBytes, sys::kMaxFrameBytes)));
  EXPECT_TRUE(Eventually([&] { return server_ear_.count() == 1; }));
}

TEST_F(SeatsTest, AStrangersSplitFramesAreSmall) {
  split_executor_ = server_executor_.get();
  StartServer();
  const auto client = Stranger(kSplitFrameProtocol);
  ASSERT_TRUE(client->connected());
  ASSERT_TRUE(client->Write("\x81\x80\x01"));  // 16 KiB and one byte
  EXPECT_EQ(client->Read(), "");
  EXPECT_TRUE(Eventually([&] { return server_ear_.close_code() == Code::kLimitExceeded; }));
}

// What is sent to a stranger who does not read does not pile up either.
TEST_F(SeatsTest, LittleWaitsForAStranger) {
  StartServer();
  const auto client = Stranger();
  ASSERT_TRUE(client->connected());
  accepted_.Take();
  On(server_executor_, [&] {
    EXPECT_EQ(server_channel_->Send(Bytes(1 << 20)).code(), Code::kLimitExceeded);
    EXPECT_TRUE(server_channel_->Send(Bytes(1 << 10)).ok());
    server_channel_->Admit();
    EXPECT_TRUE(server_channel_->Send(Bytes(1 << 20)).ok());
  });
}

TEST_F(SeatsTest, TheOldestStrangerMakesRoom) {
  ServerLimits limits;
  limits.max_strangers = 2;
  limits.stranger_grace_ms = kGraceMs;
  StartServer(limits);
  const auto known = Stranger();
  accepted_.Take();
  On(server_executor_, [&] { server_channel_->Admit(); });
  auto admitted = std::move(server_channel_);
  const auto first = Stranger(), second = Stranger();
  ASSERT_TRUE(first->connected() && second->connected());
  // Both came just now: they are not closed for another.
  EXPECT_FALSE(Stranger()->connected());
  std::this_thread::sleep_for(kPastGrace);
  EXPECT_TRUE(Stranger()->connected());
  EXPECT_EQ(first->Read(), "");
  On(server_executor_, [&] { EXPECT_TRUE(admitted->Send(AsBytes("still here")).ok()); });
  EXPECT_EQ(known->Read("here"), Frame(10, 0).substr(0, kLength) + "still here");
  On(server_executor_, [&] { admitted.reset(); });
}

// Whoever has a content token could hold all of a server's connections with it, one after another.
TEST_F(SeatsTest, WhoFetchesNothingAnyMoreMakesRoom) {
  ServerLimits limits;
  limits.max_strangers = 2;
  limits.stranger_grace_ms = kGraceMs;
  ASSERT_TRUE(sys::WriteFileAtomically(content_.fs, "/c", AsBytes("content")).ok());
  StartServer(limits);
  const auto fetch = [](RawClient& client) {
    EXPECT_TRUE(client.Write("GET /c HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer t\r\n\r\n"));
    return client.Read("content");
  };
  const auto first = Stranger(kHttpProtocol), second = Stranger(kHttpProtocol);
  ASSERT_TRUE(first->connected() && second->connected());
  EXPECT_NE(fetch(*first).find("200"), std::string::npos);
  EXPECT_NE(fetch(*second).find("200"), std::string::npos);
  std::this_thread::sleep_for(kPastGrace);
  EXPECT_NE(fetch(*first).find("200"), std::string::npos) << "it goes on, and is the younger one";
  EXPECT_TRUE(Stranger()->connected());
  EXPECT_EQ(second->Read(), "");
  EXPECT_NE(fetch(*first).find("200"), std::string::npos);
}

TEST_F(SeatsTest, AnAddressHasAShare) {
  ServerLimits limits;
  limits.max_connections_per_address = 2;
  StartServer(limits);
  const auto first = Stranger(), second = Stranger();
  ASSERT_TRUE(first->connected() && second->connected());
  EXPECT_FALSE(Stranger()->connected());
  ASSERT_TRUE(Eventually([&] { return server_->connections() == 2; }));
}

// Silent connections, half a handshake each, cost a real device nothing.
TEST_F(SeatsTest, ADeviceComesInAmongStrangers) {
  ServerLimits limits;
  limits.max_strangers_per_address = 8;
  limits.stranger_grace_ms = kGraceMs;
  StartServer(limits);
  std::vector<std::unique_ptr<RawClient>> silent;
  for (int i = 0; i < 8; ++i) silent.push_back(Stranger(RawClient::kNoHandshake));
  ASSERT_TRUE(Eventually([&] { return server_->connections() == 8; }));
  std::this_thread::sleep_for(kPastGrace);
  MakeDialer();
  EXPECT_TRUE(Dial().ok());
}

// 1 MiB announced by each of those who may not send it, 16 KiB by each of those who may.
TEST_F(SeatsTest, ManyStrangersCostLittle) {
  StartServer();
  constexpr size_t kStrangers = 100, kMost = kStrangers * 2 * (64 << 10);  // both ends are here
  std::vector<std::unique_ptr<RawClient>> strangers;
  const size_t before = ResidentBytes();
  for (size_t i = 0; i < kStrangers; ++i) {
    strangers.push_back(Stranger());
    ASSERT_TRUE(strangers.back()->connected());
    ASSERT_TRUE(strangers.back()->Write(Frame(16 << 10, (16 << 10) - 1)));
  }
  std::this_thread::sleep_for(kPastGrace);
  const size_t grown = ResidentBytes() - before;
#ifdef FERRY_SANITIZED
  GTEST_SKIP() << "sanitizers keep freed memory back (" << grown << " of " << kMost << " bytes)";
#endif
  EXPECT_LT(grown, kMost);
}

TEST(AddressKeyTest, SubscribersNotAddresses) {
  const auto key = [](const char* text) { return AddressKey(asio::ip::make_address(text)); };
  EXPECT_EQ(key("10.1.2.3"), "10.1.2.3");
  EXPECT_EQ(key("::ffff:10.1.2.3"), "10.1.2.3");
  EXPECT_EQ(key("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::/64");
  EXPECT_EQ(key("2001:db8:1:2:ffff::1"), key("2001:db8:1:2::"));
  EXPECT_NE(key("2001:db8:1:3::1"), key("2001:db8:1:2::1"));
}

}  // namespace
}  // namespace ferry::net
