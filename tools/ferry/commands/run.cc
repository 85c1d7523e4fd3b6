// ferry run.
#include "tools/ferry/local/run_local.h"

namespace ferry::cli {
namespace {

void AddModelOptions(CLI::App* run, const std::shared_ptr<RunRequest>& request) {
  RunModelRequest& model = request->model;
  run->add_option(
         "--input", model.inputs,
         "NAME=FILE for a model (FILE alone where it has one input): .npy, .json, a picture "
         "(PNG, JPEG, WebP, BMP), else raw elements (may repeat)")
      ->allow_extra_args(false);
  run->add_option("--shape", model.shapes,
                  "NAME=1x3x224x224 of an input: a picture's size, or that of random numbers; free "
                  "dimensions are 1 otherwise (may repeat)")
      ->allow_extra_args(false);
  run->add_option("--seed", model.seed, "random numbers for the inputs that are not given");
  run->add_option(
         "--mean", model.picture.mean,
         "of a picture, one or three: x / 255, less the mean, by the deviation; where one of "
         "these is above 1 all are of 0 to 255")
      ->delimiter(',')
      ->allow_extra_args(false);
  run->add_option("--std", model.picture.std, "its deviation, one or three")->delimiter(',');
  run->add_option("--layout", model.picture.layout,
                  "where an input has a picture's channels; its shape tells otherwise")
      ->check(CLI::IsMember({"nchw", "nhwc"}));
  run->add_option("--top", model.top, "the largest so many of each row, instead of all numbers");
  run->add_option("--labels", model.labels,
                  "names of a model's classes: a line each, or JSON; --top 5 unless told");
  run->add_option("--output,--out", model.out, "folder for a model's outputs, each as NAME.npy");
  run->add_flag("--tune", model.tune, "measure the best candidates of a model's primitives");
  run->add_option("--cache", model.cache,
                  "a file for these measurements; without --tune it is only read");
  run->add_option("--runs", model.runs,
                  "so many runs of a model on the same inputs, a line of milliseconds for each "
                  "before the last one's outputs")
      ->check(CLI::Range(1, 1'000'000));
  run->add_option("--isa", model.isa, "instruction set of a model's kernels");
  AddBackendOptions(run, model.backends);
}

}  // namespace

void AddRunCommand(Commands& commands) {
  const auto request = std::make_shared<RunRequest>();
  CLI::App* run = commands.Add(nullptr, "run", "run a package or a model on this machine",
                               "ferry run digits-1.0.0.fpk --events events.json\n"
                               "  ferry run model.onnx --input image=cat.jpg --mean "
                               "0.485,0.456,0.406 --std 0.229,0.224,0.225 --labels classes.txt",
                               [request](const GlobalOptions& options) {
                                 request->model.json = options.json;
                                 return RunLocal(*request);
                               });
  run->add_option("file", request->model.file, ".fpk, .onnx or .fm")->required();
  run->add_option("--events", request->events,
                  "events for a package (JSON); its own simulation cases when left out");
  AddModelOptions(run, request);
}

}  // namespace ferry::cli
