#include "tools/bench/lines/fleet.h"

#include <algorithm>
#include <utility>

#include "common/crypto/hash.h"
#include "common/proto/envelope.h"
#include "common/sys/clock.h"

namespace ferry::lines {

namespace {

// As devices do it: device-runtime/agent/line/backoff.h.
constexpr int64_t kBackoffMs = 500, kMostBackoffMs = 60'000;

}  // namespace

struct Fleet::Device {
  crypto::SigningKey identity = crypto::SigningKey::Generate(sys::SystemRandom());
  std::unique_ptr<sys::FrameChannel> channel;
  int64_t window_ms = kBackoffMs;  // a try waits for any part of it
  bool enrolled = false;
  bool up = false;
  bool first = true;  // its first line is being opened
};

Fleet::Fleet(FleetOptions options, net::IoThreads& io, sys::Executor& executor)
    : options_(std::move(options)), io_(io), executor_(executor) {}

Fleet::~Fleet() {
  *alive_ = false;
}

Status Fleet::Start() {
  net::ClientOptions client;
  client.authority = options_.token.authority;
  client.idle_timeout_ms = INT32_MAX;  // these devices do not ping
  FERRY_ASSIGN_OR_RETURN(dialer_, net::MakeTlsDialer(io_, executor_, client));
  for (int64_t i = 0; i < options_.count; ++i) {
    devices_.push_back(std::make_unique<Device>());
  }
  OpenMore();
  return OkStatus();
}

void Fleet::OpenMore() {
  while (opening_ < options_.at_once && opened_ < options_.count) {
    ++opening_;
    Dial(*devices_[static_cast<size_t>(opened_++)]);
  }
}

void Fleet::Dial(Device& device) {
  dialer_->Dial(
      {options_.token.host, options_.token.port},
      [this, &device, alive = alive_](Result<std::unique_ptr<sys::FrameChannel>> dialled) {
        if (!*alive) return;
        if (!dialled.ok()) return Lost(device, dialled.status());
        device.channel = std::move(*dialled);
        device.channel->Start({[this, &device, alive](ByteView frame) {
                                 if (*alive) OnFrame(device, frame);
                               },
                               [this, &device, alive](const Status& why) {
                                 if (*alive) Lost(device, why);
                               }});
        if (device.enrolled) return SayHello(device);
        SayEnroll(device);
      });
}

void Fleet::OnFrame(Device& device, ByteView frame) {
  proto::Envelope message;
  Status status = proto::DecodeEnvelope(frame, &message);
  if (status.ok()) status = Handle(device, message);
  if (!status.ok()) Lost(device, status);
}

Status Fleet::Handle(Device& device, const proto::Envelope& message) {
  using Body = proto::Envelope;
  switch (message.body_case()) {
    case Body::kEnrolled:
      device.enrolled = true;
      SayHello(device);
      return OkStatus();
    case Body::kChallenge: {
      const std::string id = proto::DeviceIdOf(crypto::Sha256(device.identity.public_key()));
      const auto signature =
          device.identity.Sign(proto::AuthMessage(id, AsBytes(message.challenge().nonce())));
      proto::Envelope answer;
      proto::Auth* auth = answer.mutable_auth();
      auth->set_signature(signature.data(), signature.size());
      auth->mutable_profile()->set_os("linux");
      auth->set_push(true);
      Send(device, answer);
      return OkStatus();
    }
    case Body::kWelcome:
      device.up = true;
      device.window_ms = kBackoffMs;
      ++state_.up;
      Settle(device);
      return OkStatus();
    case Body::kWake:
      state_.woken_ns.push_back(sys::SystemClock().MonotonicNs());
      return OkStatus();
    case Body::kError:
      return Status(static_cast<Code>(message.error().code()), message.error().text());
    default:
      return OkStatus();
  }
}

void Fleet::SayEnroll(Device& device) {
  const auto seal = crypto::SigningKey::Generate(sys::SystemRandom()).public_key();
  const auto& identity = device.identity.public_key();
  const auto& secret = options_.token.secret;
  const auto proof = device.identity.Sign(
      proto::EnrollMessage(options_.token.tenant, crypto::Sha256(secret), identity, seal));
  proto::Envelope message;
  proto::Enroll* enroll = message.mutable_enroll();
  enroll->set_tenant(options_.token.tenant);
  enroll->set_join_secret(secret.data(), secret.size());
  enroll->set_identity_public(identity.data(), identity.size());
  enroll->set_seal_public(seal.data(), seal.size());
  enroll->mutable_profile()->set_os("linux");
  enroll->set_proof(proof.data(), proof.size());
  Send(device, message);
}

void Fleet::SayHello(Device& device) {
  proto::Envelope message;
  message.mutable_hello()->set_device_id(
      proto::DeviceIdOf(crypto::Sha256(device.identity.public_key())));
  message.mutable_hello()->set_protocol(proto::kProtocol);
  Send(device, message);
}

void Fleet::Send(Device& device, const proto::Envelope& message) {
  const Result<Bytes> frame = proto::EncodeEnvelope(message);
  const Status sent = frame.ok() ? device.channel->Send(*frame) : frame.status();
  if (!sent.ok()) Lost(device, sent);
}

// The first try of a device is over: another may begin its own.
void Fleet::Settle(Device& device) {
  if (!std::exchange(device.first, false)) return;
  --opening_;
  OpenMore();
}

void Fleet::Lost(Device& device, const Status& why) {
  if (std::exchange(device.up, false)) {
    --state_.up;
    ++state_.broken;
  } else {
    ++state_.failed;
  }
  state_.why = why.ToString();
  // Its event may be on the stack.
  executor_.Post([gone = std::shared_ptr<sys::FrameChannel>(std::move(device.channel))] {});
  Settle(device);
  if (!options_.come_back) return;
  const auto wait_ms = sys::SystemRandom().Below(static_cast<uint64_t>(device.window_ms) + 1);
  device.window_ms = std::min(2 * device.window_ms, kMostBackoffMs);
  executor_.PostAfter(static_cast<int64_t>(wait_ms), [this, &device, alive = alive_] {
    if (*alive) Dial(device);
  });
}

}  // namespace ferry::lines
