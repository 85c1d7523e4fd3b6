// ferry-bench: how fast kernels and models run here.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>

#include "common/base/json.h"
#include "device-runtime/kernels/isa.h"
#include "tools/bench/bench.h"
#include "tools/bench/engine/cliff/cliff.h"
#include "tools/bench/split/split.h"

namespace ferry::bench {
namespace {

struct Arguments {
  std::vector<std::string> groups = {"peak",   "gemm",      "conv", "linear",
                                     "packed", "attention", "move"};
  std::vector<std::string> isas;
  std::vector<std::string> models;
  std::string filter;
  int threads = 1;
  bool json = false;
  Options options;
};

Json ToJson(const std::vector<Measured>& results, int threads) {
  Json rows = Json::array();
  for (const Measured& m : results) {
    rows.push_back({{"group", m.item->group},
                    {"name", m.item->name},
                    {"isa", m.item->isa},
                    {"median_us", m.median_us},
                    {"best_us", m.best_us},
                    {"gflops", m.gflops},
                    {"gbytes_per_s", m.gbytes}});
  }
  return {{"threads", threads}, {"results", rows}};
}

void PrintTable(const std::vector<Measured>& results) {
  fmt::print("{:<9} {:<36} {:<9} {:>10} {:>10} {:>8} {:>7}\n", "group", "name", "isa", "median us",
             "best us", "GFLOP/s", "GB/s");
  for (const Measured& m : results) {
    fmt::print("{:<9} {:<36} {:<9} {:>10.1f} {:>10.1f} {:>8.1f} {:>7.1f}\n", m.item->group,
               m.item->name, m.item->isa, m.median_us, m.best_us, m.gflops, m.gbytes);
  }
}

int Run(const Arguments& arguments) {
  std::vector<std::string> isas = arguments.isas;
  if (isas.empty()) {
    for (kernels::Isa isa : kernels::RunningIsas()) isas.push_back(kernels::IsaName(isa));
  }
  for (const std::string& name : isas) {
    const Result<kernels::Isa> isa = kernels::IsaFromName(name.c_str());
    if (!isa.ok() || !kernels::IsaRuns(*isa)) {
      fmt::print(stderr, "ferry-bench: --isa {}: {}\n", name,
                 isa.ok() ? "this processor does not run it" : isa.status().message());
      return 2;
    }
  }
  const std::unique_ptr<sys::Parallel> pool =
      arguments.threads > 1 ? sys::StartThreadPool(arguments.threads) : nullptr;
  sys::Parallel& parallel = pool ? *pool : sys::SerialParallel();
  std::vector<Case> all;
  for (const std::string& group : arguments.groups) {
    if (group == "peak") AddPeak(isas, &all);
    if (group == "gemm") AddGemm(isas, parallel, &all);
    if (group == "conv") AddConv(isas, parallel, &all);
    if (group == "quant") AddQuant(isas, parallel, &all);
    if (group == "linear") AddLinear(isas, parallel, &all);
    if (group == "packed") AddPacked(isas, parallel, &all);
    if (group == "attention") AddAttention(isas, parallel, &all);
    if (group == "move") AddMove(parallel, &all);
    if (group != "model" && group != "plan") continue;
    if (arguments.models.empty()) {
      fmt::print(stderr, "ferry-bench: --group {} needs --model FILE or FOLDER\n", group);
      return 2;
    }
    const Status added = group == "plan"
                             ? BenchPlans(arguments.models, isas, parallel, arguments.json)
                             : AddModels(arguments.models, isas, parallel, &all);
    if (!added.ok()) {
      fmt::print(stderr, "ferry-bench: {}\n", added.ToString());
      return 1;
    }
  }
  if (all.empty()) return 0;  // plans print their own table
  std::vector<Case> cases;
  for (Case& item : all) {
    if (item.name.find(arguments.filter) != std::string::npos) cases.push_back(std::move(item));
  }
  const std::vector<Measured> results = Measure(cases, arguments.options);
  if (arguments.json) {
    fmt::print("{}\n", ToJson(results, arguments.threads).dump(2));
  } else {
    PrintTable(results);
  }
  return 0;
}

}  // namespace
}  // namespace ferry::bench

int main(int argc, char** argv) {
  ferry::bench::Arguments arguments;
  CLI::App app(
      "Measures kernels and models: medians of interleaved rounds.\n\n"
      "  ferry-bench --group gemm --isa avx512 --threads 2\n"
      "  ferry-bench split");
  app.add_option("--group", arguments.groups, "what to measure")
      ->check(CLI::IsMember({"peak", "gemm", "conv", "quant", "linear", "packed", "attention",
                             "move", "model", "plan"}));
  app.add_option("--isa", arguments.isas, "reference, avx2, avx512; default: all that run here");
  app.add_option("--model", arguments.models, "models (.onnx, .fm) or folders of them");
  app.add_option("--filter", arguments.filter, "only cases whose name contains this");
  app.add_option("--threads", arguments.threads, "threads, the caller's included")
      ->check(CLI::Range(1, 256));
  app.add_option("--rounds", arguments.options.rounds, "interleaved rounds")
      ->check(CLI::Range(1, 1000));
  app.add_option("--round-ms", arguments.options.round_ms, "time of a case in a round")
      ->check(CLI::Range(0.0, 60000.0));
  app.add_flag("--processor-time", arguments.options.processor_time,
               "measure processor time (on a busy machine; one thread only)");
  app.add_flag("--json", arguments.json, "print JSON");
  ferry::bench::SplitArguments split;
  bool split_chosen = false;
  ferry::bench::AddSplitCommand(app, split, &split_chosen);
  ferry::bench::CliffArguments cliff;
  bool cliff_chosen = false;
  ferry::bench::AddCliffCommand(app, cliff, &cliff_chosen);
  CLI11_PARSE(app, argc, argv);
  if (cliff_chosen) return ferry::bench::RunCliff(cliff);
  if (split_chosen) return ferry::bench::RunSplit(split);
  return ferry::bench::Run(arguments);
}
