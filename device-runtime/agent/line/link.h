// The device's line to the gateway: dials, joins, proves who it is, keeps the line alive, and comes
// back after losses with full-jitter back-off. The messages are those of common/proto/wire.proto.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/sys/clock.h"
#include "common/sys/executor.h"
#include "common/sys/net.h"
#include "common/trust/documents/mirror.h"
#include "device-runtime/agent/alive.h"
#include "device-runtime/agent/line/backoff.h"
#include "device-runtime/agent/state/identity.h"
#include "device-runtime/agent/state/journal.h"
#include "policy/target/attributes.h"

namespace ferry::proto {
class Envelope;
class TunnelAck;
class Welcome;
}  // namespace ferry::proto

namespace ferry::agent {

inline constexpr int64_t kAnswerDeadlineMs =
    30'000;                                 // an answer that does not come breaks the line
inline constexpr int64_t kPingMs = 45'000;  // NATs forget idle lines after minutes
inline constexpr int64_t kMaxServerTimeMs = int64_t{1} << 52;  // above it a server says nonsense
inline constexpr int kMaxMirrors = 16;                         // that are listened to
inline constexpr int64_t kMirrorRestMs = 3'600'000;            // of one that gave wrong bytes
// A server may say when it wants to hear of this device again, up to this; half as long again is
// drawn on top, so that those who were sent away together do not come back together.
inline constexpr int64_t kMaxComeBackMs = 900'000;
inline constexpr int64_t kStableMs = 10'000;  // a line that held so long resets the back-off

struct LinkOptions {
  target::Attributes profile;
  bool push = true;  // whether the gateway may send wake-ups
  BackoffOptions backoff;
  StartIds start_ids;
  // Adds to a copy of the profile, at each login, what is true at that moment; may be empty.
  std::function<void(target::Attributes*)> look_at_machine;
};

struct LinkEvents {
  std::function<Status()> on_enrolled;  // the server knows the device now: remember it
  std::function<Status()> on_unknown;   // it does not know it, or not any more: why the line ends
  // Authenticated; the gateway's present epoch and newest root, 0 when it does not say.
  std::function<void(uint64_t epoch, uint64_t root_version)> on_ready;
  std::function<void(uint64_t epoch)> on_wake;         // 0: there may be a newer root
  std::function<void()> on_ask_keys;                   // the device shall have new keys
  std::function<void(uint64_t request)> on_ask_erase;  // what is known of its user shall go
  std::function<void()> on_refused;  // the key is not the one that the server knows
  std::function<void(uint64_t seq)> on_report_ack;
  std::function<void(const proto::TunnelAck&)> on_tunnel_ack;
  std::function<void(const Status& why)> on_lost;  // a dial failed or the line broke
};

// Lives on one executor; all calls and callbacks there.
class Link {
 public:
  using OnAnswer = std::function<void(Result<const proto::Envelope*>)>;

  // What is passed in outlives the link.
  Link(const LinkOptions& options, sys::Executor& executor, sys::Clock& clock, sys::Random& random,
       sys::Dialer& dialer, const Identity& identity, LinkEvents events);
  ~Link();

  void Start();
  // Closes the line for good.
  void Stop();
  // Breaks the line and comes back with a new content token.
  void Restart(const Status& why);

  bool ready() const { return ready_; }
  const std::string& content_token() const { return content_token_; }
  // Where this line goes to, or is tried next.
  sys::Endpoint endpoint() const;
  // What the server knows its last answer again by (common/proto/have_text.h); empty: it has not
  // said.
  const std::string& have_text() const { return have_text_; }
  // Without a line, the next try is made now; not before the server wants to hear of this device.
  void Hurry();
  // Where content is to be had besides, as the server of the last line said.
  // Without those that gave wrong bytes within kMirrorRestMs.
  std::vector<trust::Mirror> mirrors() const;
  void NoteWrongMirror(const std::string& text);
  // The identity says other addresses or authorities: the next line goes by them.
  void UseLine();
  // The server of this line understands EraseData.
  bool server_erases() const { return ready_ && server_erases_; }
  // How far this clock is ahead of what the server said of its own; it names causes of failures and
  // decides nothing. Nothing before the first welcome.
  std::optional<int64_t> clock_ahead_ms() const;
  // Sends a Poll, MetadataRequest or KeyRequest; one is open at a time, others wait. The answer is
  // the message of the wanted kind (borrowed during the call), the gateway's Error as a Status,
  // kDeadlineExceeded when it does not come, or kUnavailable when the line breaks.
  void Ask(const proto::Envelope& request, OnAnswer done);
  // Sends what needs no answer of its own: Report, TunnelBatch. kUnavailable without a line.
  Status Send(const proto::Envelope& envelope);

 private:
  target::Attributes ProfileNow() const;
  struct Request {
    Bytes frame;
    int answer;  // Envelope::BodyCase that is wanted
    OnAnswer done;
  };
  void Dial();
  void OnDialled(Result<std::unique_ptr<sys::FrameChannel>> channel);
  void NoteComeBack(int64_t after_ms);
  void TakeHaveText(const std::string& text);
  void TakeMirrors(const proto::Welcome& welcome);
  void SayEnroll();
  void SayHello();
  void OnFrame(ByteView frame);
  Status Handle(const proto::Envelope& envelope);
  Status HandleHandshake(const proto::Envelope& envelope);
  void Answer(Result<const proto::Envelope*> answer);
  void SendNextRequest();
  void Lost(const Status& why);
  void ArmDeadline(int64_t delay_ms, const char* what);
  void SchedulePing();
  sys::Endpoint Next() const;

  LinkOptions options_;
  sys::Executor& executor_;
  sys::Clock& clock_;
  sys::Random& random_;
  sys::Dialer& dialer_;
  const Identity& identity_;
  LinkEvents events_;
  Backoff backoff_;
  size_t place_ = 0;  // in the identity's endpoints
  sys::Endpoint to_;  // of the line that is there or being dialled
  std::unique_ptr<sys::FrameChannel> channel_;
  std::string content_token_;
  std::string have_text_;
  std::vector<trust::Mirror> mirrors_;
  std::map<std::string, int64_t> wrong_mirrors_;  // when, by what is not set
  bool stopped_ = true;
  bool ready_ = false;
  bool waiting_ = false;      // for the next try
  bool sent_away_ = false;    // the next try is when the server said
  int64_t come_back_ms_ = 0;  // then
  bool asked_ = false;        // requests_.front() is on the wire
  bool pinged_ = false;
  bool server_erases_ = false;
  bool served_ = false;  // the server has acknowledged or answered something on this line
  int64_t ready_since_ns_ = 0;
  int64_t server_time_ms_ = 0;  // at server_time_ns_; 0: it did not say
  int64_t server_time_ns_ = 0;
  std::deque<Request> requests_;
  sys::Executor::TimerId deadline_ = 0;
  sys::Executor::TimerId ping_ = 0;
  sys::Executor::TimerId redial_ = 0;
  Alive alive_;          // of this object
  Alive channel_alive_;  // of the present channel: replaced with it
};

}  // namespace ferry::agent
