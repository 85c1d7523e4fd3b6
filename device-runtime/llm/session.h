// One sequence being read and written: tokens, KV cache, logits of the last token. The small
// interface that chat, generation, scoring and drafting are written on.
//
//   FERRY_TRY(session->Append(prompt));
//   TokenId next = sampler.Sample(session->logits(), session->tokens(), session->length());
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "common/base/status.h"
#include "common/sys/executor.h"
#include "device-runtime/llm/adapter/adapter.h"
#include "device-runtime/llm/kv/kv_cache.h"
#include "device-runtime/llm/kv/prefix_files.h"
#include "device-runtime/llm/model.h"
#include "device-runtime/llm/sampler/sampler.h"

namespace ferry::llm {

inline constexpr int64_t kDefaultPrefillChunk = 128;

struct SessionOptions {
  std::shared_ptr<KvPool> pool;                  // null: one of its own
  KvOptions kv;                                  // of its own pool
  sys::Parallel* parallel = nullptr;             // null: the calling thread; outlives the session
  int64_t prefill_chunk = kDefaultPrefillChunk;  // 1 to kMaxChunkTokens; never changes a bit
  bool encodes = false;        // an encoder is as good as a decoder: nobody is to continue the text
  bool share_prefixes = true;  // take and offer pages by content
  // Pages of what was read before, in other processes too; null: none. Read when the first tokens
  // are appended, written when the session ends.
  std::shared_ptr<const PrefixFiles> prefix_files;
  std::shared_ptr<const AdapterSet> adapters;  // of the model; null: none
};

// One thread at a time.
class Session {
 public:
  // The model's errors (Model::Ready), kInvalidArgument, kOutOfMemory.
  static Result<std::unique_ptr<Session>> Create(std::shared_ptr<const Model> model,
                                                 const SessionOptions& options = {});
  ~Session();

  const Model& model() const;
  const std::vector<TokenId>& tokens() const;
  int64_t length() const { return static_cast<int64_t>(tokens().size()); }
  // Reads `ids` behind what is there. `proceed` (may be empty) is asked between chunks; false ends
  // with kCancelled. On an error the session is as before the call.
  Status Append(std::span<const TokenId> ids, const std::function<bool()>& proceed = {});
  // As Append, and copies the logits of each of the `ids` to `logits`, [ids.size()][vocabulary].
  Status AppendWithLogits(std::span<const TokenId> ids, std::span<float> logits);
  // Logits of the last token, [vocabulary]; empty while the session is. Recomputed after Truncate.
  Result<std::span<const float>> logits();
  // Forgets tokens from `length` on (0 <= length <= this->length()).
  void Truncate(int64_t length);

 private:
  struct State;
  explicit Session(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

enum class FinishReason { kLength, kEndToken, kStopped, kContext };
const char* FinishReasonName(FinishReason reason);  // "length", "stop", "cancelled", "context"

struct GenerateOptions {
  int64_t max_new = 128;
  bool stop_at_end_token = true;
  // Called with each token as it is emitted; false ends the generation (kStopped).
  std::function<bool(TokenId)> on_token;
};
struct Generated {
  std::vector<TokenId> ids;  // an end token is the last of them
  FinishReason reason = FinishReason::kLength;
};
// Emits tokens behind session.tokens(), which must not be empty. Session and result agree: all
// emitted tokens but perhaps the last are in the session.
Result<Generated> Generate(Session& session, Sampler& sampler, const GenerateOptions& options);

}  // namespace ferry::llm
