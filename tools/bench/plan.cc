// How well predicted costs rank what is measured: the candidates of every distinct primitive of
// models, each timed as the measured mode does.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "common/base/json.h"
#include "device-runtime/engine/engine.h"
#include "device-runtime/engine/explain/report.h"
#include "tools/bench/bench.h"
#include "tools/bench/load.h"

namespace ferry::bench {
namespace {

using engine::CandidateReport;
using engine::StepReport;

constexpr int kCandidates = 12;
constexpr double kSeconds = 3600;

struct Row {
  std::string model, primitive, sizes;
  std::string predicted, best;
  double predicted_us = 0;  // what was expected of the predicted one
  double taken_us = 0;      // what it took
  double best_us = 0;       // what the best measured one took
  bool is_first = false;    // of its sizes

  double Loss() const { return taken_us / best_us - 1; }
};

// What would be taken unmeasured: the first admissible by prediction, which is always measured.
const CandidateReport* PredictedFirst(const StepReport& report, const CandidateReport& chosen) {
  const CandidateReport* first = &chosen;
  for (const CandidateReport& c : report.rejected) {
    if (c.admissible && c.tuned_us >= 0 && c.rank < first->rank) first = &c;
  }
  return first;
}

Status AddRows(const std::filesystem::path& path, const std::string& isa, sys::Parallel& parallel,
               std::set<std::string>& seen, std::vector<Row>& rows) {
  FERRY_ASSIGN_OR_RETURN(auto model, LoadModel(path));
  engine::SessionOptions options;
  options.parallel = &parallel;
  options.isa = isa;
  options.tuning = {
      .measure = true, .cache_file = "", .seconds = kSeconds, .candidates = kCandidates};
  FERRY_ASSIGN_OR_RETURN(auto session, engine::Session::Create(model, options));
  for (const StepReport& report : session->Explain()) {
    if (report.tuned_us <= 0) continue;  // ran in one way
    const CandidateReport chosen = {report.choice, report.predicted_us, report.tuned_us, 0,
                                    report.rank};
    const CandidateReport* first = PredictedFirst(report, chosen);
    rows.push_back({path.stem().string(), report.primitive, report.sizes, first->name,
                    report.choice, first->predicted_us, first->tuned_us, report.tuned_us,
                    seen.insert(report.primitive + report.sizes).second});
  }
  return OkStatus();
}

// How many of the rows that count were predicted well, and what all of them lose.
template <typename Counts>
void PrintShare(std::string_view name, std::string_view what, const std::vector<Row>& rows,
                const Counts& counts) {
  double taken = 0, best = 0;
  int count = 0, close = 0;
  for (const Row& r : rows) {
    if (!counts(r)) continue;
    ++count;
    close += r.Loss() <= 0.1 ? 1 : 0;
    taken += r.taken_us;
    best += r.best_us;
  }
  if (count == 0) return;
  fmt::print("{}: of {} {} {:.0f} % within 10 % of the best measured; in all {:.1f} % slower\n",
             name, count, what, 100.0 * close / count, 100 * (taken / best - 1));
}

void PrintRows(const std::vector<Row>& rows, const std::string& isa) {
  fmt::print("{:<8} {:<36} {:<26} {:>9} {:>9} {:<26} {:>9} {:>6}\n", isa, "sizes", "predicted best",
             "expected", "took", "measured best", "took", "loss");
  for (const Row& r : rows) {
    if (!r.is_first) continue;
    fmt::print("{:<8} {:<36} {:<26} {:>9.0f} {:>9.0f} {:<26} {:>9.0f} {:>5.0f}%\n", r.primitive,
               r.sizes, r.predicted, r.predicted_us, r.taken_us, r.best, r.best_us, 100 * r.Loss());
  }
  for (const char* primitive : {"conv", "matmul"}) {
    PrintShare(primitive, "sizes", rows,
               [&](const Row& r) { return r.is_first && r.primitive == primitive; });
  }
  std::set<std::string> models;
  for (const Row& r : rows) models.insert(r.model);
  for (const std::string& model : models) {
    PrintShare(model, "steps", rows, [&](const Row& r) { return r.model == model; });
  }
  PrintShare("all", "steps", rows, [](const Row&) { return true; });
}

}  // namespace

Status BenchPlans(const std::vector<std::string>& paths, const std::vector<std::string>& isas,
                  sys::Parallel& parallel, bool json) {
  Json all = Json::array();
  FERRY_ASSIGN_OR_RETURN(const auto files, ModelFiles(paths));
  for (const std::string& isa : isas) {
    std::set<std::string> seen;
    std::vector<Row> rows;
    for (const auto& file : files) FERRY_TRY(AddRows(file, isa, parallel, seen, rows));
    for (const Row& r : rows) {
      all.push_back({{"isa", isa},
                     {"model", r.model},
                     {"primitive", r.primitive},
                     {"sizes", r.sizes},
                     {"predicted", r.predicted},
                     {"predicted_us", r.predicted_us},
                     {"taken_us", r.taken_us},
                     {"best", r.best},
                     {"best_us", r.best_us}});
    }
    if (!json) PrintRows(rows, isa);
  }
  if (json) fmt::print("{}\n", all.dump(2));
  return OkStatus();
}

}  // namespace ferry::bench
