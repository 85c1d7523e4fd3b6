#include "device-runtime/llm/arch/blocks.h"

#include <algorithm>
#include <cmath>

#include "common/base/check.h"
#include "device-runtime/kernels/parallel.h"
#include "device-runtime/kernels/rowwise/rowwise.h"
#include "device-runtime/llm/kv/kv_cache.h"

namespace ferry::llm {

Rows PlaceRows(const kernels::KernelTable& table, const ForwardPass& pass, int64_t vocabulary) {
  int64_t row = 0;
  for (size_t c = 0; c < pass.chunks.size(); ++c) {
    const Chunk& chunk = pass.chunks[c];
    const auto tokens = static_cast<int64_t>(chunk.tokens.size());
    CHECK(row + tokens <= pass.workspace.tokens()) << row << " and " << tokens;
    const int64_t start = chunk.kv->length();
    for (int64_t i = 0; i < tokens; ++i) {
      float* logits = nullptr;
      if (i >= chunk.logits_from) logits = chunk.logits + (i - chunk.logits_from) * vocabulary;
      pass.workspace.places[row++] = {static_cast<int64_t>(c), start + i, logits};
    }
  }
  return {table, pass, row};
}

void AdvanceSequences(const ForwardPass& pass) {
  for (const Chunk& chunk : pass.chunks) {
    chunk.kv->Advance(static_cast<int64_t>(chunk.tokens.size()));
  }
}

void EmbedRows(const Rows& rows, const kernels::WeightMatrix& embedding) {
  float* out = rows.pass.workspace.stream;
  for (const Chunk& chunk : rows.pass.chunks) {
    for (TokenId token : chunk.tokens) {
      kernels::WidenRow(embedding, token, out);
      out += embedding.columns;
    }
  }
}

void RotaryRows(const Rows& rows, const float* inverse_frequencies, int64_t count) {
  Workspace& workspace = rows.pass.workspace;
  kernels::ForPieces(rows.pass.parallel, rows.count, count * 32, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const auto position = static_cast<float>(workspace.places[row].position);
      for (int64_t i = 0; i < count; ++i) {
        const float angle = position * inverse_frequencies[i];
        workspace.cosines[row * count + i] = std::cos(angle);
        workspace.sines[row * count + i] = std::sin(angle);
      }
    }
  });
}

std::vector<float> InverseFrequencies(double theta, int64_t head_dim) {
  std::vector<float> result;
  for (int64_t i = 0; i < head_dim; i += 2) {
    const float exponent = static_cast<float>(i) / static_cast<float>(head_dim);
    result.push_back(1.0f / static_cast<float>(std::pow(theta, static_cast<double>(exponent))));
  }
  return result;
}

void NormRows(const Rows& rows, const float* x, const float* weight, float eps, int64_t width,
              float* out) {
  kernels::ForPieces(rows.pass.parallel, rows.count, width / 4, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      kernels::RmsNorm(rows.table, x + row * width, weight, eps, width, out + row * width);
    }
  });
}

void LinearRows(const Rows& rows, const kernels::WeightMatrix& w, const float* x, const float* add,
                float* out) {
  kernels::Linear(rows.table, rows.pass.parallel, w, x, w.columns, rows.count, add, out, w.rows);
}

void AttendRows(const Rows& rows, const RotaryAttention& attention, int64_t layer) {
  Workspace& workspace = rows.pass.workspace;
  const kernels::AttentionShape& shape = attention.shape;
  const int64_t dim = shape.head_dim;
  const int64_t page_stride = kernels::kPagePositions * dim;
  const auto prepare = [&](int64_t row, const float* norm, const float* from, float* to) {
    if (norm != nullptr) {
      kernels::RmsNorm(rows.table, from, norm, attention.norm_eps, dim, to);
    } else if (to != from) {
      std::copy_n(from, dim, to);
    }
    kernels::RotateHalves(rows.table, workspace.cosines + row * (dim / 2),
                          workspace.sines + row * (dim / 2), dim, to);
  };
  const int64_t steps = (shape.heads + 2 * shape.kv_heads) * dim;
  kernels::ForPieces(rows.pass.parallel, rows.count, steps, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const RowPlace& place = workspace.places[row];
      KvSequence& kv = *rows.pass.chunks[static_cast<size_t>(place.chunk)].kv;
      float* query = workspace.queries + row * shape.heads * dim;
      for (int64_t h = 0; h < shape.heads; ++h) {
        prepare(row, attention.query_norm, query + h * dim, query + h * dim);
      }
      const float* keys = workspace.keys + row * shape.kv_heads * dim;
      const float* values = workspace.values + row * shape.kv_heads * dim;
      float* key = kv.key(layer, place.position);
      float* value = kv.value(layer, place.position);
      for (int64_t h = 0; h < shape.kv_heads; ++h) {
        prepare(row, attention.key_norm, keys + h * dim, key + h * page_stride);
        std::copy_n(values + h * dim, dim, value + h * page_stride);
      }
      workspace.rows[row] = {query, workspace.mixed + row * shape.heads * dim, kv.pages(layer),
                             place.position + 1};
    }
  });
  kernels::Attention(rows.table, rows.pass.parallel, shape, workspace.rows, rows.count);
}

void FfnRows(const Rows& rows, const GatedFfn& ffn) {
  Workspace& workspace = rows.pass.workspace;
  LinearRows(rows, ffn.gate, workspace.normed, nullptr, workspace.gate);
  LinearRows(rows, ffn.up, workspace.normed, nullptr, workspace.up);
  const int64_t width = ffn.gate.rows;
  kernels::ForPieces(rows.pass.parallel, rows.count, width * 2, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      float* gate = workspace.gate + row * width;
      kernels::SiluTimes(rows.table, gate, workspace.up + row * width, width, gate);
    }
  });
  LinearRows(rows, ffn.down, workspace.gate, workspace.stream, workspace.stream);
}

void LogitRows(const Rows& rows, const float* norm, float eps, const kernels::WeightMatrix& head) {
  Workspace& workspace = rows.pass.workspace;
  const int64_t width = head.columns;
  // Wanted rows, packed; places[i] then belongs to packed row i.
  int64_t wanted = 0;
  for (int64_t row = 0; row < rows.count; ++row) {
    if (workspace.places[row].logits == nullptr) continue;
    kernels::RmsNorm(rows.table, workspace.stream + row * width, norm, eps, width,
                     workspace.normed + wanted * width);
    workspace.places[wanted++] = workspace.places[row];
  }
  const auto product = [&](int64_t first, int64_t count, float* out) {
    kernels::Linear(rows.table, rows.pass.parallel, head, workspace.normed + first * width, width,
                    count, nullptr, out, head.rows);
  };
  const auto run_length = [&](int64_t first) {  // rows whose logits lie one behind another
    int64_t count = 1;
    while (first + count < wanted && workspace.places[first + count].logits ==
                                         workspace.places[first].logits + count * head.rows) {
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
      std::copy_n(workspace.logits + i * head.rows, head.rows, workspace.places[first + i].logits);
    }
  }
}

}  // namespace ferry::llm
