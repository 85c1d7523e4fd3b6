#include "cloud-server/rollout/simulator.h"

#include <signal.h>

#include <atomic>
#include <cstdlib>
#include <functional>

#include "cloud-server/rollout/child/calls.h"
#include "cloud-server/rollout/child/child_process.h"
#include "cloud-server/rollout/trial/draft.h"
#include "common/base/json.h"
#include "common/base/log.h"

namespace ferry::server {
namespace {

constexpr size_t kMaxQuoted = 300;
constexpr int64_t kMiB = int64_t{1} << 20;

std::string LastLine(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.remove_suffix(1);
  const size_t start = text.rfind('\n');
  return std::string(start == std::string_view::npos ? text : text.substr(start + 1));
}

// Of a child that made a system call which ends it. It writes the call's number if it still can.
std::string OfForbiddenCall(const std::string& last) {
  constexpr std::string_view kBefore = "system call ";
  const size_t at = last.find(kBefore);
  const std::string name = at == std::string::npos
                               ? "a system call"
                               : CallName(std::atoi(last.c_str() + at + kBefore.size()));
  return fmt::format("it tried {}, which no simulation may, and was ended", name);
}

// What to say when the child gave no report.
std::string WithoutReport(const ChildResult& child) {
  std::string last = LastLine(child.errors.empty() ? child.output : child.errors);
  if (child.exit_code == 128 + SIGSYS) return OfForbiddenCall(last);
  return fmt::format("ferry-device simulate ended with status {}: {}", child.exit_code,
                     last.empty() ? "no output" : last.substr(0, kMaxQuoted));
}

std::string FirstFailure(const Json& report) {
  Result<const Json*> failure = GetObjectOrNull(report, "first_failure");
  if (!failure.ok() || *failure == nullptr) return {};
  Result<std::string> name = GetStringOr(**failure, "name", "a case");
  Result<std::string> text = GetStringOr(**failure, "text", "");
  return fmt::format("{}: {}", name.value_or("a case"), text.value_or(""));
}

// Members that a program does not say stay as they are; wrong ones make no outcome.
Status ReadReport(const Json& report, SimulationOutcome* outcome) {
  FERRY_ASSIGN_OR_RETURN(outcome->cases, GetInt(report, "cases"));
  FERRY_ASSIGN_OR_RETURN(outcome->failed, GetInt(report, "failed"));
  FERRY_ASSIGN_OR_RETURN(outcome->median_ms, GetNumberOr(report, "p50_ms", 0));
  FERRY_ASSIGN_OR_RETURN(outcome->peak_bytes, GetIntOr(report, "peak_bytes", 0));
  FERRY_ASSIGN_OR_RETURN(outcome->outputs_left_out, GetIntOr(report, "outputs_left_out", 0));
  FERRY_ASSIGN_OR_RETURN(const Json* outputs, GetArrayOrNull(report, "outputs"));
  if (outputs == nullptr) return OkStatus();
  for (const Json& item : *outputs) {
    SimulatedOutput& output = outcome->outputs.emplace_back();
    FERRY_ASSIGN_OR_RETURN(output.name, GetString(item, "case"));
    FERRY_ASSIGN_OR_RETURN(output.output, GetString(item, "output"));
    FERRY_ASSIGN_OR_RETURN(output.tolerance, GetNumberOr(item, "tolerance", 0));
  }
  return OkStatus();
}

SimulationOutcome Judge(const ChildResult& child) {
  SimulationOutcome outcome;
  outcome.numbers_json = "{}";
  Result<Json> report = ParseJson(LastLine(child.output));
  if (!report.ok() || !report->is_object()) {
    outcome.text = WithoutReport(child);
    return outcome;
  }
  outcome.not_here = GetStringOr(*report, "not_here", "").value_or("");
  if (!outcome.not_here.empty()) {
    outcome.text = "not runnable here: " + outcome.not_here;
    return outcome;
  }
  if (!ReadReport(*report, &outcome).ok()) {
    outcome = SimulationOutcome{false, WithoutReport(child), "{}"};
    return outcome;
  }
  report->erase("outputs");
  outcome.numbers_json = WriteJson(*report);
  outcome.finished = true;
  // A package without cases proves nothing.
  outcome.passed = child.exit_code == 0 && outcome.failed == 0 && outcome.cases > 0;
  const std::string failure = FirstFailure(*report);
  if (outcome.cases > 0) {
    outcome.text =
        fmt::format("{} of {} cases as expected", outcome.cases - outcome.failed, outcome.cases);
    if (!failure.empty()) outcome.text += "; " + failure;
  } else {
    outcome.text = failure.empty() ? "the package has no simulation cases" : failure;
  }
  return outcome;
}

class ChildSimulator : public Simulator {
 public:
  ChildSimulator(Registry& registry, sys::FileSystem& fs, ChildOptions options)
      : registry_(registry), fs_(fs), options_(std::move(options)) {}

  Result<SimulationOutcome> Run(const SimulationOrder& order) override {
    SimulationOutcome outcome;
    FERRY_TRY(InFolder([&](const std::string& folder) -> Status {
      FERRY_ASSIGN_OR_RETURN(outcome, RunIn(folder, order));
      return OkStatus();
    }));
    return outcome;
  }

  Result<Json> Try(const Draft& draft) override {
    Json report;
    FERRY_TRY(WithDraft(draft, [&](const std::string& fpk) -> Status {
      ChildOptions options = options_;
      options.timeout_ms = kDraftTimeoutMs;
      FERRY_ASSIGN_OR_RETURN(report, RunDetailedChild(options, fpk));
      return OkStatus();
    }));
    return report;
  }

