// ONNX's backend suite and real networks against the list of what is known to fail.
#include <algorithm>
#include <iostream>

#include <gtest/gtest.h>
#include "tests/conformance/unpacked.h"
#include "tools/conformance/golden.h"
#include "tools/conformance/list.h"

namespace ferry::conformance {
namespace {

FailingList ReadList() {
  const std::string path = std::string(FERRY_SOURCE_DIR) + "/tests/conformance/failing.txt";
  const auto text = sys::ReadFile(Disk(), path);
  EXPECT_TRUE(text.ok()) << text.status().ToString();
  if (!text.ok()) return {};
  const auto list = ParseList(AsText(*text));
  EXPECT_TRUE(list.ok()) << path << ": " << list.status().ToString();
  return list.ok() ? *list : FailingList();
}

void ExpectAsListed(const Result<std::vector<Case>>& cases, const SuiteOptions& options,
                    const std::string& path, std::span<const std::string> prefixes) {
  ASSERT_TRUE(cases.ok()) << cases.status().ToString();
  std::vector<CaseResult> results;
  const Status status =
      RunSuite(*cases, options, [&](const CaseResult& result) { results.push_back(result); });
  ASSERT_TRUE(status.ok()) << status.ToString();
  const auto passed = std::ranges::count(results, true, &CaseResult::passed);
  std::cout << path << ": " << passed << " of " << results.size() << " passed\n";
  for (const std::string& prefix : prefixes) {
    std::vector<CaseResult> of_prefix;
    std::ranges::copy_if(results, std::back_inserter(of_prefix),
                         [&](const CaseResult& result) { return result.name.starts_with(prefix); });
    const std::string changes = CompareWithList(ReadList(), path, of_prefix, prefix);
    EXPECT_EQ(changes, "") << "tests/conformance/failing.txt is not as the cases are";
  }
}

class Conformance : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const std::vector<std::string> paths = Paths();
    if (std::ranges::find(paths, GetParam()) == paths.end()) {
      GTEST_SKIP() << "SKIPPED: this processor does not run " << GetParam();
    }
  }
};

TEST_P(Conformance, BackendSuiteIsAsListed) {
  const std::string folder = Unpacked("onnx-conformance");
  if (folder.empty()) GTEST_SKIP() << "SKIPPED: no test data in " << DataFolder();
  SuiteOptions options;
  options.run = OptionsOf(GetParam());
  const std::string prefixes[] = {"node/", "pytorch-converted/", "pytorch-operator/", "simple/"};
  ExpectAsListed(FindCases(folder), options, GetParam(), prefixes);
}

TEST_P(Conformance, RealNetworksAreAsListed) {
  if (std::string_view(GetParam()) == "naive") GTEST_SKIP() << "whole networks take too long";
  const std::string folder = Unpacked("real-models");
  if (folder.empty()) GTEST_SKIP() << "SKIPPED: no test data in " << DataFolder();
  SuiteOptions options;
  options.run = OptionsOf(GetParam());
  options.run_case = RunGoldenCase;
  const std::string prefixes[] = {"real-models/"};
  ExpectAsListed(FindGoldenCases(folder + "/real-models"), options, GetParam(), prefixes);
}

INSTANTIATE_TEST_SUITE_P(Paths, Conformance,
                         ::testing::Values("naive", "reference", "avx2", "avx512"),
                         [](const auto& instance) { return std::string(instance.param); });

}  // namespace
}  // namespace ferry::conformance
