// What a device says to the gateway, message after message: the server's session with its state.
#include "cloud-server/gateway/session.h"

#include <optional>

#include "cloud-server/gateway/gateway.h"
#include "common/base/check.h"
#include "common/crypto/hash.h"
#include "common/proto/envelope.h"
#include "common/proto/wire.pb.h"
#include "pipeline/store/outbox.h"
#include "tools/fuzz/server.h"
#include "tools/fuzz/target.h"

namespace ferry::fuzz {
namespace {

// An input is a list of steps: a byte that says which, the length of what belongs to it, two bytes,
// and that.
enum class Step : uint8_t { kFrame, kLogIn, kWait, kReconnect, kSteps };
constexpr size_t kMaxSteps = 40;
constexpr size_t kMaxHeard = 10'000;  // frames of the server in one run
constexpr int64_t kTickMs = 100;

// A device that says what it is told to.
class Device {
 public:
  explicit Device(FuzzServer& server)
      : server_(server),
        gateway_(Options()),
        executor_(server.world.MakeExecutor()),
        theirs_(server.world.MakeExecutor()),
        dialer_(server.net.MakeDialer("phone", *executor_)) {
    server.net.Listen(
        kAddress, *theirs_,
        [this](std::unique_ptr<sys::FrameChannel> channel) {
          gateway_.Accept(std::move(channel), *theirs_);
        },
        &gateway_.content());
    Connect();
  }
  ~Device() {
    channel_.reset();
    server_.net.StopListening(kAddress);
  }

  void Connect() {
    channel_.reset();
    nonce_.clear();
    dialer_->Dial(kAddress, [this](Result<std::unique_ptr<sys::FrameChannel>> result) {
      if (result.ok()) channel_ = std::move(*result);
    });
    server_.world.RunFor(kTickMs);
    if (channel_ == nullptr) return;
    channel_->Start({[this](ByteView frame) { Hear(frame); }, [](const Status&) {}});
  }
  void Say(ByteView frame) {
    if (channel_ != nullptr) (void)channel_->Send(frame);
    server_.world.RunFor(kTickMs);
  }
  void Say(const proto::Envelope& message) {
    const auto frame = proto::EncodeEnvelope(message);
    if (frame.ok()) Say(*frame);
  }
  // Hello and the right answer to the challenge, with any profile.
  void LogIn(ByteView profile) {
    proto::Envelope hello;
    hello.mutable_hello()->set_device_id(Id());
    hello.mutable_hello()->set_protocol(proto::kProtocol);
    Say(hello);
    proto::Envelope message;
    proto::Auth* auth = message.mutable_auth();
    const auto signature = identity_.Sign(proto::AuthMessage(Id(), AsBytes(nonce_)));
    auth->set_signature(signature.data(), signature.size());
    if (!auth->mutable_profile()->ParseFromArray(profile.data(), static_cast<int>(profile.size())))
      auth->clear_profile();
    auth->set_push(true);
    Say(message);
  }
  void Wait(int64_t ticks) { server_.world.RunFor(ticks * kTickMs); }
  const server::Gateway& gateway() const { return gateway_; }

  static proto::Envelope Enroll() {
    proto::Envelope message;
    proto::Enroll* enroll = message.mutable_enroll();
    const Device::Keys keys;
    const Bytes secret(32, 7);
    enroll->set_tenant("default");
    enroll->set_join_secret(secret.data(), secret.size());
    enroll->set_identity_public(keys.identity.public_key().data(), 32);
    enroll->set_seal_public(keys.seal.public_key().data(), 32);
    enroll->mutable_profile()->set_os("android");
    const auto proof = keys.identity.Sign(proto::EnrollMessage(
        "default", crypto::Sha256(secret), keys.identity.public_key(), keys.seal.public_key()));
    enroll->set_proof(proof.data(), proof.size());
    return message;
  }

 private:
  // The same in every run, so that a seed's proof is right.
  struct Keys {
    sys::SeededRandom random{3};
    crypto::SigningKey identity = crypto::SigningKey::Generate(random);
    crypto::AgreementKey seal = crypto::AgreementKey::Generate(random);
  };
  static inline const sys::Endpoint kAddress = {"server", 443};