  // Open files outlive their names.
  Result<std::unique_ptr<sys::ReadableFile>> Make(const Draft& draft) override {
    std::unique_ptr<sys::ReadableFile> file;
    FERRY_TRY(WithDraft(draft, [&](const std::string& fpk) -> Status {
      FERRY_ASSIGN_OR_RETURN(file, fs_.OpenForRead(fpk));
      return OkStatus();
    }));
    return file;
  }

 private:
  // A folder of its own, which is removed.
  Status InFolder(const std::function<Status(const std::string& folder)>& work) {
    const std::string folder =
        sys::JoinPath(options_.scratch_directory, fmt::format("simulation-{}", next_.fetch_add(1)));
    FERRY_TRY(fs_.RemoveTree(folder));
    FERRY_TRY(fs_.MakeDirectories(folder));
    const Status status = work(folder);
    const Status removed = fs_.RemoveTree(folder);
    return status.ok() ? removed : status;
  }

  Status WithDraft(const Draft& draft, const std::function<Status(const std::string& fpk)>& work) {
    FERRY_TRY(CheckDraft(draft));
    const Seat seat(&drafts_);
    if (seat.number > kMaxDraftsAtOnce)
      return Status::Of(Code::kUnavailable, "{} drafts are tried at this moment; try again soon",
                        kMaxDraftsAtOnce);
    return InFolder([&](const std::string& folder) -> Status {
      const std::string base = sys::JoinPath(folder, "package.fpk");
      const std::string fpk = sys::JoinPath(folder, "draft.fpk");
      FERRY_TRY(registry_.OpenPackage(draft.package, draft.base, fs_, base));
      FERRY_TRY(WriteDraft(fs_, base, draft, fpk));
      return work(fpk);
    });
  }

  struct Seat {
    explicit Seat(std::atomic<int>* taken) : seats(taken), number(taken->fetch_add(1) + 1) {}
    ~Seat() { seats->fetch_sub(1); }
    Seat(const Seat&) = delete;
    std::atomic<int>* const seats;
    const int number;
  };

  Result<SimulationOutcome> RunIn(const std::string& folder, const SimulationOrder& order) {
    const std::string fpk = sys::JoinPath(folder, "package.fpk");
    FERRY_TRY(registry_.OpenPackage(order.package, order.version, fs_, fpk));
    std::string cases;
    if (!order.cases_of.empty()) {
      cases = sys::JoinPath(folder, "cases.fpk");
      FERRY_TRY(registry_.OpenPackage(order.package, order.cases_of, fs_, cases));
    }
    return RunSimulationChild(options_, fpk, order.machine, cases);
  }

  Registry& registry_;
  sys::FileSystem& fs_;
  const ChildOptions options_;
  std::atomic<uint64_t> next_{0};
  std::atomic<int> drafts_{0};
};

}  // namespace

std::unique_ptr<Simulator> MakeChildSimulator(Registry& registry, sys::FileSystem& fs,
                                              ChildOptions options) {
  if (!ChildrenCannotReadFiles())
    LogWarn("rollout",
            "simulations can read what this server's user can read, keys too: the kernel has no "
            "Landlock and the server was not started by root");
  return std::make_unique<ChildSimulator>(registry, fs, std::move(options));
}

Result<SimulationOutcome> RunSimulationChild(const ChildOptions& options, const std::string& fpk,
                                             const SimulatedMachine& machine,
                                             const std::string& cases_of) {
  ChildLimits limits;
  limits.timeout_ms = options.timeout_ms;
  limits.max_output = kMaxSimulationOutput;
  limits.max_memory = options.max_memory;
  limits.input = fpk;
  limits.second_input = cases_of;
  std::vector<std::string> arguments = {options.program, "simulate", kChildInput, "--json",
                                        "--outputs"};
  if (!machine.isa.empty()) arguments.insert(arguments.end(), {"--isa", machine.isa});
  if (machine.memory_bytes != 0)
    arguments.insert(arguments.end(),
                     {"--memory-mb", fmt::format("{}", machine.memory_bytes / kMiB)});
  if (!cases_of.empty()) arguments.insert(arguments.end(), {"--cases-of", kChildSecondInput});
  Result<ChildResult> child = RunChild(arguments, limits);
  if (child.ok()) return Judge(*child);
  // The task ran for ever or wrote without end: its own fault, and a verdict.
  if (child.code() == Code::kDeadlineExceeded || child.code() == Code::kLimitExceeded)
    return SimulationOutcome{false, child.status().message(), "{}"};
  return child.status();
}

Result<Json> RunDetailedChild(const ChildOptions& options, const std::string& fpk) {
  ChildLimits limits;
  limits.timeout_ms = options.timeout_ms;
  limits.max_output = kMaxDetailedOutput;
  limits.max_memory = options.max_memory;
  limits.input = fpk;
  const auto failed = [](const std::string& text) {
    return Json{{"passed", false}, {"cases", 0}, {"failed", 0}, {"error", text}};
  };
  Result<ChildResult> child =
      RunChild({options.program, "simulate", kChildInput, "--json", "--details"}, limits);
  if (child.code() == Code::kDeadlineExceeded || child.code() == Code::kLimitExceeded)
    return failed(child.status().message());
  FERRY_TRY(child.status());
  Result<Json> report = ParseJson(LastLine(child->output));
  if (!report.ok() || !report->is_object()) return failed(WithoutReport(*child));
  // Of one that did not even load.
  if (!report->contains("details")) return failed(FirstFailure(*report));
  report->erase("package");
  return report;
}

}  // namespace ferry::server
