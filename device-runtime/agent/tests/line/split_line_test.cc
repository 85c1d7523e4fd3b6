// The line to the verifier on a simulated network: handshake, streams, losses, silence.
#include "device-runtime/agent/split/split_line.h"

#include <gmock/gmock.h>

#include "common/base/json.h"
#include "common/proto/split.pb.h"
#include "common/sys/sim/network.h"
#include "common/sys/sim/world.h"
#include "device-runtime/llm/speculative/frames.h"

namespace ferry::agent {
namespace {

constexpr char kToken[] = "letmein";
const sys::Endpoint kVerifier{"verifier", 7443};

// Greets who knows the token, and sends every round back on its stream.
class FakeVerifier {
 public:
  FakeVerifier(sys::SimWorld& world, sys::SimNetwork& network)
      : executor_(world.MakeExecutor()), network_(network) {
    network_.Listen(
        kVerifier, *executor_, [this](auto channel) { Accept(std::move(channel)); }, nullptr);
  }
  ~FakeVerifier() { network_.StopListening(kVerifier); }

  void Accept(std::unique_ptr<sys::FrameChannel> channel) {
    ++accepted;
    auto& kept = *channels_.emplace_back(std::move(channel));
    kept.Start({.on_frame = [this, &kept](ByteView frame) { OnFrame(kept, frame); },
                .on_close = [](const Status&) {}});
  }
  void OnFrame(sys::FrameChannel& channel, ByteView frame) {
    if (mute) return;
    const auto decoded = llm::DecodeFrame(frame, 8192);
    ASSERT_TRUE(decoded.ok()) << decoded.status().ToString();
    if (decoded->kind != llm::FrameKind::kControl) {
      ASSERT_TRUE(channel.Send(frame).ok());
      return;
    }
    proto::SplitControl in, out;
    ASSERT_TRUE(in.ParseFromArray(decoded->control.data(), int(decoded->control.size())));
    EXPECT_EQ(decoded->stream, 0);
    if (in.has_hello()) {
      EXPECT_EQ(in.hello().protocol(), llm::kSplitProtocol);
      if (in.hello().token() == kToken) {
        out.mutable_welcome()->set_protocol(llm::kSplitProtocol);
      } else {
        out.mutable_refused()->set_code(static_cast<int>(Code::kUnauthenticated));
        out.mutable_refused()->set_text("who are you");
        out.mutable_refused()->set_retry_ms(retry_ms);
      }
    } else if (in.has_ping()) {
      ++pings;
      out.mutable_pong()->set_value(in.ping().value());
    }
    ASSERT_TRUE(channel.Send(llm::EncodeControl(0, out)).ok());
  }
  void SendToAll(ByteView frame) {
    for (auto& channel : channels_) (void)channel->Send(frame);
  }

  bool mute = false;
  uint32_t retry_ms = 0;
  int accepted = 0;
  int pings = 0;

 private:
  std::unique_ptr<sys::Executor> executor_;
  sys::SimNetwork& network_;
  std::vector<std::unique_ptr<sys::FrameChannel>> channels_;
};

// What a session would see of its stream.
struct Ear {
  std::vector<Bytes> frames;
  std::vector<bool> states;
  llm::LinkEvents Events() {
    return {.on_frame = [this](ByteView frame) { frames.push_back(ToBytes(frame)); },
            .on_state = [this](bool up) { states.push_back(up); }};
  }
};

Bytes Round(uint8_t stream, llm::TokenId id) {
  llm::SplitFrame frame;
  frame.kind = llm::FrameKind::kDraft;
  frame.stream = stream;
  frame.ids = {id};
  return llm::EncodeFrame(frame, 8192);
}

class SplitLineTest : public testing::Test {
 protected:
  SplitLineTest() : network_(world_), verifier_(world_, network_), home_(world_.MakeExecutor()) {
    dialer_ = network_.MakeDialer("device", *home_);
    SplitLineParts parts;
    parts.executor = home_.get();
    parts.clock = &world_.clock();
    parts.random = &world_.random();
    parts.dialer = dialer_.get();
    parts.endpoint = kVerifier;
    parts.ask_token = [this](std::function<void(std::string)> answer) {
      home_->Post([this, answer] { answer(token_); });
    };
    line_ = std::make_unique<SplitLine>(parts);
  }
  bool UntilReady(int64_t limit_ms = 60'000) {
    return world_.RunUntil([this] { return line_->ready(); }, limit_ms);
  }
  std::unique_ptr<SplitStream> Open(Ear* ear) {
    auto stream = line_->Open();
    EXPECT_TRUE(stream.ok()) << stream.status().ToString();
    (*stream)->Start(ear->Events());
    return std::move(*stream);
  }

