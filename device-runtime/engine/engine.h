// The tensor engine's front door: compile a graph to a model file, load it, run it.
//
//   FERRY_ASSIGN_OR_RETURN(ir::Graph graph, formats::ImportOnnx(onnx_bytes));     // formats room
//   FERRY_ASSIGN_OR_RETURN(Bytes file, engine::Compile(std::move(graph), {}));    // ".fm"
//   FERRY_ASSIGN_OR_RETURN(auto model, engine::Model::FromBytes(file_view, keep_alive));
//   FERRY_ASSIGN_OR_RETURN(auto session, engine::Session::Create(model, {}));
//   FERRY_ASSIGN_OR_RETURN(auto outputs, session->Run({{{"image", tensor}}}));
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/status.h"
#include "device-runtime/backend/settings.h"
#include "device-runtime/tensor/value.h"

namespace ferry::sys {
class Parallel;
class Random;
}  // namespace ferry::sys
namespace ferry::backends {
class Backend;  // device-runtime/backend/backend.h
}
namespace ferry::ir {
class Graph;
}

namespace ferry::engine {

using backends::Backend;
using backends::BackendSettings;
struct StepReport;  // engine/explain/report.h

using tensor::DType;
using tensor::NamedTensor;
using tensor::NamedValue;
using tensor::Shape;
using tensor::Tensor;

// An input or output as the model declares it. A dimension that is free (a batch, say) is -1 and
// has its symbol's name in `symbols`; fixed dimensions have an empty symbol.
struct IoInfo {
  std::string name;
  DType dtype;
  std::vector<int64_t> dims;
  std::vector<std::string> symbols;
  bool has_shape;  // false: even the rank is only known after a run
  // "" for a tensor; else "sequence", "optional" (of a tensor), "optional sequence".
  std::string kind;
};

struct CompileOptions {
  std::string name;  // stored in the file, for people
};

// Runs the shape-independent passes (fold, fuse, drop dead code) and writes a model file (format:
// engine/model/file.h). Errors: kBadModel, kShapeMismatch and kUnsupportedOperator, naming the
// node.
Result<Bytes> Compile(ir::Graph graph, const CompileOptions& options);

// A loaded model file: graph and weights. Immutable and shared: any number of sessions on any
// threads use one Model, and share the weights prepared for the kernels.
class Model {
 public:
  // Reads a model file without copying weights: `bytes` must stay valid and unchanged while
  // `keep_alive` (a memory map, a vector; null: the caller promises) lives, 64-byte aligned memory
  // gives aligned weights. Everything is validated; kBadModel names the place.
  static Result<std::shared_ptr<const Model>> FromBytes(
      ByteView bytes, std::shared_ptr<const void> keep_alive = nullptr);
  // A model straight from a graph: optimised as Compile does; its constants stay where they are,
  // but for those that need be elsewhere (tensor/alignment.h).
  static Result<std::shared_ptr<const Model>> FromGraph(ir::Graph graph,
                                                        const CompileOptions& options = {});
  ~Model();

  const std::string& name() const;
  std::span<const IoInfo> inputs() const;
  std::span<const IoInfo> outputs() const;
  int64_t weight_bytes() const;
  int64_t parameter_count() const;
  const ir::Graph& graph() const;  // text by ir::Print
  // Reads all weights and compares their checksum, which loading leaves out: kCorruptContent;
  // kUnsupported for files of version 1.
  Status VerifyWeights() const;

  struct State;
  const State& state() const { return *state_; }

