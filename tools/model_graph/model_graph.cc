#include "tools/model_graph/model_graph.h"

#include <algorithm>
#include <cmath>

#include "common/base/json.h"
#include "common/package/manifest.h"
#include "device-runtime/engine/engine.h"
#include "device-runtime/tensor/packing.h"
#include "tools/model_graph/cost.h"
#include "tools/model_graph/profile.h"
#include "tools/model_graph/quantization.h"
#include "tools/model_graph/text.h"
#include "tools/model_graph/types.h"

namespace ferry::model_graph {
namespace {

constexpr std::string_view kModelSuffix = ".fm";
constexpr std::string_view kLanguageModelSuffix = ".flm";

class GraphWriter {
 public:
  explicit GraphWriter(const ir::Graph& graph)
      : graph_(graph), types_(TypesOf(graph)), numbers_(graph.values.size(), -1) {}

  Json Run() {
    out_ = {{"kind", "model_graph"}, {"format", kGraphFormat}, {"name", CutText(graph_.name)}};
    for (const ir::ValueId id : graph_.inputs) ends_.push_back(id);
    for (const ir::ValueId id : graph_.outputs) ends_.push_back(id);
    std::ranges::sort(ends_);
    out_["inputs"] = Numbers(graph_.inputs);
    out_["outputs"] = Numbers(graph_.outputs);
    AddNodes();
    AddEdges();
    AddTotals();
    AddQuantization();
    out_["values"] = std::move(values_);
    out_["nodes"] = std::move(nodes_);
    return std::move(out_);
  }

 private:
  // The number of a value in the list, in which it is put when it is named for the first time.
  int NumberOf(ir::ValueId id) {
    int& number = numbers_[static_cast<size_t>(id)];
    if (number >= 0) return number;
    const ir::Value& value = graph_.values[static_cast<size_t>(id)];
    Json item = {{"name", CutText(value.name)}, {"dtype", nullptr}, {"shape", nullptr}};
    const auto& known = types_.of[static_cast<size_t>(id)];
    const auto dtype = known ? std::optional(known->dtype) : value.dtype;
    if (dtype) item["dtype"] = tensor::DTypeName(*dtype);
    const bool declared = value.dims && std::ranges::binary_search(ends_, id);
    if (known && !declared) {
      item["shape"] =
          Json(std::vector<int64_t>(known->shape.dims().begin(), known->shape.dims().end()));
    } else if (value.dims) {
      item["shape"] = DeclaredShape(*value.dims);
    }
    if (value.constant)
      item["bytes"] = tensor::FileBytes(value.constant->dtype(), value.constant->elements());
    bytes_ += WriteJson(item).size();
    number = static_cast<int>(values_.size());
    values_.push_back(std::move(item));
    return number;
  }

  static Json DeclaredShape(const std::vector<ir::Dim>& dims) {
    Json shape = Json::array();
    for (const ir::Dim& dim : dims) {
      if (shape.size() == kMaxListedShape) break;
      if (dim.extent >= 0) {
        shape.push_back(dim.extent);
      } else {
        shape.push_back(dim.symbol.empty() ? std::string("?") : CutText(dim.symbol));
      }
    }
    return shape;
  }

  Json Numbers(const std::vector<ir::ValueId>& ids) {
    Json numbers = Json::array();
    for (const ir::ValueId id : ids) {
      if (numbers.size() == kMaxListedValues) break;
      numbers.push_back(id == ir::kNoValue ? -1 : NumberOf(id));
    }
    return numbers;
  }

  void AddNodes() {
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      if (nodes_.size() == kMaxGraphNodes || bytes_ > kMaxGraphBytes) break;
      nodes_.push_back(NodeJson(i));
      bytes_ += WriteJson(nodes_.back()).size();
    }
    out_["node_count"] = graph_.nodes.size();
    out_["left_out"] = graph_.nodes.size() - nodes_.size();
  }

