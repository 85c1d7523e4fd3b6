// Scaled dot-product attention with grouped queries over the paged cache.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "device-runtime/kernels/attention/attention.h"
#include "device-runtime/kernels/parallel.h"
#include "device-runtime/llm/arch/blocks/pieces.h"
#include "device-runtime/llm/kv/kv_cache.h"

namespace ferry::llm {
namespace {

// Slopes of ALiBi. Source: Press et al. 2021, with the authors' way for counts of heads that are no
// power of two: those of the next lower one, then every other of the next higher.
std::vector<float> AlibiSlopes(int64_t heads) {
  int64_t power = 1;
  while (2 * power <= heads) power *= 2;
  std::vector<float> slopes;
  const auto add = [&](int64_t count, int64_t of, int64_t step) {
    for (int64_t i = 0; i < count; ++i) {
      const double exponent = -8.0 * static_cast<double>(1 + i * step) / static_cast<double>(of);
      slopes.push_back(static_cast<float>(std::exp2(exponent)));
    }
  };
  add(power, power, 1);
  add(heads - power, 2 * power, 2);
  return slopes;
}

// Where a row of products has its queries, keys and values. Pointers are of the first row.
struct Projected {
  const float *query, *key, *value;
  int64_t query_stride, key_stride, value_stride;  // of rows
  int64_t query_step;                              // from one head's query to the next
  int64_t group_step;  // beyond the queries' own, from one key head's queries to the next
  int64_t kv_step;     // from one head's key to the next
};

class AttentionBlock final : public Block {
 public:
  explicit AttentionBlock(const BlockParts& parts)
      : a_(parts.layer.attention),
        layer_(parts.index),
        sees_all_(parts.description.encoder),
        rotary_(parts.layer.rotary),
        positions_(parts.positions),
        table_(rotary_.form == RotaryForm::kNone ? -1 : positions_.IndexOf(rotary_)),
        out_(FindProduct(parts, a_.out, a_.out_bias)) {
    if (a_.fused == FusedKind::kSeparate) {
      query_ = FindProduct(parts, a_.query, a_.bias);
      key_ = FindProduct(parts, a_.key, a_.bias);
      value_ = FindProduct(parts, a_.value, a_.bias);
    } else {
      query_ = FindProduct(parts, a_.all, a_.bias);
    }
    if (a_.norm != HeadNorm::kNone) {
      query_norm_ = FindNorm(parts, a_.query_norm);
      key_norm_ = FindNorm(parts, a_.key_norm);
    }
    if (a_.alibi) slopes_ = AlibiSlopes(a_.heads);
    shape_ = {.heads = a_.heads, .kv_heads = a_.kv_heads, .head_dim = a_.head_dim};
    shape_.scale = static_cast<float>(
        a_.scale != 0 ? a_.scale : 1 / std::sqrt(static_cast<double>(a_.head_dim)));
    shape_.cap = static_cast<float>(a_.cap);
    shape_.window = parts.layer.window;
    shape_.slopes = slopes_.empty() ? nullptr : slopes_.data();
    shape_.sinks = a_.sinks.empty() ? nullptr : parts.Vector(a_.sinks);
  }

  int64_t scratch() const override {
    const int64_t products = query_.width() + (a_.fused == FusedKind::kSeparate ? 2 * keys() : 0);
    return products + (contiguous() ? 0 : queries()) + queries();
  }
  int64_t quantized_bytes() const override {
    return MostQuantizedBytes({&query_, &key_, &value_, &out_});
  }
  KvLayer kv() const override {
    return {.heads = a_.kv_heads,
            .key_dim = a_.head_dim,
            .value_dim = a_.head_dim,
            .window = shape_.window};
  }

  void Run(const Rows& rows, const float* in, const float* add, float* out) const override {
    Scratch scratch(rows);
    const Projected projected = Project(rows, in, scratch);
    float* mixed = scratch.Take(queries());
    float* turned = contiguous() ? const_cast<float*>(projected.query) : scratch.Take(queries());
    const int64_t steps = (a_.heads + 2 * a_.kv_heads) * a_.head_dim;
    kernels::ForPieces(rows.pass.parallel, rows.count, steps, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        Place(rows, projected, row, turned + row * queries(), mixed + row * queries());
      }
    });
    kernels::Attention(rows.table, rows.pass.parallel, shape_, rows.pass.workspace.rows,
                       rows.count);
    SpreadBack(rows, mixed, queries());
    if (a_.gate) Gate(rows, projected, mixed);
    out_.Run(rows, mixed, add, out);
  }

 private:
  int64_t queries() const { return a_.heads * a_.head_dim; }
  int64_t keys() const { return a_.kv_heads * a_.head_dim; }
  // Whether products leave queries as attention takes them.
  bool contiguous() const { return a_.fused == FusedKind::kSeparate && !a_.gate; }

  Projected Project(const Rows& rows, const float* in, Scratch& scratch) const {
    const int64_t dim = a_.head_dim;
    const int64_t width = query_.width();
    float* query = scratch.Take(width);
    Input input(rows, in, query_.weights.columns());
    if (a_.fused == FusedKind::kSeparate) {
      float* key = scratch.Take(keys());
      float* value = scratch.Take(keys());
      RunTogether(rows, input, {&query_, &key_, &value_}, {query, key, value});
      return {query, key, value, width, keys(), keys(), a_.gate ? 2 * dim : dim, 0, dim};
    }
    query_.Run(rows, input, nullptr, query);
    switch (a_.fused) {
      case FusedKind::kSeparate:
      case FusedKind::kStacked: {
        const float* key = query + queries();
        return {query, key, key + keys(), width, width, width, dim, 0, dim};
      }
      case FusedKind::kGrouped:
        break;
    }
    const int64_t group = a_.heads / a_.kv_heads;
    const float* key = query + group * dim;
    return {query, key, key + dim, width, width, width, dim, 2 * dim, (group + 2) * dim};
  }