 private:
  Model();
  std::unique_ptr<State> state_;
};

// Where steps run that several devices could run.
struct PlacementOptions {
  bool is_random = false;  // by chance instead of by cost: for tests of backends
  uint64_t seed = 0;
};

// The instruction sets that this machine's kernels run, the slowest ("reference") first.
std::vector<std::string> AvailableIsas();

struct BackendInfo {
  std::string name;
  Status available;  // an error says why this machine cannot use it
  std::vector<std::string> primitives;
};
// Those that this library holds, the CPU first.
std::vector<BackendInfo> Backends();

inline constexpr double kDefaultErrorBound = 2.5e-5;  // a quarter of what is asked of all kernels

// The measured mode: what a plan chooses is timed on this device instead of only predicted.
struct TuningOptions {
  // Times the best predicted candidates of each distinct primitive and size while planning. Without
  // it, findings of `cache_file` are used and nothing is measured.
  bool measure = false;
  // Where findings are kept between processes (engine/tune/cache.h documents it); "": only in the
  // session. A damaged, foreign or older file is ignored with a warning. A measurement that cannot
  // be written is a warning too.
  std::string cache_file;
  double seconds = 2;  // for all measurements of one session; what is left is predicted
  int candidates = 4;  // timed at most, for each primitive and size
};

struct SessionOptions {
  // Threads for the kernels; null = the calling thread only. Must outlive the session.
  sys::Parallel* parallel = nullptr;
  // Where activations and outputs of Run are counted: its own limit or one shared with others
  // (a script isolate). Null = not limited.
  std::shared_ptr<tensor::MemoryBudget> budget;
  // The instruction set of the kernels: "", or one of AvailableIsas().
  // The environment variable FERRY_ISA wins over it.
  std::string isa;
  // Of random operators without a seed of their own; null: the operating system's. Must outlive
  // the session.
  sys::Random* random = nullptr;
  // Largest error that an approximating algorithm (Winograd, split products) may add, as
  // max|a - b| / max|b| against the direct one on numbers of one magnitude; its stated bound is
  // compared, nothing is measured.
  double error_bound = kDefaultErrorBound;
  TuningOptions tuning;
  // Devices beside the CPU: each runs the parts of a plan that are cheaper there, copies included.
  // Must outlive the session and the model.
  std::vector<const Backend*> backends;
  // Which of these, and of those that the library holds (backends/list.h), are used: names with
  // commas, the CPU's without effect. "": all of `backends`, none of the library's. The environment
  // variable FERRY_BACKEND wins over it. Unknown or not available: kUnsupported.
  std::string backend_names;
  PlacementOptions placement;
  backends::Precision precision = backends::Precision::kDefault;  // for backends
  std::string cache_folder;  // where backends may keep what they compile; "": nowhere
  bool time_steps = false;   // keeps the times of each step for Explain
  // Looked at before each step: true ends the run with kCancelled. Null: nothing does. Must outlive
  // the session.
  const std::atomic<bool>* cancel = nullptr;
};

// Where the caller wants an output: `bytes` at `data`, aligned as its dtype asks and overlapping
// nothing else of the run. Without `data` it lies in the session's memory.
struct OutputMemory {
  void* data = nullptr;
  int64_t bytes = 0;
};

// One runner with its own activations. One thread at a time; many sessions run at once.
class Session {
 public:
  // Plans for the declared input shapes, free dimensions taken as 1. kShapeMismatch,
  // kUnsupportedOperator, kOutOfMemory.
  static Result<std::unique_ptr<Session>> Create(std::shared_ptr<const Model> model,
                                                 SessionOptions options = {});
  ~Session();

  const Model& model() const;
  std::string isa() const;  // of its kernels

  // Runs on `inputs`, which must name each input of the model once (in any order), and returns the
  // outputs in the model's order as tensors of their own. Shapes that no plan is kept for are
  // planned first. kInvalidArgument for names, kShapeMismatch for dtypes and shapes, kOutOfMemory.
  Result<std::vector<NamedTensor>> Run(std::span<const NamedTensor> inputs);
  Result<std::vector<NamedTensor>> Run(std::initializer_list<NamedTensor> inputs) {
    return Run(std::span<const NamedTensor>(inputs.begin(), inputs.size()));
  }
  // The same for models whose inputs or outputs are not all tensors. Run of such a model:
  // kShapeMismatch naming the output.
  Result<std::vector<NamedValue>> RunValues(std::span<const NamedValue> inputs);

  // The same without copies: outputs are read by output(i), and stay valid until the next call or
  // the session's end (or the end of an input that is passed through). Once planned for the shapes,
  // this allocates nothing, unless types depend on values of the run (plan().is_static is false).
  Status Execute(std::span<const NamedTensor> inputs);
  // The same with the inputs in the model's order and outputs where the caller wants them: none, or
  // one for each of the model's. Kernels write there; only what is another name of an input, a
  // constant or another output, or is planned as the model runs, is copied. kShapeMismatch names an
  // output that does not fit, before anything runs where the plan knows it.
  Status Execute(std::span<const Tensor> inputs, std::span<const OutputMemory> outputs);
  int output_count() const;
  // Before the first run of a static plan: type and shape alone are as the run will have them.
  const Tensor& output(int index) const;

  // Plans for these input shapes (in the model's input order) without running, unless a plan for
  // them is kept (engine/plan.h says how many are); what depends on values of the run is planned
  // when it runs.
  Status Resize(std::span<const Shape> shapes);

  struct PlanInfo {
    int64_t arena_bytes = 0;             // activations, after reuse
    int64_t unshared_bytes = 0;          // what they would take without reuse
    int steps = 0;                       // kernel calls of one run
    int plans = 0;                       // that are kept, for these and for other shapes
    std::vector<std::string> fallbacks;  // what backends were to run and the CPU does, and why
    bool is_static = true;  // the whole graph is one plan; else: what has been planned so far
    std::string text;       // one line a step
  };
  const PlanInfo& plan() const;
  // What each step of the plan is, why it runs as it does, and, with SessionOptions::time_steps,
  // how long it took. Empty before a plan is there.
  std::vector<StepReport> Explain() const;

 private:
  struct State;
  explicit Session(std::unique_ptr<State> state);
  void StartRunner();
  Status ExecuteBound(std::span<const OutputMemory> wanted);
  Status CheckRoom(size_t i, const Tensor& output, const OutputMemory& wanted) const;
  Status BindOutputs(std::span<const OutputMemory> wanted);
  Status CopyOut(std::span<const OutputMemory> wanted);
  Status ExecuteParts();
  std::unique_ptr<State> state_;
};

}  // namespace ferry::engine
