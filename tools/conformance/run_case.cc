#include "tools/conformance/run_case.h"

#include <algorithm>
#include <array>

#include "common/sys/filesystem.h"
#include "common/sys/random.h"
#include "device-runtime/engine/engine.h"
#include "device-runtime/engine/reference/reference.h"
#include "device-runtime/formats/onnx.h"
#include "device-runtime/formats/onnx_value.h"
#include "device-runtime/ops/random.h"
#include "tools/conformance/compare.h"

namespace ferry::conformance {
namespace {

using formats::OnnxIoType;
using tensor::NamedValue;
using tensor::Value;

// All that ISAs may be called, here or on other machines. ORDER: as acceptance lists them.
constexpr std::array<std::string_view, 10> kKnownIsas = {
    "reference",  "avx2", "avxvnni", "avx512",  "vnni",
    "avx512bf16", "amx",  "neon",    "dotprod", "i8mm"};

// The types of the values that the graph has as inputs or outputs: what the file declares, without
// initializers that older files list as inputs.
Result<std::vector<OnnxIoType>> TypesOf(const ir::Graph& graph, std::span<const ir::ValueId> ids,
                                        const std::vector<OnnxIoType>& declared) {
  std::vector<OnnxIoType> out;
  for (ir::ValueId id : ids) {
    const std::string& name = graph.values[id].name;
    const auto at = std::ranges::find(declared, name, &OnnxIoType::name);
    if (at == declared.end()) return Status::Of(Code::kBadModel, "'{}' is not declared", name);
    out.push_back(*at);
  }
  return out;
}

// The files prefix_0.pb, prefix_1.pb... of a data set.
Result<std::vector<NamedValue>> ReadValues(const std::string& folder, std::string_view prefix,
                                           const std::vector<OnnxIoType>& types) {
  std::vector<NamedValue> values;
  for (size_t i = 0; i < kMaxDataFiles; ++i) {
    const std::string path = sys::JoinPath(folder, fmt::format("{}_{}.pb", prefix, i));
    if (!sys::Exists(sys::SystemFileSystem(), path)) break;
    if (i >= types.size()) {
      return Status::Of(Code::kBadModel, "more {} files than the {} of the model", prefix,
                        types.size());
    }
    FERRY_ASSIGN_OR_RETURN(const Bytes bytes, sys::ReadFile(sys::SystemFileSystem(), path));
    FERRY_ASSIGN_OR_RETURN(Value value, formats::ReadOnnxValue(bytes, types[i])
                                            .Context("{}_{}.pb ('{}')", prefix, i, types[i].name));
    values.push_back({types[i].name, std::move(value)});
  }
  return values;
}

Status CheckOutputs(std::span<const NamedValue> got, std::span<const NamedValue> want) {
  for (size_t i = 0; i < want.size(); ++i) {
    FERRY_TRY(CheckValue(got[i].value, want[i].value).Context("output '{}'", want[i].name));
  }
  return OkStatus();
}

Status RunTensors(engine::Session& session, std::span<const NamedValue> inputs,
                  std::span<const NamedValue> want) {
  std::vector<tensor::NamedTensor> tensors;
  for (const NamedValue& input : inputs) tensors.push_back({input.name, input.value.tensor()});
  FERRY_ASSIGN_OR_RETURN(auto outputs, session.Run(tensors));
  std::vector<NamedValue> got;
  for (tensor::NamedTensor& output : outputs) {
    got.push_back({output.name, Value(std::move(output.tensor))});
  }
  return CheckOutputs(got, want);
}

// What random operators draw from, so that a case ends the same way each time.
constexpr uint64_t kSeed = 1;

// The model of one case, ready to run.
class Runner {
 public:
  static Result<Runner> Create(const Case& c, const RunOptions& options) {
    Runner runner;
    runner.random_ = std::make_unique<sys::SeededRandom>(kSeed);
    const std::string path = sys::JoinPath(c.folder, "model.onnx");
    FERRY_ASSIGN_OR_RETURN(runner.graph_, formats::ImportOnnxFile(sys::SystemFileSystem(), path));
    FERRY_ASSIGN_OR_RETURN(const auto file, sys::SystemFileSystem().Map(path));
    FERRY_ASSIGN_OR_RETURN(const auto types, formats::ReadOnnxIoTypes(file->bytes()));
    FERRY_ASSIGN_OR_RETURN(runner.inputs_,
                           TypesOf(runner.graph_, runner.graph_.inputs, types.inputs));
    FERRY_ASSIGN_OR_RETURN(runner.outputs_,
                           TypesOf(runner.graph_, runner.graph_.outputs, types.outputs));
    if (options.naive) return runner;
    FERRY_ASSIGN_OR_RETURN(auto model, engine::Model::FromGraph(runner.graph_));
    engine::SessionOptions session;
    session.isa = options.isa;
    session.random = runner.random_.get();
    FERRY_ASSIGN_OR_RETURN(runner.session_, engine::Session::Create(std::move(model), session));
    return runner;
  }

