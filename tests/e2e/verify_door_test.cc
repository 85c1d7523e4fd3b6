// The verifier of a running server over real TLS: a target that is published while it runs, devices
// that prove themselves, a text that is the target's own.
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <thread>

#include "cloud-server/gateway/content.h"
#include "cloud-server/main/door/verify_door.h"
#include "cloud-server/registry/test_publisher.h"
#include "common/net/certificate.h"
#include "common/net/client.h"
#include "common/package/manifest.h"
#include "common/package/writer.h"
#include "common/proto/split.pb.h"
#include "device-runtime/llm/file/writer.h"
#include "device-runtime/llm/session.h"
#include "device-runtime/llm/speculative/channel_link.h"
#include "device-runtime/llm/speculative/device.h"
#include "device-runtime/llm/testing/tiny_model.h"

namespace ferry::e2e {
namespace {

constexpr uint8_t kStream = 1;
constexpr auto kPatience = std::chrono::seconds(60);

bool Eventually(const std::function<bool()>& done) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (!done()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

// What one device hears and says; on its executor, guarded for the test's thread.
struct Phone {
  std::mutex mutex;
  std::unique_ptr<llm::ChannelLink> link;
  std::unique_ptr<llm::SplitSession> session;
  std::vector<llm::TokenId> ids;
  std::optional<Result<llm::FinishReason>> end;
  std::vector<proto::SplitControl> controls;
};

class VerifyDoorTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(server_.registry->PutRoot(publisher_.RootDocument()).ok());
    ASSERT_TRUE(llm::testing::WriteTinyModel(server_.fs, "target", {.seed = 4}).ok());
    ASSERT_TRUE(llm::testing::WriteTinyModel(server_.fs, "draft", {.seed = 4, .noise = 0.2}).ok());
    target_ = llm::Model::Load(server_.fs, "target").value();
    draft_ = llm::Model::Load(server_.fs, "draft").value();
    for (const char* id : {"phone", "thief"}) {
      ASSERT_TRUE(server_.store
                      ->Write([&](server::Transaction& tx) -> Status {
                        server::DeviceRow row;
                        row.id = id;
                        row.tenant = "default";
                        row.blocked = std::string_view(id) == "thief";
                        return tx.devices().Put(row);
                      })
                      .ok());
    }
    server::VerifyDoor::Parts parts;
    parts.store = server_.store.get();
    parts.registry = server_.registry.get();
    parts.fs = &server_.fs;
    parts.clock = &sys::SystemClock();
    parts.content_secret = &secret_;
    parts.scratch = "/targets";
    auto verify = server::VerifyDoor::Start({.targets = {"digits"}, .threads = 1}, parts);
    ASSERT_TRUE(verify.ok()) << verify.status().ToString();
    verify_ = std::move(*verify);
    const auto authority = net::MakeAuthority("test authority", 30).value();
    const auto certificate = net::MakeServerCertificate(authority, {"127.0.0.1"}, 30).value();
    net::ServerOptions options;
    options.certificate_pem = certificate.certificate_pem;
    options.private_key_pem = certificate.private_key_pem;
    options.split = verify_->door();
    door_ = net::TlsServer::Start(io_, {device_executor_.get()}, options, nullptr,
                                  [](std::unique_ptr<sys::FrameChannel>, sys::Executor&) {})
                .value();
    net::ClientOptions client;
    client.authority = authority.certificate_pem;
    client.protocol = net::kSplitFrameProtocol;
    dialer_ = net::MakeTlsDialer(io_, *device_executor_, client).value();
  }
  void TearDown() override {
    On([&] {
      phone_.session.reset();
      phone_.link.reset();
      dialer_.reset();
    });
    door_.reset();
    verify_.reset();
  }

  // Runs `body` on the device's executor and waits for it.
  void On(const std::function<void()>& body) {
    std::atomic<bool> done{false};
    device_executor_->Post([&] {
      body();
      done = true;
    });
    ASSERT_TRUE(Eventually([&] { return done.load(); }));
  }
  void PublishTarget() {
    ASSERT_TRUE(
        llm::WriteModelFile(server_.fs, *target_, "t.flm", kernels::WeightType::kBF16).ok());
    const Bytes file = sys::ReadFile(server_.fs, "t.flm").value();
    package::Manifest manifest;
    manifest.name = "digits";
    manifest.version = "1.0.0";
    manifest.content = "model";
    const Bytes package = package::WritePackage(manifest, {{"t.flm", file}}).value();
    publisher_.Add("1.0.0", 1, std::string(AsText(package)));
    ASSERT_TRUE(server_.registry->Publish(publisher_.Make()).ok());
  }
  // Dials and says hello with `token`.
  void Connect(const std::string& token) {
    std::atomic<bool> connected{false};
    On([&] {
      dialer_->Dial({"127.0.0.1", door_->port()},
                    [&, token](Result<std::unique_ptr<sys::FrameChannel>> channel) {
                      ASSERT_TRUE(channel.ok()) << channel.status().ToString();
                      phone_.link = std::make_unique<llm::ChannelLink>(std::move(*channel));
                      proto::SplitControl hello;
                      hello.mutable_hello()->set_protocol(llm::kSplitProtocol);
                      hello.mutable_hello()->set_token(token);
                      phone_.link->Send(llm::EncodeControl(0, hello));
                      connected = true;
                    });
    });
    ASSERT_TRUE(Eventually([&] { return connected.load(); }));
  }
  std::string Token(const std::string& device) {
    return server::MakeContentToken(secret_, device, sys::SystemClock().NowUnixMs() + 3'600'000);
  }
  // The first control frame that comes.
  proto::SplitControl FirstAnswer() {
    On([&] {
      phone_.link->Start({[this](ByteView bytes) {
                            const auto frame = llm::DecodeFrame(bytes, 256);
                            ASSERT_TRUE(frame.ok());
                            proto::SplitControl control;
                            ASSERT_TRUE(control.ParseFromArray(
                                frame->control.data(), static_cast<int>(frame->control.size())));
                            std::lock_guard lock(phone_.mutex);
                            phone_.controls.push_back(control);
                          },
                          [](bool) {}});
    });
    EXPECT_TRUE(Eventually([&] {
      std::lock_guard lock(phone_.mutex);
      return !phone_.controls.empty();
    }));
    std::lock_guard lock(phone_.mutex);
    return phone_.controls.at(0);
  }

