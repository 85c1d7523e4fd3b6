#include "device-runtime/llm/arch/network.h"

#include <algorithm>
#include <cmath>

#include "common/base/check.h"
#include "device-runtime/llm/arch/blocks/adapted.h"
#include "device-runtime/llm/arch/blocks/pieces.h"
#include "device-runtime/llm/device/device.h"
#include "device-runtime/llm/kv/kv_cache.h"

namespace ferry::llm {
namespace {

constexpr int64_t kHeadRows = kernels::kPackedTileRows;  // pieces of the head are whole tiles

// Fills workspace.places from the chunks.
Rows PlaceRows(const kernels::KernelTable& table, const ForwardPass& pass, int64_t vocabulary) {
  int64_t row = 0;
  bool adapted = false;
  for (size_t c = 0; c < pass.chunks.size(); ++c) {
    const Chunk& chunk = pass.chunks[c];
    adapted = adapted || chunk.adapters != nullptr;
    const auto tokens = static_cast<int64_t>(chunk.tokens.size());
    CHECK(row + tokens <= pass.workspace.tokens()) << row << " and " << tokens;
    const int64_t start = chunk.kv->length();
    for (int64_t i = 0; i < tokens; ++i) {
      float* logits = nullptr;
      if (i >= chunk.logits_from) logits = chunk.logits + (i - chunk.logits_from) * vocabulary;
      pass.workspace.places[row++] = {static_cast<int64_t>(c), start + i, logits};
    }
  }
  return {table, pass, row, adapted};
}

void AddScaled(float scale, const float* from, int64_t count, float* to) {
  for (int64_t i = 0; i < count; ++i) to[i] += scale * from[i];
}

}  // namespace

struct Network::State {
  struct Layer {
    NormWeights mixer_norm, mixer_after, mixer_sum, feed_norm, feed_after, feed_sum;
    std::unique_ptr<Block> mixer, feed;
    float residual_scale;
    bool parallel;
  };

  State(const Description& d, const Weights& weights, const Device& device, bool exact)
      : table(device.table()), description(d), positions(d) {
    const BlockParts whole{d, d.layers[0], 0, weights, positions, exact};
    embedding = weights.Matrix(d.embedding);
    if (!d.positions.empty()) learned = weights.Matrix(d.positions);
    if (!d.types.empty()) types = weights.Matrix(d.types);
    embedding_norm = FindNorm(whole, d.embedding_norm);
    head = FindProduct(whole, d.head.empty() ? d.embedding : d.head, d.head_bias);
    final_norm = FindNorm(whole, d.final_norm);
    for (size_t i = 0; i < d.layers.size(); ++i) {
      const LayerDescription& l = d.layers[i];
      const BlockParts parts{d, l, static_cast<int64_t>(i), weights, positions, exact};
      layers.push_back({FindNorm(parts, l.mixer_norm), FindNorm(parts, l.mixer_after),
                        FindNorm(parts, l.mixer_sum), FindNorm(parts, l.feed_norm),
                        FindNorm(parts, l.feed_after), FindNorm(parts, l.feed_sum),
                        device.MakeMixer(parts), device.MakeFeed(parts),
                        static_cast<float>(l.residual_scale), l.parallel});
    }
  }

  void Embed(const Rows& rows) const;
  void AddRow(const Rows& rows, const Matrix& matrix, int64_t row, float* out) const;
  // stream += scale * norm(block(in))
  void Add(const Rows& rows, const Block& block, const NormWeights& after, float scale,
           const float* in) const;
  void RunLayer(const Rows& rows, const Layer& layer) const;
  // Final norm and vocabulary product, for the rows whose logits are wanted only.
  void Logits(const Rows& rows) const;
  void FinishLogits(int64_t rows, float* logits) const;
  // The head's product, piece by piece where it does not stay in memory.
  void RunHead(const Rows& rows, const float* x, float* out) const;

