#include "device-runtime/kernels/attention/attention.h"

#include "device-runtime/kernels/testing/testing.h"

namespace ferry::kernels {
namespace {

using testing::Numbers;
using testing::Output;
using testing::SplitParallel;

// A cache of one sequence. Positions from `length` on hold NaN: nothing may read them into a
// result.
struct Cache {
  std::vector<std::vector<float>> pages;
  std::vector<const float*> pointers;

  Cache(Numbers& numbers, const AttentionShape& s, int64_t length, float size) {
    for (int64_t first = 0; first < length; first += kPagePositions) {
      std::vector<float> page(static_cast<size_t>(PageFloats(s)),
                              std::numeric_limits<float>::quiet_NaN());
      const int64_t keys = s.kv_heads * kPagePositions;
      for (int64_t row = 0; row < (s.shared ? 1 : 2) * keys; ++row) {
        if (first + row % kPagePositions >= length) continue;
        const int64_t dim = row < keys ? s.head_dim : ValueDim(s);
        float* to = page.data() + RowAt(s, row);
        for (int64_t d = 0; d < dim; ++d) to[d] = numbers.Real(-size, size);
      }
      pages.push_back(std::move(page));
    }
    for (const auto& page : pages) pointers.push_back(page.data());
  }

  // Where a row begins in a page: those of keys, then those of values.
  static int64_t RowAt(const AttentionShape& s, int64_t row) {
    const int64_t keys = s.kv_heads * kPagePositions;
    return row < keys ? row * s.head_dim : keys * s.head_dim + (row - keys) * ValueDim(s);
  }

