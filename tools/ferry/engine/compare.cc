#include <cmath>

#include "common/sys/executor.h"
#include "common/sys/filesystem.h"
#include "tools/conformance/golden.h"
#include "tools/ferry/engine/commands.h"
#include "tools/ferry/local/models.h"
#include "tools/ferry/progress.h"
#include "tools/npy/npz.h"

namespace ferry::cli {
namespace {

using engine::NamedTensor;
using engine::Tensor;

// Compares one output; adds a row of the table and of the JSON. False when it is too far.
Result<bool> AddOutput(const NamedTensor& got, const Tensor& want, double tolerance, Output& out) {
  FERRY_ASSIGN_OR_RETURN(
      const conformance::GoldenError error,
      conformance::MeasureError(got.tensor, want).Context("output '{}'", got.name));
  const bool good = error.Relative() <= tolerance;
  // JSON has no infinity.
  const auto number = [](double value) { return std::isfinite(value) ? Json(value) : Json(); };
  out.json()["outputs"].push_back({{"name", got.name},
                                   {"type", want.TypeText()},
                                   {"max_abs_error", number(error.largest)},
                                   {"max_reference", error.reference},
                                   {"relative_error", number(error.Relative())},
                                   {"different", error.different},
                                   {"elements", want.elements()},
                                   {"same_top1", error.same_top1},
                                   {"passed", good}});
  out.text +=
      fmt::format("{} {}: error {:.3g} of {:.3g}, relative {:.3g}, top-1 {}, {}\n", got.name,
                  want.TypeText(), error.largest, error.reference, error.Relative(),
                  error.same_top1 ? "same" : "differs", good ? "ok" : "TOO FAR");
  return good;
}

Result<std::vector<NamedTensor>> RunInputs(const CompareRequest& request,
                                           std::shared_ptr<const engine::Model> model,
                                           std::vector<NamedTensor> inputs) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    FERRY_ASSIGN_OR_RETURN(inputs[i].tensor,
                           conformance::FitInput(model->inputs()[i], std::move(inputs[i].tensor)));
  }
  const auto threads = sys::StartThreadPool(0);
  engine::SessionOptions options;
  options.parallel = threads.get();
  options.isa = request.isa;
  options.error_bound = request.error_bound;
  const Working working("running " + request.file);
  FERRY_ASSIGN_OR_RETURN(const auto session, engine::Session::Create(std::move(model), options));
  return session->Run(inputs);
}

}  // namespace

Result<Output> CompareModel(const CompareRequest& request) {
  FERRY_TRY(conformance::CheckIsa(request.isa).Context("--isa"));
  FERRY_ASSIGN_OR_RETURN(const auto model, OpenModel(request.file));
  FERRY_ASSIGN_OR_RETURN(const auto file, sys::SystemFileSystem().Map(request.golden));
  FERRY_ASSIGN_OR_RETURN(const auto arrays,
                         npy::ReadNpz(file->bytes()).Context("{}", request.golden));
  FERRY_ASSIGN_OR_RETURN(
      auto inputs,
      conformance::GoldenOf(arrays, model->inputs(), "in").Context("{}", request.golden));
  FERRY_ASSIGN_OR_RETURN(
      const auto want,
      conformance::GoldenOf(arrays, model->outputs(), "out").Context("{}", request.golden));
  FERRY_ASSIGN_OR_RETURN(const auto outputs,
                         RunInputs(request, model, std::move(inputs)).Context("{}", request.file));
  Output out;
  out.json() = {{"model", request.file}, {"golden", request.golden}, {"outputs", Json::array()}};
  out.json()["tolerance"] = request.tolerance;
  std::vector<std::string> far;
  for (size_t i = 0; i < want.size(); ++i) {
    FERRY_ASSIGN_OR_RETURN(const bool good,
                           AddOutput(outputs[i], want[i].tensor, request.tolerance, out));
    if (!good) far.push_back(want[i].name);
  }
  out.json()["passed"] = far.empty();
  if (!far.empty()) {
    out.failed =
        Status::Of(Code::kFailedPrecondition, "{}: further than {} of the largest golden value: {}",
                   request.file, request.tolerance, fmt::join(far, ", "));
  }
  return out;
}

}  // namespace ferry::cli
