#include "cloud-server/rollout/trial/trial.h"

#include <optional>

#include "cloud-server/rollout/trial/compare.h"
#include "common/base/json.h"

namespace ferry::server {
namespace {

constexpr int64_t kNsOfMs = 1'000'000;

class TrialRun {
 public:
  TrialRun(Simulator& simulator, const sys::Clock& clock, const Trial& trial)
      : simulator_(simulator), clock_(clock), trial_(trial), started_ns_(clock.MonotonicNs()) {}

  command::SimulationResult Run() {
    for (size_t k = 0; k < trial_.machines.size(); ++k)
      Try(trial_.machines[k], k >= kMaxSimulatedProfiles);
    kinds_ = ran_;
    if (ran_ == 0) Try({}, false);
    return Verdict();
  }

 private:
  bool HasTime() const {
    const int64_t spent_ms = (clock_.MonotonicNs() - started_ns_) / kNsOfMs;
    return ran_ == 0 || spent_ms + kSimulationTimeoutMs <= kSimulationBudgetMs;
  }

  void Try(const MachineDevices& kind, bool skip) {
    Json profile = {{"profile", NameOfMachine(kind.machine)}, {"devices", kind.devices}};
    if (skip || !HasTime()) {
      profile["skipped"] = true;
      ++skipped_;
      profiles_.push_back(std::move(profile));
      return;
    }
    auto outcome = simulator_.Run({trial_.package, trial_.version, {}, kind.machine});
    // Only of what was asked for: the server's own machine runs every package, or none does.
    const std::string& isa = kind.machine.isa;
    if (outcome.ok() && !isa.empty() && outcome->not_here == isa) {
      profile["not_here"] = outcome->not_here;
      not_here_ += (not_here_.empty() ? "" : ", ") + outcome->not_here;
      profiles_.push_back(std::move(profile));
      return;
    }
    ++ran_;
    if (!outcome.ok()) {
      profile["error"] = outcome.status().ToString();
      outcome = SimulationOutcome{false, outcome.status().ToString(), "{}"};
    }
    profile.update({{"cases", outcome->cases},
                    {"failed", outcome->failed},
                    {"ms", outcome->median_ms},
                    {"peak_bytes", outcome->peak_bytes}});
    profiles_.push_back(std::move(profile));
    Note(kind, std::move(*outcome));
  }

  // The first run decides what is told, or the first that failed.
  void Note(const MachineDevices& kind, SimulationOutcome outcome) {
    const bool first = !told_;
    if (!first && (!told_->passed || outcome.passed)) return;
    told_ = std::move(outcome);
    if (!told_->passed && kind.machine != SimulatedMachine{})
      told_->text = fmt::format("on {}: {}", NameOfMachine(kind.machine), told_->text);
    if (first && told_->passed && !trial_.running.empty()) CompareOn(kind.machine);
  }

  void CompareOn(const SimulatedMachine& machine) {
    auto was = simulator_.Run({trial_.package, trial_.running, trial_.version, machine});
    // What was withdrawn or cleared away runs on no device for long.
    if (was.code() == Code::kNotFound) {
      comparison_ = Comparison{{}, trial_.running + " is not here to compare with", {}};
      return;
    }
    if (was.ok() && was->finished && was->cases > 0) {
      comparison_ = Compare(trial_.stage, trial_.running, *was, *told_);
      comparison_->numbers["compared_with"] = trial_.running;
      return;
    }
    comparison_ = Comparison{{},
                             fmt::format("{} could not be run to compare: {}", trial_.running,
                                         was.ok() ? was->text : was.status().ToString()),
                             {}};
    const stage::Stage& stage = trial_.stage;
    if (stage.same_outputs || stage.max_time_ratio > 0 || stage.max_memory_ratio > 0)
      comparison_->complaints.push_back(comparison_->text);
  }

  std::string Where() const {
    std::string text;
    if (trial_.machines.size() > 1)
      text = fmt::format(" on {} of {} kinds of devices", kinds_, trial_.machines.size());
    if (!not_here_.empty()) text += fmt::format(" (not runnable here: {})", not_here_);
    if (skipped_ > 0) text += fmt::format(" ({} kinds skipped)", skipped_);
    return text;
  }

  command::SimulationResult Verdict() const {
    command::SimulationResult result;
    result.passed = told_->passed;
    result.text = told_->text;
    Json numbers = Json::object();
    if (auto report = ParseJson(told_->numbers_json); report.ok() && report->is_object())
      numbers = std::move(*report);
    numbers["profiles"] = profiles_;
    if (comparison_ && comparison_->numbers.is_object()) numbers.update(comparison_->numbers);
    result.numbers_json = WriteJson(numbers);
    if (!result.passed) return result;
    result.text += Where();
    if (!comparison_) return result;
    result.passed = comparison_->complaints.empty();
    if (result.passed) {
      result.text += "; " + comparison_->text;
    } else {
      result.text =
          fmt::format("beside {}: {}", trial_.running, fmt::join(comparison_->complaints, "; "));
    }
    return result;
  }

  Simulator& simulator_;
  const sys::Clock& clock_;
  const Trial& trial_;
  const int64_t started_ns_;
  int ran_ = 0, skipped_ = 0;
  int kinds_ = 0;  // of the fleet that ran
  std::string not_here_;
  Json profiles_ = Json::array();
  std::optional<SimulationOutcome> told_;
  std::optional<Comparison> comparison_;
};

}  // namespace

command::SimulationResult RunTrial(Simulator& simulator, const sys::Clock& clock,
                                   const Trial& trial) {
  return TrialRun(simulator, clock, trial).Run();
}

}  // namespace ferry::server
