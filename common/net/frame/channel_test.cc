#include "common/net/frame/link.h"
#include "common/net/test_support.h"
#include "common/sys/random.h"

namespace ferry::net {
namespace {

using ChannelTest = NetTest;

TEST_F(ChannelTest, FramesBothWaysInOrder) {
  StartServer();
  MakeDialer();
  ASSERT_TRUE(Dial().ok());
  accepted_.Take();
  On(client_executor_, [&] {
    for (int i = 0; i < 200; ++i) {
      EXPECT_TRUE(client_channel_->Send(AsBytes(std::to_string(i))).ok());
    }
  });
  On(server_executor_, [&] {
    for (int i = 0; i < 200; ++i) {
      EXPECT_TRUE(server_channel_->Send(AsBytes(std::to_string(i))).ok());
    }
  });
  ASSERT_TRUE(Eventually([&] { return server_ear_.count() == 200 && client_ear_.count() == 200; }));
  for (int i = 0; i < 200; ++i) {
    EXPECT_EQ(AsText(server_ear_.frames[i]), std::to_string(i));
    EXPECT_EQ(AsText(client_ear_.frames[i]), std::to_string(i));
  }
  EXPECT_EQ(server_->connections(), 1);
}

TEST_F(ChannelTest, FramesOfEverySize) {
  StartServer();
  MakeDialer();
  ASSERT_TRUE(Dial().ok());
  sys::SeededRandom random(1);
  std::vector<Bytes> sent;
  for (const size_t size :
       {size_t{0}, size_t{1}, size_t{16384}, size_t{70'000}, size_t{sys::kMaxFrameBytes}}) {
    sent.emplace_back(size);
    random.Fill(sent.back());
  }
  On(client_executor_, [&] {
    for (const Bytes& frame : sent) EXPECT_TRUE(client_channel_->Send(frame).ok());
    EXPECT_EQ(client_channel_->Send(Bytes(sys::kMaxFrameBytes + 1)).code(), Code::kLimitExceeded);
  });
  ASSERT_TRUE(Eventually([&] { return server_ear_.count() == sent.size(); }));
  EXPECT_TRUE(server_ear_.frames == sent);
}

TEST_F(ChannelTest, TooMuchQueuedIsRefusedNotKept) {
  StartServer();
  MakeDialer();
  ASSERT_TRUE(Dial().ok());
  Status status;
  int sent = 0;
  On(client_executor_, [&] {
    for (; sent < 100 && status.ok(); ++sent) status = client_channel_->Send(Bytes(4'000'000));
  });
  EXPECT_EQ(status.code(), Code::kLimitExceeded);
  ASSERT_TRUE(Eventually([&] { return server_ear_.count() + 1 == static_cast<size_t>(sent); }));
}

TEST_F(ChannelTest, CloseDeliversWhatWasQueued) {
  StartServer();
  MakeDialer();
  ASSERT_TRUE(Dial().ok());
  On(client_executor_, [&] {
    EXPECT_TRUE(client_channel_->Send(Bytes(1'000'000)).ok());
    client_channel_->Close();
    EXPECT_EQ(client_channel_->Send(AsBytes("x")).code(), Code::kUnavailable);
  });
  ASSERT_TRUE(Eventually([&] { return server_ear_.close_code() != Code::kOk; }));
  EXPECT_EQ(server_ear_.count(), 1u);
  EXPECT_EQ(server_ear_.close_code(), Code::kUnavailable);
  EXPECT_EQ(client_ear_.close_code(), Code::kCancelled);
  On(server_executor_, [&] { server_channel_.reset(); });
  EXPECT_TRUE(Eventually([&] { return server_->connections() == 0; }));
}

TEST_F(ChannelTest, DroppingClosesWithoutEvents) {
  StartServer();
  MakeDialer();
  ASSERT_TRUE(Dial().ok());
  accepted_.Take();
  On(server_executor_, [&] { server_channel_.reset(); });
  ASSERT_TRUE(Eventually([&] { return client_ear_.close_code() == Code::kUnavailable; }));
  EXPECT_EQ(server_ear_.close_code(), Code::kOk);
}

TEST_F(ChannelTest, TheServersEndIsNoticed) {
  StartServer();
  MakeDialer();
  ASSERT_TRUE(Dial().ok());
  accepted_.Take();
  On(server_executor_, [&] { server_channel_.reset(); });
  server_.reset();
  ASSERT_TRUE(Eventually([&] { return client_ear_.close_code() == Code::kUnavailable; }));
  EXPECT_EQ(Dial().code(), Code::kUnavailable);
}

TEST_F(ChannelTest, SilentChannelsAreClosed) {
  ServerLimits limits;
  limits.idle_timeout_ms = 100;
  StartServer(limits);
  MakeDialer();
  ASSERT_TRUE(Dial().ok());
  ASSERT_TRUE(Eventually([&] { return server_ear_.close_code() == Code::kDeadlineExceeded; }));
  ASSERT_TRUE(Eventually([&] { return client_ear_.close_code() == Code::kUnavailable; }));
}

TEST_F(ChannelTest, AnOverlongFrameClosesTheChannel) {
  StartServer();
  RawClient raw(endpoint_, kFrameProtocol);
  ASSERT_TRUE(raw.connected());
  ASSERT_TRUE(raw.Write(std::string("\x01\x00\x40\x00", 4)));  // 4 MiB and one byte
  EXPECT_EQ(raw.Read(), "");
  EXPECT_TRUE(Eventually([&] { return server_ear_.close_code() == Code::kLimitExceeded; }));
  EXPECT_EQ(server_ear_.count(), 0u);
}

TEST_F(ChannelTest, TooManyConnections) {
  ServerLimits limits;
  limits.max_connections = 1;
  StartServer(limits);
  MakeDialer();
  ASSERT_TRUE(Dial().ok());
  RawClient second(endpoint_, kFrameProtocol);
  EXPECT_FALSE(second.connected());
}

TEST_F(ChannelTest, SlowHandshakesAreCut) {
  ServerLimits limits;
  limits.handshake_timeout_ms = 1500;  // long enough to be seen open on a busy machine
  StartServer(limits);
  RawClient silent(endpoint_, RawClient::kNoHandshake);
  ASSERT_TRUE(Eventually([&] { return server_->connections() == 1; }));
  EXPECT_TRUE(Eventually([&] { return server_->connections() == 0; }));
}

TEST_F(ChannelTest, UnknownProtocolsAreRefused) {
  StartServer();
  RawClient raw(endpoint_, "ferry/9");
  EXPECT_FALSE(raw.connected());
}

}  // namespace
}  // namespace ferry::net
