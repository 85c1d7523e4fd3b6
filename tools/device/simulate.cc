#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <utility>

#include "common/base/json.h"
#include "common/package/reader.h"
#include "common/sys/filesystem.h"
#include "device-runtime/kernels/isa.h"
#include "device-runtime/task/host.h"
#include "tools/device/commands.h"
#include "tools/device/forbidden_call.h"

namespace ferry::device {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kLimitAddressSpace = false;  // sanitizers map terabytes
#else
constexpr bool kLimitAddressSpace = true;
#endif

constexpr rlim_t kMaxOpenFiles = 64;
constexpr rlim_t kMaxFileBytes = 64 << 20;  // what it may write: a report, if redirected

Status Limit(int resource, rlim_t most, const char* name) {
  rlimit limit{};
  if (::getrlimit(resource, &limit) != 0) return Status::Of(Code::kInternal, "limit of {}", name);
  if (limit.rlim_max != RLIM_INFINITY && limit.rlim_max < most) most = limit.rlim_max;
  limit.rlim_cur = limit.rlim_max = most;
  if (::setrlimit(resource, &limit) == 0) return OkStatus();
  return Status::Of(Code::kInternal, "the limit of {} could not be set", name);
}

// A task that misbehaves shall not take the machine of the server with it.
Status LimitProcess(const SimulateOptions& options) {
  if (kLimitAddressSpace) {
    FERRY_TRY(Limit(RLIMIT_AS, static_cast<rlim_t>(options.memory_mb) << 20, "memory"));
  }
  FERRY_TRY(Limit(RLIMIT_CPU, static_cast<rlim_t>(options.cpu_seconds), "processor time"));
  FERRY_TRY(Limit(RLIMIT_NOFILE, kMaxOpenFiles, "open files"));
  FERRY_TRY(Limit(RLIMIT_FSIZE, kMaxFileBytes, "file size"));
  return Limit(RLIMIT_CORE, 0, "core files");
}

// The largest resident size, from Linux's /proc; 0: not known. Of getrusage it would be that of the
// process which started this one, where that was larger.
int64_t PeakBytes() {
  std::ifstream status("/proc/self/status");
  constexpr std::string_view kName = "VmHWM:";
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(kName)) return std::atoll(line.c_str() + kName.size()) * 1024;  // kB
  return 0;
}

// The environment of a simulation is empty: what kernels read there comes as an option.
Status UseIsa(const std::string& name) {
  if (name.empty()) return OkStatus();
  FERRY_TRY(kernels::IsaFromName(name.c_str()));
  ::setenv("FERRY_ISA", name.c_str(), 1);
  return kernels::ChooseIsa().status();
}

Result<Json> RunCases(const SimulateOptions& options) {
  sys::FileSystem& files = sys::SystemFileSystem();
  task::SimulationOptions simulation;
  simulation.outputs = options.outputs;
  if (!options.cases_of.empty()) {
    FERRY_ASSIGN_OR_RETURN(package::Package cases,
                           package::Package::OpenFile(files, options.cases_of));
    simulation.cases_of = std::make_shared<const package::Package>(std::move(cases));
  }
  task::HostOptions host_options;
  std::string printed;
  if (options.details) {
    simulation.details = true;
    host_options.print = [&printed](std::string_view text) {
      if (printed.size() <= task::kMaxDetailBytes) printed += text;
    };
    simulation.take_printed = [&printed] { return std::exchange(printed, {}); };
  }
  FERRY_ASSIGN_OR_RETURN(auto host,
                         task::TaskHost::LoadFile(files, options.package_file, host_options));
  printed.clear();  // what the top level said when the task was loaded, it says again for the cases
  Json report = host->Simulate(simulation);
  report["peak_bytes"] = PeakBytes();
  return report;
}

Json LoadFailure(const std::string& file, const Status& error) {
  return {{"package", file},
          {"passed", false},
          {"cases", 0},
          {"failed", 0},
          {"failures", Json::array()},
          {"first_failure", {{"name", "load"}, {"text", error.ToString()}}},
          {"error", InfoOf(error.code()).name}};
}

}  // namespace

int Simulate(const SimulateOptions& options) {
  NameForbiddenCalls();
  Json report;
  Status status = UseIsa(options.isa);
  const bool not_here = status.code() == Code::kUnsupported;
  if (status.ok()) status = LimitProcess(options);
  if (status.ok()) {
    Result<Json> ran = RunCases(options);
    status = ran.status();
    if (ran.ok()) report = std::move(*ran);
  }
  if (!status.ok()) report = LoadFailure(options.package_file, status);
  if (not_here) report = {{"passed", false}, {"not_here", options.isa}};
  const bool passed = GetBoolOr(report, "passed", false).value_or(false);
  if (options.json) {
    std::printf("%s\n", WriteJson(report).c_str());
  } else {
    std::printf("%s: %s\n%s\n", options.package_file.c_str(), passed ? "passed" : "failed",
                WriteJsonPretty(report).c_str());
  }
  std::fflush(stdout);
  if (!status.ok()) std::fprintf(stderr, "ferry-device: %s\n", status.ToString().c_str());
  return passed ? 0 : 1;
}

}  // namespace ferry::device
