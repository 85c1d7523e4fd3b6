#include <algorithm>

#include "pipeline/rule/text.h"

namespace ferry::rule {
namespace {

constexpr std::string_view kContiguityTexts[] = {"strict", "relaxed", "any"};

// Quotes stand where a name could be taken for something else.
std::string Quoted(const std::string& name) {
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  return std::all_of(name.begin(), name.end(), is_plain) ? name : '"' + name + '"';
}

std::string FitsToText(const Condition& condition) {
  std::string out = condition.event.empty() ? "*" : Quoted(condition.event);
  if (!condition.page.empty()) out += " on " + Quoted(condition.page);
  if (!condition.where.empty()) out += " where " + condition.where;
  return out;
}

std::string StepToText(const Step& step) {
  std::string out;
  if (step.contiguity != Contiguity::kRelaxed)
    out.append(kContiguityTexts[static_cast<size_t>(step.contiguity)]).append(" ");
  if (step.negated) out += "not ";
  if (step.optional) out += "optional ";
  if (step.greedy) out += "greedy ";
  out += Quoted(step.name) + ": " + FitsToText(step.fits);
  if (step.least != 1 || step.most != 1) out += fmt::format(" times {}..{}", step.least, step.most);
  if (step.inner != Contiguity::kRelaxed)
    out.append(" inner ").append(kContiguityTexts[static_cast<size_t>(step.inner)]);
  if (!step.until) return out;
  const bool only_where = step.until->event.empty() && step.until->page.empty();
  return out + " until " + (only_where ? step.until->where : "{ " + FitsToText(*step.until) + " }");
}

std::string WithinToText(int64_t within_ms) {
  constexpr std::pair<int64_t, std::string_view> kUnits[] = {
      {86'400'000, "d"}, {3'600'000, "h"}, {60'000, "min"}, {1000, "s"}};
  for (const auto& [ms, name] : kUnits)
    if (within_ms % ms == 0) return fmt::format("{} {}", within_ms / ms, name);
  return fmt::format("{} ms", within_ms);
}

}  // namespace

std::string RuleToText(const Rule& rule) {
  std::string out = "rule " + Quoted(rule.name);
  for (size_t k = 0; k < rule.per.size(); ++k)
    out += (k == 0 ? " per " : ", ") + Quoted(rule.per[k]);
  out += " {\n";
  for (const Step& step : rule.steps) out += "  " + StepToText(step) + ";\n";
  if (rule.within_ms > 0) out += "  within " + WithinToText(rule.within_ms) + ";\n";
  constexpr std::string_view kSkips[] = {"none", "next", "past_last", "first ", "last "};
  if (rule.skip != SkipKind::kPastLast)
    out.append("  skip ")
        .append(kSkips[static_cast<size_t>(rule.skip)])
        .append(rule.skip_to.empty() ? "" : Quoted(rule.skip_to))
        .append(";\n");
  if (rule.max_runs != kDefaultMaxRuns) out += fmt::format("  max_runs {};\n", rule.max_runs);
  if (rule.max_keys != kDefaultMaxKeys) out += fmt::format("  max_keys {};\n", rule.max_keys);
  return out + "}\n";
}

}  // namespace ferry::rule
