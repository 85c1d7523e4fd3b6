// Runs many cases, each in a process of its own, so that one that crashes or hangs loses no other.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "tools/conformance/run_case.h"

namespace ferry::conformance {

inline constexpr int kMaxJobs = 256;

struct SuiteOptions {
  RunOptions run;
  std::function<Status(const Case&, const RunOptions&)> run_case = RunCase;
  int jobs = 0;            // processes at once; 0: one per core
  int limit_seconds = 60;  // of one case
};

struct CaseResult {
  std::string name;
  bool passed = false;
  std::string reason;  // one line; empty when it passed
};

// "pass NAME" or "fail NAME: reason"
std::string ResultLine(const CaseResult& result);

// Runs the cases and calls `on_result` for each, in their order. An instruction set in the options
// wins over FERRY_ISA. The caller must have no other threads. Errors: CheckIsa's, and kUnavailable
// when no process can be started.
Status RunSuite(std::span<const Case> cases, const SuiteOptions& options,
                const std::function<void(const CaseResult&)>& on_result);

}  // namespace ferry::conformance