  std::string token_ = kToken;
  sys::SimWorld world_{1};
  sys::SimNetwork network_;
  FakeVerifier verifier_;
  std::unique_ptr<sys::Executor> home_;
  std::unique_ptr<sys::Dialer> dialer_;
  std::unique_ptr<SplitLine> line_;
};

TEST_F(SplitLineTest, FramesReachTheirStreamAndNoOther) {
  Ear one, two;
  const auto first = Open(&one), second = Open(&two);
  EXPECT_NE(first->id(), second->id());
  line_->Start();
  ASSERT_TRUE(UntilReady());
  world_.RunFor(10);
  EXPECT_THAT(one.states, testing::ElementsAre(true));
  for (int k = 0; k < 5; ++k) first->Send(Round(first->id(), k));
  second->Send(Round(second->id(), 7));
  world_.RunFor(1000);
  ASSERT_EQ(one.frames.size(), 5u);
  EXPECT_EQ(one.frames[4], Round(first->id(), 4));
  ASSERT_EQ(two.frames.size(), 1u);
  EXPECT_EQ(two.frames[0], Round(second->id(), 7));
  const auto wire = static_cast<int64_t>(llm::WireBytes(one.frames[0].size()));
  EXPECT_EQ(first->bytes_sent(), 5 * wire);
  EXPECT_EQ(first->bytes_received(), 5 * wire);
  EXPECT_EQ(second->bytes_sent(), wire);
}

TEST_F(SplitLineTest, WaitsForTheAgentsToken) {
  token_.clear();
  line_->Start();
  world_.RunFor(5'000);
  EXPECT_EQ(verifier_.accepted, 0);
  token_ = kToken;
  EXPECT_TRUE(UntilReady(2 * kSplitTokenMs));
}

TEST_F(SplitLineTest, RefusalsBackOffAndTheNextTokenIsTried) {
  token_ = "old";
  verifier_.retry_ms = 3'000;
  Ear ear;
  const auto stream = Open(&ear);
  line_->Start();
  world_.RunFor(2'900);
  EXPECT_EQ(verifier_.accepted, 1);  // retry_ms is obeyed
  EXPECT_THAT(ear.states, testing::ElementsAre(false));
  EXPECT_THAT(line_->StatusJson()["last_error"].get<std::string>(),
              testing::HasSubstr("who are you"));
  token_ = kToken;
  EXPECT_TRUE(UntilReady());
  world_.RunFor(10);
  EXPECT_EQ(ear.states.back(), true);
}

TEST_F(SplitLineTest, ComesBackAfterCutsAndSaysSo) {
  Ear ear;
  const auto stream = Open(&ear);
  line_->Start();
  ASSERT_TRUE(UntilReady());
  world_.RunFor(10);
  for (int k = 0; k < 5; ++k) {
    network_.CutChannels("device");
    ASSERT_TRUE(world_.RunUntil([&] { return !line_->ready(); }, 1'000));
    stream->Send(Round(stream->id(), 1));  // lost, as on any bad link
    ASSERT_TRUE(UntilReady());
    world_.RunFor(10);
  }
  EXPECT_EQ(ear.states.size(), 11u);
  EXPECT_EQ(line_->StatusJson()["connects"], 6);
  EXPECT_TRUE(ear.frames.empty());
  stream->Send(Round(stream->id(), 2));
  world_.RunFor(1000);
  EXPECT_EQ(ear.frames.size(), 1u);
}

TEST_F(SplitLineTest, AnUnreachableVerifierIsToldAtOnceAndTriedAgain) {
  network_.SetReachable("verifier", false);
  Ear ear, late;
  const auto stream = Open(&ear);
  line_->Start();
  world_.RunFor(60'000);
  EXPECT_THAT(ear.states, testing::Contains(false));
  EXPECT_THAT(ear.states, testing::Not(testing::Contains(true)));
  const auto other = Open(&late);  // one that begins while it is away
  world_.RunFor(1);
  EXPECT_THAT(late.states, testing::ElementsAre(false));
  network_.SetReachable("verifier", true);
  EXPECT_TRUE(UntilReady(SplitLineParts().backoff.cap_ms + 1'000));
}

TEST_F(SplitLineTest, ASilentVerifierIsLeft) {
  line_->Start();
  ASSERT_TRUE(UntilReady());
  world_.RunFor(10 * kSplitPingMs);
  EXPECT_GE(verifier_.pings, 3);  // asked while nothing comes, and answered
  EXPECT_TRUE(line_->ready());
  verifier_.mute = true;
  EXPECT_TRUE(world_.RunUntil([this] { return !line_->ready(); }, kSplitPingMs * 2 + kSplitPongMs));
  verifier_.mute = false;
  EXPECT_TRUE(UntilReady());
  // One that never greets, too.
  verifier_.mute = true;
  network_.CutChannels("device");
  world_.RunFor(3 * kSplitWelcomeMs);
  EXPECT_FALSE(line_->ready());
  verifier_.mute = false;
  EXPECT_TRUE(UntilReady());
}

TEST_F(SplitLineTest, StreamsAreLimitedAndTheirNumbersGoRound) {
  std::vector<std::unique_ptr<SplitStream>> streams;
  for (int k = 0; k < kMaxSplitStreams; ++k) streams.push_back(std::move(*line_->Open()));
  EXPECT_EQ(line_->Open().code(), Code::kLimitExceeded);
  const uint8_t freed = streams[3]->id();
  streams[3].reset();
  EXPECT_EQ((*line_->Open())->id(), freed);
  streams.clear();
  const auto one = std::move(*line_->Open());
  EXPECT_NE((*line_->Open())->id(), one->id());
}

TEST_F(SplitLineTest, BadFramesOfTheVerifierBreakTheLineOnly) {
  Ear ear;
  const auto stream = Open(&ear);
  line_->Start();
  ASSERT_TRUE(UntilReady());
  const Bytes bad[] = {{}, {0xff}, {0xe0, 0xff, 0xff}, Round(0, 3)};
  for (const Bytes& frame : bad) {
    const int before = verifier_.accepted;
    verifier_.SendToAll(frame);
    const bool broke = world_.RunUntil([&] { return verifier_.accepted > before; }, 30'000);
    EXPECT_NE(broke, frame == bad[1]);  // that one is of a stream that nobody has: passed over
    ASSERT_TRUE(UntilReady());
  }
  verifier_.SendToAll(Round(static_cast<uint8_t>(stream->id() + 1), 3));  // of nobody
  world_.RunFor(100);
  EXPECT_TRUE(line_->ready());
  EXPECT_TRUE(ear.frames.empty());
}

TEST_F(SplitLineTest, AStreamOutlivesTheLine) {
  Ear ear;
  const auto stream = Open(&ear);
  line_->Start();
  ASSERT_TRUE(UntilReady());
  world_.RunFor(10);
  line_.reset();
  stream->Send(Round(stream->id(), 1));
  world_.RunFor(20'000);
  EXPECT_THAT(ear.states, testing::ElementsAre(true, false));
  EXPECT_TRUE(ear.frames.empty());
}

}  // namespace
}  // namespace ferry::agent
