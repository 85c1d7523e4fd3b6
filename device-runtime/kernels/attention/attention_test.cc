#include "device-runtime/kernels/attention/attention.h"

#include "device-runtime/kernels/testing/testing.h"

namespace ferry::kernels {
namespace {

using testing::Numbers;
using testing::Output;
using testing::SplitParallel;

// A cache of one sequence. Numbers of positions from `length` on are NaN: nothing may read them
// into a result.
struct Cache {
  KvLayout layout;
  std::vector<std::vector<uint8_t>> pages;
  std::vector<const uint8_t*> pointers;

  Cache(Numbers& numbers, const AttentionShape& s, const KvLayout& of, int64_t length, float size)
      : layout(of) {
    for (int64_t first = 0; first < length; first += kPagePositions) {
      std::vector<uint8_t> page(static_cast<size_t>(layout.bytes), 0xff);
      for (int64_t slot = 0; slot < kPagePositions && first + slot < length; ++slot) {
        for (int64_t head = 0; head < s.kv_heads; ++head) {
          for (const KvPart* part : {&layout.keys, &layout.values}) {
            if (part->dim == 0) continue;
            const std::vector<float> x = numbers.Reals(part->dim, -size, size);
            StoreKv(*part, head, slot, x.data(), page.data());
          }
        }
      }
      pages.push_back(std::move(page));
    }
    for (const auto& page : pages) pointers.push_back(page.data());
  }
  Cache(Numbers& numbers, const AttentionShape& s, int64_t length, float size)
      : Cache(numbers, s, LayKvPage(KvType::kF32, s.kv_heads, s.head_dim, ValueDim(s)), length,
              size) {}