  void NormHeads(const Rows& rows, const NormWeights& norm, int64_t heads, float* x) const {
    if (a_.norm == HeadNorm::kRow) return norm.Row(rows.table, x, heads * a_.head_dim, x);
    for (int64_t h = 0; h < heads; ++h) {
      norm.Row(rows.table, x + h * a_.head_dim, a_.head_dim, x + h * a_.head_dim);
    }
  }

  // Norm and positions of the heads of one row, in place.
  void Prepare(const Rows& rows, int64_t row, const NormWeights& norm, int64_t heads,
               float* x) const {
    const bool normed = a_.norm != HeadNorm::kNone;
    if (normed && !a_.norm_after_rotary) NormHeads(rows, norm, heads, x);
    if (table_ >= 0) {
      const float* cosines = positions_.Cosines(rows, table_, row);
      const float* sines = positions_.Sines(rows, table_, row);
      for (int64_t h = 0; h < heads; ++h) {
        Turn(rows.table, rotary_.form, cosines, sines, rotary_.dims, x + h * a_.head_dim);
      }
    }
    if (normed && a_.norm_after_rotary) NormHeads(rows, norm, heads, x);
  }

  // A row's queries become what attention takes, its keys and values go to the cache.
  void Place(const Rows& rows, const Projected& from, int64_t row, float* query,
             float* mixed) const {
    const int64_t dim = a_.head_dim;
    const int64_t group = a_.heads / a_.kv_heads;
    const RowPlace& place = rows.pass.workspace.places[row];
    KvSequence& kv = *rows.pass.chunks[static_cast<size_t>(place.chunk)].kv;
    if (!contiguous()) {
      const float* source = from.query + row * from.query_stride;
      for (int64_t h = 0; h < a_.heads; ++h) {
        std::copy_n(source + h * from.query_step + h / group * from.group_step, dim,
                    query + h * dim);
      }
    }
    Prepare(rows, row, query_norm_, a_.heads, query);
    // Where products of keys are packed they can be prepared where they lie; else head by head,
    // which only norms over all heads cannot be.
    float packed[kMaxHeadDim];
    float spread[kMaxHeadDim];
    const kernels::KvLayout& layout = kv.layout(layer_);
    uint8_t* page = kv.page(layer_, place.position);
    const int64_t slot = place.position % kernels::kPagePositions;
    if (layout.spread > 0) kernels::Spread(layout.spread, queries(), query);
    float* keys = const_cast<float*>(from.key) + row * from.key_stride;
    const bool in_place = from.kv_step == dim;
    if (in_place) Prepare(rows, row, key_norm_, a_.kv_heads, keys);
    for (int64_t h = 0; h < a_.kv_heads; ++h) {
      const float* one = keys + h * from.kv_step;
      if (!in_place) {
        std::copy_n(one, dim, packed);
        Prepare(rows, row, key_norm_, 1, packed);
        one = packed;
      }
      const float* value = from.value + row * from.value_stride + h * from.kv_step;
      if (layout.spread > 0) {
        if (one != packed) one = std::copy_n(one, dim, packed) - dim;
        kernels::Spread(layout.spread, dim, packed);
        std::copy_n(value, dim, spread);
        kernels::Spread(layout.spread, dim, spread);
        value = spread;
      }
      kernels::StoreKv(layout.keys, h, slot, one, page);
      kernels::StoreKv(layout.values, h, slot, value, page);
    }
    const Chunk& chunk = rows.pass.chunks[static_cast<size_t>(place.chunk)];
    const int64_t all = kv.length() + static_cast<int64_t>(chunk.tokens.size());
    rows.pass.workspace.rows[row] = {query, mixed, kv.pages(layer_), &layout,
                                     sees_all_ ? all : place.position + 1};
  }

  void Gate(const Rows& rows, const Projected& from, float* mixed) const {
    const int64_t dim = a_.head_dim;
    for (int64_t row = 0; row < rows.count; ++row) {
      const float* gates = from.query + row * from.query_stride + dim;
      float* to = mixed + row * queries();
      for (int64_t h = 0; h < a_.heads; ++h) {
        for (int64_t d = 0; d < dim; ++d) to[h * dim + d] *= Sigmoid(gates[2 * h * dim + d]);
      }
    }
  }

  const AttentionPart a_;
  const int64_t layer_;
  const bool sees_all_;  // of its text, not what stands before alone
  const Rotary rotary_;
  const PositionTables& positions_;
  const int64_t table_;
  Product query_, key_, value_;  // fused: query_ has all
  Product out_;
  NormWeights query_norm_, key_norm_;
  std::vector<float> slopes_;
  kernels::AttentionShape shape_;
};

}  // namespace

std::unique_ptr<Block> MakeAttentionBlock(const BlockParts& parts) {
  return std::make_unique<AttentionBlock>(parts);
}

}  // namespace ferry::llm
