#include "cloud-server/gateway/session.h"

#include <algorithm>

#include "cloud-server/rollout/rollout.h"
#include "common/base/log.h"

namespace ferry::server {
namespace {

constexpr size_t kMaxLoggedText = 200;  // bytes of a device's own words in one line

}  // namespace

bool MessageBudget::Take(int64_t now_ns) {
  left_ += static_cast<double>(now_ns - last_ns_) * 1e-9 * kMaxMessagesPerSecond;
  left_ = std::min(left_, static_cast<double>(kMessageBurst));
  last_ns_ = now_ns;
  if (left_ < 1) return false;
  left_ -= 1;
  return true;
}

Session::Session(Gateway& gateway, std::unique_ptr<sys::FrameChannel> channel,
                 sys::Executor& executor)
    : gateway_(gateway),
      channel_(std::move(channel)),
      executor_(executor),
      budget_(gateway.options_.clock->MonotonicNs()) {}

Session::~Session() = default;

void Session::Start() {
  const std::weak_ptr<Session> weak = weak_from_this();
  auth_timer_ = executor_.PostAfter(kAuthTimeoutMs, [weak] {
    const auto self = weak.lock();
    if (self != nullptr && self->state_ != State::kReady) {
      self->Fail(Status(Code::kDeadlineExceeded, "the device did not prove itself in time"));
    }
  });
  channel_->Start({[weak](ByteView frame) {
                     if (const auto self = weak.lock()) self->OnFrame(frame);
                   },
                   [weak](const Status& why) {
                     const auto self = weak.lock();
                     if (self == nullptr) return;
                     Log(LogLevel::kDebug, "gateway", "{} {}: {}", self->channel_->peer(),
                         self->device_, why.ToString());
                     // That it was there until now is evidence for what it runs.
                     if (self->state_ == State::kReady)
                       self->options().rollout->QueueSeen(self->device_);
                     self->state_ = State::kClosed;
                     self->subscription_.reset();
                     self->executor_.Cancel(self->auth_timer_);
                     self->executor_.Cancel(self->life_timer_);
                     self->gateway_.Forget(self.get());
                   }});
}

void Session::OnFrame(ByteView frame) {
  if (state_ == State::kClosed) return;
  if (!budget_.Take(options().clock->MonotonicNs())) {
    return Fail(
        Status::Of(Code::kLimitExceeded, "more than {} messages a second", kMaxMessagesPerSecond));
  }
  proto::Envelope message;
  if (const Status decoded = proto::DecodeEnvelope(frame, &message); !decoded.ok()) {
    return Fail(decoded);
  }
  const Status handled = Handle(message);
  if (!handled.ok() && state_ != State::kClosed) Fail(handled);
}

Status Session::Handle(const proto::Envelope& message) {
  using Body = proto::Envelope;
  switch (message.body_case()) {
    case Body::kPing: {
      proto::Envelope pong;
      pong.mutable_pong()->set_value(message.ping().value());
      Send(pong);
      return OkStatus();
    }
    case Body::kPong:
      return OkStatus();
    case Body::kError:
      if (state_ != State::kReady) break;
      NoteRefusal("says", fmt::format("what this server sent: the device says: {}",
                                      proto::CutText(message.error().text(), kMaxLoggedText)));
      return OkStatus();
    case Body::kEnroll:
      if (state_ == State::kNew) return OnEnroll(message.enroll());
      break;
    case Body::kHello:
      if (state_ == State::kNew) return OnHello(message.hello());
      break;
    case Body::kAuth:
      if (state_ == State::kChallenged) return OnAuth(message.auth());
      break;
    default:
      if (state_ == State::kReady) return HandleReady(message);
  }
  return Status::Of(Code::kFailedPrecondition, "message {} does not belong here",
                    static_cast<int>(message.body_case()));
}

// Errors of requests answer them; what HandleReady returns ends the session.
Status Session::HandleReady(const proto::Envelope& message) {
  using Body = proto::Envelope;
  FERRY_TRY(CheckNotBlocked(*options().store, device_));
  Status answered;
  switch (message.body_case()) {
    case Body::kPoll:
      answered = OnPoll(message.poll());
      break;
    case Body::kMetadataRequest:
      answered = OnMetadata(message.metadata_request());
      break;
    case Body::kKeyRequest:
      answered = OnKey(message.key_request());
      break;
    case Body::kNewKeys:
      answered = OnNewKeys(message.new_keys());
      break;
    case Body::kEraseData:
      answered = OnEraseData(message.erase_data());
      break;
    case Body::kReport:
      return OnReport(message.report());
    case Body::kTunnelBatch:
      OnBatch(message.tunnel_batch());
      return OkStatus();
    default:
      return Status::Of(Code::kFailedPrecondition, "message {} is not for a server",
                        static_cast<int>(message.body_case()));
  }
  if (!answered.ok()) SendError(answered, false);
  return OkStatus();
}

void Session::Send(const proto::Envelope& message) {
  if (state_ == State::kClosed) return;
  const Result<Bytes> frame = proto::EncodeEnvelope(message);
  Status sent = frame.status();
  if (frame.ok()) sent = channel_->Send(*frame);
  if (sent.ok()) return;
  NoteRefusal("sent", fmt::format("its line, which takes nothing: {}", sent.ToString()));
  // A device that does not take what it asked for is cut; it comes back and asks again.
  state_ = State::kClosed;
  channel_->Close();
}

void Session::SendError(const Status& why, bool fatal, int64_t retry_after_ms) {
  proto::Envelope message;
  proto::Error* error = message.mutable_error();
  error->set_code(static_cast<int>(why.code()));
  error->set_text(proto::CutText(why.message()));
  error->set_fatal(fatal);
  error->set_retry_after_ms(retry_after_ms);
  Send(message);
}

void Session::NoteRefusal(const char* kind, const std::string& text) {
  gateway_.device_refusals_.Note(kind, "device " + device_, text);
}

void Session::Fail(const Status& why) {
  if (state_ == State::kClosed) return;
  if (state_ == State::kReady) {
    NoteRefusal("line", fmt::format("its line from {}: {}", channel_->peer(), why.ToString()));
  } else {
    const std::string peer = channel_->peer();
    gateway_.refusals_.Note(std::string(InfoOf(why.code()).name), peer.substr(0, peer.rfind(':')),
                            why.ToString());
  }
  SendError(why, true);
  state_ = State::kClosed;
  subscription_.reset();
  channel_->Close();  // on_close then forgets the session
}

}  // namespace ferry::server
