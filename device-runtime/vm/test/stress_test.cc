// The programs under cases/ while memory fails: the n-th allocation, for every n. Each ends as it
// would, or with the limit of memory, and gives everything back.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "common/base/memory.h"
#include "device-runtime/vm/isolate.h"

namespace ferry::vm {
namespace {

namespace fs = std::filesystem;

const fs::path kCases = fs::path(FERRY_SOURCE_DIR) / "device-runtime/vm/cases";

std::vector<std::string> Programs(const fs::path& path) {
  std::vector<std::string> programs = {""};
  std::ifstream in(path, std::ios::binary);
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("#---- ")) {
      programs.emplace_back();
    } else {
      programs.back() += line + "\n";
    }
  }
  return programs;
}

std::vector<std::string> Files() {
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(kCases)) {
    const fs::path path = fs::relative(entry.path(), kCases);
    // asyncio's programs sleep in real time: thousands of runs of each would last for minutes.
    if (path.extension() == ".py" && path != "make.py" && *path.begin() != "hostile" &&
        path != "library/asyncio.py")
      files.push_back(path.string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

class Stress : public testing::TestWithParam<std::string> {};

TEST_P(Stress, EveryAllocationMayFail) {
  ASSERT_TRUE(Isolate::Create({}).ok());  // what is shared is there
  for (const std::string& program : Programs(kCases / GetParam())) {
    const int64_t blocks = CurrentMemoryUse().blocks;
    bool fired = true;
    for (int64_t nth = 1; fired; ++nth) {
      FailAllocations fail(nth, nth % 2 == 0);
      {
        auto isolate = Isolate::Create({.limits = {.steps = 20'000'000, .depth = 3000}});
        const Status status =
            isolate.ok() ? (*isolate)->RunSource(program, "__main__").status() : isolate.status();
        // What a program catches or how it ends by itself is its own affair.
        EXPECT_TRUE(status.ok() || status.code() == Code::kScriptMemory ||
                    status.code() == Code::kScriptRaised || status.code() == Code::kScriptSyntax ||
                    status.code() == Code::kScriptTime)
            << nth << ": " << status.ToString();
      }
      fired = fail.fired();
      ASSERT_LT(nth, 5000) << program;
    }
    EXPECT_EQ(CurrentMemoryUse().blocks, blocks) << program;
  }
}

std::string TestName(const testing::TestParamInfo<std::string>& info) {
  std::string name;
  for (const char c : info.param) name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(Vm, Stress, testing::ValuesIn(Files()), TestName);

}  // namespace
}  // namespace ferry::vm
