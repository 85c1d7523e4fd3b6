// ferry task test: a task's simulation cases, and every function test_* of its files test_*.py.
#include "common/package/manifest.h"
#include "common/sys/filesystem.h"
#include "device-runtime/task/host.h"
#include "device-runtime/vm/embed/desk.h"
#include "tools/ferry/task/desk_host.h"
#include "tools/ferry/task/packed.h"
#include "tools/ferry/task/subcommands.h"

namespace ferry::cli {
namespace {

struct Tally {
  int passed = 0, failed = 0;
  Json failures = Json::array();
  std::string text;
  void Fail(const std::string& name, const std::string& error) {
    ++failed;
    failures.push_back({{"test", name}, {"error", error}});
    text += fmt::format("FAILED {}\n{}\n", name, error);
  }
};

// One file of tests; each test gets an isolate of its own.
class TestFile {
 public:
  TestFile(const std::shared_ptr<const task::Program>& program, std::string folder,
           std::string module)
      : program_(program), folder_(std::move(folder)), module_(std::move(module)) {}

  void Run(Tally* tally) const {
    DeskHost host(program_);
    auto names = Names(&host);
    if (!names.ok()) return tally->Fail(module_, names.status().message());
    for (const std::string& name : *names) {
      DeskHost own(program_);
      const Status status = RunOne(&own, name);
      if (status.ok())
        ++tally->passed;
      else
        tally->Fail(module_ + "." + name, status.message());
    }
  }

 private:
  Result<std::unique_ptr<vm::Isolate>> Make(DeskHost* host) const {
    vm::Isolate::Options options = host->Options();
    options.desk = &vm::DeskLibrary();
    // Tests lie beside the task and are no part of its package.
    options.loader = [this, packaged =
                                options.loader](std::string_view module) -> Result<vm::ModuleFile> {
      const std::string path = sys::JoinPath(folder_, task::FileOfModule(module));
      if (!module.starts_with("test_") || !sys::Exists(sys::SystemFileSystem(), path))
        return packaged(module);
      return Read(path);
    };
    return vm::Isolate::Create(std::move(options));
  }
  static Result<vm::ModuleFile> Read(const std::string& path) {
    FERRY_ASSIGN_OR_RETURN(const Bytes source,
                           sys::ReadFile(sys::SystemFileSystem(), path, vm::kMaxSourceBytes));
    return vm::ModuleFile(std::string(AsText(source)));
  }
  // In the order of the file.
  Result<std::vector<std::string>> Names(DeskHost* host) const {
    FERRY_ASSIGN_OR_RETURN(auto isolate, Make(host));
    FERRY_TRY(AsStatus(isolate->Import(module_)));
    std::vector<std::string> names;
    const std::string path = sys::JoinPath(folder_, task::FileOfModule(module_));
    FERRY_ASSIGN_OR_RETURN(const Bytes source, sys::ReadFile(sys::SystemFileSystem(), path));
    std::string_view text = AsText(source);
    for (size_t at = 0; at < text.size(); at = std::min(text.find('\n', at), text.size() - 1) + 1) {
      std::string_view line = text.substr(at);
      if (!line.starts_with("def test_")) continue;
      line.remove_prefix(4);
      names.emplace_back(line.substr(0, line.find_first_of("( \t")));
    }
    return names;
  }
  Status RunOne(DeskHost* host, const std::string& name) const {
    FERRY_ASSIGN_OR_RETURN(auto isolate, Make(host));
    FERRY_TRY(AsStatus(isolate->Import(module_)));
    FERRY_ASSIGN_OR_RETURN(const vm::Value function, isolate->GetGlobal(module_, name));
    return isolate->Call(function, {}).status();
  }

  std::shared_ptr<const task::Program> program_;
  std::string folder_, module_;
};

Status RunCases(const PackedTask& packed, Tally* tally) {
  FERRY_ASSIGN_OR_RETURN(const auto program, packed.Load());  // names the file that is damaged
  FERRY_ASSIGN_OR_RETURN(const auto host,
                         task::TaskHost::LoadFile(sys::SystemFileSystem(), packed.file(), {}));
  if (program->package->manifest().simulation.empty()) return OkStatus();
  const Json result = host->Simulate();
  FERRY_ASSIGN_OR_RETURN(const int64_t cases, GetInt(result, "cases"));
  FERRY_ASSIGN_OR_RETURN(const int64_t failed, GetInt(result, "failed"));
  tally->passed += static_cast<int>(cases - failed);
  for (const Json& failure : result["failures"])
    tally->Fail(failure["case"].get<std::string>(), failure["error"].get<std::string>());
  return OkStatus();
}

Result<Output> Test(const std::string& path) {
  FERRY_ASSIGN_OR_RETURN(const PackedTask packed, PackedTask::Make(path));
  Tally tally;
  FERRY_TRY(RunCases(packed, &tally));
  FERRY_ASSIGN_OR_RETURN(const sys::FileInfo info, sys::SystemFileSystem().Stat(path));
  if (info.is_directory) {
    FERRY_ASSIGN_OR_RETURN(const auto program, packed.Load());
    FERRY_ASSIGN_OR_RETURN(const auto names, sys::SystemFileSystem().List(path));
    for (const std::string& name : names)
      if (name.starts_with("test_") && name.ends_with(".py"))
        TestFile(program, path, name.substr(0, name.size() - 3)).Run(&tally);
  }
  Output out;
  out.json() = {{"passed", tally.passed}, {"failed", tally.failed}, {"failures", tally.failures}};
  out.text = fmt::format("{}{} passed, {} failed\n", tally.text, tally.passed, tally.failed);
  if (tally.failed > 0)
    out.failed = Status::Of(Code::kSimulationFailed, "{}: {} tests fail", path, tally.failed);
  return out;
}

}  // namespace

void AddTaskTest(Commands& commands, CLI::App* task) {
  const auto path = std::make_shared<std::string>();
  CLI::App* command = commands.Add(task, "test", "run a task's cases and its test_*.py",
                                   "ferry task test tasks/digits",
                                   [path](const GlobalOptions&) { return Test(*path); });
  command->add_option("path", *path, "a task's folder or package")->required();
}

}  // namespace ferry::cli
