// Before/after cases of the passes: passes/cases/*.txt. Line by line:
//
//   case layer norm of torch        begins a case, named for people
//   pass fuse norms                 passes to run, in order, by the names that pipeline.cc gives
//   before
//   graph g                         a graph (ir/text.h)
//   after
//   graph g                         what must come out; node names and dead constants do not count
//
// "after same" says that the passes must change nothing. Every case also runs before and after by
// the naive reference, on the same numbers: the outputs must agree.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "device-runtime/ir/text.h"
#include "device-runtime/ops/op.h"
#include "device-runtime/passes/graph_pass.h"

namespace ferry::passes {
namespace {

struct Case {
  std::string name, before, after;
  std::vector<std::string> passes;
  bool same = false;
};

std::vector<Case> ReadCases(const std::string& path) {
  std::ifstream file(path);
  std::vector<Case> cases;
  std::string line;
  std::string* text = nullptr;
  while (std::getline(file, line)) {
    if (line.starts_with("case ")) {
      cases.push_back({line.substr(5), "", "", {}, false});
      text = nullptr;
    } else if (line.starts_with("pass ") && !cases.empty()) {
      cases.back().passes.push_back(line.substr(5));
    } else if (line == "before") {
      text = &cases.back().before;
    } else if (line == "after" || line == "after same") {
      cases.back().same = line == "after same";
      text = &cases.back().after;
    } else if (text != nullptr) {
      *text += line + "\n";
    }
  }
  return cases;
}

ir::Graph ParsedCase(const std::string& text) {
  auto graph = ir::Parse(text);
  EXPECT_TRUE(graph.ok()) << graph.status().ToString();
  if (!graph.ok()) return {};
  const Status verified = ir::Verify(*graph);
  EXPECT_TRUE(verified.ok()) << verified.ToString();
  return *std::move(graph);
}

// Gives values their types where the inputs have fixed shapes: what Specialize does before it runs
// passes.
void SetTypes(ir::Graph& graph) {
  std::vector<bool> known(graph.values.size(), false);
  for (size_t id = 0; id < graph.values.size(); ++id) {
    known[id] = graph.values[id].dtype && graph.values[id].FixedShape();
  }
  for (const ir::Node& node : graph.nodes) {
    std::vector<ops::ValueInfo> infos(node.inputs.size());
    std::vector<const ops::ValueInfo*> inputs(node.inputs.size(), nullptr);
    bool all = true;
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (node.inputs[i] == ir::kNoValue) continue;
      all = all && known[static_cast<size_t>(node.inputs[i])];
      infos[i] = InfoOf(graph.values[static_cast<size_t>(node.inputs[i])]);
      inputs[i] = &infos[i];
    }
    const ops::Op* op = ops::FindOp(node.op);
    if (!all || op == nullptr || op->infer == nullptr) continue;
    ops::InferContext context(node, inputs, node.outputs.size());
    const Status inferred = ops::Infer(*op, context);
    ASSERT_TRUE(inferred.ok()) << inferred.ToString();
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      if (node.outputs[i] == ir::kNoValue) continue;
      ir::Value& value = graph.values[static_cast<size_t>(node.outputs[i])];
      value.dtype = context.outputs[i].dtype;
      value.dims.emplace();
      for (int64_t extent : context.outputs[i].shape.dims()) value.dims->push_back({extent, ""});
      known[static_cast<size_t>(node.outputs[i])] = true;
    }
  }
}

// The text without what does not matter: names of nodes and of values that passes made, types of
// values in between.
std::string Canonical(ir::Graph graph) {
  EXPECT_TRUE(RemoveDead(graph).ok());
  std::vector<bool> given(graph.values.size(), false);
  for (ir::ValueId id : graph.inputs) given[static_cast<size_t>(id)] = true;
  for (ir::ValueId id : graph.outputs) given[static_cast<size_t>(id)] = true;
  for (ir::Node& node : graph.nodes) node.name.clear();
  std::vector<ir::ValueId> order;  // constants and results as nodes come to them
  for (const ir::Node& node : graph.nodes) {
    for (ir::ValueId id : node.inputs) order.push_back(id);
    for (ir::ValueId id : node.outputs) order.push_back(id);
  }
  int next = 0;
  for (ir::ValueId id : order) {
    if (id == ir::kNoValue || given[static_cast<size_t>(id)]) continue;
    given[static_cast<size_t>(id)] = true;
    ir::Value& value = graph.values[static_cast<size_t>(id)];
    value.name = fmt::format("{}{}", value.constant ? "c" : "v", next++);
  }
  const std::string text = ir::Print(graph);
  std::vector<std::string> lines;  // constants stand in order of their names
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  std::ranges::stable_sort(lines, [](const std::string& a, const std::string& b) {
    auto rank = [](const std::string& line) { return line.starts_with("const ") ? 0 : 1; };
    return rank(a) != rank(b) ? rank(a) < rank(b) : rank(a) == 0 && a < b;
  });
  std::string out;
  for (const std::string& line : lines) out += line + "\n";
  return out;
}

