#include "device-runtime/llm/sampler/choose.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "device-runtime/llm/sampler/gumbel_bound.h"
#include "device-runtime/llm/sampler/prf.h"

namespace ferry::llm {

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
// Beyond these the bounds in float32 would overflow or lose their meaning.
constexpr float kLeastTemperature = 1e-6f;
constexpr float kLargestScaled = 1e30f;

size_t GroupsOf(size_t count) {
  return (count + kGroupTokens - 1) / kGroupTokens;
}

std::span<const float> Group(std::span<const float> x, size_t group) {
  const size_t begin = group * kGroupTokens;
  return x.subspan(begin, std::min<size_t>(kGroupTokens, x.size() - begin));
}

// The race with every score computed.
class Race {
 public:
  explicit Race(float temperature) : temperature_(temperature) {}
  void Enter(int64_t index, float x, uint32_t word) {
    const double score = static_cast<double>(x) / temperature_ + GumbelOfWord(word);
    if (score > best_ || (winner_ < 0 && !std::isnan(score))) {
      best_ = score;
      winner_ = index;
    }
  }
  int64_t winner() const { return std::max<int64_t>(winner_, 0); }
  double best() const { return best_; }

 private:
  const double temperature_;
  double best_ = -std::numeric_limits<double>::infinity();
  int64_t winner_ = -1;
};

}  // namespace

void Chooser::Maxima(std::span<const float> x) {
  maxima_.resize(GroupsOf(x.size()));
  const size_t whole = x.size() / kGroupTokens;
  kernels_.maxima(x.data(), static_cast<int64_t>(whole), maxima_.data());
  if (whole == maxima_.size()) return;
  maxima_.back() = -kInfinity;
  for (float value : Group(x, whole)) {
    if (value > maxima_.back()) maxima_.back() = value;
  }
}

int64_t Chooser::Largest(std::span<const float> x) {
  Maxima(x);
  const float largest = *std::max_element(maxima_.begin(), maxima_.end());
  for (size_t g = 0; g < maxima_.size(); ++g) {
    if (maxima_[g] != largest) continue;
    const auto group = Group(x, g);
    const auto at = std::find(group.begin(), group.end(), largest);
    if (at != group.end()) return static_cast<int64_t>(g) * kGroupTokens + (at - group.begin());
  }
  return 0;
}

const std::vector<int32_t>& Chooser::LargestFew(std::span<const float> x, int64_t count) {
  Maxima(x);
  // At least `count` numbers reach the `count`-th largest maximum.
  float least = -kInfinity;
  if (count <= static_cast<int64_t>(maxima_.size())) {
    std::vector<float> sorted = maxima_;
    std::nth_element(sorted.begin(), sorted.begin() + (count - 1), sorted.end(), std::greater<>());
    least = sorted[static_cast<size_t>(count - 1)];
  }
  few_.clear();
  for (size_t g = 0; g < maxima_.size(); ++g) {
    if (maxima_[g] < least) continue;
    const size_t begin = g * kGroupTokens;
    const size_t end = std::min(begin + kGroupTokens, x.size());
    for (size_t i = begin; i < end; ++i) {
      if (x[i] >= least) few_.push_back(static_cast<int32_t>(i));
    }
  }
  const auto before = [&](int32_t a, int32_t b) {
    const float xa = x[static_cast<size_t>(a)], xb = x[static_cast<size_t>(b)];
    return xa != xb ? xa > xb : a < b;
  };
  if (count < static_cast<int64_t>(few_.size())) {
    std::nth_element(few_.begin(), few_.begin() + (count - 1), few_.end(), before);
    few_.resize(static_cast<size_t>(count));
  }
  std::sort(few_.begin(), few_.end(), before);
  return few_;
}

int64_t Chooser::GumbelRace(std::span<const float> x, std::span<const uint32_t> words,
                            float temperature) {
  const float scale = 1 / temperature;
  maxima_.resize(GroupsOf(x.size()));
  const size_t whole = x.size() / kGroupTokens;
  kernels_.bounds(x.data(), words.data(), scale, static_cast<int64_t>(whole), maxima_.data());
  const auto bound = [&](size_t i) { return GumbelBound(words[i]) + scale * x[i]; };
  if (whole < maxima_.size()) {
    maxima_.back() = -kInfinity;
    for (size_t i = whole * kGroupTokens; i < x.size(); ++i) {
      if (const float b = bound(i); b > maxima_.back()) maxima_.back() = b;
    }
  }
  const auto highest = std::max_element(maxima_.begin(), maxima_.end());
  Race race(temperature);
  if (temperature < kLeastTemperature || !(std::fabs(*highest) < kLargestScaled)) {
    for (size_t i = 0; i < x.size(); ++i) race.Enter(static_cast<int64_t>(i), x[i], words[i]);
    return race.winner();
  }
  // The word with the highest bound gives a score that the winner reaches.
  size_t likely = static_cast<size_t>(highest - maxima_.begin()) * kGroupTokens;
  const size_t likely_end = std::min(likely + kGroupTokens, x.size());
  for (size_t i = likely + 1; i < likely_end; ++i) {
    if (!(bound(i) <= bound(likely)) && !std::isnan(x[i])) likely = i;
  }
  Race first(temperature);
  first.Enter(0, x[likely], words[likely]);
  // A winner's x is within kGumbelMost of its score, which bounds the rounding errors.
  const double magnitude = std::fabs(first.best()) + std::fabs(*highest) + kGumbelMost;
  const double least = first.best() - kGumbelSlack - magnitude * 1e-6;
  for (size_t g = 0; g < maxima_.size(); ++g) {
    if (!(maxima_[g] >= least)) continue;
    const size_t end = std::min((g + 1) * kGroupTokens, x.size());
    for (size_t i = g * kGroupTokens; i < end; ++i) {
      if (bound(i) >= least) race.Enter(static_cast<int64_t>(i), x[i], words[i]);
    }
  }
  return race.winner();
}

}  // namespace ferry::llm
