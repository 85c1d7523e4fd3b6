#include "device-runtime/llm/speculative/channel_link.h"

#include <gtest/gtest.h>

#include "common/sys/sim/network.h"

namespace ferry::llm {
namespace {

class ChannelLinkTest : public ::testing::Test {
 protected:
  void SetUp() override {
    network_.Listen(
        at_, *server_executor_,
        [this](std::unique_ptr<sys::FrameChannel> channel) {
          server_ = std::make_unique<ChannelLink>(std::move(channel));
          server_->Start({[this](ByteView frame) { heard_.push_back(ToBytes(frame)); },
                          [this](bool up) { server_up_ = up; }});
        },
        nullptr);
    dialer_->Dial(at_, [this](Result<std::unique_ptr<sys::FrameChannel>> channel) {
      ASSERT_TRUE(channel.ok());
      device_ = std::make_unique<ChannelLink>(std::move(*channel));
      device_->Start({[](ByteView) {},
                      [this](bool up) {
                        device_up_ = up;
                        if (drop_on_close_) device_.reset();
                      }});
    });
    ASSERT_TRUE(world_.RunUntil([this] { return server_ != nullptr && device_ != nullptr; }, 5000));
  }

  sys::SimWorld world_{1};
  sys::SimNetwork network_{world_};
  std::unique_ptr<sys::Executor> server_executor_ = world_.MakeExecutor();
  std::unique_ptr<sys::Executor> device_executor_ = world_.MakeExecutor();
  std::unique_ptr<sys::Dialer> dialer_ = network_.MakeDialer("phone", *device_executor_);
  sys::Endpoint at_{"server", 1};
  std::unique_ptr<ChannelLink> server_, device_;
  std::vector<Bytes> heard_;
  bool server_up_ = true, device_up_ = true, drop_on_close_ = false;
};

TEST_F(ChannelLinkTest, FramesAndTheirBytesOnTheWire) {
  device_->Send(Bytes(10, 1));
  device_->Send(Bytes(200, 2));
  ASSERT_TRUE(world_.RunUntil([this] { return heard_.size() == 2; }, 5000));
  EXPECT_EQ(heard_[1], Bytes(200, 2));
  EXPECT_EQ(device_->bytes_sent(), 11 + 202);
  EXPECT_EQ(server_->bytes_received(), 11 + 202);
  EXPECT_EQ(server_->bytes_sent(), 0);
}

TEST_F(ChannelLinkTest, ABrokenLineIsToldAndSwallowsWhatIsSent) {
  network_.CutChannels("phone");
  ASSERT_TRUE(world_.RunUntil([this] { return !server_up_ && !device_up_; }, 5000));
  EXPECT_FALSE(device_->why_closed().ok());
  device_->Send(Bytes(10, 1));
  EXPECT_EQ(device_->bytes_sent(), 0);
}

TEST_F(ChannelLinkTest, MayBeDroppedFromItsOwnEvent) {
  drop_on_close_ = true;
  server_->Close();
  ASSERT_TRUE(world_.RunUntil([this] { return !device_up_; }, 5000));
  EXPECT_EQ(device_, nullptr);
  world_.RunFor(1000);
}

}  // namespace
}  // namespace ferry::llm
