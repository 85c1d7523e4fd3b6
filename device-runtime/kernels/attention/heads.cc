#include "device-runtime/kernels/attention/heads.h"

#include <algorithm>
#include <limits>

#include "device-runtime/kernels/attention/kernels.h"
#include "device-runtime/kernels/gemm/gemm.h"
#include "device-runtime/kernels/gemm/kernels.h"
#include "device-runtime/kernels/parallel.h"

namespace ferry::kernels {
namespace {

constexpr int64_t kKeyBlock = 512;  // keys whose scores are there at once, at most
// Rows of scores: a little more than a block, or rows of one tile would share sets of the cache.
constexpr int64_t kScoreStride = kKeyBlock + 16;

// What of each operand belongs to one entry of the batch.
int64_t OffsetOf(const HeadsShape& s, const HeadsView& view, int64_t entry) {
  int64_t offset = 0;
  for (int axis = s.rank - 1; axis >= 0; --axis) {
    const auto a = static_cast<size_t>(axis);
    offset += entry % s.size[a] * view.batch[a];
    entry /= s.size[a];
  }
  return offset;
}

// For each thread: then whole entries even out.
constexpr int64_t kManyEntries = 8;

class HeadsAttention {
 public:
  HeadsAttention(const KernelTable& table, const HeadsShape& shape, const float* q,
                 const std::array<const float*, 2>& biases, float* y)
      : s_(shape),
        gemm_(*table.gemm),
        kernels_(*table.attention),
        width_(gemm_.PanelWidth()),
        key_floats_(static_cast<int64_t>(PackedBSize(table, shape.depth, shape.keys))),
        value_floats_(static_cast<int64_t>(PackedBSize(table, shape.keys, shape.value_depth))),
        q_(q),
        biases_(biases),
        y_(y) {}

  int64_t tiles() const { return (s_.queries + gemm_.max_rows - 1) / gemm_.max_rows; }

  int64_t packed_floats() const { return key_floats_ + value_floats_; }

  // The keys and values of one entry of the batch.
  void Pack(const KernelTable& table, int64_t entry, const float* k, const float* v,
            float* packed) const {
    const MatrixView keys = {k + OffsetOf(s_, s_.k, entry), s_.k.column, s_.k.row};
    const MatrixView values = {v + OffsetOf(s_, s_.v, entry), s_.v.row, s_.v.column};
    PackB(table, s_.depth, s_.keys, keys, packed);
    PackB(table, s_.keys, s_.value_depth, values, packed + key_floats_);
  }

  // The tile of queries `tile` of one entry of the batch.
  void Run(int64_t entry, int64_t tile, const float* packed) const {
    const int64_t row = tile * gemm_.max_rows;
    const int64_t rows = std::min<int64_t>(gemm_.max_rows, s_.queries - row);
    float scores[kMaxTileRows * kScoreStride];
    float copied[kMaxTileRows * kMaxHeadDepth];
    float max[kMaxTileRows], total[kMaxTileRows], shrink[kMaxTileRows];
    const float* queries[kMaxTileRows];
    Queries(entry, row, rows, queries, copied);
    std::fill_n(max, rows, std::numeric_limits<float>::lowest());
    std::fill_n(total, rows, 0.0f);
    float* y = y_ + OffsetOf(s_, s_.y, entry) + row * s_.y.row;
    for (int64_t begin = 0; begin < s_.keys; begin += block_) {
      const int64_t keys = std::min(block_, s_.keys - begin);
      Scores(packed, begin, keys, rows, queries, scores);
      WeighArgs w = {scores, rows, keys, kScoreStride, s_.scale, {}, max, total, shrink};
      for (size_t i = 0; i < biases_.size(); ++i) {
        if (biases_[i] == nullptr) continue;
        const HeadsView& view = s_.biases[i];
        w.bias[i] = {biases_[i] + OffsetOf(s_, view, entry) + row * view.row + begin * view.column,
                     view.row, view.column};
      }
      kernels_.weigh(w);
      for (int64_t r = 0; begin > 0 && r < rows; ++r) {
        if (shrink[r] != 1.0f) kernels_.scale(shrink[r], s_.value_depth, y + r * s_.y.row);
      }
      Mix(packed + key_floats_, begin, keys, rows, scores, y);
    }
    for (int64_t r = 0; r < rows; ++r) {
      if (s_.keys == 0) std::fill_n(y + r * s_.y.row, s_.value_depth, 0.0f);
      kernels_.scale(1.0f / total[r], s_.value_depth, y + r * s_.y.row);
    }
  }

