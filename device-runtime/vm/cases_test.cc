// Scripts under cases/: each runs and its output must equal the file beside it. `error.py`-like
// cases end with the exception's headline as "raised: ..." line. The same files run under python3
// where there is one.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "device-runtime/vm/isolate.h"

namespace ferry::vm {
namespace {

const std::filesystem::path kCases =
    std::filesystem::path(FERRY_SOURCE_DIR) / "device-runtime/vm/cases";

std::string ReadAll(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

std::vector<std::string> Names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(kCases))
    if (entry.path().extension() == ".py") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

std::string RunCase(const std::string& name, bool collect_always = false) {
  std::string out;
  auto isolate = Isolate::Create(
      {.print = [&](std::string_view text) { out += text; }, .collect_always = collect_always});
  EXPECT_TRUE(isolate.ok());
  Result<Value> result = (*isolate)->RunSource(ReadAll(kCases / (name + ".py")), "__main__");
  if (!result.ok())
    out += "raised: " + result.status().message().substr(0, result.status().message().find('\n')) +
           "\n";
  return out;
}

class Cases : public testing::TestWithParam<std::string> {};

TEST_P(Cases, OutputIsAsExpected) {
  EXPECT_EQ(RunCase(GetParam()), ReadAll(kCases / (GetParam() + ".out")));
}

TEST_P(Cases, CollectingAlwaysChangesNothing) {
  EXPECT_EQ(RunCase(GetParam(), true), ReadAll(kCases / (GetParam() + ".out")));
}

TEST_P(Cases, PythonAgrees) {
  if (std::system(
          "python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1") != 0)
    GTEST_SKIP() << "SKIPPED: no python3 >= 3.11 to compare with";
  const std::string command =
      "python3 -S -E '" + (kCases / (GetParam() + ".py")).string() + "' 2>/dev/null";
  std::string out;
  FILE* pipe = popen(command.c_str(), "r");
  ASSERT_NE(pipe, nullptr);
  char buffer[4096];
  while (size_t n = fread(buffer, 1, sizeof buffer, pipe)) out.append(buffer, n);
  pclose(pipe);
  std::string expected = ReadAll(kCases / (GetParam() + ".out"));
  expected = expected.substr(0, expected.find("raised: "));
  EXPECT_EQ(expected, out);
}

INSTANTIATE_TEST_SUITE_P(Vm, Cases, testing::ValuesIn(Names()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace ferry::vm
