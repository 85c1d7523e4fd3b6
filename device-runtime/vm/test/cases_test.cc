// Programs under cases/: a file holds one, or several divided by lines `#---- name`; the .out file
// beside it holds what each prints, divided by the same lines. A program that ends with an
// exception prints its headline last, as "raised: ...". Each runs in an isolate, in an isolate that
// collects at its safe points (Isolate::Options::collect_always), and under python3 where there is
// one.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "common/sys/clock.h"
#include "device-runtime/vm/isolate.h"

namespace ferry::vm {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kDivider = "#---- ";
constexpr int kDepth = 2000;  // more than a script's own recursion limit, as under python3
const fs::path kCases = fs::path(FERRY_SOURCE_DIR) / "device-runtime/vm/cases";

struct Section {
  std::string name;
  std::string text;
};

std::string ReadAll(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

std::vector<Section> Sections(const std::string& text) {
  std::vector<Section> sections;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(kDivider)) {
      sections.push_back({line.substr(kDivider.size()), ""});
      continue;
    }
    if (sections.empty()) sections.push_back({"", ""});
    sections.back().text += line + "\n";
  }
  return sections;
}

// Without their ending, relative to cases/; those below hostile/ have a test of their own.
std::vector<std::string> Names() {
  std::vector<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(kCases)) {
    const fs::path path = fs::relative(entry.path(), kCases);
    if (path.extension() != ".py" || path == "make.py" || *path.begin() == "hostile") continue;
    names.push_back(fs::path(path).replace_extension().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

// Time that passes when a program waits, so that what sleeps ends in the same order on a machine
// that is busy; and a little whenever one looks, for those that wait without sleeping.
class VirtualClock : public sys::Clock {
 public:
  int64_t NowUnixMs() const override {
    return sys::SystemClock().NowUnixMs() + MonotonicNs() / 1'000'000;
  }
  int64_t MonotonicNs() const override { return now_ns_ += 100; }
  void Pass(int64_t ns) { now_ns_ += ns; }

 private:
  mutable int64_t now_ns_ = 1'000'000'000;
};

std::string RunHere(const std::string& program, bool collect_always) {
  std::string out;
  VirtualClock clock;
  auto isolate = Isolate::Create({.limits = {.depth = kDepth},
                                  .print = [&](std::string_view text) { out += text; },
                                  .clock = &clock,
                                  .sleep = [&](int64_t ns) { clock.Pass(ns); },
                                  .collect_always = collect_always});
  if (!isolate.ok()) return "no isolate: " + isolate.status().message();
  const Result<Value> result = (*isolate)->RunSource(program, "__main__");
  if (!result.ok()) {
    const std::string& message = result.status().message();
    out += "raised: " + message.substr(0, message.find('\n')) + "\n";
  }
  return out;
}

std::string RunPython(const std::string& program) {
  const fs::path folder = fs::path(testing::TempDir()) / ("vm_case_" + std::to_string(getpid()));
  fs::create_directories(folder);
  std::ofstream(folder / "program.py", std::ios::binary) << program;
  const std::string command = "python3 -E -s '" + (folder / "program.py").string() + "' >'" +
                              (folder / "out").string() + "' 2>'" + (folder / "err").string() + "'";
  const int status = std::system(command.c_str());
  std::string out = ReadAll(folder / "out");
  if (status != 0) {
    std::string error = ReadAll(folder / "err");
    while (error.ends_with('\n')) error.pop_back();
    out += "raised: " + error.substr(error.rfind('\n') + 1) + "\n";
  }
  fs::remove_all(folder);
  return out;
}

bool HasPython() {
  static const bool found =
      std::system(
          "python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1") == 0;
  return found;
}

template <typename Run>
void Compare(const std::string& name, Run run) {
  const std::vector<Section> programs = Sections(ReadAll(kCases / (name + ".py")));
  const std::vector<Section> outputs = Sections(ReadAll(kCases / (name + ".out")));
  ASSERT_EQ(programs.size(), outputs.size()) << "make.py writes " << name << ".out";
  for (size_t i = 0; i < programs.size(); ++i) {
    ASSERT_EQ(programs[i].name, outputs[i].name);
#ifdef FERRY_SANITIZED
    if (programs[i].name == "deep") continue;  // natives nest less deeply then (kMaxNativeDepth)
#endif
    EXPECT_EQ(run(programs[i].text), outputs[i].text) << name << ", " << programs[i].name;
  }
}

class Cases : public testing::TestWithParam<std::string> {};

TEST_P(Cases, OutputIsAsExpected) {
  Compare(GetParam(), [](const std::string& text) { return RunHere(text, false); });
}

TEST_P(Cases, CollectingAlwaysChangesNothing) {
  Compare(GetParam(), [](const std::string& text) { return RunHere(text, true); });
}

TEST_P(Cases, PythonAgrees) {
  if (!HasPython()) GTEST_SKIP() << "SKIPPED: no python3 >= 3.11 to compare with";
  Compare(GetParam(), RunPython);
}

INSTANTIATE_TEST_SUITE_P(Vm, Cases, testing::ValuesIn(Names()), [](const auto& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '/', '_');
  return name;
});

}  // namespace
}  // namespace ferry::vm
