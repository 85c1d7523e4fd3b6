// ferry run.
#include "tools/ferry/local/run_local.h"

namespace ferry::cli {

void AddRunCommand(Commands& commands) {
  const auto request = std::make_shared<RunRequest>();
  CLI::App* run = commands.Add(nullptr, "run", "run a package or a model on this machine",
                               "ferry run digits-1.0.0.fpk --events events.json",
                               [request](const GlobalOptions&) { return RunLocal(*request); });
  run->add_option("file", request->file, ".fpk, .onnx or .fm")->required();
  run->add_option("--events", request->events,
                  "events for a package (JSON); its own simulation cases when left out");
  run->add_option("--input", request->inputs,
                  "NAME=FILE for a model: .npy, .json or raw elements (may repeat)");
  run->add_option("--out", request->out, "folder for the outputs of a model, each as NAME.npy");
  run->add_flag("--tune", request->tune, "measure the best candidates of a model's primitives");
  run->add_option("--cache", request->cache,
                  "a file for these measurements; without --tune it is only read");
  run->add_option("--isa", request->isa, "instruction set of a model's kernels");
}

}  // namespace ferry::cli
