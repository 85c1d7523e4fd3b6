#include "tools/ferry/engine/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace ferry::cli {
namespace {

using engine::CandidateReport;
using engine::StepReport;

constexpr size_t kNodeWidth = 30;
constexpr size_t kShownRejected = 4;

struct Total {
  int64_t steps = 0;
  double predicted_us = 0;
  double measured_us = 0;
};

double MeasuredSum(std::span<const StepReport> reports) {
  double sum = 0;
  for (const StepReport& report : reports) sum += std::max(0.0, report.measured_us);
  return sum;
}

std::map<std::string, Total> Totals(std::span<const StepReport> reports) {
  std::map<std::string, Total> totals;
  for (const StepReport& report : reports) {
    Total& total = totals[report.primitive];
    ++total.steps;
    total.predicted_us += report.predicted_us;
    total.measured_us += std::max(0.0, report.measured_us);
  }
  return totals;
}

double Share(double part, double whole) {
  return whole > 0 ? part / whole : 0;
}

// Billions a second.
double Rate(double amount, double us) {
  return us > 0 ? amount / us * 1e-3 : 0;
}

// What limits it: arithmetic where there are at least as many operations as bytes.
std::string RateText(const StepReport& report) {
  if (report.measured_us <= 0) return "";
  if (report.flops >= report.bytes) {
    return fmt::format("{:.1f} GFLOP/s", Rate(report.flops, report.measured_us));
  }
  return fmt::format("{:.1f} GB/s", Rate(report.bytes, report.measured_us));
}

std::string RejectedText(const StepReport& report) {
  std::string text;
  for (size_t i = 0; i < std::min(kShownRejected, report.rejected.size()); ++i) {
    const CandidateReport& c = report.rejected[i];
    text += i == 0 ? "  not: " : ", ";
    text += fmt::format("{} {:.0f}", c.name, c.predicted_us);
    if (c.tuned_us >= 0) text += fmt::format(" (measured {:.0f})", c.tuned_us);
    if (!c.admissible) text += fmt::format(" (error {:.0e})", c.error);
  }
  if (report.rejected.size() > kShownRejected) {
    text += fmt::format(", {} more", report.rejected.size() - kShownRejected);
  }
  if (!report.fallback.empty()) text += "  not there: " + report.fallback;
  return text;
}

// The end of a long name tells more than its beginning.
std::string Shortened(const std::string& name) {
  if (name.size() <= kNodeWidth) return name;
  return "~" + name.substr(name.size() - kNodeWidth + 1);
}

Json ToJson(const StepReport& report, double sum_us) {
  Json rejected = Json::array();
  for (const CandidateReport& c : report.rejected) {
    rejected.push_back({{"name", c.name},
                        {"predicted_us", c.predicted_us},
                        {"tuned_us", c.tuned_us},
                        {"rank", c.rank},
                        {"error", c.error},
                        {"admissible", c.admissible}});
  }
  return {{"node", report.node},
          {"primitive", report.primitive},
          {"dtype", report.dtype},
          {"sizes", report.sizes},
          {"choice", report.choice},
          {"backend", report.backend},
          {"fallback", report.fallback.empty() ? Json() : Json(report.fallback)},
          {"flops", report.flops},
          {"bytes", report.bytes},
          {"predicted_us", report.predicted_us},
          {"measured_us", report.measured_us},
          {"tuned_us", report.tuned_us},
          {"rank", report.rank},
          {"runs", report.runs},
          {"gflops", Rate(report.flops, report.measured_us)},
          {"gbytes_per_s", Rate(report.bytes, report.measured_us)},
          {"share", Share(std::max(0.0, report.measured_us), sum_us)},
          {"rejected", rejected}};
}

}  // namespace

Json ExplainJson(std::span<const StepReport> reports) {
  const double sum = MeasuredSum(reports);
  Json steps = Json::array();
  for (const StepReport& report : reports) steps.push_back(ToJson(report, sum));
  Json totals = Json::array();
  for (const auto& [primitive, total] : Totals(reports)) {
    totals.push_back({{"primitive", primitive},
                      {"steps", total.steps},
                      {"predicted_us", total.predicted_us},
                      {"measured_us", total.measured_us},
                      {"share", Share(total.measured_us, sum)}});
  }
  return {{"steps", steps}, {"totals", totals}};
}

std::string ExplainText(std::span<const StepReport> reports) {
  const double sum = MeasuredSum(reports);
  std::string text =
      fmt::format("\n{:<{}} {:<9} {:<34} {:<28} {:>10} {:>10} {:>15} {:>6}\n", "node", kNodeWidth,
                  "primitive", "sizes", "choice", "predicted", "measured", "rate", "share");
  for (const StepReport& report : reports) {
    text += fmt::format("{:<{}} {:<9} {:<34} {:<28} {:>10.1f} {:>10.1f} {:>15} {:>5.1f}%{}\n",
                        Shortened(report.node), kNodeWidth, report.primitive, report.sizes,
                        report.choice, report.predicted_us, report.measured_us, RateText(report),
                        100 * Share(std::max(0.0, report.measured_us), sum), RejectedText(report));
  }
  text += fmt::format("\n{:<12} {:>6} {:>12} {:>12} {:>7}   microseconds\n", "primitive", "steps",
                      "predicted", "measured", "share");
  for (const auto& [primitive, total] : Totals(reports)) {
    text += fmt::format("{:<12} {:>6} {:>12.1f} {:>12.1f} {:>6.1f}%\n", primitive, total.steps,
                        total.predicted_us, total.measured_us, 100 * Share(total.measured_us, sum));
  }
  return text;
}

}  // namespace ferry::cli
