#include "device-runtime/agent/line/link.h"

#include <algorithm>

#include "common/base/log.h"
#include "common/crypto/hash.h"
#include "common/proto/envelope.h"
#include "common/proto/have_text.h"
#include "common/proto/wire.pb.h"
#include "device-runtime/agent/line/messages.h"

namespace ferry::agent {

using proto::Envelope;

Link::Link(const LinkOptions& options, sys::Executor& executor, sys::Clock& clock,
           sys::Random& random, sys::Dialer& dialer, const Identity& identity, LinkEvents events)
    : options_(options),
      executor_(executor),
      clock_(clock),
      random_(random),
      dialer_(dialer),
      identity_(identity),
      events_(std::move(events)),
      backoff_(options.backoff, random) {}

Link::~Link() {
  Stop();
}

void Link::Start() {
  stopped_ = false;
  Dial();
}

void Link::Stop() {
  stopped_ = true;
  ready_ = false;
  executor_.Cancel(deadline_);
  executor_.Cancel(ping_);
  executor_.Cancel(redial_);
  channel_alive_ = Alive();
  if (channel_) channel_->Close();
  channel_.reset();
  requests_.clear();
}

void Link::Restart(const Status& why) {
  if (channel_) Lost(why);
}

void Link::Dial() {
  if (stopped_) return;
  sent_away_ = false;
  to_ = Next();
  dialer_.Dial(to_, alive_.Guard([this](auto channel) { OnDialled(std::move(channel)); }));
}

// The identity may say other addresses while a line is there.
sys::Endpoint Link::endpoint() const {
  return channel_ ? to_ : Next();
}

sys::Endpoint Link::Next() const {
  const std::vector<sys::Endpoint> endpoints = identity_.Endpoints();
  return endpoints[place_ % endpoints.size()];
}

void Link::UseLine() {
  place_ = 0;
  if (Status believed = dialer_.Believe(identity_.Authorities()); !believed.ok())
    LogError("agent", "{}: {}", identity_.device_id, believed.ToString());
}

void Link::OnDialled(Result<std::unique_ptr<sys::FrameChannel>> channel) {
  if (stopped_) return;
  if (!channel.ok()) {
    ++place_;  // the server may be at another of its addresses
    return Lost(channel.status());
  }
  channel_ = std::move(channel).value();
  channel_alive_ = Alive();
  channel_->Start({.on_frame = channel_alive_.Guard([this](ByteView frame) { OnFrame(frame); }),
                   .on_close = channel_alive_.Guard([this](const Status& why) { Lost(why); })});
  ArmDeadline(kAnswerDeadlineMs, "the handshake");
  if (identity_.enrolled) {
    SayHello();
  } else {
    SayEnroll();
  }
}

target::Attributes Link::ProfileNow() const {
  target::Attributes profile = options_.profile;
  if (options_.look_at_machine) options_.look_at_machine(&profile);
  return profile;
}

void Link::SayEnroll() {
  Envelope envelope;
  FillEnroll(identity_, ProfileNow(), envelope.mutable_enroll());
  if (Status sent = Send(envelope); !sent.ok()) Lost(sent);
}

void Link::SayHello() {
  Envelope envelope;
  envelope.mutable_hello()->set_device_id(identity_.device_id);
  envelope.mutable_hello()->set_protocol(proto::kProtocol);
  if (Status sent = Send(envelope); !sent.ok()) Lost(sent);
}

Status Link::Send(const Envelope& envelope) {
  if (!channel_) return Status(Code::kUnavailable, "there is no line to the server");
  FERRY_ASSIGN_OR_RETURN(const Bytes frame, proto::EncodeEnvelope(envelope));
  return channel_->Send(frame);
}

void Link::OnFrame(ByteView frame) {
  Envelope envelope;
  Status handled = proto::DecodeEnvelope(frame, &envelope);
  if (handled.ok()) handled = Handle(envelope);
  if (!handled.ok()) Lost(handled);
}

Status Link::Handle(const Envelope& envelope) {
  if (envelope.has_error()) {
    const Status error = ErrorOf(envelope.error());
    if (envelope.error().retry_after_ms() > 0 && (!ready_ || envelope.error().fatal()))
      NoteComeBack(envelope.error().retry_after_ms());
    if (!ready_ && identity_.enrolled && error.code() == Code::kNotFound)
      return events_.on_unknown();
    if (!ready_ && identity_.enrolled && error.code() == Code::kUnauthenticated)
      events_.on_refused();
    if (!ready_ || envelope.error().fatal() || !asked_) return error;
    Answer(error);
    return OkStatus();
  }
  if (!ready_) return HandleHandshake(envelope);
  switch (envelope.body_case()) {
    case Envelope::kWake:
      events_.on_wake(envelope.wake().epoch());
      return OkStatus();
    case Envelope::kAskKeys:
      events_.on_ask_keys();
      return OkStatus();
    case Envelope::kAskErase:
      events_.on_ask_erase(envelope.ask_erase().request());
      return OkStatus();
    case Envelope::kReportAck:
      served_ = true;
      events_.on_report_ack(envelope.report_ack().seq());
      return OkStatus();
    case Envelope::kTunnelAck:
      served_ = true;
      events_.on_tunnel_ack(envelope.tunnel_ack());
      return OkStatus();
    case Envelope::kPong:
      pinged_ = false;
      return OkStatus();
    default:
      break;
  }
  if (!asked_ || envelope.body_case() != requests_.front().answer) {
    return Status::Of(Code::kMalformed, "the server sent message {}, which nothing asked for",
                      static_cast<int>(envelope.body_case()));
  }
  if (envelope.has_assignment()) TakeHaveText(envelope.assignment().have_text());
  Answer(&envelope);
  return OkStatus();
}

Status Link::HandleHandshake(const Envelope& envelope) {
  if (envelope.has_enrolled() && !identity_.enrolled) {
    if (envelope.enrolled().device_id() != identity_.device_id) {
      return Status::Of(Code::kMalformed, "the server enrolled {} instead of {}",
                        envelope.enrolled().device_id(), identity_.device_id);
    }
    FERRY_TRY(events_.on_enrolled());
    SayHello();
    return OkStatus();
  }
  if (envelope.has_challenge() && identity_.enrolled) {
    if (envelope.challenge().nonce().size() != proto::kNonceBytes) {
      return Status(Code::kMalformed, "the server's nonce has a wrong length");
    }
    Envelope answer;
    FillAuth(identity_, ProfileNow(), options_.push, AsBytes(envelope.challenge().nonce()),
             answer.mutable_auth());
    FillStart(options_.start_ids, answer.mutable_auth());
    return Send(answer);
  }
  if (envelope.has_welcome()) {
    executor_.Cancel(deadline_);
    content_token_ = envelope.welcome().content_token();
    server_erases_ = envelope.welcome().erase();
    TakeMirrors(envelope.welcome());
    TakeHaveText(envelope.welcome().have_text());
    ready_ = true;
    ready_since_ns_ = clock_.MonotonicNs();
    server_time_ms_ = envelope.welcome().server_time_ms();
    server_time_ns_ = ready_since_ns_;
    SchedulePing();
    SendNextRequest();
    events_.on_ready(envelope.welcome().epoch(), envelope.welcome().root_version());
    return OkStatus();
  }
  return Status::Of(Code::kMalformed, "message {} does not belong into the handshake",
                    static_cast<int>(envelope.body_case()));
}

// It goes into headers of the app's requests: nothing of another form gets there.
void Link::TakeHaveText(const std::string& text) {
  have_text_ = proto::HaveBodyOf(text).empty() ? std::string() : text;
}

void Link::NoteComeBack(int64_t after_ms) {
  const int64_t least_ms = std::min(after_ms, kMaxComeBackMs);
  sent_away_ = true;
  come_back_ms_ =
      least_ms + static_cast<int64_t>(random_.Below(static_cast<uint64_t>(least_ms) / 2 + 1));
  ++place_;  // another node may be at another address
}

void Link::Hurry() {
  if (stopped_ || !waiting_ || sent_away_) return;
  executor_.Cancel(redial_);
  waiting_ = false;
  Dial();
}

void Link::TakeMirrors(const proto::Welcome& welcome) {
  mirrors_.clear();
  for (const std::string& text : welcome.mirrors()) {
    const Result<trust::Mirror> mirror = trust::MirrorFromText(text);
    if (mirror.ok() && mirrors_.size() < kMaxMirrors) mirrors_.push_back(*mirror);
  }
}

std::vector<trust::Mirror> Link::mirrors() const {
  std::vector<trust::Mirror> good;
  for (const trust::Mirror& mirror : mirrors_) {
    const auto wrong = wrong_mirrors_.find(mirror.text);
    const bool rests = wrong != wrong_mirrors_.end() &&
                       clock_.MonotonicNs() / 1'000'000 - wrong->second < kMirrorRestMs;
    if (!rests) good.push_back(mirror);
  }
  return good;
}

void Link::NoteWrongMirror(const std::string& text) {
  // Only those that the server names now are asked at all.
  std::erase_if(wrong_mirrors_, [&](const auto& wrong) {
    return std::ranges::none_of(mirrors_, [&](const auto& it) { return it.text == wrong.first; });
  });
  wrong_mirrors_[text] = clock_.MonotonicNs() / 1'000'000;
}

std::optional<int64_t> Link::clock_ahead_ms() const {
  if (server_time_ms_ <= 0 || server_time_ms_ > kMaxServerTimeMs) return std::nullopt;
  const int64_t passed_ms = (clock_.MonotonicNs() - server_time_ns_) / 1'000'000;
  return clock_.NowUnixMs() - server_time_ms_ - passed_ms;
}

void Link::Ask(const Envelope& request, OnAnswer done) {
  auto frame = proto::EncodeEnvelope(request);
  if (!ready_ || !frame.ok()) {
    const Status error =
        frame.ok() ? Status(Code::kUnavailable, "there is no line to the server") : frame.status();
    executor_.Post(alive_.Guard([done, error] { done(error); }));
    return;
  }
  requests_.push_back({std::move(frame).value(), AnswerOf(request), std::move(done)});
  SendNextRequest();
}

void Link::SendNextRequest() {
  if (asked_ || requests_.empty() || !ready_) return;
  asked_ = true;
  ArmDeadline(kAnswerDeadlineMs, "an answer");
  if (Status sent = channel_->Send(requests_.front().frame); !sent.ok()) Lost(sent);
}

void Link::Answer(Result<const Envelope*> answer) {
  executor_.Cancel(deadline_);
  served_ = served_ || answer.ok();
  asked_ = false;
  const OnAnswer done = std::move(requests_.front().done);
  requests_.pop_front();
  done(answer);
  SendNextRequest();
}

void Link::ArmDeadline(int64_t delay_ms, const char* what) {
  executor_.Cancel(deadline_);
  deadline_ = executor_.PostAfter(delay_ms, alive_.Guard([this, what] {
    Lost(Status::Of(Code::kDeadlineExceeded, "{} of the server did not come", what));
  }));
}

void Link::SchedulePing() {
  executor_.Cancel(ping_);
  ping_ = executor_.PostAfter(kPingMs, alive_.Guard([this] {
    if (pinged_) return Lost(Status(Code::kDeadlineExceeded, "no pong of the server"));
    Envelope envelope;
    envelope.mutable_ping()->set_value(1);
    pinged_ = true;
    if (Status sent = Send(envelope); !sent.ok()) return Lost(sent);
    SchedulePing();
  }));
}

void Link::Lost(const Status& why) {
  const bool held =
      ready_ && clock_.MonotonicNs() - ready_since_ns_ >= kStableMs * int64_t{1'000'000};
  if (held) {
    backoff_.Reset();
  } else if (served_) {
    backoff_.Ease();
  }
  const bool unanswered = asked_ && why.code() == Code::kDeadlineExceeded;
  ready_ = asked_ = pinged_ = served_ = false;
  channel_alive_ = Alive();
  // The channel may be the one that is calling: it dies after its callback.
  if (channel_) {
    executor_.Post([channel = std::shared_ptr<sys::FrameChannel>(std::move(channel_))] {});
  }
  channel_.reset();
  executor_.Cancel(deadline_);
  executor_.Cancel(ping_);
  const int64_t delay_ms = sent_away_ ? come_back_ms_ : backoff_.NextMs();
  LogInfo("agent", "{}: no line ({}); next try in {} ms", identity_.device_id, why.ToString(),
          delay_ms);
  executor_.Cancel(redial_);
  waiting_ = !stopped_;
  if (waiting_)
    redial_ = executor_.PostAfter(delay_ms, alive_.Guard([this] {
      waiting_ = false;
      Dial();
    }));
  // Who asked what was not answered is told so; the others only lost the line.
  Code code = unanswered ? Code::kDeadlineExceeded : Code::kUnavailable;
  for (Request& request : std::exchange(requests_, {})) {
    const Status error(code, fmt::format("the line broke: {}", why.message()));
    code = Code::kUnavailable;
    executor_.Post(alive_.Guard([done = std::move(request.done), error] { done(error); }));
  }
  events_.on_lost(why);
}

}  // namespace ferry::agent