  Json NodeJson(size_t index) {
    const ir::Node& node = graph_.nodes[index];
    Json attributes = Json::object();
    for (const auto& [key, value] : node.attributes) {
      if (attributes.size() == kMaxListedAttributes) break;
      attributes[CutText(key)] = AttributeText(value);
    }
    int64_t weights = 0;
    for (const ir::ValueId id : node.inputs) {
      if (!graph_.IsConstant(id)) continue;
      const tensor::Tensor& constant = *graph_.values[static_cast<size_t>(id)].constant;
      weights += tensor::FileBytes(constant.dtype(), constant.elements());
    }
    Json json = {{"op", CutText(node.op)},         {"name", CutText(node.name)},
                 {"inputs", Numbers(node.inputs)}, {"outputs", Numbers(node.outputs)},
                 {"attributes", attributes},       {"weight_bytes", weights}};
    if (const auto more = std::max(node.inputs.size(), node.outputs.size());
        more > kMaxListedValues)
      json["more_values"] = more - kMaxListedValues;
    if (const auto cost = CostOf(node, types_)) {
      json["macs"] = cost->macs;
      json["bytes"] = cost->bytes;
      macs_ = std::min(macs_ + cost->macs, kMaxMacs);
    }
    const auto problem = types_.problems.find(index);
    if (problem != types_.problems.end()) json["problem"] = CutText(problem->second);
    return json;
  }

  // From the node that makes a value to those that read it.
  void AddEdges() {
    const std::vector<int> producers = graph_.Producers();
    Json edges = Json::array();
    size_t left_out = 0;
    for (size_t i = 0; i < nodes_.size(); ++i) {
      const ir::Node& node = graph_.nodes[i];
      const size_t listed = std::min(node.inputs.size(), kMaxListedValues);
      for (size_t k = 0; k < listed; ++k) {
        if (!node.HasInput(k)) continue;
        const int maker = producers[static_cast<size_t>(node.inputs[k])];
        if (maker < 0 || static_cast<size_t>(maker) >= nodes_.size()) continue;
        if (edges.size() == kMaxGraphEdges) {
          ++left_out;
          continue;
        }
        edges.push_back({maker, i, NumberOf(node.inputs[k])});
      }
    }
    out_["edges"] = std::move(edges);
    if (left_out > 0) out_["edges_left_out"] = left_out;
  }

  void AddTotals() {
    int64_t bytes = 0, elements = 0;
    for (const ir::Value& value : graph_.values) {
      if (!value.constant) continue;
      bytes += tensor::FileBytes(value.constant->dtype(), value.constant->elements());
      elements += value.constant->elements();
    }
    out_["weight_bytes"] = bytes;
    out_["parameters"] = elements;
    out_["macs"] = macs_;
    Json assumed = Json::array();
    for (const std::string& name : types_.assumed)
      if (assumed.size() < kMaxListedValues) assumed.push_back(CutText(name));
    out_["assumed"] = std::move(assumed);
    out_["cost"] = "estimated";
  }

  void AddQuantization() {
    Json nodes = Json::array();
    int64_t before = 0, after = 0;
    std::vector<bool> counted(graph_.values.size(), false);
    for (const QuantizedNode& node : QuantizedNodes(graph_)) {
      Json item = {{"node", node.node}, {"weights", Json::array()}, {"activations", Json::array()}};
      for (const QuantizedValue& value : node.weights) {
        item["weights"].push_back(QuantizedJson(value));
        if (counted[static_cast<size_t>(value.value)]) continue;
        counted[static_cast<size_t>(value.value)] = true;
        before += value.bytes_before;
        after += value.bytes_after;
      }
      for (const QuantizedValue& value : node.activations)
        item["activations"].push_back(QuantizedJson(value));
      if (node.node < nodes_.size() && bytes_ <= kMaxGraphBytes) {
        bytes_ += WriteJson(item).size();
        nodes.push_back(std::move(item));
      }
    }
    out_["quantization"] = {
        {"nodes", std::move(nodes)}, {"bytes_before", before}, {"bytes_after", after}};
  }

