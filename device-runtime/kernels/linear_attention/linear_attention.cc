#include "device-runtime/kernels/linear_attention/linear_attention.h"

#include <cmath>
#include <cstring>

#include "device-runtime/kernels/parallel.h"

namespace ferry::kernels {
namespace {

using Shape = LinearAttentionShape;
using Inputs = LinearAttentionInputs;

// One position of one head; `row` is batch * length + position. Rows of the state are keys.
void Update(const Shape& s, const Inputs& in, int64_t row, int64_t head, float* state,
            float* taken) {
  const int64_t at = row * s.heads + head;
  const float* key = in.key + at * s.key;
  const float* value = in.value + at * s.value;
  if (s.decays) {
    for (int64_t i = 0; i < s.key; ++i) {
      const float fade = std::exp(s.decay_of_head ? in.decay[at] : in.decay[at * s.key + i]);
      for (int64_t j = 0; j < s.value; ++j) state[i * s.value + j] *= fade;
    }
  }
  std::memcpy(taken, value, static_cast<size_t>(s.value) * sizeof(float));
  if (s.corrects) {
    for (int64_t i = 0; i < s.key; ++i) {
      for (int64_t j = 0; j < s.value; ++j) taken[j] -= state[i * s.value + j] * key[i];
    }
    const float beta = in.beta[s.one_beta ? row : at];
    for (int64_t j = 0; j < s.value; ++j) taken[j] *= beta;
  }
  for (int64_t i = 0; i < s.key; ++i) {
    for (int64_t j = 0; j < s.value; ++j) state[i * s.value + j] += key[i] * taken[j];
  }
}

void Read(const Shape& s, const Inputs& in, int64_t row, int64_t head, const float* state,
          float* y) {
  const int64_t group = s.query_heads / s.heads;
  for (int64_t q = head * group; q < (head + 1) * group; ++q) {
    const float* query = in.query + (row * s.query_heads + q) * s.key;
    float* to = y + (row * s.query_heads + q) * s.value;
    for (int64_t j = 0; j < s.value; ++j) to[j] = 0;
    for (int64_t i = 0; i < s.key; ++i) {
      for (int64_t j = 0; j < s.value; ++j) to[j] += query[i] * state[i * s.value + j];
    }
    for (int64_t j = 0; j < s.value; ++j) to[j] *= s.scale;
  }
}

}  // namespace

void LinearAttention(sys::Parallel& parallel, const Shape& s, const Inputs& in, float* y,
                     float* state, float* room) {
  const int64_t size = s.key * s.value;
  const int64_t group = s.query_heads / s.heads;
  // Nothing to fill, however many heads and sequences there are.
  if (size == 0 && s.length * s.value == 0) return;
  ForPieces(parallel, s.batch * s.heads, s.length * size * (2 + group) / 4 + 1,
            [&](int64_t begin, int64_t end) {
              for (int64_t n = begin; n < end; ++n) {
                float* mine = state + n * size;
                if (size > 0 && in.past != nullptr) {
                  std::memcpy(mine, in.past + n * size, static_cast<size_t>(size) * sizeof(float));
                } else if (size > 0) {
                  std::memset(mine, 0, static_cast<size_t>(size) * sizeof(float));
                }
                for (int64_t t = 0; t < s.length; ++t) {
                  const int64_t row = n / s.heads * s.length + t;
                  Update(s, in, row, n % s.heads, mine, room + n * s.value);
                  Read(s, in, row, n % s.heads, mine, y);
                }
              }
            });
}

}  // namespace ferry::kernels
