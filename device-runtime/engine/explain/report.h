// What a plan chose for each step, and what that took.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ferry::engine {

// A way to run a step.
struct CandidateReport {
  std::string name;         // algorithm and tile parameters
  double predicted_us = 0;  // one thread
  double tuned_us = -1;     // what the measured mode found; negative: not measured
  double error = 0;  // its stated bound, max|a - b| / max|b|; 0: exact but for the sum's order
  int rank = 0;      // 0: what prediction alone takes
  bool admissible = true;  // false: the error passes SessionOptions::error_bound
};

struct StepReport {
  std::string node;       // of the graph
  std::string primitive;  // "conv", "raster", ...
  std::string dtype;      // of its first input; of its output where it has none
  std::string sizes;
  std::string choice;  // how it runs; "" where there is one way only
  std::string backend;
  std::string fallback;                   // why a backend that was to run it does not; "": none was
  double flops = 0;                       // of the plain algorithm; 0: moves bits only
  double bytes = 0;                       // that it has to read and write at least
  double predicted_us = 0;                // one thread
  double tuned_us = -1;                   // of the choice, as in CandidateReport
  int rank = 0;                           // of the choice
  int64_t runs = 0;                       // that were timed
  double measured_us = -1;                // median of the latest runs; negative: not timed
  std::vector<CandidateReport> rejected;  // the cheapest first
};

}  // namespace ferry::engine