  const kernels::KernelTable& table;
  const Description& description;
  const PositionTables positions;
  Matrix embedding;
  Matrix learned, types;  // not present: none
  Product head;
  NormWeights embedding_norm, final_norm;
  std::vector<Layer> layers;
  Residency residency;
};

void Network::State::AddRow(const Rows& rows, const Matrix& matrix, int64_t row, float* out) const {
  if (!matrix.present()) return;
  float* more = rows.pass.workspace.added;
  WidenRow(matrix, row, more);
  AddScaled(1, more, matrix.columns(), out);
}

void Network::State::Embed(const Rows& rows) const {
  float* out = rows.pass.workspace.stream;
  const auto scale = static_cast<float>(description.embedding_scale);
  const int64_t width = embedding.columns();
  int64_t row = 0;
  for (const Chunk& chunk : rows.pass.chunks) {
    for (const TokenId token : chunk.tokens) {
      WidenRow(embedding, token, out);
      if (scale != 1) {
        for (int64_t i = 0; i < width; ++i) out[i] *= scale;
      }
      AddRow(rows, learned, rows.pass.workspace.places[row].position, out);
      AddRow(rows, types, 0, out);
      if (embedding_norm.present()) embedding_norm.Row(rows.table, out, width, out);
      out += width;
      ++row;
    }
  }
}

void Network::State::Add(const Rows& rows, const Block& block, const NormWeights& after,
                         float scale, const float* in) const {
  Workspace& workspace = rows.pass.workspace;
  if (!after.present() && scale == 1) {
    return block.Run(rows, in, workspace.stream, workspace.stream);
  }
  block.Run(rows, in, nullptr, workspace.added);
  if (after.present()) after.Run(rows, workspace.added, embedding.columns(), workspace.added);
  AddScaled(scale, workspace.added, rows.count * embedding.columns(), workspace.stream);
}

void Network::State::RunLayer(const Rows& rows, const Layer& layer) const {
  Workspace& workspace = rows.pass.workspace;
  const int64_t width = embedding.columns();
  // A block reads its input while it writes the stream, so that it takes a copy where no norm makes
  // one.
  const auto input = [&](const NormWeights& norm, float* to) -> const float* {
    if (norm.present()) {
      norm.Run(rows, workspace.stream, width, to);
    } else {
      std::copy_n(workspace.stream, rows.count * width, to);
    }
    return to;
  };
  const float* in = input(layer.mixer_norm, workspace.normed);
  const float* beside = in;
  if (layer.parallel && layer.feed_norm.present()) {
    beside = input(layer.feed_norm, workspace.second);
  }
  Add(rows, *layer.mixer, layer.mixer_after, layer.residual_scale, in);
  const auto norm_sum = [&](const NormWeights& norm) {
    if (norm.present()) norm.Run(rows, workspace.stream, width, workspace.stream);
  };
  norm_sum(layer.mixer_sum);
  if (!layer.parallel) beside = input(layer.feed_norm, workspace.normed);
  Add(rows, *layer.feed, layer.feed_after, layer.residual_scale, beside);
  norm_sum(layer.feed_sum);
}

void Network::State::FinishLogits(int64_t rows, float* logits) const {
  const auto scale = static_cast<float>(description.head_scale);
  const auto cap = static_cast<float>(description.head_cap);
  const int64_t count = rows * head.width();
  if (scale != 1) {
    for (int64_t i = 0; i < count; ++i) logits[i] *= scale;
  }
  if (cap > 0) {
    for (int64_t i = 0; i < count; ++i) logits[i] = cap * std::tanh(logits[i] / cap);
  }
}

void Network::State::RunHead(const Rows& rows, const float* x, float* out) const {
  const Matrix& all = head.weights;
  const int64_t width = all.rows();
  if (!residency.streams_whole()) return head.Run(rows, x, nullptr, out);
  const int64_t row_bytes = std::max<int64_t>(1, all.bytes() / width);
  const int64_t step = std::max(kHeadRows, kStreamedPieceBytes / row_bytes / kHeadRows * kHeadRows);
  Rows plain = rows;
  plain.adapted = false;
  Input input(plain, x, all.columns());
  for (int64_t first = 0; first < width; first += step) {
    Product piece = head;
    piece.weights = RowsOf(all, first, std::min(step, width - first));
    if (head.bias != nullptr) piece.bias = head.bias + first;
    piece.Run(plain, input, nullptr, out + first, width);
    residency.LeaveWhole();
  }
  if (rows.adapted) {
    AddAdapters(rows, {all.tensor, 0, width}, x, all.columns(), out, width);
  }
}

void Network::State::Logits(const Rows& rows) const {
  Workspace& workspace = rows.pass.workspace;
  const int64_t width = embedding.columns();
  const int64_t vocabulary = head.width();
  // Wanted rows, packed; places[i] then belongs to packed row i.
  int64_t wanted = 0;
  for (int64_t row = 0; row < rows.count; ++row) {
    if (workspace.places[row].logits == nullptr) continue;
    const float* from = workspace.stream + row * width;
    float* to = workspace.normed + wanted * width;
    if (final_norm.present()) {
      final_norm.Row(rows.table, from, width, to);
    } else {
      std::copy_n(from, width, to);
    }
    workspace.places[wanted++] = workspace.places[row];
  }
  const auto product = [&](int64_t first, int64_t count, float* out) {
    RunHead({rows.table, rows.pass, count, rows.adapted, first}, workspace.normed + first * width,
            out);
    FinishLogits(count, out);
  };
  const auto run_length = [&](int64_t first) {  // rows whose logits lie one behind another
    int64_t count = 1;
    while (first + count < wanted && workspace.places[first + count].logits ==
                                         workspace.places[first].logits + count * vocabulary) {
      ++count;
    }
    return count;
  };
  if (wanted > 0 && run_length(0) == wanted) {
    return product(0, wanted, workspace.places[0].logits);
  }
  for (int64_t first = 0; first < wanted; first += kLogitRows) {
    const int64_t count = std::min(kLogitRows, wanted - first);
    product(first, count, workspace.logits);
    for (int64_t i = 0; i < count; ++i) {
      std::copy_n(workspace.logits + i * vocabulary, vocabulary,
                  workspace.places[first + i].logits);
    }
  }
}

Network::Network(const Description& description, const Weights& weights, const Device& device,
                 bool exact)
    : state_(std::make_unique<State>(description, weights, device, exact)) {}
Network::~Network() = default;

void Network::Forward(const ForwardPass& pass) const {
  const State& s = *state_;
  const Rows rows = PlaceRows(s.table, pass, s.head.width());
  s.Embed(rows);
  s.residency.LeaveWhole();
  s.positions.Fill(rows);
  for (size_t i = 0; i < s.layers.size(); ++i) {
    s.residency.Enter(static_cast<int64_t>(i));
    s.RunLayer(rows, s.layers[i]);
    s.residency.Leave(static_cast<int64_t>(i));
    for (const Chunk& chunk : pass.chunks) chunk.kv->LeaveLayer(static_cast<int64_t>(i));
  }
  s.Logits(rows);
  for (const Chunk& chunk : pass.chunks) {
    chunk.kv->Advance(static_cast<int64_t>(chunk.tokens.size()));
  }
}

void Network::Keep(Residency residency) {
  state_->residency = std::move(residency);
}

int64_t Network::streamed_bytes() const {
  return state_->residency.streamed_bytes();
}

std::vector<KvLayer> Network::kv() const {
  std::vector<KvLayer> result;
  for (const State::Layer& layer : state_->layers) result.push_back(layer.mixer->kv());
  return result;
}

WorkspaceShape Network::workspace() const {
  WorkspaceShape shape{.hidden = state_->embedding.columns(),
                       .angles = state_->positions.floats(),
                       .quantized_bytes = state_->head.quantized_bytes(),
                       .vocabulary = state_->head.width()};
  for (const State::Layer& layer : state_->layers) {
    for (const Block* block : {layer.mixer.get(), layer.feed.get()}) {
      shape.scratch = std::max(shape.scratch, block->scratch());
      shape.quantized_bytes = std::max(shape.quantized_bytes, block->quantized_bytes());
    }
  }
  return shape;
}

}  // namespace ferry::llm
