#include "cloud-server/verify/peer.h"

#include <algorithm>
#include <utility>

#include "cloud-server/verify/service.h"
#include "common/base/log.h"
#include "common/proto/envelope.h"

namespace ferry::server {
namespace {

constexpr int kStreamBits = 5;
constexpr double kSmoothing = 0.25;  // of a new round trip in the smoothed one

}  // namespace

Peer::Peer(VerifyService& service, std::unique_ptr<llm::SplitLink> link, std::string device,
           std::string name)
    : service_(service),
      link_(std::move(link)),
      device_(std::move(device)),
      name_(std::move(name)),
      order_(service.NextOrder()),
      since_ms_(service.NowMs()),
      allowed_ms_(since_ms_) {}

Peer::~Peer() = default;

void Peer::Start() {
  const std::weak_ptr<Peer> weak = weak_from_this();
  link_->Start({[weak](ByteView frame) {
                  if (const auto self = weak.lock()) self->OnFrame(frame);
                },
                [weak](bool up) {
                  const auto self = weak.lock();
                  if (self != nullptr && !up) self->End();
                }});
}

void Peer::End() {
  if (std::exchange(ended_, true)) return;
  for (auto& session : streams_) {
    if (const auto gone = std::exchange(session, nullptr)) gone->Detach();
  }
  service_.ForgetPeer(*this);
}

bool Peer::MayLog() {
  const int64_t now_ms = service_.NowMs();
  if (logged_ms_ != INT64_MIN && now_ms - logged_ms_ < kLogEveryMs) return false;
  logged_ms_ = now_ms;
  return true;
}

void Peer::MakeRoom(int64_t most) {
  if (ended_) return;
  const Status why = Status::Of(
      Code::kLimitExceeded, "device {}: more than {} lines: the oldest is closed", device_, most);
  service_.refusals().Note("lines", device_, why.message());
  Refuse(0, why, 0);
  End();
}

void Peer::SendAway() {
  if (ended_) return;
  Refuse(0, Status(Code::kUnavailable, "this server is about to go: another one goes on"), 0);
  End();
}

bool Peer::at_rest() const {
  return std::all_of(streams_.begin(), streams_.end(),
                     [](const auto& session) { return session == nullptr || session->at_rest(); });
}

void Peer::Bad() {
  service_.CountDropped();
  if (++bad_frames_ < kMaxBadFrames) return;
  LogWarn("verify", "{} {}: {} bad frames: closed", name_, device_, bad_frames_);
  Refuse(0, Status(Code::kMalformed, "too many frames that are none"), 0);
  End();
}

void Peer::OnFrame(ByteView frame) {
  if (ended_) return;
  if (frame.empty() || frame.size() > llm::kMaxSplitFrame) return Bad();
  const auto kind = static_cast<llm::FrameKind>(frame[0] >> kStreamBits);
  const uint8_t stream = frame[0] & (llm::kMaxStreams - 1);
  if (kind == llm::FrameKind::kControl) return OnControl(stream, frame.subspan(1));
  if (device_.empty()) return service_.CountDropped();
  OnRound(frame, kind, stream);
}

void Peer::OnRound(ByteView frame, llm::FrameKind kind, uint8_t stream) {
  const bool draft = kind == llm::FrameKind::kDraft || kind == llm::FrameKind::kFollow;
  if (!draft && kind != llm::FrameKind::kStream) return Bad();
  const auto session = streams_[stream];
  if (session == nullptr) {
    return Refuse(stream, Status(Code::kNotFound, "no session on this stream: open it"),
                  kRetrySoonMs);
  }
  const auto decoded = llm::DecodeFrame(frame, session->vocabulary());
  if (!decoded.ok()) return Bad();
  session->CountUp(frame.size());
  if (draft) {
    session->OnDraft(*decoded);
  } else {
    session->OnStream(*decoded);
  }
}

void Peer::OnControl(uint8_t stream, ByteView bytes) {
  proto::SplitControl control;
  if (!control.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return Bad();
  using Body = proto::SplitControl;
  if (control.body_case() == Body::kHello) return OnHello(control.hello());
  if (device_.empty()) return service_.CountDropped();
  const auto session = streams_[stream];
  if (session != nullptr) session->CountUp(bytes.size() + 1);
  switch (control.body_case()) {
    case Body::kOpen:
      return service_.OnOpen(*this, stream, control.open());
    case Body::kContext:
      if (session != nullptr) return session->OnContext(control.context());
      return Refuse(stream, Status(Code::kNotFound, "no session on this stream: open it"),
                    kRetrySoonMs);
    case Body::kClose:
      if (session != nullptr) service_.Forget(*session);
      streams_[stream] = nullptr;
      return;
    case Body::kPing: {
      proto::SplitControl pong;
      pong.mutable_pong()->set_value(control.ping().value());
      const int64_t sent = Send(stream, pong);
      if (session != nullptr) session->CountDown(sent);
      return;
    }
    case Body::kPong:
      return OnPong(control.pong().value());
    default:
      Bad();
  }
}

void Peer::OnHello(const proto::SplitHello& hello) {
  if (device_.empty()) {
    Status status;
    if (hello.protocol() != llm::kSplitProtocol) {
      status = Status::Of(Code::kUnsupported, "split protocol {}: this server speaks {}",
                          hello.protocol(), llm::kSplitProtocol);
    } else if (!service_.options().authenticate) {
      status = Status(Code::kUnauthenticated, "this server knows no devices");
    } else {
      Result<std::string> device = service_.options().authenticate(hello.token());
      status = device.status();
      if (device.ok()) device_ = std::move(*device);
    }
    if (status.ok()) {
      link_->Admit();
      service_.CloseOlderLines(device_);
    }
    if (!status.ok()) {
      LogInfo("verify", "{}: {}", name_, status.ToString());
      Refuse(0, status, 0);
      return End();
    }
  }
  proto::SplitControl welcome;
  welcome.mutable_welcome()->set_protocol(llm::kSplitProtocol);
  Send(0, welcome);
}

void Peer::OnPong(uint32_t value) {
  if (value != ping_ || ping_ns_ == 0) return;
  const int64_t took_ns = service_.options().clock->MonotonicNs() - std::exchange(ping_ns_, 0);
  const double ms = static_cast<double>(took_ns) / 1e6;
  round_trip_ms_ = round_trip_ms_ < 0 ? ms : round_trip_ms_ + kSmoothing * (ms - round_trip_ms_);
}

int64_t Peer::Send(const llm::SplitFrame& frame, int64_t vocabulary) {
  const Bytes bytes = llm::EncodeFrame(frame, vocabulary);
  link_->Send(bytes);
  return static_cast<int64_t>(llm::WireBytes(bytes.size()));
}

int64_t Peer::Send(uint8_t stream, const proto::SplitControl& control) {
  const Bytes bytes = llm::EncodeControl(stream, control);
  link_->Send(bytes);
  return static_cast<int64_t>(llm::WireBytes(bytes.size()));
}

void Peer::Refuse(uint8_t stream, const Status& why, int64_t retry_ms) {
  service_.CountRefused();
  proto::SplitControl control;
  proto::SplitRefused* refused = control.mutable_refused();
  refused->set_code(static_cast<int>(why.code()));
  refused->set_text(proto::CutText(why.message()));
  refused->set_retry_ms(static_cast<uint32_t>(std::clamp<int64_t>(retry_ms, 0, UINT32_MAX)));
  Send(stream, control);
}

void Peer::Seat(uint8_t stream, const std::shared_ptr<VerifySession>& session) {
  if (streams_[stream] == session) return;
  if (const auto before = std::exchange(streams_[stream], session)) before->Detach();
}

void Peer::Tick(int64_t now_ms) {
  if (ended_) return;
  if (device_.empty()) {
    if (now_ms - since_ms_ < kHelloMs) return;
    Refuse(0, Status(Code::kDeadlineExceeded, "no SplitHello came"), 0);
    return End();
  }
  if (service_.options().authorize && now_ms - allowed_ms_ >= kAllowedMs) {
    allowed_ms_ = now_ms;
    const Status allowed = service_.options().authorize(device_);
    if (!allowed.ok()) {
      LogInfo("verify", "{}: {}", name_, allowed.ToString());
      Refuse(0, allowed, 0);
      return End();
    }
  }
  const int64_t every = service_.options().ping_ms;
  if (every == 0 || (pinged_ms_ >= 0 && now_ms - pinged_ms_ < every)) return;
  const auto seated = std::find_if(streams_.begin(), streams_.end(),
                                   [](const auto& session) { return session != nullptr; });
  if (seated == streams_.end()) return;
  pinged_ms_ = now_ms;
  proto::SplitControl ping;
  ping.mutable_ping()->set_value(++ping_);
  ping_ns_ = service_.options().clock->MonotonicNs();
  (*seated)->CountDown(Send(static_cast<uint8_t>(seated - streams_.begin()), ping));
}

}  // namespace ferry::server
