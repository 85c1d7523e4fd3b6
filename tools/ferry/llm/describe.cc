// ferry llm describe: what a model or an adapter is made of.
#include "common/base/bytes.h"
#include "common/base/json.h"
#include "common/sys/filesystem.h"
#include "device-runtime/llm/adapter/bind.h"
#include "device-runtime/llm/arch/describe/description.h"
#include "tools/ferry/llm/model_options.h"
#include "tools/ferry/llm/subcommands.h"

namespace ferry::cli {
namespace {

std::string DescriptionText(const llm::Model& model, const Json& description) {
  std::string text = fmt::format(
      "{}: {} layers of {}, vocabulary {}, context {}, {:.1f} M parameters, {}\n",
      model.config().architecture, model.config().layers, model.config().hidden,
      model.config().vocabulary, model.config().context,
      static_cast<double>(model.parameters()) / 1e6, llm::MatrixTypeName(model.weight_type()));
  int64_t first = 0;
  for (const Json& layer : description["layer"]) {
    const int64_t count = layer.value("count", int64_t{1});
    text += count == 1 ? fmt::format("layer {}:\n", first)
                       : fmt::format("layers {} to {}:\n", first, first + count - 1);
    for (const auto& [name, value] : layer.items()) {
      if (name != "count") text += fmt::format("  {} = {}\n", name, WriteJson(value));
    }
    first += count;
  }
  for (const auto& [name, value] : description.items()) {
    if (name != "layer") text += fmt::format("{} = {}\n", name, WriteJson(value));
  }
  return text;
}

// Of an adapter, which needs no base for it.
Result<Output> DescribeAdapter(const std::string& path) {
  FERRY_ASSIGN_OR_RETURN(const llm::AdapterParts parts,
                         llm::ReadAdapter(sys::SystemFileSystem(), path));
  Output out;
  Json list = Json::array();
  int64_t parameters = 0;
  for (const llm::AdapterParts::Change& change : parts.changes) {
    for (const llm::StoredTensor* tensor : {&change.a, &change.b}) {
      int64_t count = 1;
      for (const int64_t extent : tensor->shape) count *= extent;
      parameters += count;
    }
    list.push_back({{"name", change.name},
                    {"rank", change.rank},
                    {"scale", change.scale},
                    {"type", llm::MatrixTypeName(change.a.type)}});
    out.text += fmt::format("{}: rank {}, scale {:g}, {}\n", change.name, change.rank, change.scale,
                            llm::MatrixTypeName(change.a.type));
  }
  const std::string digest = parts.base ? ToHex(*parts.base) : "";
  out.text = fmt::format("adapter of {}{}: {} tensors, {:.3f} M parameters\n{}",
                         parts.base_name.empty() ? "a base that it does not name" : parts.base_name,
                         digest.empty() ? "" : fmt::format(" ({})", digest), parts.changes.size(),
                         static_cast<double>(parameters) / 1e6, out.text);
  out.json() = {{"kind", "adapter"},
                {"base", digest.empty() ? Json() : Json(digest)},
                {"base_name", parts.base_name},
                {"parameters", parameters},
                {"tensors", std::move(list)}};
  return out;
}

Result<Output> Describe(const ModelOptions& request) {
  if (llm::IsAdapter(sys::SystemFileSystem(), request.model)) return DescribeAdapter(request.model);
  FERRY_ASSIGN_OR_RETURN(const OpenedModel opened, OpenModel(request));
  Output out;
  out.json() = llm::DescriptionToJson(opened.model->description());
  out.text = DescriptionText(*opened.model, out.json());
  return out;
}

}  // namespace

void AddLlmDescribe(Commands& commands, CLI::App* group) {
  const auto request = std::make_shared<ModelOptions>();
  CLI::App* describe = commands.Add(
      group, "describe", "what a model is made of (--json is what --arch takes), or an adapter",
      "ferry llm describe MODEL --json",
      [request](const GlobalOptions&) { return Describe(*request); });
  AddModelOptions(describe, *request);
}

}  // namespace ferry::cli
