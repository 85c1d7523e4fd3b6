#include <algorithm>

#include "common/base/json.h"
#include "common/sys/clock.h"
#include "common/sys/executor.h"
#include "common/sys/filesystem.h"
#include "tools/conformance/run_case.h"
#include "tools/ferry/engine/commands.h"
#include "tools/ferry/engine/io.h"
#include "tools/ferry/engine/results.h"
#include "tools/ferry/local/models.h"
#include "tools/ferry/progress.h"
#include "tools/npy/npy.h"

namespace ferry::cli {
namespace {

using engine::NamedValue;
using tensor::Value;

constexpr size_t kDefaultTop = 5;  // where labels are given

// Writes outputs into a folder and says what is where.
struct OutputFolder {
  std::string folder;
  FileNames names;

  Status Add(const std::string& name, const Value& value, Json& files, std::string& text) {
    if (value.IsSequence()) {
      const auto& items = value.sequence().items;
      for (size_t i = 0; i < items.size(); ++i) {
        FERRY_TRY(Add(fmt::format("{}_{}", name, i), items[i], files, text));
      }
    }
    if (!value.IsTensor()) {
      text += fmt::format("{} {}\n", name, value.TypeText());
      return OkStatus();
    }
    const std::string path = sys::JoinPath(folder, names.Of(name) + ".npy");
    FERRY_ASSIGN_OR_RETURN(const Bytes bytes, npy::WriteNpy(value.tensor()));
    FERRY_TRY(sys::WriteFileAtomically(sys::SystemFileSystem(), path, bytes, sys::kPublicFile));
    text += fmt::format("{} {} -> {}\n", name, value.TypeText(), path);
    files[name] = {{"file", path},
                   {"dtype", tensor::DTypeName(value.tensor().dtype())},
                   {"shape", std::vector<int64_t>(value.tensor().shape().dims().begin(),
                                                  value.tensor().shape().dims().end())}};
    return OkStatus();
  }
};

bool AllTensors(const engine::Model& model) {
  const auto is_tensor = [](const engine::IoInfo& io) { return io.kind.empty(); };
  return std::ranges::all_of(model.inputs(), is_tensor) &&
         std::ranges::all_of(model.outputs(), is_tensor);
}

Result<std::vector<NamedValue>> RunOnce(engine::Session& session,
                                        const std::vector<engine::NamedTensor>& inputs) {
  std::vector<NamedValue> values;
  if (AllTensors(session.model())) {
    FERRY_ASSIGN_OR_RETURN(auto outputs, session.Run(inputs));
    for (auto& output : outputs) values.push_back({output.name, std::move(output.tensor)});
    return values;
  }
  for (const engine::NamedTensor& input : inputs) values.push_back({input.name, input.tensor});
  return session.RunValues(values);
}

// The inputs that are given, and, where --seed or --shape asks for them, random ones for the rest.
Result<std::vector<engine::NamedTensor>> InputsOf(const engine::Model& model,
                                                  const RunModelRequest& request) {
  FERRY_ASSIGN_OR_RETURN(const InputShapes shapes, ParseInputShapes(request.shapes));
  std::vector<engine::NamedTensor> inputs;
  for (const std::string& text : request.inputs) {
    FERRY_ASSIGN_OR_RETURN(engine::NamedTensor input,
                           ReadNamedInput(model, text, shapes, request.picture));
    inputs.push_back(std::move(input));
  }
  if (!request.seed && shapes.empty()) {
    FERRY_TRY(CheckInputsGiven(model, inputs).Context("{}", request.file));
    return inputs;
  }
  return FillInputs(model, std::move(inputs), shapes, request.seed.value_or(1))
      .Context("{}", request.file);
}

// The rows for --top; none where it is not asked for, or the output has no classes.
Result<std::vector<std::vector<TopRow>>> TopOf(const NamedValue& output,
                                               const RunModelRequest& request,
                                               const std::vector<std::string>& labels) {
  const size_t count = request.top == 0 && !labels.empty() ? kDefaultTop : request.top;
  if (count == 0 || !output.value.IsTensor()) return std::vector<std::vector<TopRow>>();
  return TopRows(output.value.tensor(), count, labels)
      .Context("{}: output \"{}\"", request.labels.empty() ? "--top" : request.labels, output.name);
}

// All runs; the outputs of the last one.
Result<std::vector<NamedValue>> RunAll(engine::Session& session,
                                       const std::vector<engine::NamedTensor>& inputs,
                                       const RunModelRequest& request,
                                       std::vector<double>& runs_ms) {
  const Working working("running " + request.file);
  std::vector<NamedValue> outputs;
  for (int run = 1; run <= request.runs; ++run) {
    const int64_t start_ns = sys::SystemClock().MonotonicNs();
    FERRY_ASSIGN_OR_RETURN(outputs, RunOnce(session, inputs).Context("{}", request.file));
    const int64_t took_ns = sys::SystemClock().MonotonicNs() - start_ns;
    runs_ms.push_back(static_cast<double>(took_ns) * 1e-6);
    if (request.runs == 1) break;
    fmt::print("{}\n", request.json ? WriteJson(Json{{"run", run}, {"ms", runs_ms.back()}})
                                    : fmt::format("run {}: {:.3f} ms", run, runs_ms.back()));
    std::fflush(stdout);
  }
  return outputs;
}

// What several runs took, and what ran elsewhere than it was to.
void AddRuns(const engine::Session& session, const std::vector<double>& runs_ms, Output& out) {
  if (runs_ms.size() > 1) out.json()["runs_ms"] = runs_ms;
  const std::vector<std::string>& fallbacks = session.plan().fallbacks;
  if (!fallbacks.empty()) out.json()["fallbacks"] = fallbacks;
  for (const std::string& line : fallbacks) out.text += line + "\n";
}

}  // namespace

Result<Output> RunModel(const RunModelRequest& request) {
  FERRY_TRY(conformance::CheckIsa(request.isa).Context("--isa"));
  std::vector<std::string> labels;
  if (!request.labels.empty()) {
    FERRY_ASSIGN_OR_RETURN(labels, ReadLabels(request.labels));
  }
  FERRY_ASSIGN_OR_RETURN(const auto model, OpenModel(request.file));
  FERRY_ASSIGN_OR_RETURN(const std::vector<engine::NamedTensor> inputs, InputsOf(*model, request));
  const auto threads = sys::StartThreadPool(0);
  engine::SessionOptions options;
  options.parallel = threads.get();
  options.isa = request.isa;
  FERRY_TRY(ApplyBackendOptions(request.backends, options));
  options.tuning = {.measure = request.tune, .cache_file = request.cache};
  FERRY_ASSIGN_OR_RETURN(const auto session,
                         engine::Session::Create(model, options).Context("{}", request.file));
  std::vector<double> runs_ms;
  FERRY_ASSIGN_OR_RETURN(const auto outputs, RunAll(*session, inputs, request, runs_ms));
  const auto took_ns = static_cast<int64_t>(runs_ms.back() * 1e6);
  Output out;
  Json shown = Json::object();
  if (!request.out.empty()) {
    FERRY_TRY(sys::SystemFileSystem().MakeDirectories(request.out));
    OutputFolder folder{request.out, {}};
    for (const NamedValue& output : outputs) {
      FERRY_TRY(folder.Add(output.name, output.value, shown, out.text));
    }
    out.json() = {{"files", std::move(shown)}, {"latency_ns", took_ns}};
    AddRuns(*session, runs_ms, out);
    return out;
  }
  bool summarised = false;
  Json tops = Json::object();
  for (const NamedValue& output : outputs) {
    FERRY_ASSIGN_OR_RETURN(const auto top, TopOf(output, request, labels));
    if (top.empty()) out.text += ResultText(output.name, output.value);
    summarised |= top.empty() && output.value.IsTensor() &&
                  output.value.tensor().elements() > kMostShownElements;
    shown[output.name] = ValueToJson(output.value);
    if (top.empty()) continue;
    out.text += TopText(output.name, top);
    tops[output.name] = TopJson(top);
  }
  if (summarised) out.text += "all numbers: --json, or --output FOLDER\n";
  out.json() = {{"outputs", std::move(shown)}, {"latency_ns", took_ns}};
  AddRuns(*session, runs_ms, out);
  if (!tops.empty()) out.json()["top"] = std::move(tops);
  return out;
}

}  // namespace ferry::cli
