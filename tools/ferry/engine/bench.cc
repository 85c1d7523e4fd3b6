#include <sys/resource.h>

#include <algorithm>
#include <cmath>

#include "common/sys/clock.h"
#include "common/sys/executor.h"
#include "tools/conformance/run_case.h"
#include "tools/ferry/engine/commands.h"
#include "tools/ferry/engine/explain.h"
#include "tools/ferry/engine/io.h"
#include "tools/ferry/local/models.h"
#include "tools/ferry/progress.h"

namespace ferry::cli {
namespace {

constexpr int kWarmUps = 3;  // the first run packs and faults memory in
constexpr size_t kMinRuns = 10;
constexpr size_t kMaxRuns = 100'000;

double MsSince(int64_t start_ns) {
  return static_cast<double>(sys::SystemClock().MonotonicNs() - start_ns) / 1e6;
}

int64_t PeakBytes() {
  rusage usage{};
  return ::getrusage(RUSAGE_SELF, &usage) == 0 ? int64_t{usage.ru_maxrss} * 1024 : 0;
}

// The value that `share` of the sorted ones do not pass.
double Quantile(const std::vector<double>& sorted, double share) {
  const auto at = static_cast<size_t>(std::ceil(share * static_cast<double>(sorted.size())));
  return sorted[std::clamp<size_t>(at, 1, sorted.size()) - 1];
}

double Median(const std::vector<double>& sorted) {
  const size_t middle = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

Result<std::vector<double>> TimeRuns(engine::Session& session, double seconds,
                                     const std::vector<engine::NamedTensor>& inputs) {
  for (int i = 0; i < kWarmUps; ++i) FERRY_TRY(session.Execute(inputs));
  std::vector<double> times_ms;
  const int64_t begin = sys::SystemClock().MonotonicNs();
  while (times_ms.size() < kMinRuns ||
         (times_ms.size() < kMaxRuns && MsSince(begin) < seconds * 1e3)) {
    const int64_t start = sys::SystemClock().MonotonicNs();
    FERRY_TRY(session.Execute(inputs));
    times_ms.push_back(MsSince(start));
  }
  std::ranges::sort(times_ms);
  return times_ms;
}

std::string Text(const Json& shown, const std::string& model) {
  std::string text = fmt::format(
      "{} on {} threads, {}\n"
      "median {:10.3f} ms\nmin    {:10.3f} ms\np99    {:10.3f} ms    of {} runs\n"
      "load   {:10.3f} ms\npeak memory {}, of it activations {}, weights {}\n",
      model, shown.value("threads", 0), shown.value("isa", ""), shown.value("median_ms", 0.0),
      shown.value("min_ms", 0.0), shown.value("p99_ms", 0.0), shown.value("runs", size_t{0}),
      shown.value("load_ms", 0.0), SizeText(shown.value("peak_bytes", uint64_t{0})),
      SizeText(shown.value("arena_bytes", uint64_t{0})),
      SizeText(shown.value("weight_bytes", uint64_t{0})));
  return text;
}

// Runs a second session whose steps are timed, so that the clock costs the first one nothing.
Result<std::vector<engine::StepReport>> Explain(const std::shared_ptr<const engine::Model>& model,
                                                engine::SessionOptions options, double seconds,
                                                const std::vector<engine::NamedTensor>& inputs) {
  options.time_steps = true;
  // What the first session measured is in the cache.
  if (!options.tuning.cache_file.empty()) options.tuning.measure = false;
  FERRY_ASSIGN_OR_RETURN(const auto session, engine::Session::Create(model, options));
  FERRY_TRY(TimeRuns(*session, seconds, inputs));
  return session->Explain();
}

}  // namespace

Result<Output> BenchModel(const BenchRequest& request) {
  FERRY_TRY(conformance::CheckIsa(request.isa).Context("--isa"));
  FERRY_ASSIGN_OR_RETURN(const InputShapes shapes, ParseInputShapes(request.shapes));
  const auto pool = request.threads > 1 ? sys::StartThreadPool(request.threads) : nullptr;
  engine::SessionOptions options;
  options.parallel = pool.get();
  options.isa = request.isa;
  FERRY_TRY(ApplyBackendOptions(request.backends, options));
  options.error_bound = request.error_bound;
  options.tuning = {
      .measure = request.tune, .cache_file = request.cache, .seconds = request.tune_seconds};
  const int64_t start = sys::SystemClock().MonotonicNs();
  FERRY_ASSIGN_OR_RETURN(const auto model, OpenModel(request.file));
  FERRY_ASSIGN_OR_RETURN(const auto session,
                         engine::Session::Create(model, options).Context("{}", request.file));
  const double load_ms = MsSince(start);
  std::vector<engine::NamedTensor> inputs;
  for (const std::string& text : request.inputs) {
    FERRY_ASSIGN_OR_RETURN(engine::NamedTensor input, ReadNamedInput(*model, text, shapes));
    inputs.push_back(std::move(input));
  }
  FERRY_ASSIGN_OR_RETURN(inputs, FillInputs(*model, std::move(inputs), shapes, request.seed));
  FERRY_ASSIGN_OR_RETURN(const std::vector<double> times_ms,
                         TimeRuns(*session, request.seconds, inputs).Context("{}", request.file));
  Output out;
  out.json() = {{"model", request.file},
                {"threads", request.threads},
                {"isa", session->isa()},
                {"runs", times_ms.size()},
                {"median_ms", Median(times_ms)},
                {"min_ms", times_ms.front()},
                {"p99_ms", Quantile(times_ms, 0.99)},
                {"load_ms", load_ms},
                {"peak_bytes", PeakBytes()},
                {"arena_bytes", session->plan().arena_bytes},
                {"weight_bytes", model->weight_bytes()},
                {"steps", session->plan().steps},
                {"fallbacks", session->plan().fallbacks}};
  out.text = Text(out.json(), request.file);
  for (const std::string& line : session->plan().fallbacks) out.text += line + "\n";
  if (!request.explain) return out;
  FERRY_ASSIGN_OR_RETURN(const auto reports,
                         Explain(model, options, request.seconds, inputs).Context("--explain"));
  out.json()["plan"] = session->plan().text;
  out.json()["explain"] = ExplainJson(reports);
  out.text += ExplainText(reports);
  return out;
}

}  // namespace ferry::cli
