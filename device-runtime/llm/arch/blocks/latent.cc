// Multi-head latent attention over the latent rows themselves: what makes keys of them is applied
// to queries, what makes values to the results. Source: DeepSeek-AI, "DeepSeek-V2" (2024), section
// 2.1.
#include <algorithm>
#include <cmath>

#include "device-runtime/kernels/attention/attention.h"
#include "device-runtime/kernels/parallel.h"
#include "device-runtime/llm/arch/blocks/adapted.h"
#include "device-runtime/llm/arch/blocks/pieces.h"
#include "device-runtime/llm/kv/kv_cache.h"

namespace ferry::llm {
namespace {

kernels::WeightMatrix RowsOf(const kernels::WeightMatrix& w, int64_t first, int64_t rows) {
  kernels::WeightMatrix part = w;
  part.rows = rows;
  part.data = static_cast<const uint8_t*>(w.data) + first * w.columns * WeightBytes(w.type);
  if (w.scales != nullptr) part.scales = w.scales + first;
  return part;
}

class LatentBlock final : public Block {
 public:
  explicit LatentBlock(const BlockParts& parts)
      : l_(parts.layer.latent),
        heads_(parts.layer.attention.heads),
        layer_(parts.index),
        rotary_(parts.layer.rotary),
        positions_(parts.positions),
        table_(rotary_.form == RotaryForm::kNone ? -1 : positions_.IndexOf(rotary_)),
        query_(FindProduct(parts, l_.query)),
        down_(FindProduct(parts, l_.down, parts.layer.attention.bias)),
        norm_(FindNorm(parts, l_.norm)),
        up_(parts.Matrix(l_.up).plain),
        up_tensor_(parts.Matrix(l_.up).tensor),
        out_(FindProduct(parts, parts.layer.attention.out, parts.layer.attention.out_bias)) {
    norm_.eps = static_cast<float>(l_.norm_eps);
    if (l_.query_rank > 0) {
      query_down_ = FindProduct(parts, l_.query_down, parts.layer.attention.bias);
      query_norm_ = FindNorm(parts, l_.query_norm);
      query_norm_.eps = norm_.eps;
    }
    const double said = parts.layer.attention.scale;
    shape_ = {.heads = heads_, .kv_heads = 1, .head_dim = row_dim(), .value_dim = l_.rank};
    shape_.scale =
        static_cast<float>(said != 0 ? said : 1 / std::sqrt(static_cast<double>(head_dim())));
    shape_.cap = static_cast<float>(parts.layer.attention.cap);
    shape_.window = parts.layer.window;
  }

  int64_t scratch() const override {
    return l_.query_rank + heads_ * head_dim() + 2 * row_dim() + heads_ * row_dim() +
           heads_ * l_.rank + heads_ * l_.value_dim;
  }
  int64_t quantized_bytes() const override {
    return MostQuantizedBytes({&query_down_, &query_, &down_, &out_});
  }
  KvLayer kv() const override {
    return {.heads = 1, .key_dim = row_dim(), .window = shape_.window};
  }

  void Run(const Rows& rows, const float* in, const float* add, float* out) const override {
    Scratch scratch(rows);
    float* query = scratch.Take(heads_ * head_dim());
    if (l_.query_rank > 0) {
      float* low = scratch.Take(l_.query_rank);
      query_down_.Run(rows, in, nullptr, low);
      query_norm_.Run(rows, low, l_.query_rank, low);
      query_.Run(rows, low, nullptr, query);
    } else {
      query_.Run(rows, in, nullptr, query);
    }
    float* latent = scratch.Take(row_dim());
    down_.Run(rows, in, nullptr, latent);
    float* absorbed = scratch.Take(heads_ * row_dim());
    Absorb(rows, query, absorbed);
    if (rows.adapted) AbsorbAdapters(rows, query, absorbed);
    float* mixed = scratch.Take(heads_ * l_.rank);
    kernels::ForPieces(
        rows.pass.parallel, rows.count, heads_ * row_dim(), [&](int64_t begin, int64_t end) {
          for (int64_t row = begin; row < end; ++row) {
            Place(rows, row, query + row * heads_ * head_dim(), latent + row * row_dim(),
                  absorbed + row * heads_ * row_dim(), mixed + row * heads_ * l_.rank);
          }
        });
    kernels::Attention(rows.table, rows.pass.parallel, shape_, rows.pass.workspace.rows,
                       rows.count);
    SpreadBack(rows, mixed, heads_ * l_.rank);
    float* values = scratch.Take(heads_ * l_.value_dim);
    for (int64_t h = 0; h < heads_; ++h) {
      const int64_t first = h * (l_.plain_dim + l_.value_dim) + l_.plain_dim;
      Product{{RowsOf(up_, first, l_.value_dim), {}}}.Run(rows, mixed + h * l_.rank, nullptr,
                                                          values + h * l_.value_dim,
                                                          heads_ * l_.value_dim, heads_ * l_.rank);
      if (rows.adapted) {
        AddAdapters(rows, {up_tensor_, first, l_.value_dim}, mixed + h * l_.rank, heads_ * l_.rank,
                    values + h * l_.value_dim, heads_ * l_.value_dim);
      }
    }
    out_.Run(rows, values, add, out);
  }

