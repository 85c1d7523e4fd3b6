#include "device-runtime/llm/quantize/awq.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "device-runtime/llm/arch/describe/description.h"
#include "device-runtime/llm/kv/kv_cache.h"
#include "device-runtime/llm/load/parts.h"
#include "device-runtime/llm/quantize/fit.h"
#include "device-runtime/llm/workspace.h"

namespace ferry::llm {
namespace {

using kernels::PackedForm;

constexpr int kPowers = 20;             // searched: 0, 1 / 20, ... 19 / 20
constexpr size_t kSampledInputs = 128;  // rows of activations that outputs are compared on
constexpr int64_t kSampledOutputs = 256;
constexpr size_t kWindow = 512;
constexpr float kLeastActivation = 1e-4f;

// Products that read the same rows, and what makes these.
struct FoldGroup {
  std::vector<std::string> consumers;
  std::string maker;     // a norm, or a product whose rows the inputs are
  int64_t head_dim = 0;  // of makers of values: heads share them
  int64_t share = 1;
};

// What one input of products was like.
struct InputSeen {
  std::vector<double> sums;   // of sizes, a column
  std::vector<float> sample;  // [kSampledInputs][columns]
  size_t rows = 0;
};

class ActivationObserver final : public ProductObserver {
 public:
  ActivationObserver(const Weights& weights, const std::set<std::string>& wanted, size_t tokens)
      : every_(std::max<size_t>(1, tokens / kSampledInputs)) {
    for (const std::string& name : wanted) names_[DataOf(weights.Matrix(name))] = name;
  }

  void See(const Matrix& weights, const float* x, int64_t stride, int64_t count) override {
    const auto name = names_.find(DataOf(weights));
    if (name == names_.end()) return;
    InputSeen& seen = seen_[name->second];
    const auto columns = static_cast<size_t>(weights.columns());
    seen.sums.resize(columns);
    for (int64_t row = 0; row < count; ++row, ++seen.rows) {
      const float* const from = x + row * stride;
      for (size_t k = 0; k < columns; ++k) seen.sums[k] += std::fabs(from[k]);
      if (seen.rows % every_ == 0 && seen.sample.size() < kSampledInputs * columns) {
        seen.sample.insert(seen.sample.end(), from, from + columns);
      }
    }
  }
  const InputSeen* Find(const std::string& name) const {
    const auto it = seen_.find(name);
    return it == seen_.end() || it->second.rows == 0 ? nullptr : &it->second;
  }

