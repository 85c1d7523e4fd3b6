#include <algorithm>

#include "common/sys/clock.h"
#include "common/sys/executor.h"
#include "common/sys/filesystem.h"
#include "tools/conformance/run_case.h"
#include "tools/ferry/engine/commands.h"
#include "tools/ferry/engine/io.h"
#include "tools/ferry/local/models.h"
#include "tools/ferry/progress.h"
#include "tools/npy/npy.h"

namespace ferry::cli {
namespace {

using engine::NamedValue;
using tensor::Value;

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

Json ValueToJson(const Value& value) {
  if (value.IsTensor()) return TensorToJson(value.tensor());
  if (value.IsNothing()) return nullptr;
  Json out = Json::array();
  for (const Value& item : value.sequence().items) out.push_back(ValueToJson(item));
  return out;
}

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

}  // namespace

Result<Output> RunModel(const RunModelRequest& request) {
  FERRY_TRY(conformance::CheckIsa(request.isa).Context("--isa"));
  FERRY_ASSIGN_OR_RETURN(const auto model, OpenModel(request.file));
  std::vector<engine::NamedTensor> inputs;
  for (const std::string& text : request.inputs) {
    FERRY_ASSIGN_OR_RETURN(engine::NamedTensor input, ReadNamedInput(*model, text));
    inputs.push_back(std::move(input));
  }
  const auto threads = sys::StartThreadPool(0);
  engine::SessionOptions options;
  options.parallel = threads.get();
  options.isa = request.isa;
  options.tuning = {.measure = request.tune, .cache_file = request.cache};
  FERRY_ASSIGN_OR_RETURN(const auto session,
                         engine::Session::Create(model, options).Context("{}", request.file));
  const int64_t start_ns = sys::SystemClock().MonotonicNs();
  const Working working("running " + request.file);
  FERRY_ASSIGN_OR_RETURN(const auto outputs, RunOnce(*session, inputs).Context("{}", request.file));
  const int64_t took_ns = sys::SystemClock().MonotonicNs() - start_ns;
  Output out;
  Json shown = Json::object();
  if (!request.out.empty()) {
    FERRY_TRY(sys::SystemFileSystem().MakeDirectories(request.out));
    OutputFolder folder{request.out, {}};
    for (const NamedValue& output : outputs) {
      FERRY_TRY(folder.Add(output.name, output.value, shown, out.text));
    }
    out.json() = {{"files", std::move(shown)}, {"latency_ns", took_ns}};
    return out;
  }
  for (const NamedValue& output : outputs) {
    Json json = ValueToJson(output.value);
    out.text += fmt::format("{} {} = {}\n", output.name, output.value.TypeText(), WriteJson(json));
    shown[output.name] = std::move(json);
  }
  out.json() = {{"outputs", std::move(shown)}, {"latency_ns", took_ns}};
  return out;
}

}  // namespace ferry::cli
