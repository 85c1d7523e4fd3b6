#include "device-runtime/llm/arch/blocks/positions.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "device-runtime/kernels/parallel.h"
#include "device-runtime/llm/arch/blocks/block.h"

namespace ferry::llm {
namespace {

// Source of the scalings: Hugging Face's modeling_rope_utils, in float32 where it matters.
float Llama3(const Rotary& rotary, float frequency) {
  const auto original = static_cast<double>(rotary.original);
  const double length = 2 * std::numbers::pi / static_cast<double>(frequency);
  const double low_length = original / rotary.low;
  const double high_length = original / rotary.high;
  const auto value = static_cast<double>(frequency);
  if (length > low_length) return static_cast<float>(value / rotary.factor);
  if (length < high_length) return frequency;
  const double smooth = (original / length - rotary.low) / (rotary.high - rotary.low);
  return static_cast<float>((1 - smooth) * value / rotary.factor + smooth * value);
}

// The dimension that turns `turns` times within the context of training.
double DimensionOf(const Rotary& rotary, double turns) {
  const auto original = static_cast<double>(rotary.original);
  return static_cast<double>(rotary.dims) * std::log(original / (turns * 2 * std::numbers::pi)) /
         (2 * std::log(rotary.theta));
}

float Yarn(const Rotary& rotary, int64_t i, float frequency) {
  double low = DimensionOf(rotary, rotary.beta_fast);
  double high = DimensionOf(rotary, rotary.beta_slow);
  if (rotary.truncate) low = std::floor(low), high = std::ceil(high);
  low = std::max(low, 0.0);
  high = std::min(high, static_cast<double>(rotary.dims - 1));
  if (low == high) high += 0.001;
  const double ramp = std::clamp((static_cast<double>(i) - low) / (high - low), 0.0, 1.0);
  const auto value = static_cast<double>(frequency);
  return static_cast<float>(value / rotary.factor * ramp + value * (1 - ramp));
}

}  // namespace

std::vector<float> RotaryFrequencies(const Rotary& rotary, bool beyond_training) {
  std::vector<float> result;
  for (int64_t i = 0; i < rotary.dims / 2; ++i) {
    const float exponent = static_cast<float>(2 * i) / static_cast<float>(rotary.dims);
    float power = static_cast<float>(std::pow(rotary.theta, static_cast<double>(exponent)));
    if (rotary.scaling == RotaryScaling::kLongrope) {
      const auto& factors = beyond_training ? rotary.long_factors : rotary.short_factors;
      power *= static_cast<float>(factors[static_cast<size_t>(i)]);
    }
    float frequency = 1.0f / power;
    if (rotary.scaling == RotaryScaling::kLinear) {
      frequency /= static_cast<float>(rotary.factor);
    } else if (rotary.scaling == RotaryScaling::kLlama3) {
      frequency = Llama3(rotary, frequency);
    } else if (rotary.scaling == RotaryScaling::kYarn) {
      frequency = Yarn(rotary, i, frequency);
    }
    result.push_back(frequency);
  }
  return result;
}

PositionTables::PositionTables(const Description& description) {
  int64_t before = 0;
  for (const LayerDescription& layer : description.layers) {
    const bool turns = layer.mixer == MixerKind::kAttention || layer.mixer == MixerKind::kLatent;
    const Rotary& rotary = layer.rotary;
    if (!turns || rotary.form == RotaryForm::kNone || IndexOf(rotary) >= 0) continue;
    Table table{rotary, RotaryFrequencies(rotary, false), {}, before};
    if (rotary.scaling == RotaryScaling::kLongrope) table.far = RotaryFrequencies(rotary, true);
    before += table.half();
    tables_.push_back(std::move(table));
  }
}

int64_t PositionTables::IndexOf(const Rotary& rotary) const {
  for (size_t i = 0; i < tables_.size(); ++i) {
    if (tables_[i].rotary == rotary) return static_cast<int64_t>(i);
  }
  return -1;
}

int64_t PositionTables::floats() const {
  return tables_.empty() ? 0 : tables_.back().before + tables_.back().half();
}

float PositionTables::Frequency(const Table& table, int64_t position, int64_t i) {
  const Rotary& rotary = table.rotary;
  const auto at = static_cast<size_t>(i);
  if (position < rotary.original) return table.near[at];
  if (!table.far.empty()) return table.far[at];
  if (rotary.scaling != RotaryScaling::kDynamic) return table.near[at];
  // The base grows with the length that ends at this position.
  const double dims = static_cast<double>(rotary.dims);
  const double length = static_cast<double>(position + 1) / static_cast<double>(rotary.original);
  const double grown = rotary.factor * length - (rotary.factor - 1);
  const double theta = rotary.theta * std::pow(grown, dims / (dims - 2));
  return static_cast<float>(std::pow(theta, -2.0 * static_cast<double>(i) / dims));
}

void PositionTables::Fill(const Rows& rows) const {
  const Workspace& workspace = rows.pass.workspace;
  for (size_t t = 0; t < tables_.size(); ++t) {
    const Table& table = tables_[t];
    const int64_t half = table.half();
    const auto amplitude = static_cast<float>(table.rotary.amplitude);
    kernels::ForPieces(rows.pass.parallel, rows.count, half * 32, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        const int64_t position = workspace.places[row].position;
        const int64_t at = At(rows, static_cast<int64_t>(t), row);
        for (int64_t i = 0; i < half; ++i) {
          const float angle = static_cast<float>(position) * Frequency(table, position, i);
          workspace.cosines[at + i] = std::cos(angle) * amplitude;
          workspace.sines[at + i] = std::sin(angle) * amplitude;
        }
      }
    });
  }
}

int64_t PositionTables::At(const Rows& rows, int64_t index, int64_t row) const {
  const Table& table = tables_[static_cast<size_t>(index)];
  return rows.count * table.before + row * table.half();
}

const float* PositionTables::Cosines(const Rows& rows, int64_t index, int64_t row) const {
  return rows.pass.workspace.cosines + At(rows, index, row);
}

const float* PositionTables::Sines(const Rows& rows, int64_t index, int64_t row) const {
  return rows.pass.workspace.sines + At(rows, index, row);
}

}  // namespace ferry::llm
