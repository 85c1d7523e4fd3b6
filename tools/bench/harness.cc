#include <time.h>

#include <algorithm>
#include <chrono>

#include "tools/bench/bench.h"

namespace ferry::bench {
namespace {

double NowUs(bool processor_time) {
  if (processor_time) {
    timespec now = {};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) * 1e-3;
  }
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double, std::micro>(now).count();
}

// Microseconds of one run, over as many runs as fill options.round_ms.
double RunOnce(const Case& item, const Options& options) {
  int runs = 0;
  const double start = NowUs(options.processor_time);
  double now = start;
  do {
    item.run();
    ++runs;
    now = NowUs(options.processor_time);
  } while (now - start < options.round_ms * 1e3);
  return (now - start) / runs;
}

}  // namespace

std::vector<Measured> Measure(const std::vector<Case>& cases, const Options& options) {
  std::vector<std::vector<double>> times(cases.size());
  for (const Case& item : cases) item.run();  // warm caches and page tables
  for (int round = 0; round < options.rounds; ++round) {
    for (size_t i = 0; i < cases.size(); ++i) {
      times[i].push_back(RunOnce(cases[i], options));
    }
  }
  std::vector<Measured> out;
  for (size_t i = 0; i < cases.size(); ++i) {
    std::sort(times[i].begin(), times[i].end());
    Measured m;
    m.item = &cases[i];
    m.median_us = times[i][times[i].size() / 2];
    m.best_us = times[i].front();
    m.gflops = m.median_us > 0 ? cases[i].flops / m.median_us * 1e-3 : 0;
    m.gbytes = m.median_us > 0 ? cases[i].bytes / m.median_us * 1e-3 : 0;
    out.push_back(m);
  }
  return out;
}

}  // namespace ferry::bench
