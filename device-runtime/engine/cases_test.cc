// Runs the text cases of device-runtime/ops/cases on the naive reference and on the engine with
// every instruction set of this machine.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>
#include "device-runtime/engine/engine.h"
#include "device-runtime/engine/reference/reference.h"
#include "device-runtime/engine/value_testing.h"
#include "device-runtime/ir/text.h"
#include "device-runtime/kernels/isa.h"

namespace ferry::engine {
namespace {

// Rounding of f32 over the few terms of a case.
constexpr double kCasesTolerance = 2e-6;

struct Case {
  std::string name;
  std::string graph;
  std::vector<NamedValue> feeds, expected;
  std::string error_code, error_text;
};

Result<NamedValue> ParseFeed(const std::string& line) {
  const size_t equals = line.find('=');
  std::string name = line.substr(0, equals);
  name.erase(name.find_last_not_of(' ') + 1);
  FERRY_ASSIGN_OR_RETURN(tensor::Value value, ParseValue(line.substr(equals + 1)));
  return NamedValue{name, value};
}

std::vector<Case> ReadCases(const std::filesystem::path& path) {
  std::vector<Case> cases;
  std::ifstream file(path);
  std::string line;
  while (std::getline(file, line)) {
    std::istringstream words(line);
    std::string keyword;
    words >> keyword;
    if (keyword == "case") {
      cases.emplace_back();
      words >> cases.back().name;
      cases.back().graph = "graph case\n";
    } else if (keyword == "feed" || keyword == "expect") {
      auto tensor = ParseFeed(line.substr(keyword.size() + 1));
      EXPECT_TRUE(tensor.ok()) << path << ": " << line << ": " << tensor.status().ToString();
      if (!tensor.ok()) continue;
      (keyword == "feed" ? cases.back().feeds : cases.back().expected).push_back(*tensor);
    } else if (keyword == "error") {
      words >> cases.back().error_code >> cases.back().error_text;
    } else if (!keyword.empty() && keyword[0] != '#') {
      cases.back().graph += line + "\n";
    }
  }
  return cases;
}

void Check(const Case& c, const Result<std::vector<NamedValue>>& outputs) {
  if (!c.error_code.empty()) {
    ASSERT_FALSE(outputs.ok());
    EXPECT_NE(outputs.status().ToString().find(c.error_code), std::string::npos)
        << outputs.status().ToString();
    EXPECT_NE(outputs.status().message().find(c.error_text), std::string::npos)
        << outputs.status().ToString();
    return;
  }
  ASSERT_TRUE(outputs.ok()) << outputs.status().ToString();
  ASSERT_EQ(outputs->size(), c.expected.size());
  for (size_t i = 0; i < c.expected.size(); ++i) {
    EXPECT_EQ((*outputs)[i].name, c.expected[i].name);
    EXPECT_EQ(ValueDifference((*outputs)[i].value, c.expected[i].value, kCasesTolerance), "")
        << c.expected[i].name;
  }
}

// By Run where all values are tensors, else by RunValues.
Result<std::vector<NamedValue>> OnEngine(ir::Graph graph, const Case& c, const char* isa) {
  FERRY_ASSIGN_OR_RETURN(auto model, Model::FromGraph(std::move(graph)));
  SessionOptions options;
  options.isa = isa;
  FERRY_ASSIGN_OR_RETURN(auto session, Session::Create(model, options));
  std::vector<NamedTensor> feeds;
  for (const NamedValue& feed : c.feeds) {
    if (feed.value.IsTensor()) feeds.push_back({feed.name, feed.value.tensor()});
  }
  const auto is_tensor = [](const NamedValue& named) { return named.value.IsTensor(); };
  if (feeds.size() < c.feeds.size() || !std::ranges::all_of(c.expected, is_tensor)) {
    return session->RunValues(c.feeds);
  }
  FERRY_ASSIGN_OR_RETURN(auto tensors, session->Run(feeds));
  std::vector<NamedValue> outputs;
  for (NamedTensor& output : tensors) outputs.push_back({output.name, std::move(output.tensor)});
  return outputs;
}

TEST(Cases, ReferenceAndEveryIsa) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(FERRY_SOURCE_DIR) +
                                                               "/device-runtime/ops/cases")) {
    for (const Case& c : ReadCases(entry.path())) {
      SCOPED_TRACE(entry.path().filename().string() + ": " + c.name);
      ++count;
      auto graph = ir::Parse(c.graph);
      ASSERT_TRUE(graph.ok()) << graph.status().ToString();
      ASSERT_TRUE(ir::Verify(*graph).ok()) << ir::Verify(*graph).ToString();
      Check(c, RunReference(*graph, c.feeds));
      for (kernels::Isa isa : kernels::RunningIsas()) {
        SCOPED_TRACE(kernels::IsaName(isa));
        Check(c, OnEngine(*graph, c, kernels::IsaName(isa)));
      }
    }
  }
  EXPECT_GT(count, 60);
}

}  // namespace
}  // namespace ferry::engine