  Status Run(const std::string& folder) {
    FERRY_ASSIGN_OR_RETURN(const auto inputs, ReadValues(folder, "input", inputs_));
    FERRY_ASSIGN_OR_RETURN(const auto want, ReadValues(folder, "output", outputs_));
    if (want.size() != outputs_.size()) {
      return Status::Of(Code::kNotFound, "{} output files for {} outputs", want.size(),
                        outputs_.size());
    }
    if (session_ == nullptr) {
      const ops::RandomScope random(random_.get());
      FERRY_ASSIGN_OR_RETURN(const auto got, engine::RunReference(graph_, inputs));
      return CheckOutputs(got, want);
    }
    const auto is_tensor = [](const NamedValue& value) { return value.value.IsTensor(); };
    if (std::ranges::all_of(inputs, is_tensor) && std::ranges::all_of(want, is_tensor)) {
      FERRY_TRY(RunTensors(*session_, inputs, want));
    }
    FERRY_ASSIGN_OR_RETURN(const auto got, session_->RunValues(inputs).Context("in parts"));
    return CheckOutputs(got, want).Context("in parts");
  }

 private:
  ir::Graph graph_;
  std::vector<OnnxIoType> inputs_, outputs_;
  std::unique_ptr<sys::SeededRandom> random_;
  std::unique_ptr<engine::Session> session_;
};

}  // namespace

Status CheckIsa(const std::string& isa) {
  if (isa.empty()) return OkStatus();
  const std::vector<std::string> running = engine::AvailableIsas();
  if (std::ranges::find(running, isa) != running.end()) return OkStatus();
  const std::string here = fmt::format("{}", fmt::join(running, ", "));
  if (std::ranges::find(kKnownIsas, isa) == kKnownIsas.end()) {
    return Status::Of(Code::kInvalidArgument, "instruction set '{}' is unknown; here run {}", isa,
                      here);
  }
  return Status::Of(Code::kUnsupported, "instruction set '{}' does not run here; those that do: {}",
                    isa, here);
}

Status RunCase(const Case& c, const RunOptions& options) {
  FERRY_ASSIGN_OR_RETURN(Runner runner, Runner::Create(c, options));
  for (int i = 0; i < kMaxDataSets; ++i) {
    const std::string name = fmt::format("{}{}", kDataSetPrefix, i);
    const std::string folder = sys::JoinPath(c.folder, name);
    if (!sys::Exists(sys::SystemFileSystem(), folder)) {
      return i > 0 ? OkStatus() : Status::Of(Code::kNotFound, "no {}", name);
    }
    const Status status = runner.Run(folder);
    if (!status.ok()) return i == 0 ? status : status.Context("data set {}", i);
  }
  return OkStatus();
}

}  // namespace ferry::conformance
