#include "device-runtime/agent/split/split_line.h"

#include <array>

#include "common/base/json.h"
#include "common/base/log.h"
#include "common/proto/split.pb.h"
#include "device-runtime/agent/alive.h"
#include "device-runtime/llm/speculative/frames.h"

namespace ferry::agent {
namespace {

constexpr uint8_t kLineStream = 0;
constexpr uint8_t kStreamMask = 31;  // the lower bits of a frame's first byte
constexpr int64_t kNsPerMs = 1'000'000;

}  // namespace

// Shared with the streams, which may outlive the line.
struct SplitLine::State : std::enable_shared_from_this<SplitLine::State> {
  class Stream;

  explicit State(const SplitLineParts& given)
      : parts(given), backoff(given.backoff, *given.random) {}

  void Dial();
  void OnDialled(Result<std::unique_ptr<sys::FrameChannel>> dialled, const std::string& token);
  void OnFrame(ByteView frame);
  Status OnControl(ByteView frame);
  void OnWelcome();
  void OnRefused(const proto::SplitRefused& refused);
  void Send(ByteView frame);
  void SendControl(const proto::SplitControl& control);
  void SchedulePing();
  void Lost(const Status& why, int64_t at_least_ms = 0);
  void Redial(int64_t delay_ms);
  void Announce(bool up);
  void Close();

  SplitLineParts parts;
  Backoff backoff;
  std::unique_ptr<sys::FrameChannel> channel;
  bool started = false;
  bool ready = false;
  bool pinged = false;
  int64_t heard_ns = 0;  // when the last frame came
  int64_t connects = 0;
  int64_t bytes_up = 0;
  int64_t bytes_down = 0;
  Status last_error;
  std::array<Stream*, kMaxSplitStreams + 1> streams{};
  uint8_t last_id = 0;  // numbers go round, so that late frames of one session meet no other
  sys::Executor::TimerId deadline = 0;
  sys::Executor::TimerId ping = 0;
  sys::Executor::TimerId redial = 0;
  Alive alive;          // of the line
  Alive channel_alive;  // of the present channel
};

class SplitLine::State::Stream : public SplitStream {
 public:
  Stream(std::shared_ptr<State> line, uint8_t id) : line_(std::move(line)), id_(id) {
    line_->streams[id_] = this;
  }
  ~Stream() override { line_->streams[id_] = nullptr; }

  uint8_t id() const override { return id_; }
  void Start(llm::LinkEvents events) override {
    events_ = std::move(events);
    // A dial that goes on says nothing yet.
    if (line_->ready || !line_->last_error.ok()) PostState(line_->ready);
  }
  void Send(ByteView frame) override {
    if (!line_->ready) return;
    bytes_sent_ += static_cast<int64_t>(llm::WireBytes(frame.size()));
    line_->Send(frame);
  }
  int64_t bytes_sent() const override { return bytes_sent_; }
  int64_t bytes_received() const override { return bytes_received_; }

  void OnFrame(ByteView frame) {
    bytes_received_ += static_cast<int64_t>(llm::WireBytes(frame.size()));
    // The session may drop this stream from within.
    if (const auto on_frame = events_.on_frame) on_frame(frame);
  }
  void PostState(bool up) {
    line_->parts.executor->Post(alive_.Guard([this, up] {
      if (const auto on_state = events_.on_state) on_state(up);
    }));
  }