 private:
  int64_t head_dim() const { return l_.plain_dim + l_.rotary_dim; }
  int64_t row_dim() const { return l_.rank + l_.rotary_dim; }

  // The first `rank` numbers of each head of `out`: its plain query times what makes keys.
  void Absorb(const Rows& rows, const float* query, float* out) const {
    const int64_t steps = l_.plain_dim * l_.rank * rows.count;
    kernels::ForPieces(rows.pass.parallel, heads_, steps, [&](int64_t begin, int64_t end) {
      float weights[kMaxLatentRank];
      for (int64_t h = begin; h < end; ++h) {
        for (int64_t row = 0; row < rows.count; ++row) {
          std::fill_n(out + (row * heads_ + h) * row_dim(), l_.rank, 0.0f);
        }
        for (int64_t d = 0; d < l_.plain_dim; ++d) {
          kernels::WidenRow(up_, h * (l_.plain_dim + l_.value_dim) + d, weights);
          for (int64_t row = 0; row < rows.count; ++row) {
            const float by = query[(row * heads_ + h) * head_dim() + d];
            float* to = out + (row * heads_ + h) * row_dim();
            for (int64_t i = 0; i < l_.rank; ++i) to[i] += by * weights[i];
          }
        }
      }
    });
  }

  void AbsorbAdapters(const Rows& rows, const float* query, float* out) const {
    const int64_t steps = (l_.plain_dim + l_.rank) * rows.count;
    kernels::ForPieces(rows.pass.parallel, heads_, steps, [&](int64_t begin, int64_t end) {
      for (int64_t h = begin; h < end; ++h) {
        AddTransposedAdapters(rows, {up_tensor_, h * (l_.plain_dim + l_.value_dim), l_.plain_dim},
                              query + h * head_dim(), heads_ * head_dim(), out + h * row_dim(),
                              heads_ * row_dim());
      }
    });
  }

  void Place(const Rows& rows, int64_t row, const float* query, float* latent, float* absorbed,
             float* mixed) const {
    const RowPlace& place = rows.pass.workspace.places[row];
    KvSequence& kv = *rows.pass.chunks[static_cast<size_t>(place.chunk)].kv;
    norm_.Row(rows.table, latent, l_.rank, latent);
    TurnHead(rows, row, latent + l_.rank);
    const kernels::KvLayout& layout = kv.layout(layer_);
    if (layout.spread > 0) kernels::Spread(layout.spread, row_dim(), latent);
    kernels::StoreKv(layout.keys, 0, place.position % kernels::kPagePositions, latent,
                     kv.page(layer_, place.position));
    for (int64_t h = 0; h < heads_; ++h) {
      float* turned = absorbed + h * row_dim() + l_.rank;
      std::copy_n(query + h * head_dim() + l_.plain_dim, l_.rotary_dim, turned);
      TurnHead(rows, row, turned);
    }
    if (layout.spread > 0) kernels::Spread(layout.spread, heads_ * row_dim(), absorbed);
    rows.pass.workspace.rows[row] = {absorbed, mixed, kv.pages(layer_), &layout,
                                     place.position + 1};
  }

  void TurnHead(const Rows& rows, int64_t row, float* x) const {
    if (table_ < 0) return;
    Turn(rows.table, rotary_.form, positions_.Cosines(rows, table_, row),
         positions_.Sines(rows, table_, row), rotary_.dims, x);
  }

  const LatentPart l_;
  const int64_t heads_;
  const int64_t layer_;
  const Rotary rotary_;
  const PositionTables& positions_;
  const int64_t table_;
  Product query_down_, query_, down_;
  NormWeights query_norm_, norm_;
  const kernels::WeightMatrix up_;
  const int32_t up_tensor_;
  Product out_;
  kernels::AttentionShape shape_;
};

}  // namespace

std::unique_ptr<Block> MakeLatentBlock(const BlockParts& parts) {
  return std::make_unique<LatentBlock>(parts);
}

}  // namespace ferry::llm
