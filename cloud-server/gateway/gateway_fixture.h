// A gateway over the simulated network, with the real store, registry and rollout, and devices that
// say what a test tells them to.
#pragma once

#include "cloud-server/gateway/gateway.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "cloud-server/gateway/profile.h"
#include "cloud-server/gateway/session.h"
#include "cloud-server/registry/test_publisher.h"
#include "cloud-server/rollout/rollout.h"
#include "cloud-server/store/test_store.h"
#include "common/base/log.h"
#include "common/crypto/ed25519.h"
#include "common/crypto/hash.h"
#include "common/crypto/x25519.h"
#include "common/sys/sim/filesystem.h"
#include "common/sys/sim/network.h"

namespace ferry::server {

// A device that says what it is told to, and keeps what it hears.
class TestDevice {
 public:
  TestDevice(sys::SimWorld& world, sys::SimNetwork& net, const std::string& host)
      : world_(world),
        executor_(world.MakeExecutor()),
        dialer_(net.MakeDialer(host, *executor_)),
        identity(crypto::SigningKey::Generate(world.random())),
        seal(crypto::AgreementKey::Generate(world.random())) {}

  void Connect() {
    channel_.reset();
    heard.clear();
    closed = OkStatus();
    bool done = false;
    dialer_->Dial({"server", 443}, [&](Result<std::unique_ptr<sys::FrameChannel>> result) {
      done = true;
      ASSERT_TRUE(result.ok());
      channel_ = std::move(*result);
    });
    ASSERT_TRUE(world_.RunUntil([&] { return done; }, 10'000));
    channel_->Start({[this](ByteView frame) {
                       proto::Envelope message;
                       ASSERT_TRUE(proto::DecodeEnvelope(frame, &message).ok());
                       heard.push_back(message);
                     },
                     [this](const Status& why) { closed = why; }});
  }
  void Say(const proto::Envelope& message) { SayBytes(*proto::EncodeEnvelope(message)); }
  void SayBytes(ByteView frame) { ASSERT_TRUE(channel_->Send(frame).ok()); }
  // The next message that comes; an empty envelope when none does.
  proto::Envelope Next() {
    world_.RunUntil([&] { return !heard.empty() || !closed.ok(); }, 5'000);
    if (heard.empty()) return {};
    proto::Envelope first = heard.front();
    heard.erase(heard.begin());
    return first;
  }
  proto::Envelope Ask(const proto::Envelope& message) {
    Say(message);
    return Next();
  }
  proto::Envelope LogInAgain() {
    Connect();
    return LogIn(true);
  }
  bool IsClosed() {
    return world_.RunUntil([&] { return !closed.ok(); }, 60'000);
  }

  proto::Envelope EnrollMessage(const Bytes& secret, const std::string& tenant = "default") const {
    proto::Envelope message;
    proto::Enroll* enroll = message.mutable_enroll();
    enroll->set_tenant(tenant);
    enroll->set_join_secret(secret.data(), secret.size());
    enroll->set_identity_public(identity.public_key().data(), 32);
    enroll->set_seal_public(seal.public_key().data(), 32);
    enroll->mutable_profile()->set_os("android");
    const auto proof = identity.Sign(proto::EnrollMessage(
        tenant, crypto::Sha256(secret), identity.public_key(), seal.public_key()));
    enroll->set_proof(proof.data(), proof.size());
    return message;
  }
  std::string id() const { return proto::DeviceIdOf(crypto::Sha256(identity.public_key())); }
  proto::Envelope Hello() const {
    proto::Envelope message;
    message.mutable_hello()->set_device_id(id());
    message.mutable_hello()->set_protocol(proto::kProtocol);
    return message;
  }
  proto::Envelope Auth(const std::string& nonce, bool push = true) const {
    proto::Envelope message;
    const auto signature = identity.Sign(proto::AuthMessage(id(), AsBytes(nonce)));
    message.mutable_auth()->set_signature(signature.data(), signature.size());
    message.mutable_auth()->mutable_profile()->set_os("android");
    message.mutable_auth()->mutable_profile()->set_app_version("1.4.0");
    message.mutable_auth()->set_push(push);
    return message;
  }
  // Hello, Challenge, Auth; what comes back.
  proto::Envelope LogIn(bool push = true) {
    const proto::Envelope challenge = Ask(Hello());
    return Ask(Auth(challenge.challenge().nonce(), push));
  }

 private:
  sys::SimWorld& world_;
  std::unique_ptr<sys::Executor> executor_;
  std::unique_ptr<sys::Dialer> dialer_;
  std::unique_ptr<sys::FrameChannel> channel_;

 public:
  crypto::SigningKey identity;
  crypto::AgreementKey seal;
  std::vector<proto::Envelope> heard;
  Status closed;
};

class GatewayTest : public testing::Test {
 protected:
  void SetUp() override {
    JoinTokenRow token;
    token.id = "t";
    token.secret_sha256 = crypto::Sha256Hex(secret_);
    token.uses_left = 2;
    token.tags = {"lab"};
    token.expires_ms = world_.clock().NowUnixMs() + 1'000'000;
    ASSERT_TRUE(
        store_->Write([&](Transaction& tx) -> Status { return tx.access().PutJoinToken(token); })
            .ok());
    net_.Listen(
        {"server", 443}, *executor_,
        [this](std::unique_ptr<sys::FrameChannel> channel) {
          serving_->Accept(std::move(channel), *executor_);
        },
        &gateway_.content());
  }
  void TearDown() override { net_.StopListening({"server", 443}); }
  Gateway::Options GatewayOptions() {
    Gateway::Options options;
    options.store = store_.get();
    options.blobs = blobs_.get();
    options.registry = &registry_;
    options.rollout = &rollout_;
    options.bus = bus_.get();
    options.ingest = &ingest_;
    options.clock = &world_.clock();
    options.random = &world_.random();
    options.content_secret = &content_secret_;
    return options;
  }
  Registry::Options RegistryOptions() {
    Registry::Options options;
    options.store = store_.get();
    options.blobs = blobs_.get();
    options.clock = &world_.clock();
    options.random = &world_.random();
    options.secrets = &secrets_;
    return options;
  }
  Rollout::Options RolloutOptions() {
    Rollout::Options options;
    options.store = store_.get();
    options.registry = &registry_;
    options.bus = bus_.get();
    options.clock = &world_.clock();
    options.random = &world_.random();
    return options;
  }
  static Limits SmallLimits() {
    Limits limits;
    limits.Set(Limit::kDeviceRowsDay, 2'000);
    limits.Set(Limit::kDeviceBytesSecond, 64 << 10);
    limits.Set(Limit::kDeviceReportsDay, 100);
    return limits;
  }
  static proto::Envelope BatchOf(uint64_t first, int rows, const std::string& json) {
    proto::Envelope message;
    proto::TunnelBatch* batch = message.mutable_tunnel_batch();
    batch->set_outbox_id(std::string(16, 'o'));
    batch->set_first_seq(first);
    batch->set_acked_seq(first - 1);
    for (int i = 0; i < rows; ++i) {
      batch->add_records()->set_stream("s");
      batch->mutable_records()->rbegin()->set_json(json);
    }
    return message;
  }
  // Connected, enrolled and logged in.
  std::unique_ptr<TestDevice> Ready(const std::string& host, bool push = true) {
    auto device = std::make_unique<TestDevice>(world_, net_, host);
    device->Connect();
    EXPECT_TRUE(device->Ask(device->EnrollMessage(secret_)).has_enrolled());
    EXPECT_TRUE(device->LogIn(push).has_welcome());
    return device;
  }
  // As the operators' door does it.
  void Block(const std::string& device, bool blocked) {
    ASSERT_TRUE(store_
                    ->Write([&](Transaction& tx) -> Status {
                      FERRY_ASSIGN_OR_RETURN(DeviceRow row, tx.devices().Get(device));
                      row.blocked = blocked;
                      return tx.devices().Put(row);
                    })
                    .ok());
    rollout_.OnBlocked(device);
  }
  // The device is told why and then cut.
  void ExpectRefused(TestDevice& device, const proto::Envelope& answer, Code code) {
    EXPECT_EQ(answer.error().code(), static_cast<int>(code)) << answer.error().text();
    EXPECT_TRUE(answer.error().fatal());
    EXPECT_TRUE(device.IsClosed());
  }

  sys::SimWorld world_{21};
  sys::SimNetwork net_{world_};
  std::unique_ptr<sys::Executor> executor_ = world_.MakeExecutor();
  sys::SimFileSystem fs_;
  std::unique_ptr<Store> store_ = OpenTestStore().value();
  std::unique_ptr<BlobStore> blobs_ =
      OpenDirectoryBlobStore(fs_, "/content", world_.random()).value();
  std::unique_ptr<Bus> bus_ = MakeInprocBus();
  OnlineSecrets secrets_{trust::SigningKey::Generate(world_.random()),
                         trust::SigningKey::Generate(world_.random()),
                         trust::SigningKey::Generate(world_.random()),
                         crypto::AgreementKey::Generate(world_.random())};
  crypto::Secret32 content_secret_ = crypto::Secret32::Generate(world_.random());
  Registry registry_{RegistryOptions()};
  Rollout rollout_{RolloutOptions()};
  Ingest ingest_{*store_, world_.clock(), SmallLimits()};
  Gateway gateway_{GatewayOptions()};
  Gateway* serving_ = &gateway_;  // whom new lines come to
  const Bytes secret_ = Bytes(32, 7);
};

}  // namespace ferry::server
