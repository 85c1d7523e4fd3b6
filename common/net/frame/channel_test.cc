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
  EXPECT_TRUE(Eventually([&] { return client_ear_.close_code() == Code::kCancelled; }));
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

// A server that was busy for a while still notices that the other end has gone silent.
TEST_F(ChannelTest, SilenceAfterABusySpellIsNoticed) {
  constexpr size_t kSize = 3 << 20;
  static_assert(3 * kSize > kMaxUndelivered);
  std::string frame(kLengthBytes + kSize, 'x');
  PutU32(reinterpret_cast<uint8_t*>(frame.data()), kSize);
  ServerLimits limits;
  limits.idle_timeout_ms =
      1'000;  // more than a loaded machine takes between two of the writes below
  StartServer(limits);
  RawClient raw(endpoint_, kFrameProtocol);
  ASSERT_TRUE(raw.connected());
  accepted_.Take();
  const auto release = std::make_shared<Waiter<bool>>();
  server_executor_->Post([release] { release->Take(); });
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(raw.Write(frame));
  std::this_thread::sleep_for(std::chrono::milliseconds(2 * limits.idle_timeout_ms));
  release->Set(true);
  ASSERT_TRUE(Eventually([&] { return server_ear_.count() == 3; }));
  EXPECT_TRUE(Eventually([&] { return server_ear_.close_code() == Code::kDeadlineExceeded; }));
}

TEST_F(ChannelTest, ALengthAloneTakesNoMemory) {
  const auto certificate = MakeServerCertificate(TestAuthority(), {"127.0.0.1"}, 30);
  ServerOptions options;
  options.certificate_pem = certificate->certificate_pem;
  options.private_key_pem = certificate->private_key_pem;
  std::vector<std::unique_ptr<sys::FrameChannel>> channels;
  auto server = TlsServer::Start(io_, {server_executor_.get()}, options, nullptr,
                                 [&](std::unique_ptr<sys::FrameChannel> channel, sys::Executor&) {
                                   channel->Start({});
                                   channels.push_back(std::move(channel));
                                 });
  ASSERT_TRUE(server.ok()) << server.status().ToString();
  constexpr size_t kClients = 32;
  std::vector<std::unique_ptr<RawClient>> clients;
  for (size_t i = 0; i < kClients; ++i) {
    clients.push_back(
        std::make_unique<RawClient>(sys::Endpoint{"127.0.0.1", (*server)->port()}, kFrameProtocol));
    ASSERT_TRUE(clients.back()->connected());
  }
  const size_t before = ResidentBytes();
  for (const auto& client : clients) ASSERT_TRUE(client->Write(std::string("\0\0\x40\0x", 5)));
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  EXPECT_LT(ResidentBytes(), before + kClients * sys::kMaxFrameBytes / 2);
  On(server_executor_, [&] { channels.clear(); });
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
