#include "device-runtime/llm/sampler/sampler.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "common/base/check.h"
#include "device-runtime/llm/sampler/choose.h"
#include "device-runtime/llm/sampler/prf_blocks.h"

namespace ferry::llm {

namespace {

constexpr float kMaxTemperature = 100;
constexpr float kMaxPenalty = 100;
// How many of the largest top-p looks at first, and how much further each time they do not reach p.
constexpr int64_t kFirstLook = 64;
constexpr int64_t kLookFurther = 8;

}  // namespace

Status SamplerOptions::Check() const {
  if (!(temperature >= 0 && temperature <= kMaxTemperature)) {
    return Status::Of(Code::kInvalidArgument, "temperature is {}, it must be 0 to {}", temperature,
                      kMaxTemperature);
  }
  if (top_k < 0) {
    return Status::Of(Code::kInvalidArgument, "top_k is {}, it must be 0 (off) or more", top_k);
  }
  if (!(top_p > 0 && top_p <= 1)) {
    return Status::Of(Code::kInvalidArgument, "top_p is {}, it must be above 0 and at most 1",
                      top_p);
  }
  if (!(repetition_penalty > 0 && repetition_penalty <= kMaxPenalty)) {
    return Status::Of(Code::kInvalidArgument,
                      "repetition_penalty is {}, it must be above 0 and at most {}",
                      repetition_penalty, kMaxPenalty);
  }
  return OkStatus();
}

struct Sampler::State {
  State(const SamplerOptions& sampler_options, const PrfKey& prf_key, int64_t size)
      : options(sampler_options),
        key(prf_key),
        vocabulary(static_cast<size_t>(size)),
        chooser(ChosenRowKernels()) {}

  std::span<const float> Penalize(std::span<const float> logits, std::span<const TokenId> context);
  // Whether top-k or top-p leave less than all tokens; then they are in `kept`, ids ascending.
  bool Keep(std::span<const float> x);
  void KeepMass(std::span<const float> x);
  double Mass(std::span<const float> x, int32_t token) const {
    return std::exp((static_cast<double>(x[static_cast<size_t>(token)]) - largest) /
                    options.temperature);
  }
  TokenId RaceOfKept(std::span<const float> x, uint64_t position);

