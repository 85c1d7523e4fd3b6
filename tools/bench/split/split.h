// ferry-bench split: what a split language model session costs, beside the formulas.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "common/base/status.h"
#include "common/sys/executor.h"
#include "device-runtime/llm/model.h"

namespace ferry::bench {

struct SplitArguments {
  std::string draft, target;  // models; empty: the trained pair, beside or inside the project
  std::string prompt;         // text; empty: one of the bench's own
  std::vector<int64_t> delays_ms = {5, 20, 30, 50, 100, 200};  // round trips
  int64_t max_new = 256;
  int threads = 2;
  uint64_t seed = 1;
  double temperature = 1;
  std::vector<std::string> tables = {"measured", "costs", "synthetic", "verify"};
  bool json = false;
};

// A way to work, at one delay: measured, and by the formula.
struct SplitRow {
  int64_t delay_ms = 0;
  std::string mode;  // "device-only", "cloud-only", "sync", "pipelined"
  double tokens_per_s = 0;
  double formula_per_s = 0;
  double bytes_per_token = 0;  // of rounds, both directions
  double setup_bytes = 0;      // of the session
  double acceptance = 0;
  double passes_per_token = 0;
};

// One pass of `tokens` over one of a single token.
struct VerifyCost {
  std::string weights;
  int threads = 0;
  int64_t tokens = 0;
  double ms = 0;
  double ratio = 0;
};

struct Pair {
  std::shared_ptr<const llm::Model> draft, target;
};

Result<std::vector<VerifyCost>> MeasureVerifyCosts(const llm::Model& target);

// Adds the subcommand; it sets *chosen, and then RunSplit is to be called.
void AddSplitCommand(CLI::App& app, SplitArguments& arguments, bool* chosen);
int RunSplit(const SplitArguments& arguments);

}  // namespace ferry::bench
