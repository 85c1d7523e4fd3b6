// Which layers are quantised by the user's choice.
#include <algorithm>

#include <fnmatch.h>

#include "device-runtime/quant/graph/units.h"

namespace ferry::quant {
namespace {

Form FormOf(const Unit& unit, Type type) {
  if (unit.kind == Kind::kCheap) return Form::kFloat;
  const bool is_table = unit.kind == Kind::kTable;
  switch (type) {
    case Type::kInt8:
      return is_table ? Form::kWeight8 : Form::kInt8;
    case Type::kInt8Dynamic:
      return is_table ? Form::kWeight8 : Form::kDynamic;
    case Type::kWeight8:
      return unit.weight < 0 ? Form::kFloat : Form::kWeight8;
    case Type::kWeight4:
      return unit.weight < 0 ? Form::kFloat : Form::kWeight4;
    default:
      return Form::kFloat;  // f16 and bf16 are not by layer: storage.h
  }
}

Status Skip(const ir::Graph& graph, const std::vector<Unit>& units,
            const std::vector<std::string>& patterns, std::vector<Form>& forms) {
  for (const std::string& pattern : patterns) {
    bool found = false;
    for (size_t u = 0; u < units.size(); ++u) {
      if (units[u].kind == Kind::kCheap) continue;
      const ir::Node& node = graph.nodes[static_cast<size_t>(units[u].node)];
      const std::string& out = graph.values[units[u].out].name;
      if (::fnmatch(pattern.c_str(), node.name.c_str(), 0) != 0 &&
          ::fnmatch(pattern.c_str(), out.c_str(), 0) != 0) {
        continue;
      }
      forms[u] = Form::kFloat;
      found = true;
    }
    if (!found) {
      return Status::Of(Code::kInvalidArgument, "--skip '{}' fits no layer of the model", pattern);
    }
  }
  return OkStatus();
}

}  // namespace

Result<std::vector<Form>> ChooseForms(const ir::Graph& graph, const std::vector<Unit>& units,
                                      const Options& options) {
  std::vector<Form> forms;
  std::vector<size_t> layers;
  for (size_t u = 0; u < units.size(); ++u) {
    forms.push_back(FormOf(units[u], options.type));
    if (units[u].kind == Kind::kLayer && units[u].weight >= 0) layers.push_back(u);
  }
  const size_t first = std::min<size_t>(static_cast<size_t>(options.keep_first), layers.size());
  const size_t last = std::min<size_t>(static_cast<size_t>(options.keep_last), layers.size());
  for (size_t i = 0; i < first; ++i) forms[layers[i]] = Form::kFloat;
  for (size_t i = layers.size() - last; i < layers.size(); ++i) forms[layers[i]] = Form::kFloat;
  FERRY_TRY(Skip(graph, units, options.skip, forms));
  return forms;
}

}  // namespace ferry::quant
