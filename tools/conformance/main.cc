// onnx_cases: runs ONNX backend cases; `ferry conformance` without the rest of ferry.
#include <CLI/CLI.hpp>
#include <cstdio>

#include "common/sys/filesystem.h"
#include "tools/conformance/golden.h"
#include "tools/conformance/list.h"

namespace ferry::conformance {
namespace {

struct Arguments {
  std::string directory;
  std::vector<std::string> patterns;
  std::string real_models;
  std::string list;
  SuiteOptions options;
};

// Runs one of the two kinds of cases and adds the results.
Status RunKind(std::span<const Case> cases, const SuiteOptions& options, bool tell,
               std::vector<CaseResult>& results) {
  return RunSuite(cases, options, [&](const CaseResult& result) {
    if (tell) fmt::print("{}\n", ResultLine(result));
    std::fflush(stdout);
    results.push_back(result);
  });
}

struct Kinds {
  std::vector<Case> onnx, golden;
};

Result<Kinds> Find(const Arguments& arguments) {
  Kinds kinds;
  FERRY_ASSIGN_OR_RETURN(kinds.onnx, FindCases(arguments.directory, arguments.patterns));
  if (!arguments.real_models.empty()) {
    FERRY_ASSIGN_OR_RETURN(kinds.golden, FindGoldenCases(arguments.real_models));
  }
  if (!kinds.onnx.empty() || !kinds.golden.empty()) return kinds;
  return Status::Of(Code::kNotFound, "no such case below {}", arguments.directory);
}

Result<std::vector<CaseResult>> RunAll(const Kinds& kinds, SuiteOptions options, bool tell) {
  std::vector<CaseResult> results;
  FERRY_TRY(RunKind(kinds.onnx, options, tell, results));
  if (options.run.naive) return results;  // whole networks take it too long
  options.run_case = RunGoldenCase;
  FERRY_TRY(RunKind(kinds.golden, options, tell, results));
  return results;
}

// Runs everything on every path.
Status WriteList(const Arguments& arguments, const Kinds& kinds) {
  sys::FileSystem& disk = sys::SystemFileSystem();
  FailingList old;
  if (sys::Exists(disk, arguments.list)) {
    FERRY_ASSIGN_OR_RETURN(const Bytes text, sys::ReadFile(disk, arguments.list));
    FERRY_ASSIGN_OR_RETURN(old, ParseList(AsText(text)).Context("{}", arguments.list));
  }
  std::map<std::string, std::vector<CaseResult>> results;
  for (const std::string& path : Paths()) {
    SuiteOptions options = arguments.options;
    options.run = OptionsOf(path);
    FERRY_ASSIGN_OR_RETURN(results[path], RunAll(kinds, options, false));
    const auto passed = std::ranges::count(results[path], true, &CaseResult::passed);
    fmt::print("{}: {} of {} passed\n", path, passed, results[path].size());
    std::fflush(stdout);
  }
  const FailingList list = MakeList(results, old);
  fmt::print("{} rows\n", list.size());
  return sys::WriteFileAtomically(disk, arguments.list, AsBytes(ListText(list)), sys::kPublicFile);
}

// Whether all passed.
Result<bool> Run(const Arguments& arguments) {
  FERRY_ASSIGN_OR_RETURN(const Kinds kinds, Find(arguments));
  if (!arguments.list.empty()) {
    FERRY_TRY(WriteList(arguments, kinds));
    return true;
  }
  FERRY_ASSIGN_OR_RETURN(const auto results, RunAll(kinds, arguments.options, true));
  const auto passed = std::ranges::count(results, true, &CaseResult::passed);
  const auto all = static_cast<std::ptrdiff_t>(results.size());
  fmt::print("{} passed, {} failed\n", passed, all - passed);
  return passed == all;
}

}  // namespace
}  // namespace ferry::conformance

int main(int argc, char** argv) {
  ferry::conformance::Arguments arguments;
  CLI::App app(
      "Runs ONNX backend cases and prints pass or fail for each.\n\n"
      "  onnx_cases cases 'node/test_add*' --isa avx2");
  app.add_option("directory", arguments.directory, "where the cases lie")->required();
  app.add_option("patterns", arguments.patterns, "only cases whose names match one of these globs");
  app.add_option("--real-models", arguments.real_models,
                 "also the networks of a folder with golden/INDEX.json");
  app.add_option("--isa", arguments.options.run.isa, "instruction set of the kernels");
  app.add_flag("--naive", arguments.options.run.naive, "the naive references instead of sessions");
  app.add_option("--jobs", arguments.options.jobs, "processes at once")
      ->check(CLI::Range(1, ferry::conformance::kMaxJobs));
  app.add_option("--write-list", arguments.list,
                 "run all on every path and write which fail; keeps the reasons of an old list");
  CLI11_PARSE(app, argc, argv);
  const auto done = ferry::conformance::Run(arguments);
  if (!done.ok()) {
    fmt::print(stderr, "onnx_cases: {}\n", done.status().ToString());
    return 2;
  }
  return *done ? 0 : 1;
}
