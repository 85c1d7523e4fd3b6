#include "device-runtime/passes/memory/slices.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "device-runtime/ir/text.h"
#include "device-runtime/passes/graph_pass.h"
#include "device-runtime/passes/lower.h"
#include "device-runtime/passes/memory/memory_plan.h"
#include "device-runtime/passes/memory/row_gathers.h"
#include "device-runtime/passes/program_pass.h"

namespace ferry::passes {
namespace {

constexpr int64_t kNear = 1 << 20;

PlacedProgram Placed(std::string_view text, int64_t near_bytes = kNear) {
  const ir::Graph graph = ir::Parse(text).value();
  std::vector<ir::Shape> shapes;
  for (ir::ValueId id : graph.inputs) shapes.push_back(*graph.values[id].FixedShape());
  ir::Program program = Lower(Specialize(graph, shapes).value()).value();
  for (const ProgramPass& pass : ProgramPasses()) pass.run(program);
  return PlaceSlices(std::move(program), near_bytes);
}

int Rasters(const PlacedProgram& placed) {
  int count = 0;
  for (const ir::Step& step : placed.program.steps) {
    count += std::holds_alternative<ir::RasterPrim>(step.primitive) ? 1 : 0;
  }
  return count;
}

int Slices(const PlacedProgram& placed) {
  return static_cast<int>(
      std::ranges::count_if(placed.slices, [](const Slice& s) { return static_cast<bool>(s); }));
}

// Two convolutions side by side, as in a fire module; the input's layout change stays.
constexpr std::string_view kFire = R"(graph g
input x f32 [1,16,8,8]
input w f32 [64,16,1,1]
input v f32 [96,16,3,3]
input u f32 [8,160,1,1]
node Conv a (x, w) -> (p)
node Conv b (x, v) -> (q) pads=I[1,1,1,1]
node Concat c (p, q) -> (j) axis=i1
node Conv d (j, u) -> (y)
output y
)";

TEST(PlaceSlices, PartsOfAConcatenationAreWrittenInPlace) {
  const PlacedProgram placed = Placed(kFire);
  EXPECT_EQ(Rasters(placed), 2) << ir::Print(placed.program);  // the layouts of x and y
  ASSERT_EQ(Slices(placed), 2);
  std::vector<Slice> slices;
  for (const Slice& s : placed.slices) {
    if (s) slices.push_back(s);
  }
  EXPECT_EQ(slices[0].whole, slices[1].whole);
  EXPECT_EQ(slices[0].row + slices[1].row, 160);
  EXPECT_EQ(slices[0].offset + slices[1].offset, 64);
  EXPECT_EQ(slices[0].stride, 160);
}

TEST(PlaceSlices, RowsFarApartInMemoryOnlyWhereNothingElseReads) {
  EXPECT_EQ(Slices(Placed(kFire, 1024)), 2);
  std::string text(kFire);
  text += "node Tanh e (p) -> (z)\noutput z\n";
  EXPECT_EQ(Slices(Placed(text)), 2);        // a map reads rows where they lie
  EXPECT_EQ(Slices(Placed(text, 1024)), 1);  // q alone
}

// Each layer reads all before it: the first concatenation is the beginning of the second.
TEST(PlaceSlices, AConcatenationThatGrows) {
  const PlacedProgram placed = Placed(R"(graph g
input x f32 [1,16,8,8]
input w0 f32 [16,16,1,1]
input w1 f32 [16,16,1,1]
input w2 f32 [16,32,1,1]
input w3 f32 [16,48,1,1]
node Conv n0 (x, w0) -> (a)
node Conv n1 (a, w1) -> (b)
node Concat c1 (a, b) -> (ab) axis=i1
node Conv n2 (ab, w2) -> (c)
node Concat c2 (a, b, c) -> (abc) axis=i1
node Conv n3 (abc, w3) -> (y)
output y
)");
  EXPECT_EQ(Rasters(placed), 2) << ir::Print(placed.program);
  EXPECT_EQ(Slices(placed), 4);
  for (const Slice& s : placed.slices) EXPECT_TRUE(!s || s.stride == 48);
}

TEST(PlaceSlices, ASplitIsReadWhereItLies) {
  const PlacedProgram placed = Placed(R"(graph g
input x f32 [1,16,8,8]
input w0 f32 [48,16,1,1]
input w1 f32 [16,16,1,1]
input w2 f32 [16,32,3,3]
const sizes i64 [2] = 16 32
node Conv n0 (x, w0) -> (a)
node Split s (a, sizes) -> (b, c) axis=i1
node Conv n1 (b, w1) -> (d)
node Conv n2 (c, w2) -> (e) pads=I[1,1,1,1]
node Add f (d, e) -> (y)
output y
)");
  EXPECT_EQ(Rasters(placed), 2) << ir::Print(placed.program);
  EXPECT_EQ(Slices(placed), 2);
}

// Whole rows one behind the other need no strides: anything writes them, and outputs may lie there.
TEST(PlaceSlices, RunsOfAnyStep) {
  const PlacedProgram placed = Placed(R"(graph g
input x f32 [4,8]
node Softmax a (x) -> (p)
node Tanh b (x) -> (q)
node Concat c (p, q) -> (y) axis=i0
output y
output p
)");
  EXPECT_EQ(Rasters(placed), 0) << ir::Print(placed.program);
  EXPECT_EQ(Slices(placed), 2);
}

TEST(PlaceSlices, WhatCannotLieInsideStays) {
  EXPECT_EQ(Slices(Placed(R"(graph g
input x f32 [1,16,8,8]
input w f32 [32,16,1,1]
node Conv a (x, w) -> (p)
node Concat c (p, p) -> (y) axis=i1
output y
output p
)")),
            0);  // the output is plain
  EXPECT_EQ(Slices(Placed(R"(graph g
input x f32 [4,8]
input y f32 [4,8]
node Concat c (x, y) -> (z) axis=i1
output z
)")),
            0);  // inputs lie where the caller says
}

// The whole lives from the first part that is written to the last that is read.
TEST(PlaceSlices, LifetimesAreThoseOfTheWhole) {
  const PlacedProgram placed = Placed(kFire);
  const auto places = ShareInPlace(placed);
  const auto lives = LifetimesOf(placed.program, places);
  for (size_t id = 0; id < placed.slices.size(); ++id) {
    if (!placed.slices[id]) continue;
    const auto whole = static_cast<size_t>(placed.slices[id].whole);
    EXPECT_EQ(lives[id].bytes, 0);
    EXPECT_EQ(places[id], placed.slices[id].whole);
    EXPECT_EQ(lives[whole].bytes, 160 * 64 * 4);
    EXPECT_LE(lives[whole].first, 2);
  }
}

TEST(ReadRowsInPlace, AMapReadsTheRowsThatResizeTakes) {
  PlacedProgram placed = Placed(R"(graph g
input x f32 [1,3,5,40]
const scales f32 [4] = 1 1 4 1
node Resize r (x, -, scales) -> (y) mode=s"linear"
output y
)");
  const size_t before = placed.program.steps.size();
  EXPECT_EQ(ReadRowsInPlace(placed), 2) << ir::Print(placed.program);
  EXPECT_EQ(placed.program.steps.size(), before - 2);
  ASSERT_EQ(placed.rows.size(), 2u);
  for (const auto& [key, table] : placed.rows) {
    ASSERT_EQ(table.size(), 60u);
    for (int64_t place : table) {
      EXPECT_EQ(place % 40, 0);
      EXPECT_LE(place + 40, 3 * 5 * 40);
    }
  }
}

TEST(ReadRowsInPlace, OutputsAndShortRowsAreGathered) {
  for (const char* text : {R"(graph g
input x f32 [5,40]
const i i64 [3] = 4 0 2
node Gather a (x, i) -> (y)
node Tanh b (y) -> (z)
output z
output y
)",
                           R"(graph g
input x f32 [5,8]
const i i64 [3] = 4 0 2
node Gather a (x, i) -> (y)
node Tanh b (y) -> (z)
output z
)",
                           R"(graph g
input x f32 [5,40]
const i i64 [3] = 4 0 7
node Gather a (x, i) -> (y)
node Tanh b (y) -> (z)
output z
)"}) {
    PlacedProgram placed = Placed(text);
    EXPECT_EQ(ReadRowsInPlace(placed), 0) << text;
  }
}

}  // namespace
}  // namespace ferry::passes
