// ferry llm describe: what a model is made of.
#include "common/base/json.h"
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

Result<Output> Describe(const ModelOptions& request) {
  FERRY_ASSIGN_OR_RETURN(const OpenedModel opened, OpenModel(request));
  Output out;
  out.json() = llm::DescriptionToJson(opened.model->description());
  out.text = DescriptionText(*opened.model, out.json());
  return out;
}

}  // namespace

void AddLlmDescribe(Commands& commands, CLI::App* group) {
  const auto request = std::make_shared<ModelOptions>();
  CLI::App* describe =
      commands.Add(group, "describe", "what a model is made of; --json is what --arch takes",
                   "ferry llm describe MODEL --json",
                   [request](const GlobalOptions&) { return Describe(*request); });
  AddModelOptions(describe, *request);
}

}  // namespace ferry::cli
