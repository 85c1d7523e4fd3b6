#include "device-runtime/ir/graph.h"

#include <random>

#include <gtest/gtest.h>
#include "device-runtime/ir/program.h"
#include "device-runtime/ir/text.h"

namespace ferry::ir {
namespace {

constexpr const char* kText = R"(graph "two words"
input "x y" f32 ["n",1,?,4]
const w f32 [2] = 1.5 -inf
const k i64 [] = 9223372036854775807
const b bool [2] = 0 1
node Conv "" ("x y", w, -, "-") -> (h) a=i-3 b=f0.1 c=s"a\"b\x0a" d=I[1,2] e=F[nan] f=t{i8 [1] = -7}
output h f32 [?,2]
)";

TEST(Text, RoundTrip) {
  auto graph = Parse(kText);
  ASSERT_TRUE(graph.ok()) << graph.status().ToString();
  EXPECT_EQ(Print(*graph), kText);
  EXPECT_EQ(graph->nodes[0].inputs[2], kNoValue);
  EXPECT_NE(graph->nodes[0].inputs[3], kNoValue);
  EXPECT_EQ(*graph->nodes[0].Find<std::string>("c"), "a\"b\n");
}

TEST(Text, ErrorsNameLineAndColumn) {
  auto result = Parse("graph g\ninput x f99 [1]\n");
  EXPECT_EQ(result.code(), Code::kBadModel);
  EXPECT_NE(result.status().message().find("line 2: column"), std::string::npos);
  EXPECT_EQ(Parse("const w f32 [1000000000] = 1\n").code(), Code::kBadModel);
  EXPECT_EQ(Parse("const w f32 [1] at 0\n").code(), Code::kBadModel);
  EXPECT_EQ(Parse("input x f32 [1,1,1,1,1,1,1,1,1]\n").code(), Code::kBadModel);
  EXPECT_EQ(Parse("nonsense\n").code(), Code::kBadModel);
}

TEST(Text, Mutations) {
  std::mt19937 random(3);
  for (int round = 0; round < 2000; ++round) {
    std::string text = kText;
    for (int i = 0; i <= round % 4; ++i) text[random() % text.size()] = static_cast<char>(random());
    auto graph = Parse(text);
    if (!graph.ok()) continue;
    // What was read prints and reads again to the same.
    const std::string printed = Print(*graph);
    auto again = Parse(printed);
    ASSERT_TRUE(again.ok()) << printed << again.status().ToString();
    ASSERT_EQ(Print(*again), printed);
  }
}

void ExpectBad(const char* text, const char* message) {
  auto graph = Parse(text);
  ASSERT_TRUE(graph.ok()) << graph.status().ToString();
  const Status status = Verify(*graph);
  EXPECT_EQ(status.code(), Code::kBadModel);
  EXPECT_NE(status.message().find(message), std::string::npos) << status.ToString();
}

TEST(Verify, EveryRuleNamesNodeAndValue) {
  ExpectBad("input x f32 [1]\ninput x f32 [1]\n", "graph input 'x' is made twice");
  ExpectBad("input x f32 [1]\nnode Relu n (z) -> (y)\n",
            "node 'n' (Relu) reads 'z' before it is made");
  ExpectBad("input x f32 [1]\nnode Relu n (x) -> (x)\n", "node 'n' (Relu) makes 'x' again");
  ExpectBad("input x f32 [1]\nnode Relu n (x) -> ()\n", "node 'n' (Relu) makes no value");
  ExpectBad("input x f32 [1]\noutput y\n", "graph output 'y' is never made");
  Graph graph = Parse("input x f32 [1]\nnode Relu n (x) -> (y)\noutput y\n").value();
  EXPECT_TRUE(Verify(graph).ok());
  graph.nodes[0].inputs[0] = 77;
  EXPECT_NE(Verify(graph).message().find("value 77, which does not exist"), std::string::npos);
  graph = Parse("input x f32 [1]\nnode Relu n (x) -> (y)\noutput y\n").value();
  graph.values[1].name = "x";
  EXPECT_NE(Verify(graph).message().find("two values are named 'x'"), std::string::npos);
  graph.values[1].name = "";
  EXPECT_NE(Verify(graph).message().find("has no name"), std::string::npos);
  graph = Parse("const x f32 [1] = 1\noutput x\n").value();
  graph.values[0].dtype = DType::kI8;
  EXPECT_NE(Verify(graph).message().find("constant 'x'"), std::string::npos);
  ExpectBad("const x f32 [1] = 1\noutput x f32 [0]\n", "constant 'x' does not have");
  ExpectBad("const x f32 [1] = 1\noutput x f32 [1,1]\n", "constant 'x' does not have");
  ExpectBad("const x f32 [1] = 1\noutput x f32 [?]\n", "constant 'x' does not have");
}

TEST(Graph, CompactDropsWhatNobodyMentions) {
  Graph graph =
      Parse("input x f32 [1]\nconst u f32 [1] = 1\nnode Relu n (x) -> (y)\noutput y\n").value();
  graph.CompactValues();
  EXPECT_EQ(graph.values.size(), 2u);
  EXPECT_TRUE(Verify(graph).ok());
}

// A raster of one region over buffers of 4 elements.
Program OneCopy(Region region) {
  Program program;
  program.buffers = {{DType::kF32, {4}, {}, -1, 0}, {DType::kF32, {4}}};
  RasterPrim raster;
  raster.copies.push_back({0, region});
  program.steps.push_back({raster, {0}, {1}, "n"});
  program.outputs = {1};
  return program;
}

TEST(VerifyProgram, RegionsStayInside) {
  Region region;
  region.rank = 1;
  region.size[0] = 4;
  region.from_stride[0] = 1;
  region.to_stride[0] = 1;
  EXPECT_TRUE(Verify(OneCopy(region)).ok()) << Verify(OneCopy(region)).ToString();
  Region late = region;
  late.from = 1;
  EXPECT_FALSE(Verify(OneCopy(late)).ok());
  Region backwards = region;
  backwards.from_stride[0] = -1;
  EXPECT_FALSE(Verify(OneCopy(backwards)).ok());
  backwards.from = 3;
  EXPECT_TRUE(Verify(OneCopy(backwards)).ok());
  Region wide = region;
  wide.to_stride[0] = int64_t{1} << 62;
  EXPECT_FALSE(Verify(OneCopy(wide)).ok());
  Program twice = OneCopy(region);
  twice.steps.push_back(twice.steps[0]);
  EXPECT_FALSE(Verify(twice).ok());
}

}  // namespace
}  // namespace ferry::ir
