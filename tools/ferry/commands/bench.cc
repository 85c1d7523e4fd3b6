// ferry bench.
#include "tools/ferry/engine/commands.h"

namespace ferry::cli {

void AddBenchCommand(Commands& commands) {
  const auto request = std::make_shared<BenchRequest>();
  CLI::App* bench = commands.Add(nullptr, "bench", "measure how fast a model runs here",
                                 "ferry bench model.onnx --threads 2 --shape image=1x3x224x224",
                                 [request](const GlobalOptions&) { return BenchModel(*request); });
  bench->add_option("model", request->file, ".onnx or .fm")->required();
  bench->add_option("--threads", request->threads, "threads, the caller's included")
      ->check(CLI::Range(1, kMaxBenchThreads))
      ->capture_default_str();
  bench->add_option("--seconds", request->seconds, "how long to measure")
      ->check(CLI::Range(0.0, 3600.0))
      ->capture_default_str();
  bench->add_option("--shape", request->shapes,
                    "NAME=1x3x224x224 of an input; free dimensions are 1 otherwise");
  bench->add_option("--input", request->inputs, "NAME=FILE instead of random numbers");
  bench->add_option("--seed", request->seed, "of the random inputs")->capture_default_str();
  bench->add_option("--isa", request->isa, "instruction set of the kernels");
  AddBackendOptions(bench, request->backends);
  bench
      ->add_option(
          "--error-bound", request->error_bound,
          "largest error that an algorithm may add: Winograd, split products, products of bfloat16")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  bench->add_flag("--tune", request->tune,
                  "measure the best candidates of each primitive instead of only predicting");
  bench->add_option("--tune-seconds", request->tune_seconds, "time for these measurements")
      ->check(CLI::Range(0.0, 3600.0))
      ->capture_default_str();
  bench->add_option("--cache", request->cache,
                    "a file for these measurements; without --tune it is only read");
  bench->add_flag("--explain", request->explain,
                  "a row a step: its sizes, the choice, what it was chosen over, predicted and "
                  "measured microseconds");
}

}  // namespace ferry::cli
