// What a split session learns about its link, its draft and its target, and what it makes of it:
// how many tokens to draft, how long to wait. Pure: no clock, no I/O. Sources: the formulas of
// c4.h; smoothed times as in RFC 6298; the lowest of recent round trips as in TCP's min filters.
#pragma once

#include <array>
#include <cstdint>

#include "device-runtime/llm/speculative/c4.h"

namespace ferry::llm {

// A time that is measured again and again.
class SmoothedTime {
 public:
  void Add(double ms);
  bool known() const { return known_; }
  double mean_ms() const { return mean_ms_; }
  double deviation_ms() const { return deviation_ms_; }
  // The least of the last kWindow.
  double least_ms() const;

 private:
  static constexpr size_t kWindow = 16;
  bool known_ = false;
  double mean_ms_ = 0;
  double deviation_ms_ = 0;
  std::array<double, kWindow> last_{};
  size_t count_ = 0;
};

struct ControllerOptions {
  int64_t draft_tokens = 0;  // of one round; 0: chosen
  int64_t most_tokens = 64;  // of one round, and under way
  int id_bits = 16;
};

class DraftController {
 public:
  explicit DraftController(const ControllerOptions& options) : options_(options) {}

  // A ping, or an open, and its answer.
  void AddRoundTrip(double ms) { round_trip_.Add(ms); }
  // A draft of `tokens` was sent and its verdict came; `alone`: nothing else was under way.
  void AddRound(double ms, int64_t tokens, bool alone);
  void AddDraft(double ms);
  void AddCompared(bool accepted);
  void SetMostTokens(int64_t tokens);  // what the server takes in one frame
  void SetIdBits(int bits) { options_.id_bits = bits; }

  struct Plan {
    int64_t tokens = 1;  // of a round or chunk
    int64_t ahead = 1;   // most drafts that are not final
  };
  Plan Sync() const;
  Plan Pipelined() const;

  double round_trip_ms() const { return round_trip_.mean_ms(); }
  bool round_trip_known() const { return round_trip_.known(); }
  // Wait so long for the verdict of a draft, or for the answer of a ping or an open.
  double RoundTimeoutMs() const;
  double AnswerTimeoutMs() const;
  // A link that is silent for so long is gone.
  double GoneMs() const;
  // As measured; verify_ms for a draft of `tokens`.
  SplitCosts Costs(double tokens) const;

 private:
  ControllerOptions options_;
  SmoothedTime round_trip_;
  SmoothedTime round_;
  double draft_ms_ = 0;
  int64_t drafts_ = 0;
  double acceptance_ = 0;
  int64_t compared_ = 0;
  // Weighted sums of (tokens, ms) for the line verify_ms = a + b * tokens.
  double weight_ = 0, sum_x_ = 0, sum_y_ = 0, sum_xx_ = 0, sum_xy_ = 0;
};

}  // namespace ferry::llm
