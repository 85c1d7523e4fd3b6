// The verifier's inside: targets, connections, sessions, and what they share. All on one executor.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "cloud-server/verify/peer.h"
#include "cloud-server/verify/quota.h"
#include "cloud-server/verify/session.h"
#include "cloud-server/verify/verify.h"
#include "common/sys/refusals.h"
#include "device-runtime/llm/batch/batcher.h"
#include "device-runtime/llm/kv/kv_cache.h"

namespace ferry::server {

inline constexpr int64_t kHelloMs = 15'000;  // from the connection to a valid SplitHello
// Of a forward pass: a step of a running stream waits for one at most, whatever is read beside it.
inline constexpr int64_t kPassMs = 100;
inline constexpr int64_t kRetrySoonMs = 1;       // what a device may try again at once
inline constexpr int64_t kRetryLaterMs = 2'000;  // and what needs others to go first
inline constexpr size_t kDigestBytes = 8;        // of models and tokenizers, on the wire
inline constexpr size_t kMaxNameText = 100;      // bytes of names that devices say

// A name that a device said, fit for logs and terminals: cut, without control characters.
std::string ShownName(std::string_view name);

// A model that is served, with its memory and its passes.
struct LoadedTarget {
  std::string name, version;
  std::shared_ptr<const llm::Model> model;
  std::shared_ptr<llm::KvPool> pool;
  std::unique_ptr<llm::Batcher> batcher;
  std::string digest;            // first bytes of the model's
  std::string tokenizer_digest;  // and of its tokenizer's; empty: it has none
};

class VerifyService : public std::enable_shared_from_this<VerifyService> {
 public:
  explicit VerifyService(const VerifyOptions& options);
  ~VerifyService();
  void Start();
  Status SetTarget(const VerifyTarget& target);
  void Accept(std::unique_ptr<llm::SplitLink> link, const std::string& device,
              const std::string& peer);
  void SendAway(int64_t count);
  VerifyView View() const;

  // For peers and sessions.
  const VerifyOptions& options() const { return options_; }
  int64_t NowMs() const { return options_.clock->MonotonicNs() / 1'000'000; }
  TokenQuota& quota() { return quota_; }
  void OnOpen(Peer& peer, uint8_t stream, const proto::SplitOpen& open);
  void Forget(VerifySession& session);  // it ends
  void ForgetPeer(Peer& peer);          // at the next turn of the executor
  // Of a device that has too many connections the oldest end: they may be broken ones that it left.
  void CloseOlderLines(const std::string& device);
  sys::RefusalLog& refusals() { return refusals_; }
  // Takes the KV cache of the session of the same target at rest for longest, else of one that
  // waits for memory too and is younger; false: there is none.
  bool FreeMemory(const VerifySession& asking);
  void CountRefused() { ++counts_.refused; }
  void CountDropped() { ++counts_.dropped; }
  void CountOpened() { ++counts_.opened; }
  uint64_t NextOrder() { return next_order_++; }

 private:
  using Key = std::pair<std::string, uint64_t>;  // device, its number of the session
  // The target that `open` means, if it may be used.
  Result<std::shared_ptr<LoadedTarget>> Choose(const proto::SplitOpen& open) const;
  Status Admit(const std::string& device);
  bool DropIdle(const std::string* device);
  void Sweep();
  void Publish();

  VerifyOptions options_;
  sys::RefusalLog refusals_{"verify"};
  TokenQuota quota_;
  TokenQuota opens_;  // a quota of its own: who waits for tokens has to open again then
  std::map<std::string, std::shared_ptr<LoadedTarget>> targets_;
  std::vector<std::weak_ptr<LoadedTarget>> all_targets_;  // those replaced too
  std::map<Key, std::shared_ptr<VerifySession>> sessions_;
  std::map<Peer*, std::shared_ptr<Peer>> peers_;
  uint64_t next_order_ = 1;
  VerifyView counts_;  // its counts only
  mutable std::mutex mutex_;
  VerifyView published_;  // under mutex_
};

}  // namespace ferry::server