 private:
  static const void* DataOf(const Matrix& matrix) {
    return matrix.is_packed() ? matrix.packed.data : matrix.plain.data;
  }
  size_t every_;
  std::map<const void*, std::string> names_;
  std::map<std::string, InputSeen> seen_;
};

std::vector<FoldGroup> GroupsOf(const Description& description) {
  std::vector<FoldGroup> groups;
  for (size_t i = 0; i < description.layers.size(); ++i) {
    const LayerDescription& layer = description.layers[i];
    const auto name = [&](const std::string& text) {
      return TensorName(text, static_cast<int64_t>(i));
    };
    const bool one_norm = layer.parallel && layer.feed_norm.empty();
    const AttentionPart& a = layer.attention;
    if (layer.mixer == MixerKind::kAttention && !one_norm) {
      const bool separate = a.fused == FusedKind::kSeparate;
      if (!layer.mixer_norm.empty()) {
        groups.push_back({separate ? std::vector{name(a.query), name(a.key), name(a.value)}
                                   : std::vector{name(a.all)},
                          name(layer.mixer_norm)});
      }
      if (separate) {
        groups.push_back({{name(a.out)}, name(a.value), a.head_dim, a.heads / a.kv_heads});
      }
    }
    const DensePart& d = layer.dense;
    if (layer.feed != FeedKind::kDense || one_norm) continue;
    if (!layer.feed_norm.empty()) {
      groups.push_back({d.fused   ? std::vector{name(d.all)}
                        : d.gated ? std::vector{name(d.gate), name(d.up)}
                                  : std::vector{name(d.up)},
                        name(layer.feed_norm)});
    }
    if (d.gated && !d.fused) groups.push_back({{name(d.down)}, name(d.up)});
  }
  return groups;
}

// The output of a head's values that column `k` of the product behind them reads.
int64_t MakerRow(const FoldGroup& group, int64_t k) {
  if (group.share == 1) return k;
  return k / group.head_dim / group.share * group.head_dim + k % group.head_dim;
}

// Mean sizes of inputs; those that have the same maker have one.
std::vector<float> MeansOf(const FoldGroup& group, const InputSeen& seen) {
  std::vector<double> sums(seen.sums.size());
  for (size_t k = 0; k < sums.size(); ++k) {
    sums[static_cast<size_t>(MakerRow(group, static_cast<int64_t>(k)))] +=
        seen.sums[k] / static_cast<double>(group.share);
  }
  std::vector<float> means(sums.size());
  for (size_t k = 0; k < means.size(); ++k) {
    const double sum = sums[static_cast<size_t>(MakerRow(group, static_cast<int64_t>(k)))];
    means[k] = std::max(kLeastActivation, static_cast<float>(sum / static_cast<double>(seen.rows)));
  }
  return means;
}

std::vector<float> ScalesOf(const std::vector<float>& means, double power) {
  std::vector<float> scales;
  for (const float mean : means) {
    scales.push_back(std::max(kLeastActivation, static_cast<float>(std::pow(mean, power))));
  }
  const auto [least, most] = std::minmax_element(scales.begin(), scales.end());
  const float middle = std::sqrt(*least * *most);
  for (float& scale : scales) scale /= middle;
  return scales;
}

// What storing a row of weights, each times its scale, in the form does to it.
class RowError {
 public:
  RowError(const PackedForm& form, int64_t columns)
      : form_(form),
        columns_(columns),
        each_(kernels::PackedGroupColumns(form.group, columns)),
        padded_(static_cast<size_t>(kernels::PackedGroups(form.group, columns) * each_)),
        present_(padded_.size()),
        codes_(padded_.size()) {
    std::fill_n(present_.begin(), columns, 1.0f);
  }
  void Run(const float* weights, const std::vector<float>& scales, float* error) {
    for (int64_t k = 0; k < columns_; ++k) {
      padded_[static_cast<size_t>(k)] = weights[k] * scales[static_cast<size_t>(k)];
    }
    for (int64_t begin = 0; begin < std::ssize(padded_); begin += each_) {
      const WeightGroup group = {padded_.data() + begin, present_.data() + begin, each_};
      const GroupFit fit = FitRtn(form_, group);
      WriteCodes(form_, group, fit, codes_.data() + begin);
      for (int64_t k = begin; k < std::min(columns_, begin + each_); ++k) {
        const auto at = static_cast<size_t>(k);
        error[k] =
            (fit.scale * static_cast<float>(codes_[at]) + fit.shift) / scales[at] - weights[k];
      }
    }
  }