  // The key (half 0) or value (half 1) of a position, as it is kept.
  std::vector<float> Row(int64_t half, int64_t head, int64_t position) const {
    const KvPart& part = half == 0 || layout.values.dim == 0 ? layout.keys : layout.values;
    std::vector<float> row(static_cast<size_t>(part.dim));
    ReadKv(part, head, position % kPagePositions,
           pointers[static_cast<size_t>(position / kPagePositions)], row.data());
    return row;
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
      const std::vector<float> key = cache.Row(0, kv, i);
      for (int64_t d = 0; d < s.head_dim; ++d) {
        score += static_cast<double>(query[h * s.head_dim + d]) *
                 static_cast<double>(key[static_cast<size_t>(d)]);
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
    std::vector<double> sums(static_cast<size_t>(ValueDim(s)));
    for (int64_t i = first; i < length; ++i) {
      const std::vector<float> value = cache.Row(1, kv, i);
      for (size_t d = 0; d < sums.size(); ++d) {
        sums[d] += weight[static_cast<size_t>(i - first)] * static_cast<double>(value[d]);
      }
    }
    for (double sum : sums) out->push_back(sum / total);
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

// Some of: values of another length or within keys, caps, windows, slopes, sinks; narrow numbers.
KvLayout Vary(Numbers& numbers, PerHead* heads, AttentionShape* s) {
  if (numbers.Whole(0, 1) == 0) s->value_dim = numbers.Pick({1, 8, 17, 33, 64});
  const bool shared = numbers.Whole(0, 2) == 0;
  if (shared) s->value_dim = numbers.Whole(1, s->head_dim);
  if (numbers.Whole(0, 1) == 0) s->cap = numbers.Pick({0.5f, 5.0f, 50.0f});
  if (numbers.Whole(0, 1) == 0) s->window = numbers.Pick({1, 3, 16, 17, 40, 200});
  heads->slopes = numbers.Reals(s->heads, 0.0f, 0.5f);
  heads->sinks = numbers.Reals(s->heads, -3.0f, 3.0f);
  if (numbers.Whole(0, 1) == 0) s->slopes = heads->slopes.data();
  if (numbers.Whole(0, 1) == 0) s->sinks = heads->sinks.data();
  const KvType type = numbers.Pick({KvType::kF32, KvType::kF16, KvType::kQ8, KvType::kQ4});
  return LayKvPage(type, s->kv_heads, s->head_dim, shared ? 0 : ValueDim(*s));
}

TEST(AttentionTest, AgreesWithTheNaiveSoftmaxOnRandomShapes) {
  Numbers numbers(91);
  for (int round = 0; round < 260; ++round) {
    AttentionShape s = RandomAttentionShape(numbers);
    PerHead heads;
    KvLayout layout = LayKvPage(KvType::kF32, s.kv_heads, s.head_dim, s.head_dim);
    if (round >= 60) layout = Vary(numbers, &heads, &s);
    const int64_t row_floats = s.heads * s.head_dim;
    const int64_t out_floats = s.heads * ValueDim(s);
    const int64_t longest = numbers.Whole(1, 200);
    const float size = numbers.Pick({0.5f, 1.0f, 6.0f});  // the largest gives a sharp softmax
    const Cache cache(numbers, s, layout, longest, size);
    const int64_t count = numbers.Whole(1, std::min<int64_t>(longest, 12));
    const std::vector<float> queries = numbers.Reals(count * row_floats, -size, size);
    // Each row sees one position more than that before it, or all see the same.
    const bool alike = numbers.Whole(0, 3) == 0;
    const auto length = [&](int64_t i) { return alike ? longest : longest - count + 1 + i; };
    std::vector<double> expected;
    for (int64_t i = 0; i < count; ++i) {
      Naive(s, cache, queries.data() + i * row_floats, length(i), &expected);
    }
    SCOPED_TRACE(::testing::Message() << s.heads << "/" << s.kv_heads << " x " << s.head_dim
                                      << ", length " << longest << ", rows " << count);
    ASSERT_NO_FATAL_FAILURE(testing::CheckEverywhere(
        expected, 1e-5, [&](const KernelTable& table, sys::Parallel& parallel) {
          Output out(count * out_floats);
          std::vector<AttentionRow> rows;
          for (int64_t i = 0; i < count; ++i) {
            rows.push_back({queries.data() + i * row_floats, out.data() + i * out_floats,
                            cache.pointers.data(), &cache.layout, length(i)});
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
    AttentionShape s = RandomAttentionShape(numbers);
    PerHead heads;
    const KvLayout layout = Vary(numbers, &heads, &s);
    const int64_t row_floats = s.heads * s.head_dim;
    const int64_t out_floats = s.heads * ValueDim(s);
    const Cache caches[2] = {Cache(numbers, s, layout, 70, 2.0f),
                             Cache(numbers, s, layout, 40, 2.0f)};
    const int64_t count = 33;
    const std::vector<float> queries = numbers.Reals(count * row_floats, -2.0f, 2.0f);
    for (Isa isa : RunningIsas()) {
      SCOPED_TRACE(IsaName(isa));
      std::vector<float> alone;
      std::vector<AttentionRow> rows;
      Output together(count * out_floats);
      for (int64_t i = 0; i < count; ++i) {
        const bool second = i % 5 == 3;
        const int64_t length = second ? 1 + i : std::min<int64_t>(70, 70 - count + 12 + i);
        const Cache& cache = caches[second];
        Output out(out_floats);
        AttentionRow row{queries.data() + i * row_floats, out.data(), cache.pointers.data(),
                         &cache.layout, length};
        Attention(TableOf(isa), sys::SerialParallel(), s, &row, 1);
        const std::vector<float> result = out.Take();
        alone.insert(alone.end(), result.begin(), result.end());
        row.out = together.data() + i * out_floats;
        rows.push_back(row);
      }
      for (int64_t m = 1; m <= count; m += m < 10 ? 1 : 7) {
        for (int width = 1; width <= 3; ++width) {
          SplitParallel parallel(width);
          std::fill(together.data(), together.data() + count * out_floats, 0.0f);
          Attention(TableOf(isa), parallel, s, rows.data(), m);
          const std::vector<float> all = together.Take();
          ASSERT_NO_FATAL_FAILURE(
              testing::ExpectSameBits({all.begin(), all.begin() + m * out_floats},
                                      {alone.begin(), alone.begin() + m * out_floats}));
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
    const AttentionRow row{query.data(), out.data(), cache.pointers.data(), &cache.layout, 1};
    Attention(TableOf(isa), sys::SerialParallel(), s, &row, 1);
    Attention(TableOf(isa), sys::SerialParallel(), s, &row, 0);
    const std::vector<float> result = out.Take();
    for (int64_t h = 0; h < 4; ++h) {
      for (int64_t d = 0; d < 20; ++d) {
        EXPECT_EQ(result[static_cast<size_t>(h * 20 + d)],
                  cache.Row(1, h / 2, 0)[static_cast<size_t>(d)]);
      }
    }
  }
}

// What a page keeps: exact in float32, within half a step of each type else, and of one position
// whatever its neighbours are.
TEST(KvPage, KeepsPositionsApartAndWithinHalfAStep) {
  Numbers numbers(94);
  for (int round = 0; round < 60; ++round) {
    const KvType type = numbers.Pick({KvType::kF32, KvType::kF16, KvType::kQ8, KvType::kQ4});
    const int64_t dim = numbers.Pick({1, 5, 16, 33, 64});
    const KvLayout layout = LayKvPage(type, 3, dim, numbers.Whole(0, 1) == 0 ? 0 : dim);
    std::vector<uint8_t> page(static_cast<size_t>(layout.bytes), 0);
    std::vector<std::vector<float>> rows;
    for (int64_t i = 0; i < 3 * kPagePositions; ++i) {
      rows.push_back(numbers.Reals(dim, -3.0f, 2.0f));
      StoreKv(layout.keys, i % 3, i / 3, rows.back().data(), page.data());
    }
    for (int64_t i = 0; i < 3 * kPagePositions; ++i) {
      const std::vector<float>& x = rows[static_cast<size_t>(i)];
      std::vector<float> kept(static_cast<size_t>(dim));
      ReadKv(layout.keys, i % 3, i / 3, page.data(), kept.data());
      const auto [least, most] = std::minmax_element(x.begin(), x.end());
      const float steps[] = {0, 0x1p-9f, std::max(-*least, *most) / 127, (*most - *least) / 15};
      const float step = steps[static_cast<int>(type)];
      for (size_t d = 0; d < x.size(); ++d) {
        ASSERT_LE(std::abs(kept[d] - x[d]), 0.5001f * step) << static_cast<int>(type);
      }
    }
  }
}

TEST(KvPage, SpreadingIsItsOwnInverseAndKeepsProducts) {
  Numbers numbers(95);
  for (int64_t block : {1, 2, 16, 64}) {
    const std::vector<float> a = numbers.Reals(3 * block, -2.0f, 2.0f);
    const std::vector<float> b = numbers.Reals(3 * block, -2.0f, 2.0f);
    std::vector<float> x = a;
    std::vector<float> y = b;
    Spread(block, 3 * block, x.data());
    Spread(block, 3 * block, y.data());
    float before = 0;
    float after = 0;
    for (size_t i = 0; i < a.size(); ++i) {
      before += a[i] * b[i];
      after += x[i] * y[i];
    }
    EXPECT_NEAR(before, after, 1e-3);
    Spread(block, 3 * block, x.data());
    for (size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(x[i], a[i], 1e-5);
  }
}

TEST(KvPage, NumbersThatAreNotFiniteStaySo) {
  for (KvType type : {KvType::kF32, KvType::kF16, KvType::kQ8, KvType::kQ4}) {
    const KvLayout layout = LayKvPage(type, 1, 3, 3);
    std::vector<uint8_t> page(static_cast<size_t>(layout.bytes), 0);
    const float x[] = {1.0f, std::numeric_limits<float>::quiet_NaN(), 2.0f};
    float kept[3];
    StoreKv(layout.values, 0, 5, x, page.data());
    ReadKv(layout.values, 0, 5, page.data(), kept);
    EXPECT_TRUE(std::isnan(kept[1])) << static_cast<int>(type);
    const float vast[] = {1e30f, 1.0f, -1e30f};
    StoreKv(layout.values, 0, 5, vast, page.data());
    ReadKv(layout.values, 0, 5, page.data(), kept);
    EXPECT_TRUE(std::isfinite(kept[0]) && kept[0] > 6e4f) << static_cast<int>(type);
  }
}

}  // namespace
}  // namespace ferry::kernels
