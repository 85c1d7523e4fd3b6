#include "tools/ferry/local/models.h"

#include <map>

#include "common/sys/filesystem.h"
#include "device-runtime/formats/onnx.h"
#include "device-runtime/llm/adapter/bind.h"
#include "device-runtime/llm/model.h"
#include "tools/ferry/local/given_file.h"
#include "tools/ferry/progress.h"

namespace ferry::cli {
namespace {

Json CountOperators(const ir::Graph& graph) {
  std::map<std::string, int> counts;
  for (const ir::Node& node : graph.nodes) ++counts[node.op];
  return counts;
}

Json IoJson(std::span<const engine::IoInfo> all) {
  Json out = Json::array();
  for (const engine::IoInfo& io : all) {
    Json dims = Json::array();
    for (size_t i = 0; i < io.dims.size(); ++i) {
      const bool named = io.dims[i] < 0 && i < io.symbols.size() && !io.symbols[i].empty();
      dims.push_back(named ? Json(io.symbols[i]) : Json(io.dims[i]));
    }
    out.push_back({{"name", io.name},
                   {"dtype", tensor::DTypeName(io.dtype)},
                   {"shape", io.has_shape ? std::move(dims) : Json()}});
  }
  return out;
}

// As IoJson, of a graph that no model was made of; types that only operators would tell are null.
Json ValuesJson(const ir::Graph& graph, const std::vector<ir::ValueId>& ids) {
  Json out = Json::array();
  for (const ir::ValueId id : ids) {
    const ir::Value& value = graph.values[static_cast<size_t>(id)];
    Json one = {{"name", value.name}, {"dtype", nullptr}, {"shape", nullptr}};
    if (value.dtype) one["dtype"] = tensor::DTypeName(*value.dtype);
    if (value.dims) one["shape"] = Json::array();
    for (const ir::Dim& dim : value.dims.value_or(std::vector<ir::Dim>())) {
      one["shape"].push_back(dim.symbol.empty() ? Json(dim.extent) : Json(dim.symbol));
    }
    out.push_back(std::move(one));
  }
  return out;
}

std::string Stem(const std::string& path) {
  const size_t slash = path.rfind('/');
  const std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
  return name.substr(0, name.rfind('.'));
}

}  // namespace

Result<ConvertedModel> ConvertOnnx(const std::string& path) {
  FERRY_TRY(CheckGiven(path));
  const Working working("converting " + path);
  FERRY_ASSIGN_OR_RETURN(const sys::FileInfo info, sys::SystemFileSystem().Stat(path));
  FERRY_ASSIGN_OR_RETURN(ir::Graph graph, formats::ImportOnnxFile(sys::SystemFileSystem(), path));
  const Json operators = CountOperators(graph);
  const size_t nodes = graph.nodes.size();
  ConvertedModel out;
  FERRY_ASSIGN_OR_RETURN(out.file,
                         engine::Compile(std::move(graph), {Stem(path)}).Context("{}", path));
  FERRY_ASSIGN_OR_RETURN(const auto model,
                         engine::Model::FromBytes(out.file).Context("{}, converted", path));
  out.summary = DescribeModel(model);
  out.summary["compiled_operators"] = out.summary["operators"];
  out.summary["operators"] = operators;
  out.summary["nodes_before"] = nodes;
  out.summary["nodes_after"] = model->graph().nodes.size();
  out.summary["fused_or_folded"] = nodes - std::min(nodes, model->graph().nodes.size());
  out.summary["onnx_bytes"] = info.size;
  out.summary["fm_bytes"] = out.file.size();
  return out;
}

Result<std::shared_ptr<const engine::Model>> OpenModel(const std::string& path) {
  FERRY_TRY(CheckGiven(path));
  const Working working("loading " + path);
  if (path.ends_with(".onnx")) {
    FERRY_ASSIGN_OR_RETURN(
        ir::Graph graph,
        formats::ImportOnnxFile(sys::SystemFileSystem(), path, formats::OnnxTensors::kAsStored));
    return engine::Model::FromGraph(std::move(graph), {Stem(path)}).Context("{}", path);
  }
  FERRY_ASSIGN_OR_RETURN(std::shared_ptr<const sys::MappedFile> file,
                         sys::SystemFileSystem().Map(path));
  return engine::Model::FromBytes(file->bytes(), file).Context("{}", path);
}

Json DescribeModel(const std::shared_ptr<const engine::Model>& model) {
  Json out = {{"name", model->name()},
              {"inputs", IoJson(model->inputs())},
              {"outputs", IoJson(model->outputs())},
              {"operators", CountOperators(model->graph())},
              {"weight_bytes", model->weight_bytes()},
              {"parameters", model->parameter_count()}};
  const auto session = engine::Session::Create(model);
  if (session.ok()) {
    out["arena_bytes"] = (*session)->plan().arena_bytes;
    out["steps"] = (*session)->plan().steps;
  }
  return out;
}

Result<Json> DescribeUnknown(const std::string& path, Status* unknown) {
  FERRY_ASSIGN_OR_RETURN(const ir::Graph graph,
                         formats::ImportOnnxFile(sys::SystemFileSystem(), path,
                                                 formats::OnnxTensors::kAsStored, unknown));
  int64_t bytes = 0, elements = 0;
  for (const ir::Value& value : graph.values) {
    if (!value.constant) continue;
    bytes += value.constant->size_bytes();
    elements += value.constant->elements();
  }
  return Json{{"name", Stem(path)},
              {"inputs", ValuesJson(graph, graph.inputs)},
              {"outputs", ValuesJson(graph, graph.outputs)},
              {"operators", CountOperators(graph)},
              {"weight_bytes", bytes},
              {"parameters", elements}};
}

Result<Json> DescribeLanguageModel(const std::string& path) {
  const Working working("loading " + path);
  FERRY_ASSIGN_OR_RETURN(const auto model, llm::Model::Load(sys::SystemFileSystem(), path));
  return Json{{"architecture", model->config().architecture},
              {"parameters", model->parameters()},
              {"weight_bytes", model->weight_bytes()},
              {"vocabulary", model->config().vocabulary},
              {"context", model->config().context}};
}

Result<Json> DescribeAdapterFile(const std::string& path) {
  FERRY_ASSIGN_OR_RETURN(const llm::AdapterParts parts,
                         llm::ReadAdapter(sys::SystemFileSystem(), path));
  int64_t rank = 0;
  for (const llm::AdapterParts::Change& change : parts.changes) {
    rank = std::max(rank, change.rank);
  }
  return Json{{"adapter_of", parts.base ? ToHex(*parts.base) : std::string()},
              {"base", parts.base_name},
              {"tensors", parts.changes.size()},
              {"rank", rank}};
}

std::string ModelText(const Json& description) {
  std::string out;
  const auto number = [&](const char* key) -> uint64_t {
    const auto value = GetIntOr(description, key, 0);
    return value.ok() && *value > 0 ? static_cast<uint64_t>(*value) : 0;
  };
  for (const char* side : {"inputs", "outputs"}) {
    const auto list = GetArrayOrNull(description, side);
    if (!list.ok() || *list == nullptr) continue;
    for (const Json& io : **list) {
      out += fmt::format("  {:<8} {} {} {}\n", std::string(side, std::string(side).size() - 1),
                         GetStringOr(io, "name", "").value_or(""),
                         GetStringOr(io, "dtype", "").value_or(""),
                         WriteJson(io.value("shape", Json())));
    }
  }
  out += fmt::format("  {} parameters, weights {}, activations {} in {} steps\n",
                     number("parameters"), SizeText(number("weight_bytes")),
                     SizeText(number("arena_bytes")), number("steps"));
  const auto operators = GetObjectOrNull(description, "operators");
  if (operators.ok() && *operators != nullptr) {
    out += "  operators";
    for (const auto& [op, count] : (*operators)->items()) {
      out += fmt::format(" {}:{}", op, WriteJson(count));
    }
    out += "\n";
  }
  return out;
}

}  // namespace ferry::cli