  const SamplerOptions options;
  const PrfKey key;
  const size_t vocabulary;
  Chooser chooser;
  float largest = 0;  // of the row at hand
  std::vector<float> penalized, kept_x;
  std::vector<int32_t> kept;
  std::vector<uint32_t> words, counters;
};

std::span<const float> Sampler::State::Penalize(std::span<const float> logits,
                                                std::span<const TokenId> context) {
  const float penalty = options.repetition_penalty;
  if (penalty == 1) return logits;
  penalized.assign(logits.begin(), logits.end());
  for (TokenId token : context) {
    const auto t = static_cast<size_t>(token);
    if (token < 0 || t >= vocabulary) continue;
    penalized[t] = logits[t] > 0 ? logits[t] / penalty : logits[t] * penalty;
  }
  return penalized;
}

bool Sampler::State::Keep(std::span<const float> x) {
  const bool few = options.top_k > 0 && options.top_k < static_cast<int64_t>(vocabulary);
  if (!few && options.top_p == 1) return false;
  kept.clear();
  if (few) kept = chooser.LargestFew(x, options.top_k);
  if (options.top_p < 1) KeepMass(x);
  std::sort(kept.begin(), kept.end());
  return true;
}

// Leaves the smallest set of the largest whose mass reaches top_p of that of all; the token that
// crosses it is in. `kept` are the tokens that there are, the largest first, or none for all.
void Sampler::State::KeepMass(std::span<const float> x) {
  double total = 0;
  std::vector<int32_t> candidates;
  std::swap(candidates, kept);
  if (candidates.empty()) {
    for (size_t t = 0; t < x.size(); ++t) {
      if (!std::isnan(x[t])) total += Mass(x, static_cast<int32_t>(t));
    }
  } else {
    std::vector<int32_t> by_id = candidates;
    std::sort(by_id.begin(), by_id.end());
    for (int32_t token : by_id) total += Mass(x, token);
  }
  const double wanted = static_cast<double>(options.top_p) * total;
  const bool all = candidates.empty();
  for (int64_t look = kFirstLook;; look *= kLookFurther) {
    if (all) candidates = chooser.LargestFew(x, look);
    double mass = 0;
    for (size_t i = 0; i < candidates.size(); ++i) {
      mass += Mass(x, candidates[i]);
      if (mass < wanted && i + 1 < candidates.size()) continue;
      if (mass < wanted && all && look < static_cast<int64_t>(x.size())) break;
      candidates.resize(i + 1);
      std::swap(candidates, kept);
      return;
    }
  }
}

TokenId Sampler::State::RaceOfKept(std::span<const float> x, uint64_t position) {
  counters.clear();
  for (int32_t token : kept) {
    const auto block = static_cast<uint32_t>(token / kPrfBlockWords);
    if (counters.empty() || counters.back() != block) counters.push_back(block);
  }
  std::vector<uint32_t> blocks(counters.size() * kPrfBlockWords);
  PrfBlocks(key, position, counters, reinterpret_cast<uint32_t(*)[kPrfBlockWords]>(blocks.data()),
            ChosenRowKernels());
  words.resize(kept.size());
  kept_x.resize(kept.size());
  size_t at = 0;
  for (size_t i = 0; i < kept.size(); ++i) {
    while (counters[at] != static_cast<uint32_t>(kept[i] / kPrfBlockWords)) ++at;
    words[i] = blocks[at * kPrfBlockWords + static_cast<size_t>(kept[i] % kPrfBlockWords)];
    kept_x[i] = x[static_cast<size_t>(kept[i])];
  }
  return kept[static_cast<size_t>(chooser.GumbelRace(kept_x, words, options.temperature))];
}

Sampler::Sampler(const SamplerOptions& options, const PrfKey& key, int64_t vocabulary) {
  CHECK(options.Check().ok() && vocabulary > 0);
  state_ = std::make_unique<State>(options, key, vocabulary);
}
Sampler::~Sampler() = default;
Sampler::Sampler(Sampler&&) noexcept = default;
Sampler& Sampler::operator=(Sampler&&) noexcept = default;

TokenId Sampler::Sample(std::span<const float> logits, std::span<const TokenId> context,
                        uint64_t position) {
  State& s = *state_;
  CHECK(logits.size() == s.vocabulary);
  const auto x = s.Penalize(logits, context);
  const auto first = s.chooser.Largest(x);
  s.largest = x[static_cast<size_t>(first)];
  if (s.options.temperature == 0 || !std::isfinite(s.largest)) return static_cast<TokenId>(first);
  if (s.Keep(x)) return s.RaceOfKept(x, position);
  s.words.resize(s.vocabulary);
  PrfWords(s.key, position, s.words);
  return static_cast<TokenId>(s.chooser.GumbelRace(x, s.words, s.options.temperature));
}

void Sampler::Probabilities(std::span<const float> logits, std::span<const TokenId> context,
                            std::span<double> out) {
  State& s = *state_;
  CHECK(logits.size() == s.vocabulary && out.size() == s.vocabulary);
  const auto x = s.Penalize(logits, context);
  const auto first = static_cast<size_t>(s.chooser.Largest(x));
  s.largest = x[first];
  std::fill(out.begin(), out.end(), 0.0);
  if (s.options.temperature == 0 || !std::isfinite(s.largest)) {
    out[first] = 1;
    return;
  }
  double total = 0;
  const auto add = [&](size_t token) {
    if (std::isnan(x[token])) return;
    out[token] = s.Mass(x, static_cast<int32_t>(token));
    total += out[token];
  };
  if (s.Keep(x)) {
    for (int32_t token : s.kept) add(static_cast<size_t>(token));
  } else {
    for (size_t token = 0; token < x.size(); ++token) add(token);
  }
  for (double& probability : out) probability /= total;
}

const SamplerOptions& Sampler::options() const {
  return state_->options;
}
const PrfKey& Sampler::key() const {
  return state_->key;
}

}  // namespace ferry::llm
