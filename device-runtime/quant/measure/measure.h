// How far a quantised model is from the float one, on some samples.
#pragma once

#include <memory>
#include <span>

#include "device-runtime/quant/graph/build.h"
#include "device-runtime/quant/measure/probe.h"
#include "device-runtime/quant/quantize.h"

namespace ferry::quant {

class Measure {
 public:
  // Runs the float graph on the samples and keeps its outputs.
  static Result<Measure> Create(Builder& builder, std::span<const Sample> samples);

  // The largest relative error of an output with these forms.
  Result<double> OutputError(const std::vector<Form>& forms);
  // Fills `outputs` and, for each layer of `units` (in the order of report.layers), its distance.
  Status Fill(const std::vector<Form>& forms, const std::vector<size_t>& units, Report& report);
  int evaluations() const { return evaluations_; }

 private:
  explicit Measure(Builder& builder) : builder_(&builder) {}

  Builder* builder_;
  std::span<const Sample> samples_;
  std::vector<std::string> names_;                            // of float outputs
  std::vector<std::vector<std::optional<Tensor>>> expected_;  // by sample
  int evaluations_ = 0;
};

// The forms that keep the error within options.max_error: from `forms` on, those layers whose
// rounding alone does most harm take a finer form or stay float; then those that turned out not to
// be needed go back. kFailedPrecondition when even the finest forms do not hold it. `alone` gets
// each unit's error alone where it was measured.
Result<std::vector<Form>> HoldBound(Builder& builder, Measure& measure, std::vector<Form> forms,
                                    std::vector<double>& alone);

// The errors of the outputs with one unit at a time quantised, by unit; -1 for units that are
// float.
Result<std::vector<double>> AloneErrors(Builder& builder, Measure& measure,
                                        const std::vector<Form>& forms);

}  // namespace ferry::quant
