#include "tools/ferry/llm/compare.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "common/sys/filesystem.h"
#include "device-runtime/llm/session.h"
#include "device-runtime/llm/tokenizer/tokenizer.h"
#include "tools/ferry/progress.h"

namespace ferry::cli {
namespace {

constexpr int64_t kCompareWindow = 512;
constexpr size_t kCompareRows = 64;  // of logits in memory

// Logarithms of softmax(logits), in place as doubles.
void LogSoftmax(std::span<const float> logits, std::vector<double>* out) {
  const double largest = *std::max_element(logits.begin(), logits.end());
  double sum = 0;
  for (const float logit : logits) sum += std::exp(logit - largest);
  const double total = largest + std::log(sum);
  out->resize(logits.size());
  for (size_t i = 0; i < logits.size(); ++i) (*out)[i] = logits[i] - total;
}

struct Sums {
  double source = 0, other = 0, kl = 0;
  int64_t same = 0, tokens = 0;
};

void AddRow(std::span<const float> source, std::span<const float> other, llm::TokenId next,
            Sums* sums) {
  std::vector<double> p, q;
  LogSoftmax(source, &p);
  LogSoftmax(other, &q);
  sums->source -= p[static_cast<size_t>(next)];
  sums->other -= q[static_cast<size_t>(next)];
  for (size_t i = 0; i < p.size(); ++i) sums->kl += std::exp(p[i]) * (p[i] - q[i]);
  const auto top = [](std::span<const float> row) {
    return std::max_element(row.begin(), row.end()) - row.begin();
  };
  sums->same += top(source) == top(other) ? 1 : 0;
  ++sums->tokens;
}

}  // namespace

Result<Comparison> CompareOnText(const OpenedModel& source, const OpenedModel& other,
                                 const std::string& text, int64_t most_windows) {
  const auto vocabulary = static_cast<size_t>(source.model->config().vocabulary);
  if (other.model->config().vocabulary != source.model->config().vocabulary) {
    return Status(Code::kFailedPrecondition, "the two models have different vocabularies");
  }
  FERRY_ASSIGN_OR_RETURN(const llm::Tokenizer* tokenizer, source.model->tokenizer());
  FERRY_ASSIGN_OR_RETURN(const Bytes bytes,
                         sys::ReadFile(sys::SystemFileSystem(), text, llm::kMaxEncodeBytes));
  FERRY_ASSIGN_OR_RETURN(const std::vector<llm::TokenId> ids,
                         tokenizer->Encode(AsText(bytes)).Context("{}", text));
  const int64_t there = (static_cast<int64_t>(ids.size()) - 1) / kCompareWindow;
  const int64_t windows = std::min(there, most_windows);
  if (windows < 1) {
    return Status::Of(Code::kInvalidArgument, "{} has {} tokens, wanted above {}", text, ids.size(),
                      kCompareWindow);
  }
  FERRY_ASSIGN_OR_RETURN(const auto left, NewSession(source));
  FERRY_ASSIGN_OR_RETURN(const auto right, NewSession(other));
  std::vector<float> p(kCompareRows * vocabulary), q(kCompareRows * vocabulary);
  Progress progress("comparing");
  Sums sums;
  for (int64_t w = 0; w < windows; ++w) {
    left->Truncate(0);
    right->Truncate(0);
    const auto window = std::span(ids).subspan(static_cast<size_t>(w * kCompareWindow),
                                               static_cast<size_t>(kCompareWindow) + 1);
    for (size_t at = 0; at + 1 < window.size(); at += kCompareRows) {
      const size_t count = std::min(kCompareRows, window.size() - 1 - at);
      const auto part = window.subspan(at, count);
      FERRY_TRY(left->AppendWithLogits(part, std::span(p).first(count * vocabulary)));
      FERRY_TRY(right->AppendWithLogits(part, std::span(q).first(count * vocabulary)));
      for (size_t row = 0; row < count; ++row) {
        AddRow(std::span(p).subspan(row * vocabulary, vocabulary),
               std::span(q).subspan(row * vocabulary, vocabulary), window[at + row + 1], &sums);
      }
    }
    progress.Say(fmt::format("window {} of {}", w + 1, windows));
  }
  const auto tokens = static_cast<double>(sums.tokens);
  return Comparison{std::exp(sums.source / tokens), std::exp(sums.other / tokens), sums.kl / tokens,
                    static_cast<double>(sums.same) / tokens, sums.tokens};
}

}  // namespace ferry::cli
