#include "device-runtime/llm/arch/describe/tensors.h"

#include <map>

namespace ferry::llm {
namespace {

class Collector {
 public:
  explicit Collector(const Description& description) : d_(description) {}

  Result<std::vector<TensorSpec>> Run() {
    Matrix(d_.embedding, d_.vocabulary, d_.hidden);
    if (!d_.positions.empty()) Matrix(d_.positions, d_.context, d_.hidden, true);
    if (!d_.types.empty()) Matrix(d_.types, d_.type_count, d_.hidden, true);
    Norm(d_.embedding_norm, d_.hidden);
    in_layer_ = true;
    for (const LayerDescription& layer : d_.layers) {
      if (!status_.ok()) break;
      AddLayer(layer);
      ++layer_;
    }
    in_layer_ = false;
    Norm(d_.final_norm, d_.hidden);
    const int64_t outputs = d_.outputs > 0 ? d_.outputs : d_.vocabulary;
    if (!d_.head.empty()) Matrix(d_.head, outputs, d_.hidden);
    if (d_.head_bias) Vector(BiasName(d_.head.empty() ? d_.embedding : d_.head), outputs);
    if (!status_.ok()) return status_;
    return std::move(specs_);
  }

 private:
  void Add(TensorSpec spec) {
    if (spec.name.empty() || !status_.ok()) return;
    const auto [known, fresh] = names_.try_emplace(spec.name, specs_.size());
    if (!fresh) {
      TensorSpec& before = specs_[known->second];
      // Whoever reads it as numbers is to find them.
      before.exact = before.exact || spec.exact;
      if (before.shape == spec.shape && before.is_norm == spec.is_norm) return;
      status_ =
          Status::Of(Code::kBadModel, "tensor \"{}\" stands for {}[{}] and for {}[{}]", spec.name,
                     before.is_norm ? "a norm " : "", fmt::join(before.shape, ", "),
                     spec.is_norm ? "a norm " : "", fmt::join(spec.shape, ", "));
      return;
    }
    if (specs_.size() == kMaxTensors) {
      status_ = Status::Of(Code::kLimitExceeded, "over {} tensors", kMaxTensors);
      return;
    }
    spec.in_layer = in_layer_;
    spec.layer = in_layer_ ? layer_ : -1;
    specs_.push_back(std::move(spec));
  }
  void Matrix(const std::string& name, int64_t rows, int64_t columns, bool exact = false) {
    Add({TensorName(name, layer_, expert_), {rows, columns}, exact});
  }
  void Vector(const std::string& name, int64_t count) {
    Add({TensorName(name, layer_, expert_), {count}, true});
  }
  void Norm(const std::string& name, int64_t count) {
    if (name.empty()) return;
    Add({.name = TensorName(name, layer_), .shape = {count}, .exact = true, .is_norm = true});
    if (d_.norm == NormKind::kLayer && d_.norm_bias) Vector(BiasName(name), count);
  }
  void Product(const std::string& name, int64_t rows, int64_t columns, bool bias) {
    Matrix(name, rows, columns);
    if (bias) Vector(BiasName(name), rows);
  }

  void AddLayer(const LayerDescription& layer) {
    Norm(layer.mixer_norm, d_.hidden);
    switch (layer.mixer) {
      case MixerKind::kAttention:
        AddAttention(layer.attention);
        break;
      case MixerKind::kLatent:
        AddLatent(layer.attention, layer.latent);
        break;
      case MixerKind::kDelta:
        AddDelta(layer.delta);
        break;
      case MixerKind::kConvolution:
        AddConvolution(layer.convolution);
        break;
    }
    Norm(layer.mixer_after, d_.hidden);
    Norm(layer.mixer_sum, d_.hidden);
    Norm(layer.feed_norm, d_.hidden);
    if (layer.feed == FeedKind::kDense) {
      AddDense(layer.dense);
    } else {
      AddExperts(layer.experts);
    }
    Norm(layer.feed_after, d_.hidden);
    Norm(layer.feed_sum, d_.hidden);
  }

  void AddAttention(const AttentionPart& a) {
    const int64_t queries = a.heads * a.head_dim;
    const int64_t keys = a.kv_heads * a.head_dim;
    if (a.fused == FusedKind::kSeparate) {
      Product(a.query, a.gate ? 2 * queries : queries, d_.hidden, a.bias);
      Product(a.key, keys, d_.hidden, a.bias);
      Product(a.value, keys, d_.hidden, a.bias);
    } else {
      Product(a.all, queries + 2 * keys, d_.hidden, a.bias);
    }
    if (a.norm != HeadNorm::kNone) {
      const bool row = a.norm == HeadNorm::kRow;
      Norm(a.query_norm, row ? queries : a.head_dim);
      Norm(a.key_norm, row ? keys : a.head_dim);
    }
    if (!a.sinks.empty()) Vector(a.sinks, a.heads);
    Product(a.out, d_.hidden, queries, a.out_bias);
  }

