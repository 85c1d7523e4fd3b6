// The members of a description under their names, for reading, writing and checking alike.
#pragma once

#include "device-runtime/llm/arch/describe/description.h"
#include "device-runtime/llm/model.h"

namespace ferry::llm {

// What a number may be.
struct Bounds {
  double least = 0;
  double most = 0;
};

template <typename E>
struct ChoiceName {
  E value;
  const char* name;
};

inline constexpr ChoiceName<NormKind> kChoices_NormKind[] = {{NormKind::kRms, "rms"},
                                                             {NormKind::kLayer, "layer"}};
inline constexpr ChoiceName<MixerKind> kChoices_MixerKind[] = {
    {MixerKind::kAttention, "attention"},
    {MixerKind::kLatent, "latent"},
    {MixerKind::kDelta, "delta"},
    {MixerKind::kConvolution, "convolution"}};
inline constexpr ChoiceName<FeedKind> kChoices_FeedKind[] = {{FeedKind::kDense, "dense"},
                                                             {FeedKind::kExperts, "experts"}};
// Names as in config.json's hidden_act; of two for one thing, the first is written.
inline constexpr ChoiceName<ActivationKind> kChoices_ActivationKind[] = {
    {ActivationKind::kSilu, "silu"},
    {ActivationKind::kSilu, "swish"},
    {ActivationKind::kGelu, "gelu"},
    {ActivationKind::kGeluTanh, "gelu_pytorch_tanh"},
    {ActivationKind::kGeluTanh, "gelu_new"},
    {ActivationKind::kGeluTanh, "gelu_fast"},
    {ActivationKind::kQuickGelu, "quick_gelu"},
    {ActivationKind::kRelu, "relu"},
    {ActivationKind::kReluSquared, "relu2"}};
inline constexpr ChoiceName<FusedKind> kChoices_FusedKind[] = {{FusedKind::kSeparate, "separate"},
                                                               {FusedKind::kStacked, "stacked"},
                                                               {FusedKind::kGrouped, "grouped"}};
inline constexpr ChoiceName<HeadNorm> kChoices_HeadNorm[] = {
    {HeadNorm::kNone, "none"}, {HeadNorm::kHead, "head"}, {HeadNorm::kRow, "row"}};
inline constexpr ChoiceName<RotaryForm> kChoices_RotaryForm[] = {
    {RotaryForm::kNone, "none"},
    {RotaryForm::kHalves, "halves"},
    {RotaryForm::kInterleaved, "interleaved"}};
inline constexpr ChoiceName<RotaryScaling> kChoices_RotaryScaling[] = {
    {RotaryScaling::kDefault, "default"}, {RotaryScaling::kLinear, "linear"},
    {RotaryScaling::kDynamic, "dynamic"}, {RotaryScaling::kYarn, "yarn"},
    {RotaryScaling::kLlama3, "llama3"},   {RotaryScaling::kLongrope, "longrope"},
    {RotaryScaling::kLongrope, "su"}};
inline constexpr ChoiceName<RouterKind> kChoices_RouterKind[] = {{RouterKind::kSoftmax, "softmax"},
                                                                 {RouterKind::kSigmoid, "sigmoid"}};
inline constexpr ChoiceName<GroupScore> kChoices_GroupScore[] = {{GroupScore::kLargest, "largest"},
                                                                 {GroupScore::kTopTwo, "top_two"}};

inline constexpr const auto& ChoicesOf(NormKind) {
  return kChoices_NormKind;
}
inline constexpr const auto& ChoicesOf(MixerKind) {
  return kChoices_MixerKind;
}
inline constexpr const auto& ChoicesOf(FeedKind) {
  return kChoices_FeedKind;
}
inline constexpr const auto& ChoicesOf(ActivationKind) {
  return kChoices_ActivationKind;
}
inline constexpr const auto& ChoicesOf(FusedKind) {
  return kChoices_FusedKind;
}
inline constexpr const auto& ChoicesOf(HeadNorm) {
  return kChoices_HeadNorm;
}
inline constexpr const auto& ChoicesOf(RotaryForm) {
  return kChoices_RotaryForm;
}
inline constexpr const auto& ChoicesOf(RotaryScaling) {
  return kChoices_RotaryScaling;
}
inline constexpr const auto& ChoicesOf(RouterKind) {
  return kChoices_RouterKind;
}
inline constexpr const auto& ChoicesOf(GroupScore) {
  return kChoices_GroupScore;
}

inline constexpr Bounds kNoBounds = {};
inline constexpr Bounds kScale = {-1e6, 1e6};
inline constexpr Bounds kHeadDims = {0, static_cast<double>(kMaxHeadDim)};
inline constexpr Bounds kHeadCounts = {0, static_cast<double>(kMaxHeads)};
inline constexpr Bounds kWidths = {0, static_cast<double>(kMaxFfn)};
inline constexpr Bounds kContexts = {0, static_cast<double>(kMaxContext)};

// visit(name, member, bounds) for each member but the layers; D is Description, const or not.
template <typename D, typename V>
void VisitModelFields(D& d, V&& visit) {
  visit("vocabulary", d.vocabulary, Bounds{1, static_cast<double>(kMaxVocabulary)});
  visit("hidden", d.hidden, Bounds{1, static_cast<double>(kMaxHidden)});
  visit("context", d.context, Bounds{1, static_cast<double>(kMaxContext)});
  visit("encoder", d.encoder, kNoBounds);
  visit("norm.kind", d.norm, kNoBounds);
  visit("norm.eps", d.norm_eps, Bounds{1e-30, 1});
  visit("norm.bias", d.norm_bias, kNoBounds);
  visit("embedding.tensor", d.embedding, kNoBounds);
  visit("embedding.scale", d.embedding_scale, kScale);
  visit("embedding.positions", d.positions, kNoBounds);
  visit("embedding.types", d.types, kNoBounds);
  visit("embedding.type_count", d.type_count, Bounds{0, static_cast<double>(kMaxVocabulary)});
  visit("embedding.norm", d.embedding_norm, kNoBounds);
  visit("head.norm", d.final_norm, kNoBounds);
  visit("head.tensor", d.head, kNoBounds);
  visit("head.bias", d.head_bias, kNoBounds);
  visit("head.outputs", d.outputs, Bounds{0, static_cast<double>(kMaxVocabulary)});
  visit("head.scale", d.head_scale, kScale);
  visit("head.cap", d.head_cap, Bounds{0, 1e6});
}

template <typename L, typename V>
void VisitLayerFields(L& l, V&& visit) {
  visit("mixer", l.mixer, kNoBounds);
  visit("feed", l.feed, kNoBounds);
  visit("parallel", l.parallel, kNoBounds);
  visit("residual_scale", l.residual_scale, kScale);
  visit("window", l.window, kContexts);
  visit("norm.mixer", l.mixer_norm, kNoBounds);
  visit("norm.mixer_after", l.mixer_after, kNoBounds);
  visit("norm.feed", l.feed_norm, kNoBounds);
  visit("norm.feed_after", l.feed_after, kNoBounds);
  visit("norm.mixer_sum", l.mixer_sum, kNoBounds);
  visit("norm.feed_sum", l.feed_sum, kNoBounds);

  visit("rotary.form", l.rotary.form, kNoBounds);
  visit("rotary.dims", l.rotary.dims, kHeadDims);
  visit("rotary.theta", l.rotary.theta, Bounds{1e-3, 1e15});
  visit("rotary.scaling", l.rotary.scaling, kNoBounds);
  visit("rotary.factor", l.rotary.factor, Bounds{1e-3, 1e6});
  visit("rotary.original", l.rotary.original, kContexts);
  visit("rotary.low", l.rotary.low, Bounds{0, 1e6});
  visit("rotary.high", l.rotary.high, Bounds{0, 1e6});
  visit("rotary.beta_fast", l.rotary.beta_fast, Bounds{1e-3, 1e6});
  visit("rotary.beta_slow", l.rotary.beta_slow, Bounds{1e-3, 1e6});
  visit("rotary.truncate", l.rotary.truncate, kNoBounds);
  visit("rotary.amplitude", l.rotary.amplitude, Bounds{1e-3, 1e3});
  visit("rotary.short", l.rotary.short_factors, Bounds{1e-6, 1e6});
  visit("rotary.long", l.rotary.long_factors, Bounds{1e-6, 1e6});

  visit("attention.heads", l.attention.heads, kHeadCounts);
  visit("attention.kv_heads", l.attention.kv_heads, kHeadCounts);
  visit("attention.head_dim", l.attention.head_dim, kHeadDims);
  visit("attention.scale", l.attention.scale, kScale);
  visit("attention.cap", l.attention.cap, Bounds{0, 1e6});
  visit("attention.alibi", l.attention.alibi, kNoBounds);
  visit("attention.fused", l.attention.fused, kNoBounds);
  visit("attention.bias", l.attention.bias, kNoBounds);
  visit("attention.out_bias", l.attention.out_bias, kNoBounds);
  visit("attention.gate", l.attention.gate, kNoBounds);
  visit("attention.norm", l.attention.norm, kNoBounds);
  visit("attention.norm_after_rotary", l.attention.norm_after_rotary, kNoBounds);
  visit("attention.query", l.attention.query, kNoBounds);
  visit("attention.key", l.attention.key, kNoBounds);
  visit("attention.value", l.attention.value, kNoBounds);
  visit("attention.all", l.attention.all, kNoBounds);
  visit("attention.query_norm", l.attention.query_norm, kNoBounds);
  visit("attention.key_norm", l.attention.key_norm, kNoBounds);
  visit("attention.sinks", l.attention.sinks, kNoBounds);
  visit("attention.out", l.attention.out, kNoBounds);

  visit("latent.query_rank", l.latent.query_rank, kWidths);
  visit("latent.rank", l.latent.rank, Bounds{0, static_cast<double>(kMaxLatentRank)});
  visit("latent.plain_dim", l.latent.plain_dim, kHeadDims);
  visit("latent.rotary_dim", l.latent.rotary_dim, kHeadDims);
  visit("latent.value_dim", l.latent.value_dim, kHeadDims);
  visit("latent.norm_eps", l.latent.norm_eps, Bounds{1e-30, 1});
  visit("latent.query", l.latent.query, kNoBounds);
  visit("latent.query_down", l.latent.query_down, kNoBounds);
  visit("latent.query_norm", l.latent.query_norm, kNoBounds);
  visit("latent.down", l.latent.down, kNoBounds);
  visit("latent.norm", l.latent.norm, kNoBounds);
  visit("latent.up", l.latent.up, kNoBounds);

  visit("delta.key_heads", l.delta.key_heads, kHeadCounts);
  visit("delta.value_heads", l.delta.value_heads, kHeadCounts);
  visit("delta.key_dim", l.delta.key_dim, kHeadDims);
  visit("delta.value_dim", l.delta.value_dim, kHeadDims);
  visit("delta.kernel", l.delta.kernel, Bounds{0, static_cast<double>(kMaxKernel)});
  visit("delta.fused", l.delta.fused, kNoBounds);
  visit("delta.all", l.delta.all, kNoBounds);
  visit("delta.rates", l.delta.rates, kNoBounds);
  visit("delta.mixed", l.delta.mixed, kNoBounds);
  visit("delta.gate", l.delta.gate, kNoBounds);
  visit("delta.beta", l.delta.beta, kNoBounds);
  visit("delta.decay", l.delta.decay, kNoBounds);
  visit("delta.convolution", l.delta.convolution, kNoBounds);
  visit("delta.a_log", l.delta.a_log, kNoBounds);
  visit("delta.step_bias", l.delta.step_bias, kNoBounds);
  visit("delta.norm", l.delta.norm, kNoBounds);
  visit("delta.out", l.delta.out, kNoBounds);

  visit("convolution.kernel", l.convolution.kernel, Bounds{0, static_cast<double>(kMaxKernel)});
  visit("convolution.bias", l.convolution.bias, kNoBounds);
  visit("convolution.in", l.convolution.in, kNoBounds);
  visit("convolution.weights", l.convolution.weights, kNoBounds);
  visit("convolution.out", l.convolution.out, kNoBounds);

  visit("dense.width", l.dense.width, kWidths);
  visit("dense.gated", l.dense.gated, kNoBounds);
  visit("dense.fused", l.dense.fused, kNoBounds);
  visit("dense.bias", l.dense.bias, kNoBounds);
  visit("dense.activation", l.dense.activation, kNoBounds);
  visit("dense.gate", l.dense.gate, kNoBounds);
  visit("dense.up", l.dense.up, kNoBounds);
  visit("dense.all", l.dense.all, kNoBounds);
  visit("dense.down", l.dense.down, kNoBounds);

  visit("experts.count", l.experts.count, Bounds{0, static_cast<double>(kMaxExperts)});
  visit("experts.used", l.experts.used, Bounds{0, static_cast<double>(kMaxExperts)});
  visit("experts.width", l.experts.width, kWidths);
  visit("experts.router", l.experts.router, kNoBounds);
  visit("experts.router_bias", l.experts.router_bias, kNoBounds);
  visit("experts.normalise", l.experts.normalise, kNoBounds);
  visit("experts.scale", l.experts.scale, kScale);
  visit("experts.bias", l.experts.bias, kNoBounds);
  visit("experts.clamp", l.experts.clamp, Bounds{0, 1e6});
  visit("experts.up_offset", l.experts.up_offset, kScale);
  visit("experts.groups", l.experts.groups, Bounds{1, static_cast<double>(kMaxExperts)});
  visit("experts.groups_used", l.experts.groups_used, Bounds{1, static_cast<double>(kMaxExperts)});
  visit("experts.group_score", l.experts.group_score, kNoBounds);
  visit("experts.shared_width", l.experts.shared_width, kWidths);
  visit("experts.weights", l.experts.weights, kNoBounds);
  visit("experts.correction", l.experts.correction, kNoBounds);
  visit("experts.gate", l.experts.gate, kNoBounds);
  visit("experts.up", l.experts.up, kNoBounds);
  visit("experts.down", l.experts.down, kNoBounds);
  visit("experts.shared_gate", l.experts.shared_gate, kNoBounds);
  visit("experts.shared_up", l.experts.shared_up, kNoBounds);
  visit("experts.shared_down", l.experts.shared_down, kNoBounds);
  visit("experts.shared_switch", l.experts.shared_switch, kNoBounds);
}

}  // namespace ferry::llm
