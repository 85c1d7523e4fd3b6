// One split session: the log that is its truth, its KV cache, and the rounds that wait.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cloud-server/verify/view.h"
#include "common/base/status.h"
#include "common/proto/split.pb.h"
#include "device-runtime/llm/kv/kv_cache.h"
#include "device-runtime/llm/speculative/frames.h"
#include "device-runtime/llm/speculative/target.h"

namespace ferry::server {

inline constexpr size_t kMaxWaitingRounds = 16;   // of one session; more are dropped
inline constexpr int64_t kMaxStreamAhead = 4096;  // a stream's base past the log
inline constexpr int64_t kRateWindowMs = 2'000;   // of tokens per second

struct LoadedTarget;
class Peer;
class VerifyService;

class VerifySession : public std::enable_shared_from_this<VerifySession> {
 public:
  VerifySession(VerifyService& service, std::string device, uint64_t number,
                std::shared_ptr<LoadedTarget> target);
  ~VerifySession();

  // The service has checked `open` against target and quota; it is newer than the last, or the
  // same.
  void Open(Peer& peer, uint8_t stream, const proto::SplitOpen& open);
  void OnContext(const proto::SplitContext& context);
  void OnDraft(const llm::SplitFrame& frame);
  void OnStream(const llm::SplitFrame& frame);
  void Detach();  // the connection is gone; log and cache stay
  void Close();   // computes nothing more
  // Goes on with what waited for memory; refuses it when it waited for too long.
  void Tick(int64_t now_ms);
  // Gives up the KV cache, the log stays.
  void EvictKv();

  const std::string& device() const { return device_; }
  uint64_t number() const { return number_; }
  uint32_t open_epoch() const { return open_epoch_; }
  const std::shared_ptr<LoadedTarget>& target() const { return target_; }
  int64_t vocabulary() const;
  bool connected() const { return peer_ != nullptr; }
  bool at_rest() const { return !busy_ && starving_ms_ < 0; }
  bool starving() const { return starving_ms_ >= 0; }
  uint64_t order() const { return order_; }  // of begin, among all
  bool has_kv() const { return has_kv_; }
  int64_t used_ms() const { return used_ms_; }
  void CountUp(size_t frame_bytes);
  void CountDown(int64_t wire_bytes) { view_.bytes_down += wire_bytes; }
  VerifySessionView View(int64_t now_ms);

 private:
  struct Round {
    uint8_t epoch = 0;
    bool follow = false;
    int64_t base = 0;
    std::vector<llm::TokenId> ids;
    int64_t end() const { return base + static_cast<int64_t>(ids.size()); }
  };
  // open.cc
  void Apply(const proto::SplitOpen& open);
  void SendOpened();
  void SendReady(int64_t length, int64_t have);
  void Complete();
  void Refuse(const Status& why, int64_t retry_ms);
  // session.cc
  void Next();
  bool NextRound();
  bool TakeEpoch(uint8_t epoch);
  bool Runnable(const Round& round) const;
  void Answer(const Round& round, const llm::Verdict& verdict);
  void SendVerdict(const llm::Verdict& verdict);
  bool NextStreamed();
  // passes.cc
  enum class Pass { kPrefill, kRound, kStep };
  bool Submit(Pass pass, const Round& round);
  bool Reserve(int64_t tokens);
  void OnDone(Pass pass, const Round& round, const Status& status, std::span<const float> logits);
  void Grown(int64_t before);

  VerifyService& service_;
  const std::string device_;
  const uint64_t number_;
  const uint64_t order_;
  std::shared_ptr<LoadedTarget> target_;
  const llm::PrefixScope scope_;  // of its tenant
  Peer* peer_ = nullptr;
  uint8_t stream_ = 0;

  uint32_t open_epoch_ = 0;
  uint32_t epoch_ = 0;
  proto::SplitOpen open_;
  std::optional<proto::SplitOpen> waiting_open_;  // came while a pass ran
  std::vector<llm::TokenId> context_;             // as far as it has come
  std::vector<llm::TokenId> kv_tokens_;           // what the cache holds, while there is no log
  std::optional<llm::TargetLog> log_;
  llm::KvSequence kv_;
  bool has_kv_ = false;
  int64_t kv_length_ = 0;  // when no pass had it

  std::vector<Round> rounds_;  // by base
  bool busy_ = false;          // a pass has kv_
  bool closed_ = false;
  std::optional<Round> running_;  // what that pass compares, if it does
  int64_t agreed_ = -1;     // drafts of this epoch below it were compared and agreed; -1: none
  int64_t told_ = 0;        // longest length of a verdict of this epoch
  bool stream_on_ = false;  // cloud-only
  uint8_t stream_epoch_ = 0;
  int64_t stream_next_ = 0, stream_end_ = 0;

  int64_t used_ms_ = 0;
  int64_t starving_ms_ = -1;  // since when it waits for memory; -1: it does not
  int64_t rate_ms_ = 0, rate_emitted_ = 0;
  VerifySessionView view_;  // its counts
};

}  // namespace ferry::server
