// What a device says to the gateway, message after message: the server's session with its state.
#include "cloud-server/gateway/session.h"

#include <optional>

#include "cloud-server/gateway/gateway.h"
#include "common/base/check.h"
#include "common/crypto/hash.h"
#include "common/proto/envelope.h"
#include "common/proto/wire.pb.h"
#include "common/trust/targets.h"
#include "pipeline/store/outbox.h"
#include "tools/fuzz/admin_door.h"
#include "tools/fuzz/server.h"
#include "tools/fuzz/target.h"

namespace ferry::fuzz {
namespace {

// An input is a list of steps: a byte that says which, the length of what belongs to it, two bytes,
// and that.
// kLogInDesired is of a device that reads documents of all its packages.
enum class Step : uint8_t { kFrame, kLogIn, kWait, kReconnect, kLogInDesired, kSteps };
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
  void LogIn(ByteView profile, bool desired) {
    proto::Envelope hello;
    hello.mutable_hello()->set_device_id(id());
    hello.mutable_hello()->set_protocol(proto::kProtocol);
    Say(hello);
    proto::Envelope message;
    proto::Auth* auth = message.mutable_auth();
    const auto signature = identity_.Sign(proto::AuthMessage(id(), AsBytes(nonce_)));
    auth->set_signature(signature.data(), signature.size());
    if (!auth->mutable_profile()->ParseFromArray(profile.data(), static_cast<int>(profile.size())))
      auth->clear_profile();
    auth->set_push(true);
    auth->set_desired(desired);
    auth->set_when(desired);
    Say(message);
  }
  void Wait(int64_t ticks) { server_.world.RunFor(ticks * kTickMs); }
  const server::Gateway& gateway() const { return gateway_; }
  std::string id() const { return proto::DeviceIdOf(crypto::Sha256(identity_.public_key())); }

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
  server.Release();
  Device device(server);
  for (size_t steps = 0; bytes.size() >= 3 && steps < kMaxSteps; ++steps) {
    const auto step = static_cast<Step>(bytes[0] % static_cast<uint8_t>(Step::kSteps));
    const size_t size = std::min<size_t>(bytes[1] | bytes[2] << 8, bytes.size() - 3);
    const ByteView rest = bytes.subspan(3, size);
    bytes = bytes.subspan(3 + size);
    if (step == Step::kFrame) device.Say(rest);
    if (step == Step::kLogIn) device.LogIn(rest, false);
    if (step == Step::kLogInDesired) device.LogIn(rest, true);
    if (step == Step::kWait) device.Wait(rest.empty() ? 1 : rest[0]);
    if (step == Step::kReconnect) device.Connect();
    CHECK(device.gateway().sessions() <= 2);  // a later one replaces the earlier
    (void)server.rollout->Tick();
  }
  // Operators can look at whatever the device made the server keep.
  AdminDoor door(server);
  for (const std::string& path :
       {std::string("status"), "devices/" + device.id(), "devices/" + device.id() + "/why",
        std::string("devices"), std::string("releases"), std::string("streams/digits.window"),
        std::string("losses"), std::string("refusals")})
    door.Ask("GET /api/v1/" + path);
  door.Ask("GET /metrics");
  door.Ask("GET /api/v1/accuracy?set=test&stream=digits.window");
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

// What a device that reads desired-state documents says.
void AddDesiredSeeds(std::vector<Bytes>* seeds) {
  Bytes joined;
  Append(&joined, Device::Enroll());
  Append(&joined, Step::kLogInDesired,
         AsBytes(std::string_view("\n\x07"
                                  "android")));
  proto::Envelope poll, measured, key, personal;
  poll.mutable_poll()->set_have_epoch(1);
  poll.mutable_poll()->set_personal_version(0);
  proto::PackageState* state = poll.mutable_poll()->add_have();
  state->set_name("digits");
  state->set_version("1.0.0");
  state->set_release("digits-1.0.0-1");
  measured.mutable_report()->set_seq(1);
  measured.mutable_report()->set_release_id("digits-1.0.0-1");
  measured.mutable_report()->set_step(proto::Report::MEASURED);
  measured.mutable_report()->set_time_ms(1);
  (*measured.mutable_report()->mutable_metrics())["latency_ms"] = 1.5;
  key.mutable_key_request()->set_target_path(trust::FullPath("digits", "1.0.0"));
  key.mutable_key_request()->set_release_id("digits-1.0.0-1");
  personal.mutable_metadata_request()->set_role("personal");
  Bytes all = joined;
  for (const proto::Envelope* message : {&poll, &measured, &key, &personal}) {
    Append(&all, *message);
    seeds->push_back(joined);
    Append(&seeds->back(), *message);
  }
  seeds->push_back(all);
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
  AddDesiredSeeds(&seeds);
  return seeds;
}

}  // namespace

const Target kSessionTarget = {"session", RunSession, SessionSeeds, 8};

}  // namespace ferry::fuzz
