// The state machine behind SplitSession. Every event (a frame, a timer, a drafted token, a call of
// the app) changes the state and ends in Advance(), which does what the state now allows: hand out
// tokens, send, draft, set the timer. For device/ only.
//
//   sequence_: prompt, final tokens | drafts under way | drafts not sent
//                                   final_             sent_            size
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "common/base/status.h"
#include "common/proto/split.pb.h"
#include "device-runtime/llm/speculative/controller.h"
#include "device-runtime/llm/speculative/device.h"
#include "device-runtime/llm/speculative/frames.h"

namespace ferry::llm {

inline constexpr int64_t kNsPerMs = 1'000'000;
inline constexpr int64_t kStreamCredit = 64;    // tokens that the cloud may be ahead
inline constexpr size_t kContextPiece = 2048;   // ids of one SplitContext
inline constexpr double kMostTimeoutMs = 2000;  // of a repeated try
inline constexpr int kReopenTries = 4;          // unanswered tries until the session is reopened
inline constexpr int64_t kPingEveryMs = 1000;   // while rounds run: keeps the round trip fresh
inline constexpr int64_t kLateTimerMs = 20;     // a timer this late: the machine was busy

// What the machine has to know of the draft model; all empty without one.
struct DraftFacts {
  int64_t vocabulary = 0;
  std::vector<TokenId> end_tokens;
  std::vector<uint8_t> tokenizer_digest;  // first 8 bytes
};

class DeviceMachine {
 public:
  DeviceMachine(const SplitParts& parts, const SplitOptions& options, SplitEvents events,
                std::unique_ptr<Drafter> own_drafter, DraftFacts facts);
  ~DeviceMachine();

  Status Start(std::vector<TokenId> prompt);
  void SetMode(SplitMode mode);
  void Cancel();
  SplitMode mode() const { return mode_; }
  const std::vector<TokenId>& tokens() const { return tokens_; }
  SplitStats stats() const;

 private:
  enum class Line {
    kOff,      // not wanted
    kOpening,  // SplitOpen sent, Ready awaited
    kReady,    // rounds run
    kLost,     // silent; pings look for it
    kRefused,  // the server does not want it (until retry_at_ns_)
  };
  struct Flight {  // a draft frame whose verdict is awaited
    int64_t base;
    int64_t count;
    int64_t sent_ns;
    bool timed;  // sent once: its answer measures a round
    bool alone;  // nothing else was under way
  };

  // machine.cc
  void Enter(const std::function<void()>& event);
  void Advance();
  void Deliver(int64_t end, TokenSource source);
  std::optional<FinishReason> EndAfter(TokenId id) const;
  void Finish(Result<FinishReason> end);
  void SendClose();
  int64_t Now() const { return parts_.clock->MonotonicNs(); }
  int64_t size() const { return static_cast<int64_t>(sequence_.size()); }
  int64_t MostLength() const;
  void Truncate(int64_t length);
  void Push(TokenId id);

  // opening.cc
  void Reopen();
  void SendOpen();
  void SendContext(int64_t from);
  void OnControl(ByteView bytes, uint8_t stream);
  void OnOpened(const proto::SplitOpened& opened);
  void OnReady(const proto::SplitReady& ready);
  void OnRefused(const proto::SplitRefused& refused);
  void SendControl(const proto::SplitControl& control);

  // drafting.cc
  bool DraftsWanted() const;
  DraftController::Plan PlanNow() const;
  void StepDraft();
  void OnDrafted(uint64_t generation, Result<TokenId> token);
  void SendDrafts();
  void SendRound(int64_t base, int64_t count);

  // verdict.cc
  void OnFrame(ByteView bytes);
  void OnVerdict(const SplitFrame& frame);
  void CountAnswer(int64_t length);
  void ResendRound();

  // stream.cc
  void AskForTokens();
  void SendStream(int64_t base, int64_t count);
  void OnTokens(const SplitFrame& frame);

  // liveness.cc
  bool Waiting() const;
  void BeforeAsking();
  void Heard();
  void SendPing();
  void OnPong(uint32_t value);
  void OnLink(bool up);
  void OnGone(const Status& why);
  void OnTimer();
  void Resend();
  double ResendAfterMs() const;
  int64_t NextDeadline() const;
  void Arm();
  void SendFrame(const Bytes& frame, bool setup);

  // modes.cc
  void ApplyMode(SplitMode mode);
  void LeaveRounds();
  void EnterMode(SplitMode mode, const Status& why);
  // Whether a link that is gone, or a refusal, leads to device-only.
  bool CanGoOnAlone() const { return options_.fallback && drafter_ != nullptr; }
  bool FallbackInForce() const { return mode_ == SplitMode::kDeviceOnly && wanted_ != mode_; }

  const SplitParts parts_;
  const SplitOptions options_;
  SplitEvents events_;
  std::unique_ptr<Drafter> own_drafter_;
  Drafter* drafter_ = nullptr;  // null: none
  int64_t vocabulary_ = 0;      // of the target as soon as it is known
  std::vector<TokenId> end_tokens_;
  std::vector<uint8_t> tokenizer_digest_;
  int64_t max_length_ = INT64_MAX;  // of the target
  DraftController controller_;
  std::shared_ptr<int> alive_ = std::make_shared<int>(0);

  // Tokens.
  std::vector<TokenId> tokens_;    // prompt and final tokens
  std::vector<TokenId> sequence_;  // these and the drafts behind them
  int64_t prompt_ = 0;
  int64_t final_ = 0;
  int64_t sent_ = 0;
  int64_t synced_ = 0;  // the server knew the first so many tokens

  // Modes and ends.
  bool started_ = false, ended_ = false;
  int depth_ = 0;  // of Enter
  bool cancelled_ = false;
  std::optional<SplitMode> asked_mode_;
  SplitMode wanted_ = SplitMode::kSplit;
  SplitMode mode_ = SplitMode::kSplit;
  bool hold_ = false;  // coming back: nothing is emitted until the server has it all

  // Drafting.
  bool step_running_ = false;
  uint64_t generation_ = 0;  // of what a running step drafts behind
  double cost_debt_ms_ = 0;  // timers take whole milliseconds
  int64_t no_draft_at_ =
      INT64_MAX;  // the drafter has none behind a sequence of this length or more
  Status drafter_status_;

  // The line.
  Line line_ = Line::kOff;
  bool link_down_ = false;  // as on_state said
  bool ever_opened_ = false;
  uint64_t session_id_ = 0;
  uint32_t epoch_ = 0;
  uint32_t open_epoch_ = 0;
  int64_t opened_context_ = 0;
  bool opened_ = false;   // SplitOpened came
  int64_t asked_ns_ = 0;  // when the last try was sent
  int tries_ = 0;
  int64_t retry_at_ns_ = INT64_MAX;
  std::deque<Flight> flights_;
  bool first_round_ = false;  // since the server read the context: its time says nothing

  // Cloud-only.
  int64_t credit_end_ = 0;
  std::map<int64_t, TokenId> ahead_;  // tokens whose predecessors are missing
  SmoothedTime token_gap_;
  int64_t progress_ns_ = 0;

  // Liveness.
  int64_t silent_since_ns_ = 0;
  uint32_t ping_value_ = 0;
  bool ping_pending_ = false;
  int64_t ping_ns_ = 0;
  int64_t probe_ms_ = 0;  // between pings to a lost link
  std::optional<sys::Executor::TimerId> timer_;
  int64_t timer_due_ns_ = 0;
  bool late_once_ = false;  // the last timer was late, and gave way to what waited behind it

  SplitStats stats_;
};

}  // namespace ferry::llm
