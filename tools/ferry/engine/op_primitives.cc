#include "tools/ferry/engine/op_primitives.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "device-runtime/engine/engine.h"
#include "device-runtime/engine/explain/report.h"
#include "device-runtime/ir/graph.h"
#include "device-runtime/ir/text.h"
#include "device-runtime/ops/op.h"

namespace ferry::cli {
namespace {

using std::string_view_literals::operator""sv;

constexpr std::string_view kFiles[] = {
#define FERRY_PAGE(path, ...) __VA_ARGS__##sv,
#include "tools/ferry/op_cases.gen.inc"
#undef FERRY_PAGE
};

std::string_view NextLine(std::string_view& text) {
  const size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

// The graphs of the cases that are no errors (device-runtime/engine/cases_test.cc has the
// format).
std::vector<std::string> GraphsOf(std::string_view text) {
  std::vector<std::string> graphs;
  bool is_good = false;
  while (!text.empty()) {
    const std::string_view line = NextLine(text);
    if (line.starts_with("case ")) {
      graphs.emplace_back("graph case\n");
      is_good = true;
    } else if (line.starts_with("error ") && is_good) {
      graphs.pop_back();
      is_good = false;
    } else if (is_good && !line.starts_with("feed ") && !line.starts_with("expect ")) {
      graphs.back() += std::string(line) + "\n";
    }
  }
  return graphs;
}

// The element-wise functions of a map: "Mul(x0, 0.5) Add(v2, x1) (%0, %1) -> ..."
void AddFunctions(std::string_view text, std::set<std::string>& kinds) {
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] < 'A' || text[at] > 'Z') continue;
    const size_t end = text.find_first_of("( ", at);
    if (end == std::string_view::npos) return;
    if (text[end] == '(') kinds.insert("map:" + std::string(text.substr(at, end - at)));
    at = end;
  }
}

// The kinds of a plan's steps: a line is "%4 = conv ...  # node". Of a map its functions count.
std::set<std::string> KindsOf(std::string_view plan) {
  std::set<std::string> kinds;
  while (!plan.empty()) {
    const std::string_view line = NextLine(plan);
    const size_t equals = line.find(" = ");
    if (equals == std::string_view::npos) continue;
    const std::string_view rest = line.substr(equals + 3);
    const std::string kind(rest.substr(0, rest.find(' ')));
    const size_t before = kinds.size();
    if (kind == "map") AddFunctions(rest.substr(0, rest.find("  # ")).substr(4), kinds);
    if (kind != "map" || kinds.size() == before) kinds.insert(kind);
  }
  return kinds;
}

using Found = std::map<std::string, std::set<std::string>>;

// With one plan for the whole graph; null where there is none.
std::unique_ptr<engine::Session> Planned(ir::Graph graph) {
  auto model = engine::Model::FromGraph(std::move(graph));
  if (!model.ok()) return nullptr;
  engine::SessionOptions options;
  options.isa = "reference";
  auto session = engine::Session::Create(*std::move(model), options);
  if (!session.ok() || !(*session)->plan().is_static) return nullptr;
  return *std::move(session);
}

// Plans a graph of one node.
void AddGraph(ir::Graph graph, Found& out) {
  const std::string op = graph.nodes[0].op;
  if (const auto session = Planned(std::move(graph))) out[op].merge(KindsOf(session->plan().text));
}

// Each node of a case alone, as fusions would mix the steps of several; nodes that read what others
// make are left out.
void AddCase(const std::string& text, Found& out) {
  const auto graph = ir::Parse(text);
  if (!graph.ok()) return;
  const std::vector<int> producers = graph->Producers();
  for (const ir::Node& node : graph->nodes) {
    const bool is_first = std::ranges::none_of(node.inputs, [&](ir::ValueId id) {
      return id != ir::kNoValue && producers[static_cast<size_t>(id)] >= 0;
    });
    if (!is_first) continue;
    ir::Graph alone = *graph;
    alone.nodes = {node};
    alone.outputs.clear();
    for (ir::ValueId id : node.outputs) {
      if (id != ir::kNoValue) alone.outputs.push_back(id);
    }
    alone.CompactValues();
    AddGraph(std::move(alone), out);
  }
}

// The operator on floats and with no attribute, for those without a case.
void Probe(const ops::Op& op, Found& out) {
  std::string text = "graph probe\n", inputs;
  for (int i = 0; i < op.min_inputs; ++i) {
    text += fmt::format("input x{} f32 [1,4,4,4]\n", i);
    inputs += fmt::format("{}x{}", i == 0 ? "" : ", ", i);
  }
  text += fmt::format("node {} n ({}) -> (y)\noutput y\n", op.name, inputs);
  auto graph = ir::Parse(text);
  if (graph.ok()) AddGraph(*std::move(graph), out);
}

}  // namespace

std::map<std::string, std::set<std::string>> PrimitivesOfOps() {
  Found out;
  for (std::string_view file : kFiles) {
    for (const std::string& graph : GraphsOf(file)) AddCase(graph, out);
  }
  for (const ops::Op* op : ops::AllOps()) {
    if (!out.contains(std::string(op->name))) Probe(*op, out);
  }
  return out;
}

std::map<std::pair<std::string, std::string>, int> CasesOfPrimitives() {
  std::map<std::pair<std::string, std::string>, int> out;
  for (std::string_view file : kFiles) {
    for (const std::string& text : GraphsOf(file)) {
      auto graph = ir::Parse(text);
      if (!graph.ok()) continue;
      const auto session = Planned(*std::move(graph));
      if (session == nullptr) continue;
      std::set<std::pair<std::string, std::string>> used;
      for (const engine::StepReport& step : session->Explain()) {
        used.emplace(step.primitive, step.dtype);
      }
      for (const auto& one : used) ++out[one];
    }
  }
  return out;
}

}  // namespace ferry::cli
