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
      for (int64_t row = 0; row < 2 * s.kv_heads * kPagePositions; ++row) {
        if (first + row % kPagePositions >= length) continue;
        for (int64_t d = 0; d < s.head_dim; ++d) {
          page[static_cast<size_t>(row * s.head_dim + d)] = numbers.Real(-size, size);
        }
      }
      pages.push_back(std::move(page));
    }
    for (const auto& page : pages) pointers.push_back(page.data());
  }

  // Element d of the key (half 0) or value (half 1) of a position.
  double At(const AttentionShape& s, int64_t half, int64_t head, int64_t position,
            int64_t d) const {
    const int64_t row = (half * s.kv_heads + head) * kPagePositions + position % kPagePositions;
    return static_cast<double>(pages[static_cast<size_t>(position / kPagePositions)]
                                    [static_cast<size_t>(row * s.head_dim + d)]);
  }
};

void Naive(const AttentionShape& s, const Cache& cache, const float* query, int64_t length,
           std::vector<double>* out) {
  for (int64_t h = 0; h < s.heads; ++h) {
    const int64_t kv = h / (s.heads / s.kv_heads);
    std::vector<double> weight;
    double max = -1e300;
    for (int64_t i = 0; i < length; ++i) {
      double product = 0;
      for (int64_t d = 0; d < s.head_dim; ++d) {
        product += static_cast<double>(query[h * s.head_dim + d]) * cache.At(s, 0, kv, i, d);
      }
      weight.push_back(product * static_cast<double>(s.scale));
      max = std::max(max, weight.back());
    }
    double total = 0;
    for (double& w : weight) total += w = std::exp(w - max);
    for (int64_t d = 0; d < s.head_dim; ++d) {
      double sum = 0;
      for (int64_t i = 0; i < length; ++i) {
        sum += weight[static_cast<size_t>(i)] * cache.At(s, 1, kv, i, d);
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

TEST(AttentionTest, AgreesWithTheNaiveSoftmaxOnRandomShapes) {
  Numbers numbers(91);
  for (int round = 0; round < 60; ++round) {
    const AttentionShape s = RandomAttentionShape(numbers);
    const int64_t row_floats = s.heads * s.head_dim;
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
          Output out(count * row_floats);
          std::vector<AttentionRow> rows;
          for (int64_t i = 0; i < count; ++i) {
            rows.push_back({queries.data() + i * row_floats, out.data() + i * row_floats,
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
