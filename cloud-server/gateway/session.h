// One device's connection. For gateway only. Lives on its executor.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <string>

#include "cloud-server/bus/bus.h"
#include "cloud-server/gateway/gateway.h"
#include "common/proto/envelope.h"
#include "common/proto/wire.pb.h"

namespace ferry::server {

inline constexpr size_t kStartIdBytes = 16;

// A bucket of kMessageBurst messages that fills with kMaxMessagesPerSecond.
class MessageBudget {
 public:
  explicit MessageBudget(int64_t now_ns) : last_ns_(now_ns) {}
  bool Take(int64_t now_ns);

 private:
  int64_t last_ns_;
  double left_ = static_cast<double>(kMessageBurst);
};

class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(Gateway& gateway, std::unique_ptr<sys::FrameChannel> channel, sys::Executor& executor);
  ~Session();
  void Start();
  sys::Executor& executor() { return executor_; }
  const std::string& device() const { return device_; }  // "" before Hello; on its executor
  // Says why, then closes. Nothing is answered afterwards.
  void Fail(const Status& why);
  // leave.cc. The same, and when the device is to come back; it is no fault of it.
  void SendAway(const Status& why, int64_t after_ms);
  // True once: it is one of those that are to go. Any thread.
  bool Choose() { return !chosen_.exchange(true); }

 private:
  enum class State { kNew, kChallenged, kReady, kClosed };

  void OnFrame(ByteView frame);
  Status Handle(const proto::Envelope& message);
  Status HandleReady(const proto::Envelope& message);
  void Send(const proto::Envelope& message);
  void SendError(const Status& why, bool fatal, int64_t retry_after_ms = 0);
  void ScheduleEnd();
  const Gateway::Options& options() const { return gateway_.options_; }

  // join.cc: an error ends the session.
  Status OnEnroll(const proto::Enroll& enroll);
  Status OnHello(const proto::Hello& hello);
  Status OnAuth(const proto::Auth& auth);
  Status Admit(const proto::Auth& auth);
  void Listen();
  void OnWake(uint64_t epoch);
  // starts.cc
  Status NoteStart(const proto::Auth& auth);
  // new_keys.cc: asks where the operator wants the device to have new keys, and it can.
  void AskForKeys();
  Status OnNewKeys(const proto::NewKeys& keys);
  // erase.cc: as new keys, of what is known of the device's user.
  void AskForErasure();
  Status OnEraseData(const proto::EraseData& said);
  // requests.cc: an error answers the request, the session goes on; but for reports, whose order
  // would break.
  Status OnPoll(const proto::Poll& poll);
  // What the device was answered now, for who asks about it elsewhere (cloud-server/have).
  std::string HaveText(int64_t generation) const;
  Status OnMetadata(const proto::MetadataRequest& request);
  Status OnKey(const proto::KeyRequest& request);
  Status OnReport(const proto::Report& report);
  void OnReportStored(uint64_t seq, const Status& stored);
  void AcknowledgeReport(uint64_t seq);
  Result<bool> TakeReport();
  // batches.cc. Batches wait until what came before them and with them is answered: what a device
  // shall run does not stand behind what it sends. One that fails is not acknowledged; it comes
  // again.
  void OnBatch(const proto::TunnelBatch& received);
  void FillAcknowledged(proto::TunnelBatch& batch);
  void TakeBatch();
  Status StoreBatch(const proto::TunnelBatch& batch);
  void NoteSeen();
  // A line in the log, once a minute at most for each kind and device: a device may send nothing
  // but what is refused.
  void NoteRefusal(const char* kind, const std::string& text);

  Gateway& gateway_;
  std::unique_ptr<sys::FrameChannel> channel_;
  sys::Executor& executor_;
  State state_ = State::kNew;
  MessageBudget budget_;
  std::string device_;  // since Hello
  Bytes identity_public_;
  std::array<uint8_t, proto::kNonceBytes> nonce_{};  // valid while kChallenged: used once
  int64_t seen_ms_ = 0;
  int64_t root_version_ = 0;  // the newest that the device has said it has
  std::list<proto::TunnelBatch> batches_;
  std::string first_outbox_;     // of the first batch on this line
  uint64_t first_missing_ = 0;   // of it: its first_seq; 0: no batch yet
  int64_t batches_from_ns_ = 0;  // monotonic; passed over before, after a failure
  bool push_ = false;            // wake-ups may be sent
  bool takes_new_keys_ = false;  // its runtime knows AskKeys
  bool erases_ = false;          // and AskErase
  bool reports_closed_ = false;  // one was passed over on this line
  bool reads_desired_ = false;
  int reports_open_ = 0;         // on their way to the store
  uint64_t refused_report_ = 0;  // the last one that can never be stored
  uint64_t woken_epoch_ = 0;
  std::unique_ptr<BusSubscription> subscription_;
  sys::Executor::TimerId auth_timer_ = 0;
  sys::Executor::TimerId life_timer_ = 0;
  std::atomic<bool> chosen_{false};
};

}  // namespace ferry::server