  void AddLatent(const AttentionPart& a, const LatentPart& l) {
    const int64_t queries = a.heads * (l.plain_dim + l.rotary_dim);
    if (l.query_rank > 0) {
      Product(l.query_down, l.query_rank, d_.hidden, a.bias);
      Norm(l.query_norm, l.query_rank);
      Matrix(l.query, queries, l.query_rank);
    } else {
      Matrix(l.query, queries, d_.hidden);
    }
    Product(l.down, l.rank + l.rotary_dim, d_.hidden, a.bias);
    Norm(l.norm, l.rank);
    Matrix(l.up, a.heads * (l.plain_dim + l.value_dim), l.rank, true);  // parts of it are read
    Product(a.out, d_.hidden, a.heads * l.value_dim, a.out_bias);
  }

  void AddDelta(const DeltaPart& d) {
    const int64_t keys = d.key_heads * d.key_dim;
    const int64_t values = d.value_heads * d.value_dim;
    if (d.fused) {
      Matrix(d.all, 2 * keys + 2 * values, d_.hidden);
      Matrix(d.rates, 2 * d.value_heads, d_.hidden);
    } else {
      Matrix(d.mixed, 2 * keys + values, d_.hidden);
      Matrix(d.gate, values, d_.hidden);
      Matrix(d.beta, d.value_heads, d_.hidden);
      Matrix(d.decay, d.value_heads, d_.hidden);
    }
    Matrix(d.convolution, 2 * keys + values, d.kernel, true);
    Vector(d.a_log, d.value_heads);
    Vector(d.step_bias, d.value_heads);
    Vector(d.norm, d.value_dim);  // never stored less 1
    Matrix(d.out, d_.hidden, values);
  }

  void AddConvolution(const ConvolutionPart& c) {
    Product(c.in, 3 * d_.hidden, d_.hidden, c.bias);
    Matrix(c.weights, d_.hidden, c.kernel, true);
    if (c.bias) Vector(BiasName(c.weights), d_.hidden);
    Product(c.out, d_.hidden, d_.hidden, c.bias);
  }

  void AddDense(const DensePart& d) {
    if (d.fused) {
      Product(d.all, 2 * d.width, d_.hidden, d.bias);
    } else {
      if (d.gated) Product(d.gate, d.width, d_.hidden, d.bias);
      Product(d.up, d.width, d_.hidden, d.bias);
    }
    Product(d.down, d_.hidden, d.width, d.bias);
  }

  void AddExperts(const ExpertsPart& e) {
    Matrix(e.weights, e.count, d_.hidden, true);
    if (e.router_bias) Vector(BiasName(e.weights), e.count);
    if (!e.correction.empty()) Vector(e.correction, e.count);
    for (expert_ = 0; expert_ < e.count && status_.ok(); ++expert_) {
      Product(e.gate, e.width, d_.hidden, e.bias);
      Product(e.up, e.width, d_.hidden, e.bias);
      Product(e.down, d_.hidden, e.width, e.bias);
    }
    expert_ = 0;
    if (e.shared_width == 0) return;
    Matrix(e.shared_gate, e.shared_width, d_.hidden);
    Matrix(e.shared_up, e.shared_width, d_.hidden);
    Matrix(e.shared_down, d_.hidden, e.shared_width);
    if (!e.shared_switch.empty()) Matrix(e.shared_switch, 1, d_.hidden, true);
  }

  const Description& d_;
  int64_t layer_ = 0, expert_ = 0;
  bool in_layer_ = false;
  std::vector<TensorSpec> specs_;
  std::map<std::string, size_t> names_;  // where in specs_
  Status status_ = OkStatus();
};

void Replace(std::string* text, std::string_view mark, int64_t number) {
  for (size_t at = text->find(mark); at != std::string::npos; at = text->find(mark, at)) {
    text->replace(at, mark.size(), fmt::format("{}", number));
  }
}

}  // namespace

Result<std::vector<TensorSpec>> TensorsOf(const Description& description) {
  return Collector(description).Run();
}

std::string TensorName(std::string_view name, int64_t layer, int64_t expert) {
  std::string result(name);
  Replace(&result, "{i}", layer);
  Replace(&result, "{e}", expert);
  return result;
}

std::string BiasName(std::string_view name) {
  constexpr std::string_view kWeight = ".weight";
  if (name.ends_with(kWeight)) name.remove_suffix(kWeight.size());
  return fmt::format("{}.bias", name);
}

}  // namespace ferry::llm
