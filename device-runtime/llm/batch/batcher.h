// Continuous batching: forward passes of many sequences run together, new ones join at the next
// pass. Used by `ferry serve` and by the cloud's verifier. Source: Orca (Yu et al. 2022).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "common/base/status.h"
#include "common/sys/clock.h"
#include "common/sys/executor.h"
#include "device-runtime/llm/adapter/adapter.h"
#include "device-runtime/llm/kv/kv_cache.h"
#include "device-runtime/llm/model.h"

namespace ferry::llm {

inline constexpr size_t kMaxBatchRequests = 4096;  // waiting; more are refused
inline constexpr int64_t kMaxBatchTokens = 256;    // of one pass; a longer request takes several

struct BatchRequest {
  KvSequence* kv = nullptr;     // untouched by others until `done`
  std::vector<TokenId> tokens;  // appended to it
  int64_t logits_from = 0;      // logits wanted for tokens [logits_from, size)
  // Of the batcher's model, kept until `done`; null: none. Sequences that share prefixes take
  // ScopeWith(adapters, their scope).
  std::shared_ptr<const AdapterSet> adapters;
  // On the batcher's executor. `logits`: [tokens.size() - logits_from][vocabulary], valid within
  // the call. On an error the sequence has its old length.
  std::function<void(const Status& status, std::span<const float> logits)> done;
  // Asked before each pass; false ends the request with kCancelled. May be empty.
  std::function<bool()> wanted;
};

inline constexpr int64_t kLeastBatchTokens = 16;  // ... however long they take
// Of the first pass where pass_ms is given: how fast the machine is shows only then.
inline constexpr int64_t kFirstBatchTokens = 32;

struct BatcherOptions {
  sys::Executor* executor = nullptr;  // requests are answered here; outlives the batcher
  // Passes are computed here, one after another, while `executor` goes on with other work; null: on
  // `executor`. Outlives the batcher, or has stopped before it ends.
  sys::Executor* passes = nullptr;
  sys::Clock* clock = nullptr;
  sys::Parallel* parallel = nullptr;
  // Passes are made smaller, down to kLeastBatchTokens, until one computes for about so long at
  // most: who comes meanwhile waits for its end. 0: kMaxBatchTokens whatever they take.
  int64_t pass_ms = 0;
  // Simulations: milliseconds that a pass of so many tokens and sequences takes beyond the
  // computation; `done` is called after it. Null: none.
  std::function<double(int64_t tokens, int64_t sequences)> extra_cost_ms;
};

class Batcher {
 public:
  Batcher(std::shared_ptr<const Model> model, const BatcherOptions& options);
  // On the executor, or after it stopped: what waits is dropped without a call. Waits for a pass
  // that is being computed elsewhere.
  ~Batcher();

  // Any thread. A request of up to kAssuredTokens waits for the pass under way at most; what is
  // left of a pass goes to longer ones in order of arrival. On an error `done` is never called:
  // kLimitExceeded past kMaxBatchRequests or past the context, kInvalidArgument for unknown ids, no
  // tokens, a wrong logits_from or adapters of another model.
  Status Submit(BatchRequest request);

  struct Stats {
    int64_t passes = 0;
    int64_t tokens = 0;
    int64_t requests = 0;       // answered
    int64_t largest_batch = 0;  // sequences in one pass
    double busy_ms = 0;
  };
  Stats stats() const;  // any thread

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace ferry::llm
