#include "device-runtime/llm/sampler/sampler.h"

#include <algorithm>
#include <cmath>

#include "common/base/check.h"
#include "device-runtime/llm/sampler/choose.h"
#include "device-runtime/llm/sampler/nucleus.h"
#include "device-runtime/llm/sampler/prf_blocks.h"

namespace ferry::llm {

namespace {

constexpr float kMaxTemperature = 100;
constexpr float kMaxPenalty = 100;

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
        chooser(ChosenRowKernels()),
        nucleus(ChosenRowKernels()) {}

  std::span<const float> Penalize(std::span<const float> logits, std::span<const TokenId> context);
  // Whether top-k or top-p are on; then what they leave is in `kept`, ids ascending.
  bool Keep(std::span<const float> x);
  void Gather(std::span<const float> x);  // kept_x of `kept`
  TokenId RaceOfKept(uint64_t position);

  const SamplerOptions options;
  const PrfKey key;
  const size_t vocabulary;
  Chooser chooser;
  Nucleus nucleus;
  std::vector<float> penalized, kept_x;
  std::vector<int32_t> kept, chosen;
  std::vector<uint32_t> words, counters, blocks;
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
  if (few) {
    kept = chooser.LargestFew(x, options.top_k);
    std::sort(kept.begin(), kept.end());
    Gather(x);
  }
  if (options.top_p == 1) return few;
  nucleus.Choose(few ? kept_x : x, options.temperature, options.top_p, &chosen);
  if (few) {
    for (int32_t& index : chosen) index = kept[static_cast<size_t>(index)];
  }
  std::swap(kept, chosen);
  Gather(x);
  return true;
}

void Sampler::State::Gather(std::span<const float> x) {
  kept_x.resize(kept.size());
  for (size_t i = 0; i < kept.size(); ++i) kept_x[i] = x[static_cast<size_t>(kept[i])];
}

TokenId Sampler::State::RaceOfKept(uint64_t position) {
  counters.clear();
  for (int32_t token : kept) {
    const auto block = static_cast<uint32_t>(token / kPrfBlockWords);
    if (counters.empty() || counters.back() != block) counters.push_back(block);
  }
  blocks.resize(counters.size() * kPrfBlockWords);
  PrfBlocks(key, position, counters, reinterpret_cast<uint32_t(*)[kPrfBlockWords]>(blocks.data()),
            ChosenRowKernels());
  words.resize(kept.size());
  size_t at = 0;
  for (size_t i = 0; i < kept.size(); ++i) {
    while (counters[at] != static_cast<uint32_t>(kept[i] / kPrfBlockWords)) ++at;
    words[i] = blocks[at * kPrfBlockWords + static_cast<size_t>(kept[i] % kPrfBlockWords)];
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
  const auto first = static_cast<size_t>(s.chooser.Largest(x));
  if (s.options.temperature == 0 || !std::isfinite(x[first])) return static_cast<TokenId>(first);
  if (s.Keep(x)) return s.RaceOfKept(position);
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
  std::fill(out.begin(), out.end(), 0.0);
  if (s.options.temperature == 0 || !std::isfinite(x[first])) {
    out[first] = 1;
    return;
  }
  double total = 0;
  const auto add = [&](size_t token) {
    if (std::isnan(x[token])) return;
    out[token] = std::exp((static_cast<double>(x[token]) - x[first]) / s.options.temperature);
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
