// ferry task exec: a plain script as `python3 FILE.py` would run it, with or without limits.
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "common/sys/filesystem.h"
#include "device-runtime/task/task_spec.h"
#include "device-runtime/vm/embed/desk.h"
#include "device-runtime/vm/isolate.h"
#include "tools/ferry/task/script_folder.h"
#include "tools/ferry/task/subcommands.h"

namespace ferry::cli {
namespace {

constexpr int kExitLimit = 3;
constexpr int kExitNoFile = 2;  // as Python
constexpr size_t kOutputBuffer = 64 << 10;

struct ExecRequest {
  std::string file;
  std::vector<std::string> arguments;
  bool limits = false;
  int64_t memory_mb = 0, instructions = 0;  // 0: not given
  double seconds = 0;
};

// Without limits a script has what the machine has.
int64_t MachineMemory() {
  return static_cast<int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
}

vm::Limits LimitsOf(const ExecRequest& request) {
  constexpr double kNsPerSecond = 1e9;
  constexpr int64_t kNsPerMs = 1'000'000;
  vm::Limits limits = vm::Limits::None();
  limits.memory_bytes = MachineMemory();
  if (request.limits) {
    limits.steps = task::kDefaultSteps;
    limits.memory_bytes = task::kDefaultMemoryBytes;
    limits.depth = static_cast<int>(task::kDefaultDepth);
    limits.wall_ns = task::kDefaultWallMs * kNsPerMs;
    limits.output_bytes = task::kDefaultOutputBytes;
  }
  limits.memory_error = !request.limits && request.memory_mb == 0;
  if (request.instructions > 0) limits.steps = request.instructions;
  if (request.memory_mb > 0) limits.memory_bytes = request.memory_mb << 20;
  if (request.seconds > 0) limits.wall_ns = static_cast<int64_t>(request.seconds * kNsPerSecond);
  return limits;
}

std::string FolderOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

// The modules beside the script. Two of the desk library's CPython has built in: none beside a
// script takes their place.
vm::SourceLoader LoaderOf(const std::string& file) {
  return [beside = ScriptFolder(FolderOf(file))](std::string_view name) -> Result<vm::ModuleFile> {
    if (name == "atexit" || name == "codecs")
      return Status::Of(Code::kNotFound, "{} is built in", name);
    return beside(name);
  };
}

vm::Isolate::Options OptionsOf(const ExecRequest& request) {
  vm::Isolate::Options options;
  options.limits = LimitsOf(request);
  options.loader = LoaderOf(request.file);
  options.desk = &vm::DeskLibrary();
  options.print = [](std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); };
  options.print_error = [](std::string_view text) {
    std::fwrite(text.data(), 1, text.size(), stderr);
  };
  options.argv.push_back(request.file);
  options.argv.insert(options.argv.end(), request.arguments.begin(), request.arguments.end());
  return options;
}

Result<Output> Exec(const ExecRequest& request, bool json) {
  if (json)
    return Status(Code::kInvalidArgument, "--json: standard output belongs to the script here");
  Output out;
  const auto source = sys::ReadFile(sys::SystemFileSystem(), request.file, vm::kMaxSourceBytes);
  if (!source.ok()) {
    std::fprintf(stderr, "ferry: %s\n", source.status().ToString().c_str());
    out.exit = kExitNoFile;
    return out;
  }
  if (isatty(STDOUT_FILENO) == 0) std::setvbuf(stdout, nullptr, _IOFBF, kOutputBuffer);
  FERRY_ASSIGN_OR_RETURN(const auto isolate, vm::Isolate::Create(OptionsOf(request)));
  const Result<int> ran = isolate->RunMain(AsText(*source), request.file);
  std::fflush(stdout);
  if (ran.ok()) {
    out.exit = *ran;
    return out;
  }
  const std::string_view limit = vm::LimitName(ran.status());
  if (limit.empty()) return ran.status();
  std::fprintf(stderr, "ferry: %s\nlimit: %.*s\n", ran.status().ToString().c_str(),
               static_cast<int>(limit.size()), limit.data());
  out.exit = kExitLimit;
  return out;
}

}  // namespace

void AddTaskExec(Commands& commands, CLI::App* task) {
  const auto request = std::make_shared<ExecRequest>();
  CLI::App* exec = commands.Add(
      task, "exec", "run a script as python3 would", "ferry task exec --limits script.py",
      [request](const GlobalOptions& global) { return Exec(*request, global.json); });
  exec->add_option("file", request->file, "the script; modules are found beside it")->required();
  exec->add_option("arguments", request->arguments,
                   "sys.argv[1:]; those that begin with - stand behind a --");
  exec->add_flag("--limits", request->limits, "the limits of a task that names none");
  exec->add_option("--memory-mb", request->memory_mb, "limit of memory, MiB")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 20));
  exec->add_option("--seconds", request->seconds, "limit of wall time")
      ->check(CLI::Range(1e-6, 1e9))
      ->check([](const std::string& text) {  // a range takes it
        return std::isnan(std::strtod(text.c_str(), nullptr)) ? "nan is no time" : "";
      });
  exec->add_option("--instructions", request->instructions, "limit of counted instructions")
      ->check(CLI::Range(int64_t{1}, INT64_MAX / 2));
}

}  // namespace ferry::cli