  // Element d of the key (half 0) or value (half 1) of a position.
  double At(const AttentionShape& s, int64_t half, int64_t head, int64_t position,
            int64_t d) const {
    if (s.shared) half = 0;
    const int64_t row = (half * s.kv_heads + head) * kPagePositions + position % kPagePositions;
    return static_cast<double>(pages[static_cast<size_t>(position / kPagePositions)]
                                    [static_cast<size_t>(RowAt(s, row) + d)]);
  }
};

void Naive(const AttentionShape& s, const Cache& cache, const float* query, int64_t length,
           std::vector<double>* out) {
  for (int64_t h = 0; h < s.heads; ++h) {
    const int64_t kv = h / (s.heads / s.kv_heads);
    std::vector<double> weight;
    const int64_t first = s.window > 0 ? std::max<int64_t>(0, length - s.window) : 0;
    for (int64_t i = first; i < length; ++i) {
      double score = 0;
      for (int64_t d = 0; d < s.head_dim; ++d) {
        score += static_cast<double>(query[h * s.head_dim + d]) * cache.At(s, 0, kv, i, d);
      }
      score *= static_cast<double>(s.scale);
      const auto cap = static_cast<double>(s.cap);
      if (cap > 0) score = cap * std::tanh(score / cap);
      if (s.slopes != nullptr) {
        score -= static_cast<double>(s.slopes[h]) * static_cast<double>(length - 1 - i);
      }
      weight.push_back(score);
    }
    if (s.sinks != nullptr) weight.push_back(static_cast<double>(s.sinks[h]));
    const double max = *std::max_element(weight.begin(), weight.end());
    double total = 0;
    for (double& w : weight) total += w = std::exp(w - max);
    for (int64_t d = 0; d < ValueDim(s); ++d) {
      double sum = 0;
      for (int64_t i = first; i < length; ++i) {
        sum += weight[static_cast<size_t>(i - first)] * cache.At(s, 1, kv, i, d);
      }
      out->push_back(sum / total);
    }
  }
}

AttentionShape RandomAttentionShape(Numbers& numbers) {
  AttentionShape s;
  s.kv_heads = numbers.Whole(1, 4);
  s.heads = s.kv_heads * numbers.Pick({1, 2, 3, 4, 9});
  s.head_dim = numbers.Pick({1, 5, 8, 16, 24, 40, 48, 63, 64, 72, 128});
  s.scale = 1.0f / std::sqrt(static_cast<float>(s.head_dim));
  return s;
}

// Numbers that a shape may point to.
struct PerHead {
  std::vector<float> slopes, sinks;
};

// Some of: values of another length or within keys, caps, windows, slopes, sinks.
void Vary(Numbers& numbers, PerHead* heads, AttentionShape* s) {
  if (numbers.Whole(0, 1) == 0) s->value_dim = numbers.Pick({1, 8, 17, 33, 64});
  if (numbers.Whole(0, 2) == 0) {
    s->shared = true;
    s->value_dim = numbers.Whole(1, s->head_dim);
  }
  if (numbers.Whole(0, 1) == 0) s->cap = numbers.Pick({0.5f, 5.0f, 50.0f});
  if (numbers.Whole(0, 1) == 0) s->window = numbers.Pick({1, 3, 16, 17, 40, 200});
  heads->slopes = numbers.Reals(s->heads, 0.0f, 0.5f);
  heads->sinks = numbers.Reals(s->heads, -3.0f, 3.0f);
  if (numbers.Whole(0, 1) == 0) s->slopes = heads->slopes.data();
  if (numbers.Whole(0, 1) == 0) s->sinks = heads->sinks.data();
}

TEST(AttentionTest, AgreesWithTheNaiveSoftmaxOnRandomShapes) {
  Numbers numbers(91);
  for (int round = 0; round < 160; ++round) {
    AttentionShape s = RandomAttentionShape(numbers);
    PerHead heads;
    if (round >= 60) Vary(numbers, &heads, &s);
    const int64_t row_floats = s.heads * s.head_dim;
    const int64_t out_floats = s.heads * ValueDim(s);
    const int64_t longest = numbers.Whole(1, 90);
    const float size = numbers.Pick({0.5f, 1.0f, 6.0f});  // the largest gives a sharp softmax
    const Cache cache(numbers, s, longest, size);
    const int64_t count = numbers.Whole(1, std::min<int64_t>(longest, 12));
    const std::vector<float> queries = numbers.Reals(count * row_floats, -size, size);
    std::vector<double> expected;
    for (int64_t i = 0; i < count; ++i) {
      Naive(s, cache, queries.data() + i * row_floats, longest - count + 1 + i, &expected);
    }
    SCOPED_TRACE(::testing::Message() << s.heads << "/" << s.kv_heads << " x " << s.head_dim
                                      << ", length " << longest << ", rows " << count);
    ASSERT_NO_FATAL_FAILURE(testing::CheckEverywhere(
        expected, 5e-6, [&](const KernelTable& table, sys::Parallel& parallel) {
          Output out(count * out_floats);
          std::vector<AttentionRow> rows;
          for (int64_t i = 0; i < count; ++i) {
            rows.push_back({queries.data() + i * row_floats, out.data() + i * out_floats,
                            cache.pointers.data(), longest - count + 1 + i});
          }
          Attention(table, parallel, s, rows.data(), count);
          return out.Take();
        }));
  }
}

// Alone, beside rows of its own and of other sequences, in other pages and with other threads.
TEST(AttentionTest, RowsDoNotDependOnTheirNeighbours) {
  Numbers numbers(92);
  for (int round = 0; round < 20; ++round) {
    const AttentionShape s = RandomAttentionShape(numbers);
    const int64_t row_floats = s.heads * s.head_dim;
    const Cache caches[2] = {Cache(numbers, s, 70, 2.0f), Cache(numbers, s, 40, 2.0f)};
    const int64_t count = 33;
    const std::vector<float> queries = numbers.Reals(count * row_floats, -2.0f, 2.0f);
    for (Isa isa : RunningIsas()) {
      SCOPED_TRACE(IsaName(isa));
      std::vector<float> alone;
      std::vector<AttentionRow> rows;
      Output together(count * row_floats);
      for (int64_t i = 0; i < count; ++i) {
        const bool second = i % 5 == 3;
        const int64_t length = second ? 1 + i : 70 - count + 1 + i;
        const std::vector<const float*>& pages = caches[second].pointers;
        Output out(row_floats);
        AttentionRow row{queries.data() + i * row_floats, out.data(), pages.data(), length};
        Attention(TableOf(isa), sys::SerialParallel(), s, &row, 1);
        const std::vector<float> result = out.Take();
        alone.insert(alone.end(), result.begin(), result.end());
        row.out = together.data() + i * row_floats;
        rows.push_back(row);
      }
      for (int64_t m = 1; m <= count; m += m < 10 ? 1 : 7) {
        for (int width = 1; width <= 3; ++width) {
          SplitParallel parallel(width);
          std::fill(together.data(), together.data() + count * row_floats, 0.0f);
          Attention(TableOf(isa), parallel, s, rows.data(), m);
          const std::vector<float> all = together.Take();
          ASSERT_NO_FATAL_FAILURE(
              testing::ExpectSameBits({all.begin(), all.begin() + m * row_floats},
                                      {alone.begin(), alone.begin() + m * row_floats}));
        }
      }
    }
  }
}

TEST(AttentionTest, OnePositionGivesItsValue) {
  Numbers numbers(93);
  AttentionShape s;
  s.heads = 4;
  s.kv_heads = 2;
  s.head_dim = 20;
  const Cache cache(numbers, s, 1, 1.0f);
  const std::vector<float> query = numbers.Reals(80, -9.0f, 9.0f);
  for (Isa isa : RunningIsas()) {
    Output out(80);
    const AttentionRow row{query.data(), out.data(), cache.pointers.data(), 1};
    Attention(TableOf(isa), sys::SerialParallel(), s, &row, 1);
    Attention(TableOf(isa), sys::SerialParallel(), s, &row, 0);
    const std::vector<float> result = out.Take();
    for (int64_t h = 0; h < 4; ++h) {
      for (int64_t d = 0; d < 20; ++d) {
        EXPECT_EQ(static_cast<double>(result[static_cast<size_t>(h * 20 + d)]),
                  cache.At(s, 1, h / 2, 0, d));
      }
    }
  }
}

}  // namespace
}  // namespace ferry::kernels
