// A small harness for speed: cases are measured in interleaved rounds, so that a slow minute of the
// machine hits all of them alike, and the median of the rounds is reported.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "common/base/status.h"
#include "common/sys/executor.h"

namespace ferry::bench {

struct Case {
  std::string group;  // "attention", "conv", "gemm", "linear", "model", "move", "packed", "peak"
  std::string name;
  std::string isa;
  double flops = 0;  // of one run; 0 = not counted
  double bytes = 0;  // that one run has to read or write at least; 0 = not counted
  std::function<void()> run;
};

struct Measured {
  const Case* item = nullptr;
  double median_us = 0;
  double best_us = 0;
  double gflops = 0;  // by the median
  double gbytes = 0;  // a second, by the median
};

struct Options {
  int rounds = 5;
  double round_ms = 20;  // time of one case in one round, at least one run
  // The calling thread's processor time instead of the wall clock: other programs then disturb
  // less; means nothing with several threads.
  bool processor_time = false;
};

// The cases run on the calling thread (and what they split over themselves).
std::vector<Measured> Measure(const std::vector<Case>& cases, const Options& options);

// Each adds its cases; `parallel` must outlive them. isas are names of kernels::IsaName.
void AddPeak(const std::vector<std::string>& isas, std::vector<Case>* cases);
void AddGemm(const std::vector<std::string>& isas, sys::Parallel& parallel,
             std::vector<Case>* cases);
void AddConv(const std::vector<std::string>& isas, sys::Parallel& parallel,
             std::vector<Case>* cases);
void AddQuant(const std::vector<std::string>& isas, sys::Parallel& parallel,
              std::vector<Case>* cases);
void AddLinear(const std::vector<std::string>& isas, sys::Parallel& parallel,
               std::vector<Case>* cases);
void AddPacked(const std::vector<std::string>& isas, sys::Parallel& parallel,
               std::vector<Case>* cases);
void AddAttention(const std::vector<std::string>& isas, sys::Parallel& parallel,
                  std::vector<Case>* cases);
// .onnx and .fm files, or folders of them.
Status AddModels(const std::vector<std::string>& paths, const std::vector<std::string>& isas,
                 sys::Parallel& parallel, std::vector<Case>* cases);
// Prints, for each distinct primitive of the models, what the plan's prediction takes beside the
// best that was measured, and how often it is right.
Status BenchPlans(const std::vector<std::string>& paths, const std::vector<std::string>& isas,
                  sys::Parallel& parallel, bool json);
void AddMove(sys::Parallel& parallel, std::vector<Case>* cases);

}  // namespace ferry::bench
