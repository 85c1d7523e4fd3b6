// Every model of ONNX's backend suite and every real network, imported, written and imported again.
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <sstream>

#include "device-runtime/formats/onnx.h"
#include "device-runtime/formats/onnx_writer.h"
#include "device-runtime/ir/text.h"
#include "tests/conformance/unpacked.h"
#include "tools/conformance/find.h"

namespace ferry::conformance {
namespace {

// The text of a graph with the constants of each graph in the order of their names.
std::string Canonical(const ir::Graph& graph) {
  std::istringstream in(ir::Print(graph));
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  const auto is_constant = [](const std::string& line) { return line.starts_with("const "); };
  for (auto at = lines.begin(); at != lines.end();) {
    const auto begin = std::find_if(at, lines.end(), is_constant);
    at = std::find_if_not(begin, lines.end(), is_constant);
    std::sort(begin, at);
  }
  std::string out;
  for (const std::string& line : lines) out += line + "\n";
  return out;
}

// "" when the model survives; models that cannot be imported are not counted.
std::string RoundTrip(const std::string& path, int& count) {
  const auto graph = formats::ImportOnnxFile(sys::SystemFileSystem(), path);
  if (!graph.ok()) return "";
  ++count;
  const auto bytes = formats::WriteOnnx(*graph);
  if (!bytes.ok()) return bytes.status().ToString();
  const auto again = formats::ImportOnnx(*bytes);
  if (!again.ok()) return again.status().ToString();
  const std::string before = Canonical(*graph), after = Canonical(*again);
  if (before == after) return "";
  const auto differ = std::mismatch(before.begin(), before.end(), after.begin(), after.end());
  const auto at = static_cast<size_t>(differ.first - before.begin());
  const size_t from = before.rfind('\n', at) + 1;
  return "before: " + before.substr(from, 300) + "\nafter: " + after.substr(from, 300);
}

void ExpectRoundTrips(const std::vector<std::string>& paths, size_t least) {
  int count = 0;
  for (const std::string& path : paths) EXPECT_EQ(RoundTrip(path, count), "") << path;
  std::cout << count << " of " << paths.size() << " models written and read again\n";
  EXPECT_GE(static_cast<size_t>(count), least);
}

TEST(OnnxRoundTrip, BackendSuite) {
  const std::string folder = Unpacked("onnx-conformance");
  if (folder.empty()) GTEST_SKIP() << "SKIPPED: no test data in " << DataFolder();
  const auto cases = FindCases(folder);
  ASSERT_TRUE(cases.ok()) << cases.status().ToString();
  std::vector<std::string> paths;
  for (const Case& c : *cases) paths.push_back(c.folder + "/model.onnx");
  ExpectRoundTrips(paths, paths.size() * 95 / 100);
}

TEST(OnnxRoundTrip, RealNetworks) {
  const std::string folder = Unpacked("real-models");
  if (folder.empty()) GTEST_SKIP() << "SKIPPED: no test data in " << DataFolder();
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".onnx") paths.push_back(entry.path().string());
  }
  ExpectRoundTrips(paths, 10);
}

}  // namespace
}  // namespace ferry::conformance
