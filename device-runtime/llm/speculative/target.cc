#include "device-runtime/llm/speculative/target.h"

#include <algorithm>
#include <utility>

namespace ferry::llm {

TargetLog::TargetLog(std::vector<TokenId> context, Sampler sampler, TargetOptions options)
    : tokens_(std::move(context)),
      context_length_(static_cast<int64_t>(tokens_.size())),
      sampler_(std::move(sampler)),
      options_(std::move(options)) {}

bool TargetLog::ended() const {
  if (length() >= options_.max_length) return true;
  // The context may hold end tokens: those of turns before.
  if (length() == context_length_) return false;
  return std::ranges::find(options_.end_tokens, tokens_.back()) != options_.end_tokens.end();
}

Result<Verdict> TargetLog::Compare(int64_t base, std::span<const TokenId> ids) const {
  if (base < context_length_ || base > length()) {
    return Status::Of(Code::kOutOfRange, "a draft for position {}: the log has {} to {}", base,
                      context_length_, length());
  }
  Verdict verdict;
  const int64_t count = static_cast<int64_t>(ids.size());
  const int64_t known = std::min(count, length() - base);
  const auto answer = [&](int64_t length_known) {
    verdict.answered = true;
    verdict.length = length_known;
    verdict.token = tokens_[static_cast<size_t>(length_known - 1)];
    return verdict;
  };
  for (int64_t i = 0; i < known; ++i) {
    ++verdict.compared;
    if (ids[static_cast<size_t>(i)] != tokens_[static_cast<size_t>(base + i)]) {
      return answer(base + i + 1);
    }
    ++verdict.accepted;
  }
  if (base + count < length()) return answer(base + count + 1);
  if (ended()) return answer(length());
  return verdict;
}

std::vector<TokenId> TargetLog::Pending(int64_t kv_length, int64_t base,
                                        std::span<const TokenId> ids, int64_t* logits_from) const {
  std::vector<TokenId> pending(tokens_.begin() + kv_length, tokens_.end());
  *logits_from = length() - 1 - kv_length;
  // A token at position p is chosen from the logits of position p - 1: the draft for the last
  // position of the log needs none of its own.
  const int64_t room = options_.max_length - 1 - length();
  const size_t first = std::min(ids.size(), static_cast<size_t>(length() - base));
  for (size_t i = first; i < ids.size(); ++i) {
    if (static_cast<int64_t>(i - first) >= room) break;
    if (ids[i] < 0 || ids[i] >= options_.vocabulary) break;
    pending.push_back(ids[i]);
  }
  return pending;
}

Verdict TargetLog::Verify(int64_t base, std::span<const TokenId> ids,
                          std::span<const float> logits) {
  Verdict verdict;
  const size_t row = static_cast<size_t>(options_.vocabulary);
  const size_t rows = logits.size() / row;
  const size_t first = std::min(ids.size(), static_cast<size_t>(length() - base));
  // Drafts inside the log have agreed, or Compare would have answered.
  verdict.accepted = verdict.compared = static_cast<int64_t>(first);
  for (size_t i = 0; i < rows && !ended(); ++i) {
    const TokenId token =
        sampler_.Sample(logits.subspan(i * row, row), tokens_, static_cast<uint64_t>(length()));
    tokens_.push_back(token);
    if (first + i >= ids.size()) break;
    ++verdict.compared;
    if (ids[first + i] != token) break;
    ++verdict.accepted;
  }
  verdict.length = length();
  verdict.token = tokens_.back();
  return verdict;
}

}  // namespace ferry::llm
