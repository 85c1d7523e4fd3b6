// The devices' door: sessions over frame channels (wire.proto), wake-ups, and content. Knows no
// sockets: common/net or a simulation brings the channels.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "cloud-server/blob/blob.h"
#include "cloud-server/bus/bus.h"
#include "cloud-server/gateway/content.h"
#include "cloud-server/ingest/ingest.h"
#include "cloud-server/registry/registry.h"
#include "common/crypto/secret.h"
#include "common/sys/executor.h"
#include "common/sys/net.h"
#include "common/sys/refusals.h"

namespace ferry::server {

class Rollout;

inline constexpr size_t kMaxSessions = 100'000;
// When devices that are sent away are to come back. Each draws up to half as long again on top:
// those for whom there is no room; those whose line has lived its time or whose node goes, which
// another node takes at once.
inline constexpr int64_t kFullComeBackMs = 60'000;
inline constexpr int64_t kSoonComeBackMs = 1'000;
// How long a line lives before its device is asked to come back, give or take a fifth: so lines
// spread over the nodes again after one was away, and no certificate or setting is used for ever.
inline constexpr int64_t kSessionLineMs = 24 * int64_t{3'600'000};
inline constexpr int64_t kAuthTimeoutMs = 15'000;   // from the channel to Welcome
inline constexpr int64_t kSeenIntervalMs = 30'000;  // last_seen_ms is written this often at most
inline constexpr size_t kMaxWaitingBatches = 4;  // of one session; a further one is not waited for
inline constexpr int64_t kBatchPauseMs = 1'000;  // batches are passed over so long after a failure
inline constexpr int64_t kMaxBatchHoldMs = 5'000;  // below what a device waits before it resends
inline constexpr int64_t kQuotaAnswerMs = 10'000;  // between answers to who is over its quota
inline constexpr int64_t kMaxMessagesPerSecond = 500;  // of one session; more waits in its burst
inline constexpr int64_t kMessageBurst = 2'000;

inline constexpr size_t kMaxReportText = 256;  // bytes of each name in a report
// Unix time, the end of the year 9999: what a device calls later is this, what it calls earlier
// than 1970 is that.
inline constexpr int64_t kMaxReportTimeMs = 253'402'300'799'999;

class Session;

class Gateway {
 public:
  struct Options {
    Store* store = nullptr;  // borrowed, as all below
    BlobStore* blobs = nullptr;
    Registry* registry = nullptr;
    Rollout* rollout = nullptr;
    Bus* bus = nullptr;
    Ingest* ingest = nullptr;
    sys::Clock* clock = nullptr;
    sys::Random* random = nullptr;
    const crypto::Secret32* content_secret = nullptr;  // makes content tokens; all nodes share it
    std::vector<std::string> mirrors{};                // of content; said to every device
    bool redirects = true;  // of content to where its blob has an address of its own
    size_t max_sessions = kMaxSessions;
    int64_t session_life_ms = 0;  // as kSessionLineMs; 0: lines live on
  };
  explicit Gateway(const Options& options);
  // After its executors have stopped, or on the only one.
  ~Gateway();

  // Takes a new channel; call it on `executor`, where the session then lives.
  void Accept(std::unique_ptr<sys::FrameChannel> channel, sys::Executor& executor);
  // Any thread.
  ContentDoor& content() { return content_; }
  size_t sessions() const;
  // New channels are told to come back, here or at another node.
  void StopAccepting() { accepting_ = false; }
  // So many of those that are here are told the same, and end.
  void SendAway(size_t count);
  int64_t sent_away() const { return sent_away_; }  // since the start, for whatever reason

 private:
  friend class Session;
  // The session of a device; a later connection replaces the earlier.
  void Register(const std::string& device, const std::shared_ptr<Session>& session);
  void Forget(Session* session);

  Options options_;
  sys::RefusalLog refusals_{"gateway"};  // of who has not proved who it is
  sys::RefusalLog device_refusals_;      // of devices, by their id
  ContentDoor content_;
  mutable std::mutex mutex_;  // of the maps; no session's code runs under it
  std::map<Session*, std::shared_ptr<Session>> sessions_;
  std::map<Session*, std::shared_ptr<Session>> leaving_;  // never let in; being told so
  std::map<std::string, std::weak_ptr<Session>> by_device_;
  std::atomic<bool> accepting_{true};
  std::atomic<int64_t> sent_away_{0};
};

}  // namespace ferry::server