  Json QuantizedJson(const QuantizedValue& value) const {
    Json json = {{"input", value.input},
                 {"dtype", tensor::DTypeName(value.dtype)},
                 {"bits", tensor::FileBits(value.dtype)},
                 {"scheme", value.scheme},
                 {"symmetric", value.symmetric}};
    if (value.has_scales && std::isfinite(value.scale_min) && std::isfinite(value.scale_max)) {
      json["scales"] = value.scales;
      json["scale_min"] = value.scale_min;
      json["scale_max"] = value.scale_max;
    }
    if (value.value == ir::kNoValue) return json;
    json["name"] = CutText(graph_.values[static_cast<size_t>(value.value)].name);
    json["bytes_before"] = value.bytes_before;
    json["bytes_after"] = value.bytes_after;
    return json;
  }

  const ir::Graph& graph_;
  const Types types_;
  std::vector<ir::ValueId> ends_;
  std::vector<int> numbers_;  // by value
  Json out_, values_ = Json::array(), nodes_ = Json::array();
  size_t bytes_ = 0;
  int64_t macs_ = 0;
};

// The model of a package that is meant.
Result<std::string> ModelIn(const package::Package& package, const std::string& wanted) {
  const package::Manifest& manifest = package.manifest();
  std::vector<std::string> models;
  bool has_language_model = false;
  for (const package::FileEntry& file : manifest.files) {
    if (file.path.ends_with(kModelSuffix)) models.push_back(file.path);
    has_language_model = has_language_model || file.path.ends_with(kLanguageModelSuffix);
  }
  if (!wanted.empty() && std::ranges::find(models, wanted) != models.end()) return wanted;
  if (wanted.empty() && models.size() == 1) return models[0];
  if (models.empty() && has_language_model)
    return Status::Of(Code::kUnsupported,
                      "{} {} has a language model, which is no graph of operators", manifest.name,
                      manifest.version);
  if (models.empty())
    return Status::Of(Code::kNotFound, "{} {} has no model", manifest.name, manifest.version);
  return Status::Of(
      Code::kNotFound, "{} {} has {}; its models are {}", manifest.name, manifest.version,
      wanted.empty() ? std::string("several models") : "no model " + CutText(wanted),
      fmt::join(models.begin(),
                models.begin() + static_cast<ptrdiff_t>(std::min(models.size(), kMaxListedShape)),
                ", "));
}

}  // namespace

Json GraphToJson(const ir::Graph& graph) {
  return GraphWriter(graph).Run();
}

Result<Json> GraphOfModelFile(ByteView bytes, std::shared_ptr<const void> keep_alive) {
  FERRY_ASSIGN_OR_RETURN(const auto model, engine::Model::FromBytes(bytes, std::move(keep_alive)));
  return GraphToJson(model->graph());
}

Result<Json> GraphOfPackage(const package::Package& package, const std::string& model) {
  FERRY_ASSIGN_OR_RETURN(const std::string path, ModelIn(package, model));
  FERRY_ASSIGN_OR_RETURN(const ByteView bytes, package.VerifiedFile(path));
  Result<Json> graph = GraphOfModelFile(bytes, nullptr);
  if (!graph.ok()) return graph.status().Context("{}", path);
  (*graph)["file"] = path;
  const std::string profile = ProfileNameOf(path);
  if (!package.Has(profile)) return graph;
  FERRY_ASSIGN_OR_RETURN(const ByteView measured, package.VerifiedFile(profile));
  // The graph is shown all the same.
  if (const Status added = AddProfile(measured, *graph); !added.ok())
    (*graph)["reported"] = {{"problem", CutText(added.message())}};
  return graph;
}

}  // namespace ferry::model_graph
