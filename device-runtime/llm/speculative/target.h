// The verify step: the server's log of one session, and the comparison of drafts with it. Pure: no
// I/O, no clock, no threads; the caller runs the forward passes (llm/batch).
//
// The log is the truth: prompt, then tokens that the target itself chose, argmax(logits + noise),
// one by one. A draft only says which forward passes can be run together. So rounds are idempotent:
// a draft whose positions the log has already is answered from the log.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/base/status.h"
#include "device-runtime/llm/model.h"
#include "device-runtime/llm/sampler/sampler.h"

namespace ferry::llm {

// What a draft frame comes to.
struct Verdict {
  bool answered = false;  // from the log alone: `length` and `token` are the answer
  int64_t length = 0;     // tokens of the log that the device now knows
  TokenId token = -1;     // the last of them, log[length - 1]
  int64_t accepted = 0;   // drafts of this frame that agreed
  int64_t compared = 0;   // drafts that were looked at
};

struct TargetOptions {
  int64_t vocabulary = 0;           // of the target
  int64_t max_length = 0;           // tokens of the log at most: the target's context
  std::vector<TokenId> end_tokens;  // the log ends with the first that is emitted; may be empty
};

// One thread at a time.
class TargetLog {
 public:
  // `context` is not empty, its ids lie inside the vocabulary, its length is at most max_length.
  TargetLog(std::vector<TokenId> context, Sampler sampler, TargetOptions options);

  const std::vector<TokenId>& tokens() const { return tokens_; }
  int64_t length() const { return static_cast<int64_t>(tokens_.size()); }
  int64_t context_length() const { return context_length_; }
  // No token follows: an end token was emitted, or max_length is reached.
  bool ended() const;

  // Compares draft ids for positions [base, base + ids.size()) with what the log has. answered: the
  // log alone says it. Else all agreed so far and the target has to go on: append the tokens of
  // Pending to the KV cache and call Verify with the logits. kOutOfRange: base is past the log (a
  // frame before it was lost) or before the end of the context.
  Result<Verdict> Compare(int64_t base, std::span<const TokenId> ids) const;
  // What to append to the KV cache, which holds the first `kv_length` < length() tokens: log tokens
  // that it lacks, then the drafts behind the log, cut at the first id outside the vocabulary and
  // at max_length. Logits are wanted from the last log token on: index *logits_from. No ids: one
  // step of the target alone. Only for drafts that Compare left open.
  std::vector<TokenId> Pending(int64_t kv_length, int64_t base, std::span<const TokenId> ids,
                               int64_t* logits_from) const;
  // Chooses from `logits`, [drafts run + 1][vocabulary], token by token while drafts agree, and
  // extends the log: by those that agreed and one of the target's own, but nothing behind an end.
  // The caller then truncates the KV cache to at most length() - 1.
  Verdict Verify(int64_t base, std::span<const TokenId> ids, std::span<const float> logits);

 private:
  std::vector<TokenId> tokens_;
  int64_t context_length_;
  Sampler sampler_;
  TargetOptions options_;
};

}  // namespace ferry::llm