const GraphPass* PassNamed(const std::string& name) {
  for (const auto passes : {CompilePasses(), SpecializePasses()}) {
    for (const GraphPass& pass : passes) {
      if (pass.name == name) return &pass;
    }
  }
  return nullptr;
}

// The outputs by the naive references, for inputs of fixed shapes; empty when one is free or an
// operator only expands.
std::vector<tensor::Tensor> Outputs(const ir::Graph& graph) {
  std::map<ir::ValueId, tensor::Tensor> values;
  for (size_t id = 0; id < graph.values.size(); ++id) {
    if (graph.values[id].constant)
      values[static_cast<ir::ValueId>(id)] = *graph.values[id].constant;
  }
  for (ir::ValueId id : graph.inputs) {
    const ir::Value& value = graph.values[static_cast<size_t>(id)];
    const auto shape = value.FixedShape();
    if (!shape) return {};
    auto tensor = tensor::Tensor::Allocate(*value.dtype, *shape).value();
    for (int64_t i = 0; i < tensor.elements(); ++i) {
      const int64_t number = (i * 37 + 11) % 29 - 14;
      if (tensor::IsFloat(*value.dtype)) {
        tensor.SetNumber(i, static_cast<double>(number) / 7);
      } else {
        tensor.SetInteger(i, number);
      }
    }
    values[id] = tensor;
  }
  for (const ir::Node& node : graph.nodes) {
    const ops::Op* op = ops::FindOp(node.op);
    if (op == nullptr || op->reference == nullptr) return {};
    std::vector<const tensor::Tensor*> inputs;
    for (ir::ValueId id : node.inputs) inputs.push_back(id == ir::kNoValue ? nullptr : &values[id]);
    auto made = ops::RunReference(*op, node, inputs);
    EXPECT_TRUE(made.ok()) << made.status().ToString();
    if (!made.ok()) return {};
    for (size_t i = 0; i < node.outputs.size(); ++i) values[node.outputs[i]] = (*made)[i];
  }
  std::vector<tensor::Tensor> outputs;
  for (ir::ValueId id : graph.outputs) outputs.push_back(values[id]);
  return outputs;
}

void ExpectAgree(const ir::Graph& before, const ir::Graph& after) {
  const auto expected = Outputs(before);
  const auto got = Outputs(after);
  ASSERT_EQ(expected.size(), got.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    ASSERT_EQ(expected[i].shape(), got[i].shape());
    for (int64_t k = 0; k < expected[i].elements(); ++k) {
      const double a = expected[i].Number(k);
      const double b = got[i].Number(k);
      if (std::isnan(a) && std::isnan(b)) continue;
      ASSERT_NEAR(a, b, 1e-5 * std::max(1.0, std::abs(a))) << "output " << i << " element " << k;
    }
  }
}

void RunCase(const Case& c) {
  ir::Graph graph = ParsedCase(c.before);
  SetTypes(graph);
  const ir::Graph before = graph;
  for (const std::string& name : c.passes) {
    const GraphPass* pass = PassNamed(name);
    ASSERT_NE(pass, nullptr) << name;
    const auto changed = pass->run(graph);
    ASSERT_TRUE(changed.ok()) << changed.status().ToString();
    ASSERT_TRUE(ir::Verify(graph).ok()) << ir::Verify(graph).ToString();
  }
  ir::Graph after = c.same ? before : ParsedCase(c.after);
  SetTypes(after);
  EXPECT_EQ(Canonical(graph), Canonical(after));
  ExpectAgree(before, graph);
}

TEST(PassCases, BeforeAndAfter) {
  const std::string folder = FERRY_SOURCE_DIR "/device-runtime/passes/cases";
  int count = 0;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".txt") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  for (const auto& path : files) {
    for (const Case& c : ReadCases(path.string())) {
      SCOPED_TRACE(path.filename().string() + ": " + c.name);
      RunCase(c);
      ++count;
    }
  }
  EXPECT_GT(count, 40);
}

}  // namespace
}  // namespace ferry::passes
