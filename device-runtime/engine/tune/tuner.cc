#include "device-runtime/engine/tune/tuner.h"

#include <algorithm>
#include <map>

#include "common/base/log.h"
#include "common/sys/clock.h"
#include "device-runtime/tensor/buffer.h"

namespace ferry::engine {
namespace {

// A candidate that is predicted this many times slower than the best is not tried.
constexpr double kHopeless = 2.5;
constexpr int kRounds = 5;  // at least; more while they are short
constexpr int kMostRounds = 25;
constexpr double kShortSeconds = 0.06;
// Read before each timed run: in a network a step meets weights that other steps drove from the
// cache.
constexpr int64_t kSweepBytes = 16 << 20;

double SecondsSince(int64_t start_ns) {
  return static_cast<double>(sys::SystemClock().MonotonicNs() - start_ns) * 1e-9;
}

std::string AlgorithmOf(const std::string& name) {
  return name.substr(0, name.find(' '));
}

void Sweep(tensor::Buffer& buffer) {
  for (int64_t i = 0; i < buffer.size(); i += 64) ++buffer.data()[i];
}

}  // namespace

Tuner::Tuner(const TuningOptions& options, std::string device, std::string where,
             sys::FileSystem& fs)
    : options_(options),
      device_(std::move(device)),
      where_(std::move(where)),
      fs_(fs),
      cache_(device_),
      seconds_left_(options.measure ? options.seconds : 0) {
  bool is_foreign = false;
  if (!options_.cache_file.empty()) {
    cache_ = LoadTuning(fs_, options_.cache_file, device_, &is_foreign);
  }
}

std::vector<size_t> Tuner::WorthTrying(std::span<const CandidateReport> candidates) const {
  std::vector<size_t> tried;
  std::map<std::string, int> of_algorithm;
  const int tiles = std::max(2, options_.candidates / 2);
  for (size_t i = 0; i < candidates.size(); ++i) {
    const CandidateReport& c = candidates[i];
    if (static_cast<int>(tried.size()) >= options_.candidates) break;
    if (!c.admissible || c.predicted_us > kHopeless * candidates[0].predicted_us) continue;
    if (++of_algorithm[AlgorithmOf(c.name)] <= tiles) tried.push_back(i);
  }
  return tried;
}

void Tuner::Measure(std::span<CandidateReport> candidates, std::span<const size_t> tried,
                    const Prepare& prepare) {
  auto sweep = tensor::Buffer::Allocate(kSweepBytes);
  if (!sweep.ok()) return;
  std::vector<std::pair<size_t, std::function<void()>>> runs;
  for (size_t i : tried) {
    if (auto run = prepare(i)) {
      run();  // faults its memory in
      runs.emplace_back(i, std::move(run));
    }
  }
  const int64_t begin = sys::SystemClock().MonotonicNs();
  for (int round = 0; round < kMostRounds; ++round) {
    if (round >= kRounds && SecondsSince(begin) > kShortSeconds) break;
    for (const auto& [i, run] : runs) {
      Sweep(*sweep);
      const int64_t start = sys::SystemClock().MonotonicNs();
      run();
      const double us = SecondsSince(start) * 1e6;
      double& best = candidates[i].tuned_us;
      best = best < 0 ? us : std::min(best, us);
    }
  }
}

size_t Tuner::Pick(const std::string& key, std::span<CandidateReport> candidates,
                   const Prepare& prepare) {
  const std::string full = where_ + " " + key;
  if (const Finding* finding = cache_.Find(full)) {
    for (size_t i = 0; i < candidates.size(); ++i) {
      if (candidates[i].name != finding->choice || !candidates[i].admissible) continue;
      candidates[i].tuned_us = finding->us;
      return i;
    }
  }
  if (!(seconds_left_ > 0) || candidates.size() < 2) return 0;
  const std::vector<size_t> tried = WorthTrying(candidates);
  if (tried.size() < 2) return 0;
  const int64_t start = sys::SystemClock().MonotonicNs();
  Measure(candidates, tried, prepare);
  seconds_left_ -= SecondsSince(start);
  size_t best = 0;
  for (size_t i : tried) {
    const double us = candidates[i].tuned_us;
    if (us >= 0 && (candidates[best].tuned_us < 0 || us < candidates[best].tuned_us)) best = i;
  }
  if (candidates[best].tuned_us < 0) return 0;
  cache_.Put({full, candidates[best].name, candidates[best].tuned_us});
  has_new_ = true;
  return best;
}

void Tuner::Save() {
  if (!has_new_ || options_.cache_file.empty()) return;
  has_new_ = false;
  const Status saved = SaveTuning(fs_, options_.cache_file, device_, cache_);
  if (!saved.ok()) LogWarn("engine", "findings are not kept: {}", saved.ToString());
}

}  // namespace ferry::engine
