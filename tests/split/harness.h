// One device and one verifier in virtual time over a link that misbehaves on a seed.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cloud-server/verify/verify.h"
#include "common/sys/sim/world.h"
#include "device-runtime/llm/model.h"
#include "device-runtime/llm/speculative/device.h"
#include "device-runtime/llm/speculative/sim_link.h"

namespace ferry::split {

// The tiny models of the tests: a target, and drafts that agree with it often or seldom. Loaded
// once.
std::shared_ptr<const llm::Model> TinyTarget();
std::shared_ptr<const llm::Model> TinyDraft(double noise);

// A prompt of `length` ids below 256, on a seed.
std::vector<llm::TokenId> RandomPrompt(uint64_t seed, int64_t length);

// What the target writes alone.
std::vector<llm::TokenId> CloudOnly(const llm::Model& target,
                                    const std::vector<llm::TokenId>& prompt,
                                    const llm::SplitOptions& options);

// choice[p] is what `model` says at position p of `sequence`, given what stands before it there;
// for p in [from, sequence.size()).
std::vector<llm::TokenId> ChoicesIn(const llm::Model& model,
                                    const std::vector<llm::TokenId>& sequence, int64_t from,
                                    const llm::SplitOptions& options);

struct Scene {
  std::shared_ptr<const llm::Model> target = TinyTarget();
  std::shared_ptr<const llm::Model> draft;
  std::vector<llm::TokenId> prompt;
  llm::SplitOptions options;
  llm::SimLinkOptions link;
  double draft_ms = 0;  // costs in virtual time
  double step_ms = 0;   // of the target
  uint64_t seed = 1;    // of link and world
  llm::Drafter* drafter = nullptr;
  server::VerifyLimits limits{.tokens_per_minute = int64_t{1} << 40};
  int64_t kv_bytes = int64_t{64} << 20;
};

struct ModeChange {
  int64_t at_ms;
  llm::SplitMode mode;
  Status why;
};

class Stage {
 public:
  explicit Stage(const Scene& scene);
  ~Stage();

  // Begins; Run goes on until the end or `limit_ms` of virtual time, whether it ended.
  void Start();
  bool Run(int64_t limit_ms = 10 * 60 * 1000);
  bool RunUntil(const std::function<bool()>& done, int64_t limit_ms = 10 * 60 * 1000);
  // The verifier dies with all it knew, and another one takes its place on the same link.
  void RestartVerifier();
  // Cuts the link and joins it again. With `tell` it is a connection that breaks, and a new one.
  void Cut(bool tell);
  void Join(bool tell);
  void DropVerifier();
  // As an app does that wants to hear no more.
  void DropSession() { session_.reset(); }

  int64_t NowMs() const { return world_.clock().MonotonicNs() / 1'000'000; }
  sys::SimWorld& world() { return world_; }
  sys::Executor& device() { return *device_; }
  llm::SimLink& link() { return *link_; }
  llm::SplitSession& session() { return *session_; }
  server::VerifyView view();
  int64_t passes();  // forward passes of the present verifier

  // What the app saw.
  std::vector<llm::TokenId> ids;
  std::vector<llm::TokenSource> sources;
  std::vector<int64_t> at_ms;  // of each id
  std::vector<ModeChange> modes;
  std::optional<Result<llm::FinishReason>> end;
  std::function<void()> on_tokens;  // a test's own

 private:
  void StartVerifier();

  Scene scene_;
  mutable sys::SimWorld world_;
  std::unique_ptr<sys::Executor> device_, server_;
  std::unique_ptr<llm::SimLink> link_;
  std::unique_ptr<server::Verifier> verifier_;
  std::unique_ptr<llm::SplitSession> session_;
};

}  // namespace ferry::split