 private:
  PackedForm form_;
  int64_t columns_, each_;
  std::vector<float> padded_, present_;
  std::vector<int8_t> codes_;
};

// The squared error of sampled outputs on the sampled inputs.
double OutputError(const Matrix& matrix, const PackedForm& form, const std::vector<float>& scales,
                   const InputSeen& seen, sys::Parallel& parallel) {
  const int64_t columns = matrix.columns();
  const int64_t step = std::max<int64_t>(1, matrix.rows() / kSampledOutputs);
  const int64_t count = (matrix.rows() + step - 1) / step;
  const auto inputs = static_cast<int64_t>(seen.sample.size()) / columns;
  std::vector<double> errors(static_cast<size_t>(count));
  parallel.For(count, 8, [&](int64_t begin, int64_t end) {
    RowError row(form, columns);
    std::vector<float> weights(static_cast<size_t>(columns)), error(weights.size());
    for (int64_t i = begin; i < end; ++i) {
      WidenRow(matrix, i * step, weights.data());
      row.Run(weights.data(), scales, error.data());
      double total = 0;
      for (int64_t n = 0; n < inputs; ++n) {
        const float* const x = seen.sample.data() + n * columns;
        float sums[8] = {};
        int64_t k = 0;
        for (; k + 8 <= columns; k += 8) {
          for (int64_t lane = 0; lane < 8; ++lane)
            sums[lane] += x[k + lane] * error[static_cast<size_t>(k + lane)];
        }
        double sum = 0;
        for (; k < columns; ++k) sum += double{x[k]} * double{error[static_cast<size_t>(k)]};
        for (const float lane : sums) sum += double{lane};
        total += sum * sum;
      }
      errors[static_cast<size_t>(i)] = total;
    }
  });
  double total = 0;
  for (const double error : errors) total += error;
  return total;
}

Status Observe(const Model& model, std::span<const TokenId> text, sys::Parallel& parallel,
               ActivationObserver* observer) {
  FERRY_ASSIGN_OR_RETURN(const auto pool, model.NewKvPool({}));
  const int64_t context = std::min<int64_t>(kWindow, model.config().context);
  FERRY_ASSIGN_OR_RETURN(Workspace workspace,
                         model.NewWorkspace(std::min(context, kMaxChunkTokens)));
  workspace.observer = observer;
  for (; !text.empty(); text = text.subspan(std::min(text.size(), static_cast<size_t>(context)))) {
    const auto window = text.first(std::min(text.size(), static_cast<size_t>(context)));
    FERRY_TRY(model.CheckTokens(window, 0));
    KvSequence kv = pool->NewSequence();
    FERRY_TRY(kv.Reserve(static_cast<int64_t>(window.size())));
    const Chunk chunk{&kv, window, static_cast<int64_t>(window.size()), nullptr};
    model.Forward({&chunk, 1}, workspace, parallel);
  }
  return OkStatus();
}

}  // namespace

// Scales come before: what is left to do for a group is what rtn does.
GroupFit FitAwq(const PackedForm& form, const WeightGroup& group) {
  return FitRtn(form, group);
}

Result<FoldedScales> SearchScales(const Model& model, std::span<const TokenId> text,
                                  const std::function<MatrixType(const TensorSpec&)>& type_of,
                                  sys::Parallel& parallel) {
  if (text.size() < kLeastCalibration) {
    return Status::Of(Code::kInvalidArgument, "the text to calibrate on has {} tokens, wanted {}",
                      text.size(), kLeastCalibration);
  }
  text = text.first(std::min(text.size(), kMostCalibration));
  const Model::State& state = model.state();
  std::map<std::string, const TensorSpec*> specs;
  for (const TensorSpec& spec : state.specs) specs[spec.name] = &spec;
  const std::vector<FoldGroup> groups = GroupsOf(model.description());
  std::set<std::string> wanted;
  for (const FoldGroup& group : groups) wanted.insert(group.consumers.front());
  ActivationObserver observer(state.weights, wanted, text.size());
  FERRY_TRY(Observe(model, text, parallel, &observer));
  FoldedScales folded;
  for (const FoldGroup& group : groups) {
    const InputSeen* seen = observer.Find(group.consumers.front());
    bool packed = seen != nullptr && !folded.rows.contains(group.maker);
    for (const std::string& name : group.consumers) {
      packed = packed && type_of(*specs.at(name)).packed && !folded.columns.contains(name);
    }
    if (!packed) continue;
    const std::vector<float> means = MeansOf(group, *seen);
    std::vector<float> best;
    double least = 0;
    for (int i = 0; i < kPowers; ++i) {
      std::vector<float> scales = ScalesOf(means, static_cast<double>(i) / kPowers);
      double error = 0;
      for (const std::string& name : group.consumers) {
        error += OutputError(state.weights.Matrix(name), *type_of(*specs.at(name)).packed, scales,
                             *seen, parallel);
      }
      if (!best.empty() && !(error < least)) continue;
      best = std::move(scales);
      least = error;
    }
    for (const std::string& name : group.consumers) folded.columns[name] = best;
    std::vector<float> inverse(static_cast<size_t>(specs.at(group.maker)->shape[0]), 1.0f);
    for (size_t k = 0; k < best.size(); ++k) {
      inverse[static_cast<size_t>(MakerRow(group, static_cast<int64_t>(k)))] = 1 / best[k];
    }
    const std::string bias = BiasName(group.maker);
    if (specs.contains(bias)) folded.rows[bias] = inverse;
    folded.rows[group.maker] = std::move(inverse);
  }
  return folded;
}

}  // namespace ferry::llm
