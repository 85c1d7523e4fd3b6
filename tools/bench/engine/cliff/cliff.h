// ferry-bench cliff: what models cost whose shapes change from run to run, with floors.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace ferry::bench {

struct CliffArguments {
  std::string isa;   // "": the fastest
  std::string only;  // "": all of "planning", "loop", "lengths", "parts", "folding", "sessions"
  int64_t width = 256;
  int rounds = 5;
  bool json = false;
};

// Adds the subcommand; it sets *chosen, and then RunCliff is to be called.
void AddCliffCommand(CLI::App& app, CliffArguments& arguments, bool* chosen);
// 0 when every floor holds.
int RunCliff(const CliffArguments& arguments);

}  // namespace ferry::bench
