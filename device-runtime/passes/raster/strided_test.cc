// Reads through rasters against following every element; merged programs against what they say.
#include "device-runtime/passes/raster/strided.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "device-runtime/ir/text.h"
#include "device-runtime/passes/graph_pass.h"
#include "device-runtime/passes/lower.h"
#include "device-runtime/passes/raster/merge_rasters.h"

namespace ferry::passes {
namespace {

using ir::Region;

// All source positions of a region by destination.
std::map<int64_t, int64_t> SourcesOf(const Region& r) {
  std::map<int64_t, int64_t> sources;
  int64_t count = 1;
  for (int i = 0; i < r.rank; ++i) count *= r.size[static_cast<size_t>(i)];
  for (int64_t n = 0; n < count; ++n) {
    int64_t rest = n, from = r.from, to = r.to;
    for (int i = r.rank - 1; i >= 0; --i) {
      const auto a = static_cast<size_t>(i);
      from += rest % r.size[a] * r.from_stride[a];
      to += rest % r.size[a] * r.to_stride[a];
      rest /= r.size[a];
    }
    sources[to] = from;
  }
  return sources;
}

std::vector<int64_t> Positions(int64_t base, std::span<const StridedAxis> axes) {
  std::vector<int64_t> positions = {base};
  for (const StridedAxis& axis : axes) {
    std::vector<int64_t> next;
    for (int64_t p : positions) {
      for (int64_t i = 0; i < axis.size; ++i) next.push_back(p + i * axis.stride);
    }
    positions = std::move(next);
  }
  return positions;
}

// A permuted, perhaps cut and shifted copy of a dense tensor to a dense one.
Region RandomRegion(std::mt19937& random) {
  const int rank = 1 + static_cast<int>(random() % 4);
  std::vector<int64_t> size(static_cast<size_t>(rank));
  for (int64_t& n : size) n = 1 + static_cast<int64_t>(random() % 4);
  std::vector<size_t> order(size.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::shuffle(order.begin(), order.end(), random);
  Region r;
  r.rank = rank;
  r.to = static_cast<int64_t>(random() % 3);
  r.from = static_cast<int64_t>(random() % 3);
  int64_t to = 1, from = 1;
  for (size_t i = size.size(); i-- > 0;) {
    r.size[i] = size[i];
    r.to_stride[i] = to;
    to *= size[i] + (random() % 4 == 0 ? 1 : 0);  // room behind
  }
  for (size_t i : order) {
    r.from_stride[i] = from;
    from *= size[i] + (random() % 4 == 0 ? 1 : 0);
  }
  return r;
}

TEST(SeeThroughTest, AgreesWithEveryElement) {
  std::mt19937 random(7);
  int seen_count = 0;
  for (int round = 0; round < 20000; ++round) {
    const Region region = RandomRegion(random);
    std::vector<StridedAxis> axes(1 + random() % 3);
    for (StridedAxis& axis : axes) {
      axis.size = 1 + static_cast<int64_t>(random() % 6);
      axis.stride = random() % 3 != 0
                        ? region.to_stride[random() % static_cast<size_t>(region.rank)]
                        : static_cast<int64_t>(random() % 12);
    }
    const int64_t base = static_cast<int64_t>(random() % 6);
    auto seen = SeeThrough(region, base, axes);
    if (!seen) continue;
    ++seen_count;
    if (random() % 2 == 0) seen->Join();
    const auto sources = SourcesOf(region);
    std::vector<int64_t> expected;
    for (int64_t p : Positions(base, axes)) {
      ASSERT_TRUE(sources.contains(p)) << round;
      expected.push_back(sources.at(p));
    }
    std::vector<StridedAxis> parts;
    ASSERT_EQ(seen->axes.size(), axes.size());
    for (size_t i = 0; i < axes.size(); ++i) {
      int64_t size = 1;
      for (size_t k = seen->axes[i].size(); k-- > 0;) {
        EXPECT_EQ(seen->axes[i][k].times, size);
        size *= seen->axes[i][k].size;
      }
      EXPECT_EQ(size, axes[i].size);
      for (const AxisPart& part : seen->axes[i]) parts.push_back({part.size, part.stride});
    }
    ASSERT_EQ(Positions(seen->base, parts), expected) << round;
  }
  EXPECT_GT(seen_count, 2000);
}

TEST(SeeThroughTest, WholeCopiesAreAlwaysSeenThrough) {
  std::mt19937 random(8);
  for (int round = 0; round < 1000; ++round) {
    const Region region = RandomRegion(random);
    std::vector<StridedAxis> axes;
    for (int i = 0; i < region.rank; ++i) {
      const auto a = static_cast<size_t>(i);
      axes.push_back({region.size[a], region.to_stride[a]});
    }
    const auto seen = SeeThrough(region, region.to, axes);
    ASSERT_TRUE(seen) << round;
    EXPECT_EQ(seen->base, region.from);
    EXPECT_TRUE(seen->IsWhole());
  }
}

// The program of a graph before and after merging.
struct Programs {
  ir::Program before, after;
};
Programs ProgramsOf(std::string_view text) {
  const Graph graph = ir::Parse(text).value();
  std::vector<ir::Shape> shapes;
  for (ir::ValueId id : graph.inputs) shapes.push_back(*graph.values[id].FixedShape());
  Programs p;
  p.before = Lower(Specialize(graph, shapes).value()).value();
  p.after = p.before;
  MergeRasters(p.after);
  EXPECT_TRUE(ir::Verify(p.after).ok()) << ir::Verify(p.after).ToString();
  return p;
}

std::vector<int> Follow(
    const ir::Program& p) {  // by output element the input element; rasters only
  std::map<ir::BufferId, std::vector<int>> values;
  auto of = [&](ir::BufferId id) -> std::vector<int>& { return values[p.Root(id)]; };
  for (size_t id = 0; id < p.buffers.size(); ++id) {
    if (p.buffers[id].input != 0) continue;
    auto& v = of(static_cast<ir::BufferId>(id));
    for (int64_t i = 0; i < p.buffers[id].shape.elements(); ++i) v.push_back(static_cast<int>(i));
  }
  for (const ir::Step& step : p.steps) {
    const auto& raster = std::get<ir::RasterPrim>(step.primitive);
    std::vector<int> made(
        static_cast<size_t>(p.buffers[static_cast<size_t>(step.outputs[0])].shape.elements()), -1);
    for (const auto& copy : raster.copies) {
      const auto& source = of(step.inputs[static_cast<size_t>(copy.input)]);
      for (auto [to, from] : SourcesOf(copy.region)) {
        made[static_cast<size_t>(to)] = source[static_cast<size_t>(from)];
      }
    }
    of(step.outputs[0]) = std::move(made);
  }
  return of(p.outputs[0]);
}

TEST(MergeRastersTest, AChannelShuffleIsOneCopy) {
  const Programs p = ProgramsOf(
      "graph g\ninput x f32 [1,8,2,3]\nconst s i64 [5] = 1 2 4 2 3\nconst t i64 [4] = 1 8 2 3\n"
      "node Reshape a (x, s) -> (b)\nnode Transpose c (b) -> (d) perm=I[0,2,1,3,4]\n"
      "node Reshape e (d, t) -> (f)\nconst i0 i64 [1] = 0\nconst i4 i64 [1] = 4\n"
      "const ax i64 [1] = 1\nnode Slice h (f, i0, i4, ax) -> (y)\noutput y\n");
  EXPECT_EQ(p.before.steps.size(), 2u);
  EXPECT_EQ(p.after.steps.size(), 1u);
  EXPECT_EQ(Follow(p.before), Follow(p.after));
}

// ShuffleNet: two branches joined, their channels shuffled, one half read on.
TEST(MergeRastersTest, AShuffleOfTwoBranchesIsTwoCopies) {
  const Programs p = ProgramsOf(
      "graph g\ninput x f32 [1,4,2,3]\nconst s i64 [5] = 1 2 4 2 3\nconst t i64 [4] = 1 8 2 3\n"
      "node Transpose r (x) -> (z) perm=I[0,1,3,2]\nconst u i64 [4] = 1 4 2 3\n"
      "node Reshape q (z, u) -> (w)\n"
      "node Concat k (x, w) -> (a) axis=i1\nnode Reshape l (a, s) -> (b)\n"
      "node Transpose c (b) -> (d) perm=I[0,2,1,3,4]\n"
      "node Reshape e (d, t) -> (f)\nnode Split h (f) -> (i, y) axis=i1 num_outputs=i2\noutput "
      "y\n");
  ASSERT_EQ(p.after.steps.size(), 1u);
  EXPECT_EQ(std::get<ir::RasterPrim>(p.after.steps[0].primitive).copies.size(), 2u);
  EXPECT_EQ(Follow(p.before), Follow(p.after));
}

TEST(MergeRastersTest, PairsOfTransposesCancel) {
  const Programs p = ProgramsOf(
      "graph g\ninput x f32 [2,3,4]\nnode Transpose a (x) -> (b) perm=I[2,0,1]\n"
      "node Transpose c (b) -> (y) perm=I[1,2,0]\noutput y\n");
  EXPECT_EQ(p.before.steps.size(), 2u);
  EXPECT_EQ(p.after.steps.size(), 0u);
}

// Swin: an image rolled by one, cut into windows.
TEST(MergeRastersTest, ARollAndWindowsAreOneCopy) {
  const Programs p = ProgramsOf(
      "graph g\ninput x f32 [1,6,6,2]\nconst z i64 [1] = 0\nconst o i64 [1] = 1\n"
      "const e i64 [1] = 100\nconst h i64 [1] = 1\nconst w i64 [1] = 2\n"
      "const s i64 [6] = 1 2 3 2 3 2\n"
      "node Slice a (x, o, e, h) -> (a1)\nnode Slice b (x, z, o, h) -> (b1)\n"
      "node Concat c (a1, b1) -> (c1) axis=i1\n"
      "node Slice d (c1, o, e, w) -> (d1)\nnode Slice f (c1, z, o, w) -> (f1)\n"
      "node Concat k (d1, f1) -> (k1) axis=i2\nnode Reshape l (k1, s) -> (l1)\n"
      "node Transpose m (l1) -> (y) perm=I[0,1,3,2,4,5]\noutput y\n");
  EXPECT_EQ(p.before.steps.size(), 7u);
  ASSERT_EQ(p.after.steps.size(), 1u);
  EXPECT_LE(std::get<ir::RasterPrim>(p.after.steps[0].primitive).copies.size(), 9u);
  EXPECT_EQ(Follow(p.before), Follow(p.after));
}

TEST(MergeRastersTest, RandomChainsMoveTheSameElements) {
  std::mt19937 random(9);
  for (int round = 0; round < 200; ++round) {
    std::string text = "graph g\ninput v0 f32 [4,6,2]\n";
    std::array<int, 3> dims = {4, 6, 2};
    const int length = 2 + static_cast<int>(random() % 5);
    for (int i = 0; i < length; ++i) {
      const std::string in = fmt::format("v{}", i), out = fmt::format("v{}", i + 1);
      const int axis = static_cast<int>(random() % 3);
      switch (random() % 4) {
        case 0:
          text += fmt::format("node Transpose n{} ({}) -> ({}) perm=I[1,2,0]\n", i, in, out);
          dims = {dims[1], dims[2], dims[0]};
          break;
        case 1: {
          std::swap(dims[0], dims[2]);
          text += fmt::format("const s{} i64 [3] = {} {} {}\nnode Reshape n{} ({}, s{}) -> ({})\n",
                              i, dims[0], dims[1], dims[2], i, in, i, out);
          break;
        }
        default: {  // a roll along an axis
          if (dims[static_cast<size_t>(axis)] < 2) {
            text += fmt::format("node Transpose n{} ({}) -> ({}) perm=I[0,1,2]\n", i, in, out);
            break;
          }
          text += fmt::format(
              "const z{0} i64 [1] = 0\nconst o{0} i64 [1] = 1\nconst e{0} i64 [1] = 99\n"
              "const x{0} i64 [1] = {3}\nnode Slice a{0} ({1}, o{0}, e{0}, x{0}) -> (p{0})\n"
              "node Slice b{0} ({1}, z{0}, o{0}, x{0}) -> (q{0})\n"
              "node Concat n{0} (p{0}, q{0}) -> ({2}) axis=i{3}\n",
              i, in, out, axis);
        }
      }
    }
    SCOPED_TRACE(text);
    const Programs p = ProgramsOf(text + fmt::format("output v{}\n", length));
    ASSERT_EQ(Follow(p.before), Follow(p.after));
    ASSERT_LE(p.after.steps.size(), p.before.steps.size());
  }
}

TEST(MergeRastersTest, HeadsAreReadAndWrittenInPlace) {
  const Programs p = ProgramsOf(
      "graph g\ninput x f32 [1,5,24]\nconst s i64 [5] = 1 5 3 2 4\n"
      "node Reshape a (x, s) -> (b)\nnode Transpose c (b) -> (d) perm=I[2,0,3,1,4]\n"
      "node Split e (d) -> (f, h, i) axis=i0 num_outputs=i3\nconst z i64 [1] = 0\n"
      "node Squeeze j (f, z) -> (q)\nnode Squeeze k (h, z) -> (kk)\nnode Squeeze l (i, z) -> (v)\n"
      "node Transpose m (kk) -> (kt) perm=I[0,1,3,2]\nnode MatMul n (q, kt) -> (o)\n"
      "node Softmax p (o) -> (r) axis=i-1\nnode MatMul t (r, v) -> (u)\n"
      "node Transpose w (u) -> (xx) perm=I[0,2,1,3]\nconst s2 i64 [3] = 1 5 8\n"
      "node Reshape y1 (xx, s2) -> (y)\noutput y\n");
  ASSERT_EQ(p.after.steps.size(), 1u);
  EXPECT_TRUE(std::holds_alternative<ir::AttentionPrim>(p.after.steps[0].primitive));
}

}  // namespace
}  // namespace ferry::passes
