// What a decoder is made of: the blocks of each layer, their shapes and numbers, and the names of
// their tensors. A family's text (family.h) makes one from a config.json; it travels in model
// files; the network (network.h) runs it.
//
// As JSON: an object of the members of fields.h under dotted names, those left out that have their
// defaults, and "layer", a list of such objects with "count", how many layers in a row are so.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/json_fwd.h"
#include "common/base/status.h"

namespace ferry::llm {

enum class NormKind { kRms, kLayer };
enum class MixerKind { kAttention, kLatent, kDelta, kConvolution };
enum class FeedKind { kDense, kExperts };
enum class ActivationKind { kSilu, kGelu, kGeluTanh, kQuickGelu, kRelu, kReluSquared };
// How query, key and value rows stand in one tensor: each in a tensor of its own; all queries, all
// keys, all values; or, for each key head, its queries, its key, its value.
enum class FusedKind { kSeparate, kStacked, kGrouped };
// Over each head, or over all heads of a token together.
enum class HeadNorm { kNone, kHead, kRow };
// Which two numbers of a head turn together: i and i + dims / 2, or 2 i and 2 i + 1.
enum class RotaryForm { kNone, kHalves, kInterleaved };
// How angles go on beyond the context of training. Source: Hugging Face's rope types.
enum class RotaryScaling { kDefault, kLinear, kDynamic, kYarn, kLlama3, kLongrope };
enum class RouterKind { kSoftmax, kSigmoid };
enum class GroupScore { kLargest, kTopTwo };

// Rotary positions. Source: Su et al. 2021; Peng et al. 2023 (yarn); Ding et al. 2024 (longrope).
struct Rotary {
  RotaryForm form = RotaryForm::kNone;
  int64_t dims = 0;  // of a head, from its begin
  double theta = 10000;
  RotaryScaling scaling = RotaryScaling::kDefault;
  double factor = 1;
  int64_t original = 0;                             // the context of training
  double low = 1, high = 4;                         // llama3: frequency factors
  double beta_fast = 32, beta_slow = 1;             // yarn
  bool truncate = true;                             // yarn: whole dimensions bound the ramp
  double amplitude = 1;                             // cosines and sines times this
  std::vector<double> short_factors, long_factors;  // longrope, dims / 2 each
  bool operator==(const Rotary&) const = default;
};

// Scaled dot-product attention with grouped queries.
struct AttentionPart {
  int64_t heads = 0, kv_heads = 0, head_dim = 0;
  double scale = 0;    // of products; 0: 1 / sqrt(head_dim)
  double cap = 0;      // scores become cap * tanh(score / cap); 0: they do not
  bool alibi = false;  // scores fall with distance, not rotary positions
  FusedKind fused = FusedKind::kSeparate;
  bool bias = false, out_bias = false;
  bool gate = false;  // each head's query is followed by a gate: out *= sigmoid(gate)
  HeadNorm norm = HeadNorm::kNone;
  bool norm_after_rotary = false;
  std::string query, key, value;  // kSeparate
  std::string all;                // else
  std::string query_norm, key_norm;
  std::string sinks;  // [heads]: a score with no value; empty: none
  std::string out;
  bool operator==(const AttentionPart&) const = default;
};

// Multi-head latent attention: keys and values come from one latent row a token, which is what the
// cache keeps. Source: DeepSeek-AI, "DeepSeek-V2" (2024).
struct LatentPart {
  int64_t query_rank = 0;  // 0: queries come straight from the stream
  int64_t rank = 0;
  int64_t plain_dim = 0, rotary_dim = 0, value_dim = 0;  // of a head
  double norm_eps = 1e-6;
  std::string query, query_down, query_norm, down, norm, up;
  bool operator==(const LatentPart&) const = default;
};

// Gated delta rule behind a short convolution. Source: Yang et al., "Gated Delta Networks" (2024).
struct DeltaPart {
  int64_t key_heads = 0, value_heads = 0, key_dim = 0, value_dim = 0, kernel = 0;
  // One tensor for query, key, value and gate of each key head in turn, one for beta and decay; or
  // four tensors.
  bool fused = false;
  std::string all, rates;                // fused
  std::string mixed, gate, beta, decay;  // else
  std::string convolution, a_log, step_bias, norm, out;
  bool operator==(const DeltaPart&) const = default;
};

// Gated short convolution. Source: Liquid AI, LFM2.
struct ConvolutionPart {
  int64_t kernel = 0;
  bool bias = false;
  std::string in, weights, out;
  bool operator==(const ConvolutionPart&) const = default;
};

struct DensePart {
  int64_t width = 0;
  bool gated = true;   // down(activation(gate x) * up x), else down(activation(up x))
  bool fused = false;  // gate and up in one tensor, gate first
  bool bias = false;
  ActivationKind activation = ActivationKind::kSilu;
  std::string gate, up, all, down;
  bool operator==(const DensePart&) const = default;
};

// A router sends each token to some of the experts, each a gated feed-forward block.
struct ExpertsPart {
  int64_t count = 0, used = 0, width = 0;
  RouterKind router = RouterKind::kSoftmax;
  bool router_bias = false;
  // Weights of the chosen sum to 1; for kSoftmax as if it ran over the chosen alone.
  bool normalise = false;
  double scale = 1;      // of the weights
  bool bias = false;     // of each expert's products, not of the shared one's
  double clamp = 0;      // gates are at most this, ups in size; 0: they are as they come
  double up_offset = 0;  // added to ups
  int64_t groups = 1, groups_used = 1;
  GroupScore group_score = GroupScore::kTopTwo;
  int64_t shared_width = 0;    // an expert that sees every token; 0: none
  std::string weights;         // of the router
  std::string correction;      // [count], added to scores for the choice alone; empty: none
  std::string gate, up, down;  // with "{e}"
  std::string shared_gate, shared_up, shared_down;
  std::string shared_switch;  // [1][hidden]: the shared expert times its sigmoid; empty: none
  bool operator==(const ExpertsPart&) const = default;
};

struct LayerDescription {
  MixerKind mixer = MixerKind::kAttention;
  FeedKind feed = FeedKind::kDense;
  // The mixer's and the feed-forward block's input are of the same stream.
  bool parallel = false;
  double residual_scale = 1;  // of what a block adds to the stream
  int64_t window = 0;         // positions that a token sees, itself included; 0: all
  // Names of norms; empty: none. Before a block, and of what it adds.
  std::string mixer_norm, mixer_after, feed_norm, feed_after;
  // Of the stream itself, behind what a block has added; empty: none.
  std::string mixer_sum, feed_sum;
  Rotary rotary;
  AttentionPart attention;  // heads and scale for kLatent too
  LatentPart latent;
  DeltaPart delta;
  ConvolutionPart convolution;
  DensePart dense;
  ExpertsPart experts;
  bool operator==(const LayerDescription&) const = default;
};

struct Description {
  std::string family;  // for messages
  int64_t vocabulary = 0, hidden = 0, context = 0;
  // Every token sees all of its text, which is read in one pass and not continued. Source: Devlin
  // et al., "BERT" (2018).
  bool encoder = false;
  NormKind norm = NormKind::kRms;
  double norm_eps = 1e-6;
  bool norm_bias = false;  // layer norms
  double embedding_scale = 1;
  std::string embedding;
  std::string positions;  // [context][hidden], added to embeddings; empty: none
  // [type_count][hidden]: the first row is added to embeddings; empty: none.
  std::string types;
  int64_t type_count = 0;
  std::string embedding_norm;  // empty: none
  std::string final_norm;      // empty: none, of encoders alone
  std::string head;            // empty: the embedding
  int64_t outputs = 0;         // rows of the head, of encoders alone; 0: the vocabulary
  bool head_bias = false;
  double head_scale = 1;
  double head_cap = 0;
  std::vector<LayerDescription> layers;
  bool operator==(const Description&) const = default;
};

// Limits of what a description may say.
inline constexpr int64_t kMaxHeads = 1 << 10;
inline constexpr int64_t kMaxHeadDim = 1 << 10;
inline constexpr int64_t kMaxFfn = 1 << 18;
inline constexpr int64_t kMaxExperts = 1 << 10;
inline constexpr int64_t kMaxKernel = 64;
inline constexpr int64_t kMaxLatentRank = 1 << 12;
inline constexpr size_t kMaxTensorName = 256;

Json DescriptionToJson(const Description& description);
// A sound description (CheckDescription). kMalformed names what is no member, the nearest beside
// it; kUnsupported a block that this Ferry lacks.
Result<Description> DescriptionFromJson(const Json& json);
// That numbers are within bounds and fit one another, and that what the blocks need is named.
// kBadModel, kLimitExceeded, kUnsupported; each names layer and member.
Status CheckDescription(const Description& description);

}  // namespace ferry::llm