  server::TestServer server_;
  server::TestPublisher publisher_{server_};
  crypto::Secret32 secret_ = crypto::Secret32::Generate(sys::SystemRandom());
  std::shared_ptr<const llm::Model> target_, draft_;
  net::IoThreads io_{1};
  std::unique_ptr<sys::Executor> device_executor_ = sys::StartThreadExecutor("device");
  Phone phone_;
  std::unique_ptr<server::VerifyDoor> verify_;
  std::unique_ptr<net::TlsServer> door_;
  std::unique_ptr<sys::Dialer> dialer_;
};

TEST_F(VerifyDoorTest, ATextOverTlsIsTheTargetsOwn) {
  ASSERT_TRUE(verify_->View().targets.empty());
  PublishTarget();
  ASSERT_TRUE(Eventually([&] { return verify_->View().targets.size() == 1; }));
  for (const bool pipelined : {false, true}) {
    llm::SplitOptions options;
    options.fallback = false;
    options.pipelined = pipelined;
    options.sampler.temperature = 0.8f;
    options.key = llm::PrfKey::FromSeed(5);
    options.max_new = 100;
    const std::vector<llm::TokenId> prompt{10, 20, 30, 40};
    Connect(Token("phone"));
    On([&] {
      llm::SplitParts parts;
      parts.executor = device_executor_.get();
      parts.clock = &sys::SystemClock();
      parts.random = &sys::SystemRandom();
      parts.link = phone_.link.get();
      parts.stream = kStream;
      llm::SplitEvents events;
      events.on_tokens = [&](std::span<const llm::TokenId> ids, llm::TokenSource) {
        std::lock_guard lock(phone_.mutex);
        phone_.ids.insert(phone_.ids.end(), ids.begin(), ids.end());
      };
      events.on_end = [&](Result<llm::FinishReason> end) {
        std::lock_guard lock(phone_.mutex);
        phone_.end = std::move(end);
      };
      auto pool = llm::KvPool::Create(draft_->config()).value();
      auto made = llm::SplitSession::Create(draft_, pool, parts, options, events);
      ASSERT_TRUE(made.ok()) << made.status().ToString();
      phone_.session = std::move(*made);
      ASSERT_TRUE(phone_.session->Start(prompt).ok());
    });
    ASSERT_TRUE(Eventually([&] {
      std::lock_guard lock(phone_.mutex);
      return phone_.end.has_value();
    }));
    ASSERT_TRUE(phone_.end->ok()) << phone_.end->status().ToString();
    auto alone = llm::Session::Create(target_).value();
    ASSERT_TRUE(alone->Append(prompt).ok());
    llm::Sampler sampler(options.sampler, options.key, target_->config().vocabulary);
    llm::GenerateOptions generate;
    generate.max_new = options.max_new;
    EXPECT_EQ(phone_.ids, llm::Generate(*alone, sampler, generate).value().ids);
    const auto view = verify_->View();
    EXPECT_EQ(view.targets[0].version, "1.0.0");
    On([&] {
      phone_.session.reset();
      phone_.link.reset();
    });
    phone_.ids.clear();
    phone_.end.reset();
  }
}

TEST_F(VerifyDoorTest, WhoIsNotKnownOrBlockedIsRefused) {
  Connect("no token");
  proto::SplitControl answer = FirstAnswer();
  ASSERT_TRUE(answer.has_refused());
  EXPECT_EQ(answer.refused().code(), static_cast<int>(Code::kUnauthenticated));
  On([&] { phone_.link.reset(); });
  phone_.controls.clear();
  Connect(Token("thief"));
  answer = FirstAnswer();
  ASSERT_TRUE(answer.has_refused());
  EXPECT_EQ(answer.refused().code(), static_cast<int>(Code::kBlocked));
  EXPECT_TRUE(Eventually([&] { return door_->connections() == 0; }));
}

TEST_F(VerifyDoorTest, OptionsThatDoNotFitAreNamed) {
  server::VerifyDoor::Parts parts;
  parts.store = server_.store.get();
  parts.registry = server_.registry.get();
  parts.fs = &server_.fs;
  parts.clock = &sys::SystemClock();
  parts.content_secret = &secret_;
  const auto message = [&](const server::VerifyDoorOptions& options) {
    const auto door = server::VerifyDoor::Start(options, parts);
    EXPECT_EQ(door.code(), Code::kInvalidArgument);
    return door.ok() ? std::string() : door.status().message();
  };
  EXPECT_NE(message({.targets = {"a@"}}).find("a@"), std::string::npos);
  EXPECT_NE(message({.targets = {"a", "a@1"}}).find("--verify a"), std::string::npos);
  EXPECT_NE(message({.targets = {"a"}, .memory_mb = 0}).find("--verify-memory-mb"),
            std::string::npos);
  EXPECT_NE(message({.targets = {"a"}, .threads = -1}).find("--verify-threads"), std::string::npos);
  EXPECT_NE(message({.targets = {"a"}, .sessions = 0}).find("--verify-sessions"),
            std::string::npos);
}

}  // namespace
}  // namespace ferry::e2e
