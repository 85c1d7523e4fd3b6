#include "common/base/json.h"
#include "tools/conformance/suite.h"
#include "tools/ferry/engine/commands.h"

namespace ferry::cli {

Result<Output> RunConformance(const ConformanceRequest& request) {
  conformance::SuiteOptions options;
  options.run.isa = request.isa;
  options.run.naive = request.naive;
  FERRY_TRY(conformance::CheckIsa(request.isa).Context("--isa"));
  FERRY_ASSIGN_OR_RETURN(const auto cases,
                         conformance::FindCases(request.directory, request.patterns));
  if (cases.empty()) {
    return Status::Of(Code::kNotFound, "{}: no such case (folders with model.onnx and {}0)",
                      request.directory, conformance::kDataSetPrefix);
  }
  Output out;
  Json rows = Json::array();
  int passed = 0, failed = 0;
  FERRY_TRY(RunSuite(cases, options, [&](const conformance::CaseResult& result) {
    ++(result.passed ? passed : failed);
    out.text += conformance::ResultLine(result) + "\n";
    Json row = {{"name", result.name}, {"passed", result.passed}};
    if (!result.passed) row["reason"] = result.reason;
    rows.push_back(std::move(row));
  }));
  out.text += fmt::format("{} passed, {} failed\n", passed, failed);
  out.json() = {{"cases", std::move(rows)}, {"passed", passed}, {"failed", failed}};
  if (failed > 0) {
    out.failed = Status::Of(Code::kFailedPrecondition, "{} of {} cases fail", failed, cases.size());
  }
  return out;
}

}  // namespace ferry::cli