 private:
  void Queries(int64_t entry, int64_t row, int64_t rows, const float** pointers,
               float* copied) const {
    const float* q = q_ + OffsetOf(s_, s_.q, entry) + row * s_.q.row;
    for (int64_t r = 0; r < rows; ++r) {
      pointers[r] = q + r * s_.q.row;
      if (s_.q.column == 1) continue;
      float* to = copied + r * kMaxHeadDepth;
      for (int64_t d = 0; d < s_.depth; ++d) to[d] = pointers[r][d * s_.q.column];
      pointers[r] = to;
    }
  }

  void Scores(const float* packed, int64_t begin, int64_t keys, int64_t rows, const float** queries,
              float* scores) const {
    TileArgs t = {};
    t.a = queries;
    t.taps = 1;
    t.depth = s_.depth;
    t.c_stride = kScoreStride;
    for (int64_t column = 0; column < keys; column += width_) {
      t.columns = std::min(width_, keys - column);
      t.b = packed + (begin + column) * s_.depth;
      t.c = scores + column;
      gemm_.tile[(t.columns + gemm_.vector - 1) / gemm_.vector][rows](t);
    }
  }

  // y += weights * values of keys [begin, begin + keys).
  void Mix(const float* panel, int64_t begin, int64_t keys, int64_t rows, const float* weights,
           float* y) const {
    const float* pointers[kMaxTileRows];
    for (int64_t r = 0; r < rows; ++r) pointers[r] = weights + r * kScoreStride;
    TileArgs t = {};
    t.a = pointers;
    t.taps = 1;
    t.depth = keys;
    t.c_stride = s_.y.row;
    t.accumulate = begin > 0;
    for (int64_t column = 0; column < s_.value_depth; column += width_) {
      t.columns = std::min(width_, s_.value_depth - column);
      const int64_t vectors = (t.columns + gemm_.vector - 1) / gemm_.vector;
      t.b = panel + begin * vectors * gemm_.vector;
      t.c = y + column;
      gemm_.tile[vectors][rows](t);
      panel += s_.keys * vectors * gemm_.vector;
    }
  }

  const HeadsShape& s_;
  const GemmKernels& gemm_;
  const AttentionKernels& kernels_;
  const int64_t width_;
  const int64_t block_ = kKeyBlock / width_ * width_;  // whole panels
  const int64_t key_floats_, value_floats_;
  const float* q_;
  const std::array<const float*, 2>& biases_;
  float* y_;
};

}  // namespace

int64_t HeadsShape::batch() const {
  int64_t count = 1;
  for (int axis = 0; axis < rank; ++axis) count *= size[static_cast<size_t>(axis)];
  return count;
}

size_t AttendWorkspaceSize(const KernelTable& table, const HeadsShape& shape, int threads) {
  return static_cast<size_t>(shape.batch() + threads - 1) *
         (PackedBSize(table, shape.depth, shape.keys) +
          PackedBSize(table, shape.keys, shape.value_depth));
}

void Attend(const KernelTable& table, sys::Parallel& parallel, const HeadsShape& shape,
            const float* q, const float* k, const float* v,
            const std::array<const float*, 2>& biases, float* y, float* workspace) {
  const HeadsAttention attention(table, shape, q, biases, y);
  const int64_t batch = shape.batch();
  const int64_t tiles = attention.tiles();
  if (batch == 0 || tiles == 0 || shape.value_depth == 0) return;
  const int64_t depths = shape.depth + shape.value_depth;
  const int64_t threads = parallel.width();
  // A part packs what it needs for itself. Where entries do not go evenly to threads, two parts may
  // pack the same one: part p has entry e in place e + p.
  const bool is_even = batch % threads == 0 || batch >= threads * kManyEntries;
  const int64_t parts = is_even ? batch : std::min(threads, batch * tiles);
  const int64_t steps = table.gemm->max_rows * shape.keys * (depths + 16) / 16 * batch * tiles;
  const auto run_part = [&](int64_t part) {
    int64_t there = -1;
    float* packed = nullptr;
    for (int64_t i = batch * tiles * part / parts; i < batch * tiles * (part + 1) / parts; ++i) {
      const int64_t entry = i / tiles;
      if (entry != there) {
        packed = workspace + (entry + (is_even ? 0 : part)) * attention.packed_floats();
        attention.Pack(table, entry, k, v, packed);
        there = entry;
      }
      attention.Run(entry, i % tiles, packed);
    }
  };
  ForPieces(parallel, parts, steps / parts, [&](int64_t begin, int64_t end) {
    for (int64_t part = begin; part < end; ++part) run_part(part);
  });
}

}  // namespace ferry::kernels
