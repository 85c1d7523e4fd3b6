#include "device-runtime/kernels/attention/heads.h"

#include "device-runtime/kernels/testing/testing.h"

namespace ferry::kernels {
namespace {

using testing::CheckEverywhere;
using testing::Numbers;

struct Problem {
  HeadsShape shape;
  std::vector<float> q, k, v;
  std::array<std::vector<float>, 2> biases;
  int64_t y_floats = 0;
};

int64_t Last(const HeadsShape& s, const HeadsView& view, int64_t rows, int64_t columns) {
  int64_t last =
      std::max<int64_t>(rows - 1, 0) * view.row + std::max<int64_t>(columns - 1, 0) * view.column;
  for (int i = 0; i < s.rank; ++i) {
    const auto a = static_cast<size_t>(i);
    last += (s.size[a] - 1) * view.batch[a];
  }
  return last + 1;
}

int64_t At(const HeadsShape& s, const HeadsView& view, int64_t entry, int64_t row, int64_t column) {
  int64_t at = row * view.row + column * view.column;
  for (int i = s.rank - 1; i >= 0; --i) {
    const auto a = static_cast<size_t>(i);
    at += entry % s.size[a] * view.batch[a];
    entry /= s.size[a];
  }
  return at;
}

// [batch, rows, heads, columns] where heads are the second batch axis, or [batch, heads, rows,
// columns]; columns apart when `apart` > 1.
HeadsView ViewOf(const HeadsShape& s, int64_t rows, int64_t columns, bool packed, int64_t apart) {
  const int64_t heads = s.size[1];
  HeadsView view;
  view.column = apart;
  columns *= apart;
  view.row = packed ? heads * columns : columns;
  view.batch = {heads * rows * columns, packed ? columns : rows * columns};
  return view;
}

Problem Make(Numbers& numbers, int64_t queries, int64_t keys, int64_t depth, int64_t value_depth,
             bool packed) {
  Problem p;
  HeadsShape& s = p.shape;
  s.rank = 2;
  s.size = {numbers.Pick<int64_t>({1, 2}), numbers.Pick<int64_t>({1, 3})};
  s.queries = queries;
  s.keys = keys;
  s.depth = depth;
  s.value_depth = value_depth;
  s.scale = numbers.Pick({1.0f, 0.25f});
  s.q = ViewOf(s, queries, depth, packed, numbers.Pick<int64_t>({1, 1, 2}));
  s.k = ViewOf(s, keys, depth, packed, 1);
  s.v = ViewOf(s, keys, value_depth, packed, numbers.Pick<int64_t>({1, 1, 2}));
  s.y = ViewOf(s, queries, value_depth, packed, 1);
  s.biases[0] = ViewOf(s, queries, keys, false, 1);
  s.biases[1] = {{keys, 0}, 0, 1};  // a mask of keys for each batch
  if (numbers.Pick({0, 1}) == 1) s.biases[0] = {{0, queries}, 1, 0};
  p.q = numbers.Reals(Last(s, s.q, queries, depth), -2.0f, 2.0f);
  p.k = numbers.Reals(Last(s, s.k, keys, depth), -2.0f, 2.0f);
  p.v = numbers.Reals(Last(s, s.v, keys, value_depth));
  for (size_t i = 0; i < 2; ++i) {
    if (numbers.Pick({0, 1}) == 0) continue;
    p.biases[i] = numbers.Reals(Last(s, s.biases[i], queries, keys), -3.0f, 3.0f);
    for (float& b : p.biases[i]) {  // some keys are out, but never all of a row
      if (s.biases[i].column == 1 && keys > 8 && numbers.Whole(0, 9) == 0) b = -1e9f;
    }
  }
  p.y_floats = Last(s, s.y, queries, value_depth);
  return p;
}

std::vector<double> Expected(const Problem& p) {
  const HeadsShape& s = p.shape;
  std::vector<double> y(static_cast<size_t>(p.y_floats), 0);
  std::vector<double> scores(static_cast<size_t>(s.keys));
  for (int64_t row = 0; row < s.batch() * s.queries; ++row) {
    const int64_t entry = row / s.queries, i = row % s.queries;
    double max = -HUGE_VAL, total = 0;
    for (int64_t j = 0; j < s.keys; ++j) {
      double sum = 0;
      for (int64_t d = 0; d < s.depth; ++d) {
        sum += static_cast<double>(p.q[static_cast<size_t>(At(s, s.q, entry, i, d))]) *
               static_cast<double>(p.k[static_cast<size_t>(At(s, s.k, entry, j, d))]);
      }
      sum *= static_cast<double>(s.scale);
      for (size_t b = 0; b < 2; ++b) {
        if (p.biases[b].empty()) continue;
        sum +=
            static_cast<double>(p.biases[b][static_cast<size_t>(At(s, s.biases[b], entry, i, j))]);
      }
      scores[static_cast<size_t>(j)] = sum;
      max = std::max(max, sum);
    }
    for (double& score : scores) total += score = std::exp(score - max);
    for (int64_t d = 0; d < s.value_depth; ++d) {
      double sum = 0;
      for (int64_t j = 0; j < s.keys; ++j) {
        sum += scores[static_cast<size_t>(j)] *
               static_cast<double>(p.v[static_cast<size_t>(At(s, s.v, entry, j, d))]);
      }
      y[static_cast<size_t>(At(s, s.y, entry, i, d))] = sum / total;
    }
  }
  return y;
}

void Check(const Problem& p) {
  const auto expected = Expected(p);
  CheckEverywhere(expected, 1e-5, [&](const KernelTable& table, sys::Parallel& parallel) {
    testing::Output y(p.y_floats);
    std::vector<float> workspace(AttendWorkspaceSize(table, p.shape, parallel.width()));
    std::array<const float*, 2> biases{};
    for (size_t i = 0; i < 2; ++i) biases[i] = p.biases[i].empty() ? nullptr : p.biases[i].data();
    Attend(table, parallel, p.shape, p.q.data(), p.k.data(), p.v.data(), biases, y.data(),
           workspace.data());
    return y.Take();
  });
}

TEST(HeadsTest, SmallOnes) {
  Numbers numbers(91);
  for (int round = 0; round < 60; ++round) {
    SCOPED_TRACE(round);
    const auto queries = numbers.Whole(1, 30), keys = numbers.Whole(1, 70);
    const auto depth = numbers.Pick<int64_t>({1, 3, 8, 26, 32, 64});
    const auto value_depth = numbers.Pick<int64_t>({1, 5, 16, 32, 40});
    ASSERT_NO_FATAL_FAILURE(
        Check(Make(numbers, queries, keys, depth, value_depth, numbers.Pick({0, 1}) == 1)));
  }
}

TEST(HeadsTest, MoreKeysThanABlock) {
  Numbers numbers(92);
  for (int64_t keys : {511, 512, 513, 1100}) {
    for (bool packed : {false, true}) {
      SCOPED_TRACE(keys);
      ASSERT_NO_FATAL_FAILURE(Check(Make(numbers, 13, keys, 24, 33, packed)));
    }
  }
}

// Keys that a mask of minus infinity leaves out count for nothing, also when the first block has no
// others.
TEST(HeadsTest, MinusInfinity) {
  Numbers numbers(93);
  Problem p = Make(numbers, 4, 700, 8, 8, false);
  p.shape.biases[1] = {{0, 0}, 0, 1};
  p.biases[0].clear();
  p.biases[1] = std::vector<float>(700, -HUGE_VALF);
  p.biases[1][650] = 0;
  p.biases[1][699] = 1;
  Check(p);
}

TEST(HeadsTest, NothingToAttendToIsNan) {
  for (Isa isa : RunningIsas()) {
    HeadsShape s;
    s.queries = 2;
    s.keys = 3;
    s.depth = s.value_depth = 1;
    s.q = s.k = s.v = s.y = {{}, 1, 1};
    s.biases[0] = {{}, 3, 1};
    const std::vector<float> ones(3, 1.0f);
    std::vector<float> bias(6, 0.0f);
    std::fill_n(bias.begin(), 3, -HUGE_VALF);
    std::vector<float> workspace(AttendWorkspaceSize(TableOf(isa), s, 1)), y(2);
    Attend(TableOf(isa), sys::SerialParallel(), s, ones.data(), ones.data(), ones.data(),
           {bias.data(), nullptr}, y.data(), workspace.data());
    EXPECT_TRUE(std::isnan(y[0])) << IsaName(isa);
    EXPECT_FLOAT_EQ(y[1], 1.0f) << IsaName(isa);
  }
}

}  // namespace
}  // namespace ferry::kernels
