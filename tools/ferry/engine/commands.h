// The commands that run models by the engine: `ferry run` of a model, compare, bench, ops,
// backends, conformance.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "device-runtime/engine/engine.h"
#include "tools/ferry/command.h"
#include "tools/ferry/engine/backend_options.h"
#include "tools/ferry/engine/picture.h"

namespace ferry::cli {

struct RunModelRequest {
  std::string file;                 // .onnx or .fm
  std::vector<std::string> inputs;  // NAME=FILE
  std::vector<std::string> shapes;  // NAME=1x3x224x224
  std::optional<uint64_t> seed;     // of random numbers for inputs that are not given
  PictureOptions picture;           // for inputs whose files are pictures
  size_t top = 0;                   // so many classes of each output instead of its numbers
  std::string labels;               // file of their names
  std::string out;                  // a folder for the outputs as .npy; "": they are printed
  std::string isa;                  // "": the fastest
  BackendOptions backends;
  bool tune = false;  // measure what is chosen
  std::string cache;  // where measurements are kept; "": nowhere
  int runs = 1;       // above 1: a line on standard output tells each one's time
  bool json = false;  // as an object {"run","ms"}
};
// One run, or several on the same inputs. kInvalidArgument for inputs that are missing says name,
// type, shape and how to give them. Outputs that are no tensors are written element by element.
Result<Output> RunModel(const RunModelRequest& request);

struct CompareRequest {
  std::string file;
  std::string golden;  // .npz
  std::string isa;
  double tolerance = 1e-3;                          // of the largest magnitude of an output
  double error_bound = engine::kDefaultErrorBound;  // SessionOptions::error_bound
};
// Runs the golden inputs; Output::failed when an output differs by more than the tolerance.
Result<Output> CompareModel(const CompareRequest& request);

inline constexpr int kMaxBenchThreads = 256;

struct BenchRequest {
  std::string file;
  std::vector<std::string> inputs;
  std::vector<std::string> shapes;  // NAME=1x3x224x224
  std::string isa;
  BackendOptions backends;
  int threads = 1;
  double seconds = 2;  // how long to measure
  uint64_t seed = 1;
  bool explain = false;
  bool tune = false;  // measure candidates while planning
  double tune_seconds = 10;
  std::string cache;  // where measurements are kept; "": nowhere
  double error_bound = engine::kDefaultErrorBound;
};
Result<Output> BenchModel(const BenchRequest& request);

struct StageRequest {
  std::string file;   // .onnx or .fm
  std::string stage;  // imported, compiled, specialized, program, plan; "": by `after`
  std::string after;  // shows the stage as it is after this pass
  std::vector<std::string> shapes;  // NAME=1x3x224x224; free dimensions are 1 otherwise
};
// A model as text: the graph as imported, after the passes of `ferry convert`, or for fixed shapes;
// the program of primitives; the plan with its choices.
Result<Output> ShowStage(const StageRequest& request);

// What can run models here: each backend, whether it is available, its primitives.
Result<Output> ListBackends();
// The table of operators.
Result<Output> ListOps();
// Each primitive and dtype that the operators' cases use, on which backend, in how many of them.
Result<Output> ListPrimitives();

struct ConformanceRequest {
  std::string directory;
  std::vector<std::string> patterns;
  std::string isa;
  bool naive = false;
};
// Output::failed when a case fails.
Result<Output> RunConformance(const ConformanceRequest& request);

}  // namespace ferry::cli
