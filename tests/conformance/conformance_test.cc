// ONNX's backend suite and real networks against the list of what is known to fail.
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>

#include <gtest/gtest.h>
#include "common/sys/filesystem.h"
#include "tools/conformance/golden.h"
#include "tools/conformance/list.h"

namespace ferry::conformance {
namespace {

sys::FileSystem& Disk() {
  return sys::SystemFileSystem();
}

std::string DataFolder() {
  const char* data = std::getenv("FERRY_TESTDATA");
  if (data != nullptr && *data != '\0') return data;
  const char* shared = std::getenv("FERRY_SHARED");
  if (shared != nullptr && *shared != '\0') return std::string(shared) + "/testdata";
  return std::string(FERRY_SOURCE_DIR) + "/../shared/testdata";
}

// NAME.tar.xz, unpacked once into a folder of the build: tests are processes that run side by
// side. Empty where there is no archive.
std::string Unpacked(const std::string& name) {
  const std::string archive = sys::JoinPath(DataFolder(), name + ".tar.xz");
  const Result<sys::FileInfo> info = Disk().Stat(archive);
  if (!info.ok()) return "";
  const std::string root = std::string(FERRY_BINARY_DIR) + "/testdata";
  EXPECT_TRUE(Disk().MakeDirectories(root).ok());
  const int lock = open((root + "/lock").c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0644);
  EXPECT_GE(lock, 0);
  EXPECT_EQ(flock(lock, LOCK_EX), 0);
  const std::string folder = fmt::format("{}/{}-{}", root, name, info->size);
  if (!sys::Exists(Disk(), folder)) {
    const std::string half = folder + ".half";
    EXPECT_TRUE(Disk().RemoveTree(half).ok());
    EXPECT_TRUE(Disk().MakeDirectories(half).ok());
    const std::string command = fmt::format("tar -xJf '{}' -C '{}'", archive, half);
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
    EXPECT_TRUE(Disk().Rename(half, folder).ok());
  }
  close(lock);
  return folder;
}

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