  server::Gateway::Options Options() {
    server::Gateway::Options options;
    options.store = server_.store.get();
    options.blobs = server_.blobs.get();
    options.registry = server_.registry.get();
    options.rollout = server_.rollout.get();
    options.bus = server_.bus.get();
    options.ingest = server_.ingest.get();
    options.clock = &server_.world.clock();
    options.random = &server_.world.random();
    options.content_secret = &server_.content_secret;
    return options;
  }
  std::string Id() const { return proto::DeviceIdOf(crypto::Sha256(identity_.public_key())); }
  // What the server says can be read, and there is an end to it.
  void Hear(ByteView frame) {
    proto::Envelope message;
    const Status read = proto::DecodeEnvelope(frame, &message);
    CHECK(read.ok()) << read.ToString();
    CHECK(++heard_ < kMaxHeard);
    if (message.has_challenge()) nonce_ = message.challenge().nonce();
    if (message.has_error()) CHECK(message.error().code() != 0);
  }

  FuzzServer& server_;
  server::Gateway gateway_;
  const Keys keys_;
  const crypto::SigningKey& identity_ = keys_.identity;
  std::unique_ptr<sys::Executor> executor_, theirs_;
  std::unique_ptr<sys::Dialer> dialer_;
  std::unique_ptr<sys::FrameChannel> channel_;
  std::string nonce_;
  size_t heard_ = 0;
};

void RunSession(ByteView bytes) {
  FuzzServer server;
  Device device(server);
  for (size_t steps = 0; bytes.size() >= 3 && steps < kMaxSteps; ++steps) {
    const auto step = static_cast<Step>(bytes[0] % static_cast<uint8_t>(Step::kSteps));
    const size_t size = std::min<size_t>(bytes[1] | bytes[2] << 8, bytes.size() - 3);
    const ByteView rest = bytes.subspan(3, size);
    bytes = bytes.subspan(3 + size);
    if (step == Step::kFrame) device.Say(rest);
    if (step == Step::kLogIn) device.LogIn(rest);
    if (step == Step::kWait) device.Wait(rest.empty() ? 1 : rest[0]);
    if (step == Step::kReconnect) device.Connect();
    CHECK(device.gateway().sessions() <= 2);  // a later one replaces the earlier
  }
}

void Append(Bytes* input, Step step, ByteView rest) {
  input->push_back(static_cast<uint8_t>(step));
  input->push_back(static_cast<uint8_t>(rest.size()));
  input->push_back(static_cast<uint8_t>(rest.size() >> 8));
  input->insert(input->end(), rest.begin(), rest.end());
}
void Append(Bytes* input, const proto::Envelope& message) {
  Append(input, Step::kFrame, *proto::EncodeEnvelope(message));
}

std::vector<Bytes> SessionSeeds() {
  Bytes joined;
  Append(&joined, Device::Enroll());
  Append(&joined, Step::kLogIn,
         AsBytes(std::string_view("\n\x07"
                                  "android\x12\x05"
                                  "1.4.0")));
  std::vector<Bytes> seeds = {joined};
  const auto seed = [&](const proto::Envelope& message) {
    seeds.push_back(joined);
    Append(&seeds.back(), message);
    Append(&seeds.back(), Step::kWait, Bytes(1, 20));
    Append(&seeds.back(), Step::kReconnect, {});
    Append(&seeds.back(), Step::kLogIn, {});
    Append(&seeds.back(), message);
  };
  proto::Envelope poll, metadata, key, report, batch, ping;
  poll.mutable_poll();
  metadata.mutable_metadata_request();
  key.mutable_key_request();
  ping.mutable_ping();
  report.mutable_report()->set_seq(1);
  report.mutable_report()->set_release_id("digits-1.0.0-1");
  report.mutable_report()->set_step(proto::Report::CONFIRMED);
  report.mutable_report()->set_package("digits");
  batch.mutable_tunnel_batch()->set_outbox_id(std::string(store::kOutboxIdBytes, 'o'));
  batch.mutable_tunnel_batch()->set_first_seq(1);
  proto::Record* record = batch.mutable_tunnel_batch()->add_records();
  record->set_stream("digits.window");
  record->set_json("{\"count\":12}");
  for (const proto::Envelope* message : {&poll, &metadata, &key, &report, &batch, &ping})
    seed(*message);
  return seeds;
}

}  // namespace

const Target kSessionTarget = {"session", RunSession, SessionSeeds};

}  // namespace ferry::fuzz
