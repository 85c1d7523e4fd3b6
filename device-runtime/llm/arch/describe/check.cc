// Whether a description can run: what any file may say is checked here, so that blocks need not.
#include "device-runtime/llm/arch/describe/description.h"
#include "device-runtime/llm/arch/describe/fields.h"

namespace ferry::llm {
namespace {

Status Bad(const std::string& where, std::string_view what) {
  return Status::Of(Code::kBadModel, "{}: {}", where, what);
}

class BoundsChecker {
 public:
  explicit BoundsChecker(std::string where) : where_(std::move(where)) {}

  template <typename T>
  void operator()(const char* name, const T& value, Bounds bounds) {
    if constexpr (std::is_same_v<T, int64_t> || std::is_same_v<T, double>) {
      Check(name, static_cast<double>(value), bounds);
    } else if constexpr (std::is_same_v<T, std::vector<double>>) {
      for (const double one : value) Check(name, one, bounds);
    }
  }
  Status Finish() const { return status_; }

 private:
  void Check(const char* name, double value, Bounds bounds) {
    if (!status_.ok() || (value >= bounds.least && value <= bounds.most)) return;
    const Code code = value > bounds.most ? Code::kLimitExceeded : Code::kBadModel;
    status_ = Status::Of(code, "{}: {} is {}, wanted {} to {}", where_, name, value, bounds.least,
                         bounds.most);
  }
  std::string where_;
  Status status_ = OkStatus();
};

struct Named {
  const char* member;
  const std::string& name;
};
Status WantNames(const std::string& where, std::initializer_list<Named> names) {
  for (const Named& one : names) {
    if (one.name.empty()) return Bad(where, fmt::format("{} is not named", one.member));
  }
  return OkStatus();
}

struct Sized {
  const char* member;
  int64_t value;
};
Status WantSizes(const std::string& where, std::initializer_list<Sized> sizes) {
  for (const Sized& one : sizes) {
    if (one.value < 1) return Bad(where, fmt::format("{} is {}", one.member, one.value));
  }
  return OkStatus();
}

// `room`: the dimensions that may turn.
Status CheckRotary(const std::string& where, const Rotary& rotary, int64_t room) {
  if (rotary.form == RotaryForm::kNone) return OkStatus();
  if (rotary.dims < 2 || rotary.dims % 2 != 0 || rotary.dims > room) {
    return Bad(where,
               fmt::format("rotary.dims is {}, wanted an even number up to {}", rotary.dims, room));
  }
  const RotaryScaling scaling = rotary.scaling;
  const bool linear = scaling == RotaryScaling::kDefault || scaling == RotaryScaling::kLinear;
  if (!linear && rotary.original < 1) {
    return Bad(where, "rotary.original is to be the context of training");
  }
  if (scaling == RotaryScaling::kLlama3 && !(rotary.high > rotary.low)) {
    return Bad(where,
               fmt::format("rotary.high {} is not above rotary.low {}", rotary.high, rotary.low));
  }
  if (scaling != RotaryScaling::kLongrope) return OkStatus();
  const auto wanted = static_cast<size_t>(rotary.dims / 2);
  if (rotary.short_factors.size() == wanted && rotary.long_factors.size() == wanted) {
    return OkStatus();
  }
  return Bad(where, fmt::format("rotary.short and rotary.long have {} and {} factors, wanted {}",
                                rotary.short_factors.size(), rotary.long_factors.size(), wanted));
}

Status CheckAttention(const std::string& where, const LayerDescription& layer) {
  const AttentionPart& a = layer.attention;
  FERRY_TRY(WantSizes(where, {{"attention.heads", a.heads},
                              {"attention.kv_heads", a.kv_heads},
                              {"attention.head_dim", a.head_dim}}));
  if (a.heads % a.kv_heads != 0) {
    return Bad(where, fmt::format("attention.heads {} is no multiple of attention.kv_heads {}",
                                  a.heads, a.kv_heads));
  }
  FERRY_TRY(WantNames(where, {{"attention.out", a.out}}));
  if (a.fused == FusedKind::kSeparate) {
    FERRY_TRY(WantNames(
        where,
        {{"attention.query", a.query}, {"attention.key", a.key}, {"attention.value", a.value}}));
  } else {
    FERRY_TRY(WantNames(where, {{"attention.all", a.all}}));
    if (a.gate) return Bad(where, "attention.gate with fused products");
  }
  if (a.norm != HeadNorm::kNone) {
    FERRY_TRY(WantNames(
        where, {{"attention.query_norm", a.query_norm}, {"attention.key_norm", a.key_norm}}));
  }
  // A norm over all heads wants them side by side, one after turning wants their own order.
  if (a.norm == HeadNorm::kRow && a.fused == FusedKind::kGrouped) {
    return Bad(where, "attention.norm row with grouped products");
  }
  if (a.norm_after_rotary && layer.rotary.form == RotaryForm::kInterleaved) {
    return Bad(where, "attention.norm_after_rotary with interleaved positions");
  }
  return CheckRotary(where, layer.rotary, a.head_dim);
}

Status CheckLatent(const std::string& where, const LayerDescription& layer) {
  const LatentPart& l = layer.latent;
  FERRY_TRY(WantSizes(where, {{"attention.heads", layer.attention.heads},
                              {"latent.rank", l.rank},
                              {"latent.plain_dim", l.plain_dim},
                              {"latent.rotary_dim", l.rotary_dim},
                              {"latent.value_dim", l.value_dim}}));
  FERRY_TRY(WantNames(where, {{"attention.out", layer.attention.out},
                              {"latent.query", l.query},
                              {"latent.down", l.down},
                              {"latent.norm", l.norm},
                              {"latent.up", l.up}}));
  if (l.query_rank > 0) {
    FERRY_TRY(WantNames(
        where, {{"latent.query_down", l.query_down}, {"latent.query_norm", l.query_norm}}));
  }
  if (layer.rotary.form != RotaryForm::kNone && layer.rotary.dims != l.rotary_dim) {
    return Bad(where, fmt::format("rotary.dims {} is not latent.rotary_dim {}", layer.rotary.dims,
                                  l.rotary_dim));
  }
  return CheckRotary(where, layer.rotary, l.rotary_dim);
}

Status CheckDelta(const std::string& where, const DeltaPart& d) {
  FERRY_TRY(WantSizes(where, {{"delta.key_heads", d.key_heads},
                              {"delta.value_heads", d.value_heads},
                              {"delta.key_dim", d.key_dim},
                              {"delta.value_dim", d.value_dim},
                              {"delta.kernel", d.kernel}}));
  if (d.value_heads % d.key_heads != 0) {
    return Bad(where, fmt::format("delta.value_heads {} is no multiple of delta.key_heads {}",
                                  d.value_heads, d.key_heads));
  }
  FERRY_TRY(WantNames(where, {{"delta.convolution", d.convolution},
                              {"delta.a_log", d.a_log},
                              {"delta.step_bias", d.step_bias},
                              {"delta.norm", d.norm},
                              {"delta.out", d.out}}));
  if (d.fused) return WantNames(where, {{"delta.all", d.all}, {"delta.rates", d.rates}});
  return WantNames(where, {{"delta.mixed", d.mixed},
                           {"delta.gate", d.gate},
                           {"delta.beta", d.beta},
                           {"delta.decay", d.decay}});
}

Status CheckConvolution(const std::string& where, const ConvolutionPart& c) {
  FERRY_TRY(WantSizes(where, {{"convolution.kernel", c.kernel}}));
  return WantNames(
      where,
      {{"convolution.in", c.in}, {"convolution.weights", c.weights}, {"convolution.out", c.out}});
}

Status CheckDense(const std::string& where, const DensePart& d) {
  FERRY_TRY(WantSizes(where, {{"dense.width", d.width}}));
  FERRY_TRY(WantNames(where, {{"dense.down", d.down}}));
  if (d.fused) {
    if (!d.gated) return Bad(where, "dense.fused without dense.gated");
    return WantNames(where, {{"dense.all", d.all}});
  }
  if (d.gated) FERRY_TRY(WantNames(where, {{"dense.gate", d.gate}}));
  return WantNames(where, {{"dense.up", d.up}});
}

Status CheckExperts(const std::string& where, const ExpertsPart& e) {
  FERRY_TRY(WantSizes(
      where, {{"experts.count", e.count}, {"experts.used", e.used}, {"experts.width", e.width}}));
  if (e.count % e.groups != 0 || e.groups_used > e.groups ||
      e.used > e.groups_used * (e.count / e.groups)) {
    return Bad(where, fmt::format("{} of {} experts in {} of {} groups cannot be chosen", e.used,
                                  e.count, e.groups_used, e.groups));
  }
  FERRY_TRY(WantNames(where, {{"experts.weights", e.weights},
                              {"experts.gate", e.gate},
                              {"experts.up", e.up},
                              {"experts.down", e.down}}));
  if (e.shared_width == 0) return OkStatus();
  return WantNames(where, {{"experts.shared_gate", e.shared_gate},
                           {"experts.shared_up", e.shared_up},
                           {"experts.shared_down", e.shared_down}});
}

Status CheckMixer(const std::string& where, const LayerDescription& layer) {
  switch (layer.mixer) {
    case MixerKind::kAttention:
      return CheckAttention(where, layer);
    case MixerKind::kLatent:
      return CheckLatent(where, layer);
    case MixerKind::kDelta:
      return CheckDelta(where, layer.delta);
    case MixerKind::kConvolution:
      break;
  }
  return CheckConvolution(where, layer.convolution);
}

// What only models whose tokens see all of their text may be, and what they may not.
Status CheckEncoder(const std::string& all, const Description& d) {
  if (!d.types.empty() && d.type_count < 1) return Bad(all, "embedding.type_count is 0");
  if (!d.encoder) {
    if (d.outputs != 0) return Bad(all, "head.outputs without encoder");
    return WantNames(all, {{"head.norm", d.final_norm}});
  }
  for (const LayerDescription& layer : d.layers) {
    if (layer.mixer != MixerKind::kAttention || layer.window > 0 || layer.attention.alibi) {
      return Bad(all, "an encoder of other layers than attention to all of a text");
    }
  }
  return OkStatus();
}

}  // namespace

Status CheckDescription(const Description& description) {
  const std::string all = "description";
  BoundsChecker bounds(all);
  VisitModelFields(description, bounds);
  FERRY_TRY(bounds.Finish());
  FERRY_TRY(WantNames(all, {{"embedding.tensor", description.embedding}}));
  FERRY_TRY(CheckEncoder(all, description));
  if (description.layers.empty()) return Bad(all, "no layer");
  for (size_t i = 0; i < description.layers.size(); ++i) {
    const LayerDescription& layer = description.layers[i];
    const std::string where = fmt::format("layer {}", i);
    BoundsChecker of_layer(where);
    VisitLayerFields(layer, of_layer);
    FERRY_TRY(of_layer.Finish());
    FERRY_TRY(CheckMixer(where, layer));
    FERRY_TRY(layer.feed == FeedKind::kDense ? CheckDense(where, layer.dense)
                                             : CheckExperts(where, layer.experts));
    if (layer.parallel && !(layer.mixer_sum.empty() && layer.feed_sum.empty())) {
      return Bad(where, "parallel blocks with norm.mixer_sum or norm.feed_sum");
    }
    if (layer.parallel && layer.mixer_norm.empty()) {
      return Bad(where, "parallel blocks without norm.mixer");
    }
  }
  return OkStatus();
}

}  // namespace ferry::llm
