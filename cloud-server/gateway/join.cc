// How a device comes in: Enroll once, then Hello, Challenge, Auth, Welcome.
#include "cloud-server/gateway/content.h"
#include "cloud-server/gateway/profile.h"
#include "cloud-server/gateway/session.h"
#include "cloud-server/rollout/rollout.h"
#include "common/base/log.h"
#include "common/crypto/ed25519.h"
#include "common/crypto/hash.h"

namespace ferry::server {
namespace {

constexpr size_t kMaxJoinSecretBytes = 64;
constexpr size_t kKeyBytes = 32;

ByteView View(const std::string& bytes) {
  return AsBytes(bytes);
}

Status CheckEnroll(const proto::Enroll& enroll) {
  if (enroll.identity_public().size() != kKeyBytes || enroll.seal_public().size() != kKeyBytes) {
    return Status(Code::kMalformed, "enroll: keys of another length than 32 bytes");
  }
  if (enroll.join_secret().empty() || enroll.join_secret().size() > kMaxJoinSecretBytes) {
    return Status(Code::kMalformed, "enroll: the join secret has a wrong length");
  }
  FERRY_TRY(CheckProfile(enroll.profile()));
  const Bytes message =
      proto::EnrollMessage(enroll.tenant(), crypto::Sha256(View(enroll.join_secret())),
                           View(enroll.identity_public()), View(enroll.seal_public()));
  if (crypto::Verify(View(enroll.identity_public()), message, View(enroll.proof()))) {
    return OkStatus();
  }
  return Status(Code::kBadSignature, "enroll: the proof is not by the identity key");
}

// Takes one use of the token, which says what the operator calls the device.
Result<JoinTokenRow> UseToken(Transaction& tx, const proto::Enroll& enroll, int64_t now_ms) {
  const std::string hash = crypto::Sha256Hex(View(enroll.join_secret()));
  Result<JoinTokenRow> found = tx.access().JoinToken(hash);
  if (found.code() == Code::kNotFound) {
    return Status(Code::kUnauthenticated, "enroll: unknown join token");
  }
  FERRY_TRY(found);
  JoinTokenRow token = std::move(*found);
  if (token.tenant != enroll.tenant()) {
    return Status(Code::kUnauthenticated, "enroll: the join token is of another tenant");
  }
  if (token.expires_ms <= now_ms) {
    return Status(Code::kUnauthenticated, "enroll: the join token has expired");
  }
  if (token.uses_left <= 0) {
    return Status(Code::kUnauthenticated, "enroll: the join token is used up");
  }
  --token.uses_left;
  ++token.uses;
  FERRY_TRY(tx.access().PutJoinToken(token));
  return token;
}

}  // namespace

Status Session::OnEnroll(const proto::Enroll& enroll) {
  FERRY_TRY(CheckEnroll(enroll));
  const std::string id = proto::DeviceIdOf(crypto::Sha256(View(enroll.identity_public())));
  const int64_t now_ms = options().clock->NowUnixMs();
  bool again = false;
  FERRY_TRY(options().store->Write([&](Transaction& tx) -> Status {
    Result<DeviceRow> found = tx.devices().Get(id);
    if (!found.ok() && found.code() != Code::kNotFound) return found.status();
    // A device whose answer was lost enrolls again: the key proves that it is the same.
    again = found.ok() &&
            crypto::ConstantTimeEqual(found->identity_public, View(enroll.identity_public()));
    if (again && found->tenant != enroll.tenant()) {
      return Status::Of(Code::kUnauthenticated, "enroll: device {} is of another tenant", id);
    }
    DeviceRow row = again ? std::move(*found) : DeviceRow();
    if (!again) {
      FERRY_ASSIGN_OR_RETURN(JoinTokenRow token, UseToken(tx, enroll, now_ms));
      row.operator_tags = std::move(token.tags);
      row.id = id;
      row.tenant = enroll.tenant();
      row.identity_public = ToBytes(View(enroll.identity_public()));
      row.enrolled_ms = now_ms;
    }
    row.seal_public = ToBytes(View(enroll.seal_public()));
    row.last_seen_ms = now_ms;
    PutProfile(enroll.profile(), &row);
    return tx.devices().Put(row);
  }));
  if (!again) LogInfo("gateway", "device {} enrolled from {}", id, channel_->peer());
  options().rollout->OnDeviceChanged(id);
  proto::Envelope answer;
  answer.mutable_enrolled()->set_device_id(id);
  Send(answer);
  return OkStatus();
}

Status Session::OnHello(const proto::Hello& hello) {
  if (hello.protocol() != proto::kProtocol) {
    return Status::Of(Code::kUnsupported, "protocol {}, this server speaks {}", hello.protocol(),
                      proto::kProtocol);
  }
  FERRY_TRY(options().store->Read([&](Transaction& tx) -> Status {
    Result<DeviceRow> row = tx.devices().Get(hello.device_id());
    if (row.code() == Code::kNotFound) {
      return Status::Of(Code::kNotFound, "device \"{}\" is not enrolled here",
                        proto::CutText(hello.device_id(), 64));
    }
    FERRY_TRY(row);
    identity_public_ = row->identity_public;
    return OkStatus();
  }));
  device_ = hello.device_id();
  options().random->Fill(nonce_);
  state_ = State::kChallenged;
  proto::Envelope answer;
  answer.mutable_challenge()->set_nonce(nonce_.data(), nonce_.size());
  Send(answer);
  return OkStatus();
}

Status Session::OnAuth(const proto::Auth& auth) {
  const Bytes message = proto::AuthMessage(device_, nonce_);
  state_ = State::kNew;  // whatever comes of it, this nonce is spent
  nonce_.fill(0);
  if (!crypto::Verify(identity_public_, message, View(auth.signature()))) {
    return Status::Of(Code::kUnauthenticated, "device {}: the challenge is not signed by its key",
                      device_);
  }
  FERRY_TRY(CheckProfile(auth.profile()));
  return Admit(auth);
}

Status Session::Admit(const proto::Auth& auth) {
  seen_ms_ = options().clock->NowUnixMs();
  bool changed = false;
  takes_new_keys_ = auth.new_keys();
  erases_ = auth.erase();
  FERRY_TRY(options().store->Write([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(DeviceRow row, tx.devices().Get(device_));
    if (row.blocked) {
      return Status::Of(Code::kBlocked, "device {} is blocked", device_);
    }
    changed = PutProfile(auth.profile(), &row);
    root_version_ = row.root_version;
    row.reads_desired = auth.desired();
    row.reads_when = auth.desired() && auth.when();
    row.reads_bins = auth.bins();
    row.observes = auth.desired() && auth.observe();
    row.last_seen_ms = seen_ms_;
    return tx.devices().Put(row);
  }));
  FERRY_TRY(NoteStart(auth));
  if (changed) options().rollout->NoteChange();  // it is looked at below
  reads_desired_ = auth.desired();
  push_ = auth.push();
  Listen();
  // After listening: an assignment or a root made in between is seen here or wakes us.
  int64_t generation = 0;
  FERRY_ASSIGN_OR_RETURN(const uint64_t epoch, options().rollout->Epoch(device_, &generation));
  FERRY_ASSIGN_OR_RETURN(const int64_t root_version, options().registry->RootVersion());
  FERRY_TRY(CheckNotBlocked(*options().store, device_));
  state_ = State::kReady;
  channel_->Admit();
  executor_.Cancel(auth_timer_);
  gateway_.Register(device_, shared_from_this());
  proto::Envelope answer;
  proto::Welcome* welcome = answer.mutable_welcome();
  welcome->set_epoch(epoch);
  welcome->set_server_time_ms(seen_ms_);
  welcome->set_root_version(static_cast<uint64_t>(root_version));
  welcome->set_content_token(
      MakeContentToken(*options().content_secret, device_, seen_ms_ + kContentTokenLifeMs));
  welcome->set_erase(true);
  welcome->set_have_text(HaveText(generation));
  for (const std::string& mirror : options().mirrors) welcome->add_mirrors(mirror);
  Send(answer);
  AskForKeys();
  AskForErasure();
  ScheduleEnd();
  return OkStatus();
}

void Session::Listen() {
  const std::weak_ptr<Session> weak = weak_from_this();
  sys::Executor* executor = &executor_;
  subscription_ =
      options().bus->Subscribe(device_, [weak, executor](const std::string&, uint64_t epoch) {
        executor->Post([weak, epoch] {
          if (const auto self = weak.lock()) self->OnWake(epoch);
        });
      });
}

void Session::OnWake(uint64_t epoch) {
  if (state_ != State::kReady) return;
  if (epoch == kLookAgain) {
    if (const Status open = CheckNotBlocked(*options().store, device_); !open.ok())
      return Fail(open);
    AskForKeys();
    AskForErasure();
  } else if (epoch <= woken_epoch_) {
    return;  // several changes, one wake-up
  } else {
    woken_epoch_ = epoch;
  }
  if (!push_) return;
  proto::Envelope message;
  message.mutable_wake()->set_epoch(epoch);
  Send(message);
}

}  // namespace ferry::server
