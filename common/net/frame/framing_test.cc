#include "common/net/frame/framing.h"

#include "common/net/test_support.h"
#include "common/sys/random.h"

namespace ferry::net {
namespace {

// The size that `framed` begins with, and how many bytes say it.
Result<std::pair<size_t, size_t>> ReadHead(Framing framing, ByteView framed) {
  LengthReader reader(framing);
  size_t at = 0;
  while (reader.wants() > 0) {
    if (framed.size() - at < reader.wants()) return Status(Code::kTruncatedContent, "head");
    const ByteView next = framed.subspan(at, reader.wants());
    FERRY_TRY(reader.Push(next));
    at += next.size();
  }
  return std::pair(reader.size(), at);
}

TEST(FramingTest, LengthsComeBack) {
  for (const Framing framing : {Framing::kU32, Framing::kCompact}) {
    for (const size_t size : {0, 1, 2, 127, 128, 129, 16383, 16384, 65535, 65536}) {
      const Bytes frame(size, 7);
      const Bytes framed = Framed(framing, frame);
      const auto head = ReadHead(framing, framed);
      ASSERT_TRUE(head.ok()) << size;
      EXPECT_EQ(head->first, size);
      EXPECT_EQ(framed.size(), size + head->second);
      const size_t compact = size < 128 ? 1 : size < 16384 ? 2 : 3;
      EXPECT_EQ(head->second, framing == Framing::kU32 ? 4 : compact);
    }
  }
}

TEST(FramingTest, LimitsAndWaste) {
  const auto code = [](Bytes head) { return ReadHead(Framing::kCompact, head).status().code(); };
  EXPECT_EQ(code({0x81, 0x80, 0x04}), Code::kLimitExceeded);  // 65537
  EXPECT_EQ(code({0xff, 0xff, 0xff, 0xff, 0x7f}), Code::kLimitExceeded);
  EXPECT_EQ(code({0x80, 0x80, 0x80, 0x80}), Code::kLimitExceeded);
  EXPECT_EQ(code({0x80, 0x00}), Code::kMalformed);
  EXPECT_EQ(code({0x85, 0x80, 0x00}), Code::kMalformed);
  EXPECT_EQ(code({0x80, 0x80, 0x04}), Code::kOk);  // 65536
  EXPECT_EQ(ReadHead(Framing::kU32, Bytes{1, 0, 0x40, 0}).status().code(), Code::kLimitExceeded);
  EXPECT_TRUE(CheckFrameSize(Framing::kCompact, kMaxSplitFrameBytes).ok());
  EXPECT_EQ(CheckFrameSize(Framing::kCompact, kMaxSplitFrameBytes + 1).code(),
            Code::kLimitExceeded);
}

class SplitProtocolTest : public NetTest {
 protected:
  void Start() {
    split_executor_ = server_executor_.get();
    StartServer();
  }
};

TEST_F(SplitProtocolTest, FramesOfEverySizeBothWays) {
  Start();
  ClientOptions options;
  options.protocol = kSplitFrameProtocol;
  MakeDialer(options);
  ASSERT_TRUE(Dial().ok());
  accepted_.Take();
  sys::SeededRandom random(3);
  std::vector<Bytes> sent;
  for (const size_t size :
       {size_t{0}, size_t{1}, size_t{127}, size_t{128}, size_t{16384}, kMaxSplitFrameBytes}) {
    sent.emplace_back(size);
    random.Fill(sent.back());
  }
  On(client_executor_, [&] {
    for (const Bytes& frame : sent) EXPECT_TRUE(client_channel_->Send(frame).ok());
    EXPECT_EQ(client_channel_->Send(Bytes(kMaxSplitFrameBytes + 1)).code(), Code::kLimitExceeded);
  });
  On(server_executor_, [&] {
    for (const Bytes& frame : sent) EXPECT_TRUE(server_channel_->Send(frame).ok());
  });
  ASSERT_TRUE(Eventually(
      [&] { return server_ear_.count() == sent.size() && client_ear_.count() == sent.size(); }));
  EXPECT_TRUE(server_ear_.frames == sent);
  EXPECT_TRUE(client_ear_.frames == sent);
}

TEST_F(SplitProtocolTest, OneByteOfLengthOnTheWire) {
  Start();
  RawClient raw(endpoint_, kSplitFrameProtocol);
  ASSERT_TRUE(raw.connected());
  accepted_.Take();
  ASSERT_TRUE(
      raw.Write("\x03"
                "abc"));
  ASSERT_TRUE(Eventually([&] { return server_ear_.count() == 1; }));
  EXPECT_EQ(AsText(server_ear_.frames[0]), "abc");
  On(server_executor_, [&] { EXPECT_TRUE(server_channel_->Send(AsBytes("xyz")).ok()); });
  EXPECT_EQ(raw.Read("xyz"), "\x03xyz");
}

TEST_F(SplitProtocolTest, AnOverlongFrameClosesTheChannel) {
  Start();
  RawClient raw(endpoint_, kSplitFrameProtocol);
  ASSERT_TRUE(raw.connected());
  ASSERT_TRUE(raw.Write("\x81\x80\x04"));
  EXPECT_EQ(raw.Read(), "");
  EXPECT_TRUE(Eventually([&] { return server_ear_.close_code() == Code::kLimitExceeded; }));
}

// Many small frames take more memory than their bytes: a server that is busy stops reading.
TEST_F(SplitProtocolTest, ABusyServerIsNotFloodedWithSmallFrames) {
  Start();
  RawClient raw(endpoint_, kSplitFrameProtocol);
  ASSERT_TRUE(raw.connected());
  accepted_.Take();
  Waiter<bool> release;
  server_executor_->Post([&] { release.Take(); });
#ifdef FERRY_SANITIZED
  constexpr size_t kPieces = 20, kFrames = 2'000;
#else
  constexpr size_t kPieces = 20, kFrames = 10'000;  // of one byte each
#endif
  std::string piece;
  for (size_t i = 0; i < kFrames; ++i) piece += "\x01x";
  const size_t before = ResidentBytes();
  std::thread flood([&] {
    for (size_t i = 0; i < kPieces; ++i) EXPECT_TRUE(raw.Write(piece));
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  EXPECT_LE(ResidentBytes() - before, size_t{16} << 20);
  release.Set(true);
  flood.join();
  EXPECT_TRUE(Eventually([&] { return server_ear_.count() == kPieces * kFrames; }));
}

TEST_F(SplitProtocolTest, AServerWithoutItRefuses) {
  StartServer();
  ClientOptions options;
  options.protocol = kSplitFrameProtocol;
  MakeDialer(options);
  EXPECT_EQ(Dial().code(), Code::kUnavailable);
}

}  // namespace
}  // namespace ferry::net
