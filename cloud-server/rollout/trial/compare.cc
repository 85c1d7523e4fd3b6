#include "cloud-server/rollout/trial/compare.h"

#include <algorithm>
#include <cmath>

#include "common/base/json.h"

namespace ferry::server {
namespace {

constexpr double kBytesOfMiB = 1 << 20;
constexpr double kThousandths = 1000;  // ratios are told to so many parts

bool Near(const Json& was, const Json& is, double tolerance) {
  if (was.is_number() && is.is_number())
    return std::abs(was.get<double>() - is.get<double>()) <= tolerance;
  if (was.type() != is.type() || was.size() != is.size()) return false;
  if (was.is_array())
    return std::equal(was.begin(), was.end(), is.begin(),
                      [&](const Json& a, const Json& b) { return Near(a, b, tolerance); });
  if (!was.is_object()) return was == is;
  for (const auto& [key, value] : was.items())
    if (!is.contains(key) || !Near(value, is.at(key), tolerance)) return false;
  return true;
}

double Rounded(double ratio) {
  return std::round(ratio * kThousandths) / kThousandths;
}

std::string MiB(int64_t bytes) {
  return fmt::format("{:.1f} MiB", static_cast<double>(bytes) / kBytesOfMiB);
}

void CompareOutputs(const stage::Stage& stage, const SimulationOutcome& was,
                    const SimulationOutcome& is, Comparison* out) {
  const size_t both = std::min(was.outputs.size(), is.outputs.size());
  Json differences = Json::array();
  int64_t different = 0;
  for (size_t k = 0; k < both; ++k) {
    const SimulatedOutput &a = was.outputs[k], &b = is.outputs[k];
    if (SameOutput(a.output, b.output, b.tolerance)) continue;
    ++different;
    if (differences.size() < kMaxListedDifferences)
      differences.push_back({{"case", b.name}, {"was", a.output}, {"is", b.output}});
  }
  const int64_t not_compared = is.cases - static_cast<int64_t>(both);
  if (stage.same_outputs && different > 0)
    out->complaints.push_back(fmt::format(
        "{} of {} outputs differ, first {}: was {}, is {}", different, both,
        differences[0]["case"].get<std::string>(), differences[0]["was"].get<std::string>(),
        differences[0]["is"].get<std::string>()));
  else if (stage.same_outputs && not_compared > 0)
    out->complaints.push_back(
        fmt::format("the outputs of {} cases could not be compared", not_compared));
  out->text += fmt::format("{} of {} outputs differ", different, both);
  out->numbers["different"] = different;
  out->numbers["differences"] = std::move(differences);
  if (not_compared > 0) out->numbers["not_compared"] = not_compared;
}

}  // namespace

bool SameOutput(const std::string& was, const std::string& is, double tolerance) {
  if (was == is) return true;
  if (tolerance <= 0) return false;
  const Result<Json> a = ParseJson(was), b = ParseJson(is);
  return a.ok() && b.ok() && Near(*a, *b, tolerance);
}

Comparison Compare(const stage::Stage& stage, const std::string& running,
                   const SimulationOutcome& was, const SimulationOutcome& is) {
  Comparison out;
  out.numbers = {{"running", {{"ms", was.median_ms}, {"peak_bytes", was.peak_bytes}}}};
  out.text = fmt::format("against {}: ", running);
  CompareOutputs(stage, was, is, &out);
  const bool timed = was.median_ms > 0 && is.median_ms > 0;
  if (timed) {
    const double ratio = is.median_ms / was.median_ms;
    out.numbers["time_ratio"] = Rounded(ratio);
    const std::string times = fmt::format("{:.3f} ms, was {:.3f} ms", is.median_ms, was.median_ms);
    out.text += ", a run takes " + times;
    if (stage.max_time_ratio > 0 && ratio > stage.max_time_ratio &&
        is.median_ms - was.median_ms > kTimeNoiseMs)
      out.complaints.push_back(fmt::format("a run takes {}: {:.2f} times, at most {:g}", times,
                                           ratio, stage.max_time_ratio));
  } else if (stage.max_time_ratio > 0) {
    out.complaints.push_back("the time cannot be judged: no run of one of the versions went well");
  }
  if (was.peak_bytes > 0 && is.peak_bytes > 0) {
    const double ratio = static_cast<double>(is.peak_bytes) / static_cast<double>(was.peak_bytes);
    out.numbers["memory_ratio"] = Rounded(ratio);
    const std::string sizes = fmt::format("{}, was {}", MiB(is.peak_bytes), MiB(was.peak_bytes));
    out.text += ", memory " + sizes;
    if (stage.max_memory_ratio > 0 && ratio > stage.max_memory_ratio)
      out.complaints.push_back(fmt::format("its memory is {}: {:.2f} times, at most {:g}", sizes,
                                           ratio, stage.max_memory_ratio));
  } else if (stage.max_memory_ratio > 0) {
    out.complaints.push_back("the memory cannot be judged: it is not known");
  }
  return out;
}

}  // namespace ferry::server
