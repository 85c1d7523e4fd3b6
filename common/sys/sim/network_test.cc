#include "common/sys/sim/network.h"

#include <gtest/gtest.h>

#include "common/sys/sim/filesystem.h"

namespace ferry::sys {
namespace {

class FileContent : public ContentSource {
 public:
  explicit FileContent(FileSystem& fs) : fs_(fs) {}
  Result<Content> Open(const std::string& path, const std::string& authorization) override {
    if (authorization != "Bearer t") return Status(Code::kUnauthenticated, "no token");
    FERRY_ASSIGN_OR_RETURN(auto file, fs_.OpenForRead(path));
    FERRY_ASSIGN_OR_RETURN(const uint64_t size, file->Size());
    return Content{std::move(file), size};
  }

 private:
  FileSystem& fs_;
};

class SimNetworkTest : public testing::Test {
 protected:
  void SetUp() override {
    net_.Listen(
        kServer, *server_executor_,
        [this](std::unique_ptr<FrameChannel> channel) {
          server_ = std::move(channel);
          server_->Start({[this](ByteView frame) { at_server_.emplace_back(AsText(frame)); },
                          [this](const Status& why) { server_close_ = why; }});
        },
        &content_);
  }
  void Dial() {
    bool done = false;
    dialer_->Dial(kServer, [&](Result<std::unique_ptr<FrameChannel>> result) {
      done = true;
      dial_ = result.status();
      if (result.ok()) client_ = std::move(*result);
    });
    ASSERT_TRUE(world_.RunUntil([&] { return done; }, 60'000));
    if (client_ == nullptr) return;
    client_->Start({[this](ByteView frame) { at_client_.emplace_back(AsText(frame)); },
                    [this](const Status& why) { client_close_ = why; }});
    world_.RunFor(100);
  }

  const Endpoint kServer{"server", 443};
  SimWorld world_{11};
  SimFileSystem fs_;
  FileContent content_{fs_};
  std::unique_ptr<Executor> server_executor_ = world_.MakeExecutor();
  std::unique_ptr<Executor> client_executor_ = world_.MakeExecutor();
  SimNetwork net_{world_};
  std::unique_ptr<Dialer> dialer_ = net_.MakeDialer("device", *client_executor_);
  std::unique_ptr<FrameChannel> server_, client_;
  std::vector<std::string> at_server_, at_client_;
  Status dial_, server_close_, client_close_;
};

TEST_F(SimNetworkTest, FramesKeepTheirOrderBothWays) {
  Dial();
  ASSERT_NE(client_, nullptr);
  std::vector<std::string> sent;
  for (int i = 0; i < 50; ++i) {
    sent.push_back(std::to_string(i));
    ASSERT_TRUE(client_->Send(AsBytes(sent.back())).ok());
    ASSERT_TRUE(server_->Send(AsBytes(sent.back())).ok());
  }
  world_.RunFor(1000);
  EXPECT_EQ(at_server_, sent);
  EXPECT_EQ(at_client_, sent);
}

TEST_F(SimNetworkTest, CloseDeliversWhatWasSent) {
  Dial();
  ASSERT_TRUE(client_->Send(AsBytes("last")).ok());
  client_->Close();
  world_.RunFor(1000);
  EXPECT_EQ(at_server_, std::vector<std::string>{"last"});
  EXPECT_EQ(server_close_.code(), Code::kUnavailable);
  EXPECT_EQ(client_close_.code(), Code::kCancelled);
  EXPECT_EQ(client_->Send(AsBytes("x")).code(), Code::kUnavailable);
}

TEST_F(SimNetworkTest, CutsAndUnreachableHosts) {
  Dial();
  net_.SetReachable("server", false);
  world_.RunFor(10);
  EXPECT_EQ(client_close_.code(), Code::kUnavailable);
  EXPECT_EQ(server_close_.code(), Code::kUnavailable);
  client_.reset();
  Dial();
  EXPECT_EQ(dial_.code(), Code::kUnavailable);
  net_.SetReachable("server", true);
  Dial();
  EXPECT_TRUE(dial_.ok());
}

TEST_F(SimNetworkTest, LimitsOfFrames) {
  Dial();
  EXPECT_TRUE(client_->Send(Bytes(kMaxFrameBytes)).ok());
  EXPECT_EQ(client_->Send(Bytes(kMaxFrameBytes + 1)).code(), Code::kLimitExceeded);
  Status status;
  for (int i = 0; i < 10 && status.ok(); ++i) status = client_->Send(Bytes(kMaxFrameBytes));
  EXPECT_EQ(status.code(), Code::kLimitExceeded);
}

TEST_F(SimNetworkTest, FetchResumesAfterCuts) {
  Bytes body(300'000);
  world_.random().Fill(body);
  ASSERT_TRUE(WriteFileAtomically(fs_, "/c", body).ok());
  net_.SetLine({1, 5, 0, 0.3});
  Bytes got;
  Status status(Code::kTruncatedContent, "not begun");
  int tries = 0;
  while (status.code() == Code::kTruncatedContent && ++tries < 100'000) {
    bool done = false;
    dialer_->Fetch(
        kServer, "/c", got.size(), "Bearer t",
        [&](uint64_t offset, ByteView piece) {
          EXPECT_EQ(offset, got.size());
          got.insert(got.end(), piece.begin(), piece.end());
          return OkStatus();
        },
        [&](Status s) {
          done = true;
          status = s;
        },
        {});
    ASSERT_TRUE(world_.RunUntil([&] { return done; }, 1'000'000));
  }
  EXPECT_TRUE(status.ok()) << status.ToString();
  EXPECT_GT(tries, 1);
  EXPECT_EQ(got, body);
}

TEST_F(SimNetworkTest, FetchErrors) {
  ASSERT_TRUE(WriteFileAtomically(fs_, "/c", AsBytes("abc")).ok());
  auto fetch = [&](const std::string& path, uint64_t offset, const std::string& token) {
    Status status;
    bool done = false;
    dialer_->Fetch(
        kServer, path, offset, token, [](uint64_t, ByteView) { return OkStatus(); },
        [&](Status s) {
          done = true;
          status = s;
        },
        {});
    EXPECT_TRUE(world_.RunUntil([&] { return done; }, 100'000));
    return status.code();
  };
  EXPECT_EQ(fetch("/c", 0, "Bearer t"), Code::kOk);
  EXPECT_EQ(fetch("/c", 3, "Bearer t"), Code::kOk);
  EXPECT_EQ(fetch("/c", 4, "Bearer t"), Code::kOutOfRange);
  EXPECT_EQ(fetch("/d", 0, "Bearer t"), Code::kNotFound);
  EXPECT_EQ(fetch("/c", 0, "Bearer u"), Code::kUnauthenticated);
}

TEST_F(SimNetworkTest, DroppingEverythingMidwayIsClean) {
  Dial();
  ASSERT_TRUE(client_->Send(AsBytes("x")).ok());
  client_.reset();
  dialer_->Dial(kServer, [](Result<std::unique_ptr<FrameChannel>>) { FAIL(); });
  dialer_.reset();
  client_executor_.reset();
  world_.RunFor(1000);
  EXPECT_EQ(server_close_.code(), Code::kUnavailable);
}

}  // namespace
}  // namespace ferry::sys