 private:
  std::shared_ptr<State> line_;
  uint8_t id_;
  llm::LinkEvents events_;
  int64_t bytes_sent_ = 0;
  int64_t bytes_received_ = 0;
  Alive alive_;
};

void SplitLine::State::Dial() {
  parts.ask_token(alive.Guard([this](const std::string& token) {
    // Without a line the agent cannot say who the device is.
    if (token.empty()) return Redial(kSplitTokenMs);
    parts.dialer->Dial(parts.endpoint, alive.Guard([this, token](auto dialled) {
      OnDialled(std::move(dialled), token);
    }));
  }));
}

void SplitLine::State::OnDialled(Result<std::unique_ptr<sys::FrameChannel>> dialled,
                                 const std::string& token) {
  if (!dialled.ok()) return Lost(dialled.status());
  channel = std::move(*dialled);
  channel_alive = Alive();
  channel->Start({.on_frame = channel_alive.Guard([this](ByteView frame) { OnFrame(frame); }),
                  .on_close = channel_alive.Guard([this](const Status& why) { Lost(why); })});
  deadline = parts.executor->PostAfter(kSplitWelcomeMs, channel_alive.Guard([this] {
    Lost(Status(Code::kDeadlineExceeded, "the verifier did not answer the hello"));
  }));
  proto::SplitControl control;
  control.mutable_hello()->set_protocol(llm::kSplitProtocol);
  control.mutable_hello()->set_token(token);
  SendControl(control);
}

void SplitLine::State::OnFrame(ByteView frame) {
  heard_ns = parts.clock->MonotonicNs();
  pinged = false;
  bytes_down += static_cast<int64_t>(llm::WireBytes(frame.size()));
  if (frame.empty()) return Lost(Status(Code::kMalformed, "the verifier sent an empty frame"));
  const uint8_t id = frame[0] & kStreamMask;
  if (id == kLineStream) {
    if (Status handled = OnControl(frame); !handled.ok()) Lost(handled);
    return;
  }
  // Frames of a stream that is gone were on their way when it went.
  if (id <= kMaxSplitStreams && ready && streams[id] != nullptr) streams[id]->OnFrame(frame);
}

Status SplitLine::State::OnControl(ByteView frame) {
  FERRY_ASSIGN_OR_RETURN(const llm::SplitFrame decoded, llm::DecodeFrame(frame, 1));
  if (decoded.kind != llm::FrameKind::kControl)
    return Status(Code::kMalformed, "the verifier sent a round on the line's own stream");
  proto::SplitControl control;
  if (!control.ParseFromArray(decoded.control.data(), static_cast<int>(decoded.control.size())))
    return Status(Code::kMalformed, "the verifier's control message is no protobuf");
  if (control.has_welcome() && !ready) {
    OnWelcome();
  } else if (control.has_refused()) {
    OnRefused(control.refused());
  } else if (control.has_ping()) {
    proto::SplitControl pong;
    pong.mutable_pong()->set_value(control.ping().value());
    SendControl(pong);
  }
  return OkStatus();
}

void SplitLine::State::OnWelcome() {
  parts.executor->Cancel(deadline);
  ready = true;
  ++connects;
  last_error = OkStatus();
  backoff.Reset();
  SchedulePing();
  Announce(true);
}

void SplitLine::State::OnRefused(const proto::SplitRefused& refused) {
  const Code code = CodeFromNumber(refused.code()).value_or(Code::kInternal);
  Lost(Status::Of(code == Code::kOk ? Code::kInternal : code, "the verifier refused: {:.200}",
                  refused.text()),
       refused.retry_ms());
}

void SplitLine::State::Send(ByteView frame) {
  if (channel == nullptr) return;
  bytes_up += static_cast<int64_t>(llm::WireBytes(frame.size()));
  if (Status sent = channel->Send(frame); !sent.ok()) {
    // Not from within the caller's call: it may be a session.
    parts.executor->Post(channel_alive.Guard([this, sent] { Lost(sent); }));
  }
}

void SplitLine::State::SendControl(const proto::SplitControl& control) {
  Send(llm::EncodeControl(kLineStream, control));
}

void SplitLine::State::SchedulePing() {
  parts.executor->Cancel(ping);
  ping =
      parts.executor->PostAfter(pinged ? kSplitPongMs : kSplitPingMs, channel_alive.Guard([this] {
        const int64_t silent_ns = parts.clock->MonotonicNs() - heard_ns;
        if (pinged) return Lost(Status(Code::kDeadlineExceeded, "the verifier has gone silent"));
        if (silent_ns >= kSplitPingMs * kNsPerMs) {
          pinged = true;
          proto::SplitControl control;
          control.mutable_ping()->set_value(1);
          SendControl(control);
        }
        SchedulePing();
      }));
}

void SplitLine::State::Lost(const Status& why, int64_t at_least_ms) {
  const bool was_ready = ready;
  ready = pinged = false;
  last_error = why;
  channel_alive = Alive();
  // The channel may be the one that is calling: it goes after its callback.
  if (channel)
    parts.executor->Post([gone = std::shared_ptr<sys::FrameChannel>(std::move(channel))] {});
  channel.reset();
  parts.executor->Cancel(deadline);
  parts.executor->Cancel(ping);
  const int64_t delay_ms = std::max(backoff.NextMs(), at_least_ms);
  LogInfo("agent", "no line to the verifier ({}); next try in {} ms", why.ToString(), delay_ms);
  // A first dial that fails is news too: sessions wait for it.
  if (was_ready || connects == 0) Announce(false);
  Redial(delay_ms);
}

void SplitLine::State::Redial(int64_t delay_ms) {
  parts.executor->Cancel(redial);
  redial = parts.executor->PostAfter(delay_ms, alive.Guard([this] { Dial(); }));
}

void SplitLine::State::Announce(bool up) {
  for (Stream* stream : streams)
    if (stream != nullptr) stream->PostState(up);
}

void SplitLine::State::Close() {
  alive = Alive();
  channel_alive = Alive();
  ready = false;
  for (auto timer : {deadline, ping, redial}) parts.executor->Cancel(timer);
  channel.reset();
}

SplitLine::SplitLine(const SplitLineParts& parts) : state_(std::make_shared<State>(parts)) {}

SplitLine::~SplitLine() {
  state_->Announce(false);
  state_->Close();
}

void SplitLine::Start() {
  if (state_->started) return;
  state_->started = true;
  state_->Dial();
}

bool SplitLine::ready() const {
  return state_->ready;
}

Result<std::unique_ptr<SplitStream>> SplitLine::Open() {
  for (int step = 0; step < kMaxSplitStreams; ++step) {
    state_->last_id = static_cast<uint8_t>(state_->last_id % kMaxSplitStreams + 1);
    if (state_->streams[state_->last_id] == nullptr)
      return std::unique_ptr<SplitStream>(std::make_unique<State::Stream>(state_, state_->last_id));
  }
  return Status::Of(Code::kLimitExceeded, "{} split sessions are open, the limit",
                    kMaxSplitStreams);
}

Json SplitLine::StatusJson() const {
  int streams = 0;
  for (const auto* stream : state_->streams) streams += stream != nullptr ? 1 : 0;
  return {{"ready", state_->ready},
          {"streams", streams},
          {"connects", state_->connects},
          {"bytes_up", state_->bytes_up},
          {"bytes_down", state_->bytes_down},
          {"last_error", state_->last_error.ok() ? "" : state_->last_error.ToString()}};
}

}  // namespace ferry::agent
