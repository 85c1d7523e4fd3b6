// From a float graph and a choice to the quantised graph.
#pragma once

#include <map>
#include <optional>

#include "device-runtime/quant/affine.h"
#include "device-runtime/quant/graph/units.h"

namespace ferry::quant {

// A float graph with all that does not depend on the choice of forms.
struct Prepared {
  ir::Graph graph;
  std::vector<Unit> units;
  // By value id: scale and zero point where the value can be quantised.
  std::vector<std::optional<Affine>> affines;
  // By value id: the value's mean for each index of its channel axis, where bias correction needs
  // it.
  std::map<ir::ValueId, std::vector<double>> means;
  std::vector<std::string> notes;  // for the user: what stayed float and why
};

enum class Target {
  kQdq,       // QuantizeLinear and DequantizeLinear nodes, integer constants
  kSimulate,  // the same numbers in float arithmetic, fast to run: Div, Round, Clip, Mul
};

// Builds quantised graphs of one prepared graph; keeps rounded weights for the next choice.
class Builder {
 public:
  Builder(const Prepared& prepared, const Options& options);

  // Value ids of the prepared graph stay what they are.
  Result<ir::Graph> Build(const std::vector<Form>& forms, Target target);
  // Bytes of a unit's weights in a model file, with scales and bias.
  Result<int64_t> WeightBytes(size_t unit, Form form);
  const Prepared& prepared() const { return prepared_; }
  const Options& options() const { return options_; }

 private:
  friend class Emitter;
  struct Rounded {
    QuantizedWeight weight;
    std::optional<Tensor> bias;        // i32
    std::vector<float> bias_scales;    // one, or one a channel
    std::optional<Tensor> float_bias;  // corrected, where the bias stays f32
  };
  Result<const Rounded*> RoundedOf(size_t unit, Form form);
  Result<Rounded> Round(size_t unit, Form form);
  Status RoundBias(size_t unit, Form form, const Tensor& weights, Rounded& out);
  WeightForm WeightFormOf(size_t unit, Form form) const;
  const Tensor* BiasOf(size_t unit) const;

  const Prepared& prepared_;
  const Options& options_;
  std::map<std::pair<size_t, Form>, Rounded> rounded_;
};

// What rounding adds to the mean of each output channel of a layer, given the means of its input
// channels: to be taken off its bias. Source: Nagel et al., Data-free quantization (ICCV 2019),
// with measured means. Empty when the shapes do not allow it.
std::vector<double> MeanShift(const ir::Node& node, const Tensor& weights, const Tensor& rounded,
                              std::span<const double> input_means);

}  // namespace ferry::quant
