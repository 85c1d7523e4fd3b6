#include "tools/model_graph/model_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/json.h"
#include "common/package/manifest.h"
#include "common/package/writer.h"
#include "device-runtime/engine/engine.h"
#include "device-runtime/ir/text.h"
#include "tools/model_graph/text.h"

namespace ferry::model_graph {
namespace {

using testing::HasSubstr;

ir::Graph GraphOf(std::string_view text) {
  Result<ir::Graph> graph = ir::Parse(text);
  EXPECT_TRUE(graph.ok()) << graph.status().ToString();
  EXPECT_TRUE(ir::Verify(*graph).ok()) << ir::Verify(*graph).ToString();
  return std::move(*graph);
}

constexpr const char* kConvolution = R"(graph net
input x f32 [n,1,4,4]
const w f32 [2,1,3,3] = 1 2 3 4 5 6 7 8 9 1 2 3 4 5 6 7 8 9
const to i64 [2] = 0 -1
node Conv c1 (x, w) -> (a) pads=I[1,1,1,1]
node Relu r1 (a) -> (b)
node Reshape flat (b, to) -> (y)
output y f32 [n,32]
)";

TEST(ModelGraph, ShowsNodesValuesEdgesAndCost) {
  const Json json = GraphToJson(GraphOf(kConvolution));
  EXPECT_EQ(json["kind"], "model_graph");
  EXPECT_EQ(json["name"], "net");
  ASSERT_EQ(json["nodes"].size(), 3u);
  const Json& conv = json["nodes"][0];
  EXPECT_EQ(conv["op"], "Conv");
  EXPECT_EQ(conv["name"], "c1");
  EXPECT_EQ(conv["attributes"]["pads"], "[1, 1, 1, 1]");
  EXPECT_EQ(conv["weight_bytes"], 72);
  EXPECT_EQ(conv["macs"], 32 * 9);               // each of 2x4x4 sums over 3x3
  EXPECT_EQ(conv["bytes"], 4 * (16 + 18 + 32));  // x, w, a
  EXPECT_EQ(json["nodes"][1]["macs"], 0);
  EXPECT_EQ(json["macs"], 32 * 9);
  const auto value = [&](const Json& number) -> const Json& {
    return json["values"][number.get<size_t>()];
  };
  // The model's own ends keep their names of dimensions, what is between has its numbers.
  EXPECT_EQ(value(json["inputs"][0])["shape"], Json::parse(R"(["n",1,4,4])"));
  EXPECT_EQ(value(json["outputs"][0])["shape"], Json::parse(R"(["n",32])"));
  EXPECT_EQ(value(conv["outputs"][0])["shape"], Json::parse("[1,2,4,4]"));
  EXPECT_EQ(value(conv["outputs"][0])["dtype"], "f32");
  EXPECT_EQ(value(conv["inputs"][1])["bytes"], 72);
  EXPECT_EQ(json["assumed"], Json::parse(R"(["n"])"));
  ASSERT_EQ(json["edges"].size(), 2u);
  EXPECT_EQ(json["edges"][0], Json::array({0, 1, conv["outputs"][0]}));
  EXPECT_EQ(json["edges"][1][1], 2);
  EXPECT_EQ(json["left_out"], 0);
  EXPECT_TRUE(json["quantization"]["nodes"].empty());
}

TEST(ModelGraph, ShapesThatShapesDecideAreFollowed) {
  const Json json = GraphToJson(GraphOf(R"(graph net
input x f32 [2,3,4]
const first i64 [1] = 0
const rest i64 [1] = -1
node Shape s (x) -> (shape)
node Gather g (shape, first) -> (rows)
node Concat c (rows, rest) -> (to) axis=i0
node Reshape r (x, to) -> (y)
output y
)"));
  const auto out = json["outputs"][0].get<size_t>();
  EXPECT_EQ(json["values"][out]["shape"], Json::parse("[2,12]"));
}

TEST(ModelGraph, WhatOnlyARunTellsIsNull) {
  const Json json = GraphToJson(GraphOf(R"(graph net
input x f32 [4]
node NonZero z (x) -> (at)
node Cast c (at) -> (y) to=i1
output y
)"));
  const auto out = json["outputs"][0].get<size_t>();
  EXPECT_TRUE(json["values"][out]["shape"].is_null());
  EXPECT_FALSE(json["nodes"][1].contains("macs"));
  EXPECT_FALSE(json["nodes"][1].contains("problem"));
}

TEST(ModelGraph, ANodeThatDoesNotFitSaysWhy) {
  const Json json = GraphToJson(GraphOf(R"(graph net
input a f32 [2,3]
input b f32 [4,5]
node MatMul bad (a, b) -> (y)
output y
)"));
  EXPECT_THAT(json["nodes"][0]["problem"].get<std::string>(), HasSubstr("[2,3]"));
}

TEST(ModelGraph, ReportsQuantisedWeightsAndActivations) {
  const Json json = GraphToJson(GraphOf(R"(graph net
input x f32 [1,4]
const w i8 [4,2] = 1 2 3 4 5 6 7 8
const ws f32 [2] = 0.5 0.25
const s f32 [] = 0.125
const z u8 [] = 128
node QuantizeLinear q (x, s, z) -> (xq)
node DequantizeLinear d (xq, s, z) -> (xd)
node DequantizeLinear dw (w, ws) -> (wd) axis=i1
node MatMul m (xd, wd) -> (y)
output y
)"));
  const Json& report = json["quantization"];
  ASSERT_EQ(report["nodes"].size(), 1u);
  EXPECT_EQ(report["nodes"][0]["node"], 3);
  const Json& weight = report["nodes"][0]["weights"][0];
  EXPECT_EQ(weight["bits"], 8);
  EXPECT_EQ(weight["scheme"], "per channel of axis 1");
  EXPECT_EQ(weight["symmetric"], true);
  EXPECT_EQ(weight["scale_min"], 0.25);
  EXPECT_EQ(weight["scale_max"], 0.5);
  EXPECT_EQ(weight["bytes_before"], 32);
  EXPECT_EQ(weight["bytes_after"], 8 + 8);
  const Json& activation = report["nodes"][0]["activations"][0];
  EXPECT_EQ(activation["dtype"], "u8");
  EXPECT_EQ(activation["symmetric"], false);
  EXPECT_EQ(activation["scheme"], "per tensor");
  EXPECT_EQ(report["bytes_before"], 32);
  EXPECT_EQ(report["bytes_after"], 16);
}

TEST(ModelGraph, PackedWeightsCountTheirBits) {
  const Json json = GraphToJson(GraphOf(R"(graph net
input x f32 [1,4]
const w i4 [4,2] = 1 2 3 4 5 6 7 -8
const ws f32 [2,2] = 0.5 0.25 1 2
node DequantizeLinear dw (w, ws) -> (wd) axis=i0 block_size=i2
node MatMul m (x, wd) -> (y)
output y
)"));
  const Json& weight = json["quantization"]["nodes"][0]["weights"][0];
  EXPECT_EQ(weight["bits"], 4);
  EXPECT_EQ(weight["scheme"], "blocks of 2 along axis 0");
  EXPECT_EQ(weight["bytes_after"], 4 + 16);
}

TEST(ModelGraph, LimitsHoldAndAreTold) {
  ir::Graph graph;
  graph.name = std::string(1000, 'n');
  ir::ValueId last = graph.AddValue("x");
  graph.values[0].dtype = ir::DType::kF32;
  graph.values[0].dims = {{4, ""}};
  graph.inputs = {last};
  for (size_t i = 0; i < kMaxGraphNodes + 7; ++i) {
    ir::Node node;
    node.op = "Relu";
    node.name = fmt::format("{}{}", std::string(300, 'r'), i);
    node.attributes["note"] = std::string(500, 't');
    node.inputs = {last};
    last = graph.AddValue(fmt::format("v{}", i));
    node.outputs = {last};
    graph.nodes.push_back(std::move(node));
  }
  graph.outputs = {last};
  const Json json = GraphToJson(graph);
  EXPECT_EQ(json["node_count"], kMaxGraphNodes + 7);
  EXPECT_GE(json["left_out"], 7u);
  EXPECT_EQ(json["nodes"].size() + json["left_out"].get<size_t>(), kMaxGraphNodes + 7);
  EXPECT_EQ(json["name"].get<std::string>().size(), kMaxGraphNameBytes + 3);
  EXPECT_EQ(json["nodes"][0]["attributes"]["note"].get<std::string>().size(),
            kMaxAttributeBytes + 3);
  EXPECT_LT(WriteJson(json).size(), kMaxGraphBytes + (1 << 20));
  for (const Json& edge : json["edges"]) EXPECT_LT(edge[1].get<size_t>(), json["nodes"].size());
}

TEST(ModelGraph, TextsAreCutBetweenCharacters) {
  EXPECT_EQ(CutText("abc", 3), "abc");
  EXPECT_EQ(CutText("ab\xC3\xA4", 3), "ab...");
  EXPECT_EQ(CutText("ab\xC3\xA4z", 4), "ab\xC3\xA4...");
}

Bytes FileOf(const char* text) {
  Result<Bytes> file = engine::Compile(GraphOf(text), {"net"});
  EXPECT_TRUE(file.ok()) << file.status().ToString();
  return std::move(*file);
}

TEST(ModelGraph, ModelFilesThatAreCutOrChangedAreErrors) {
  const Bytes file = FileOf(kConvolution);
  const auto of = [](ByteView bytes) {
    const auto copy = std::make_shared<const Bytes>(bytes.begin(), bytes.end());
    return GraphOfModelFile(*copy, copy);
  };
  const Result<Json> whole = of(file);
  ASSERT_TRUE(whole.ok()) << whole.status().ToString();
  EXPECT_EQ((*whole)["nodes"][0]["op"], "Conv");
  for (size_t size = 0; size < file.size(); size += 41)
    EXPECT_FALSE(of(ByteView(file).first(size)).ok()) << size;
  Bytes changed = file;
  changed[70] ^= 1;  // in the graph's text
  EXPECT_EQ(of(changed).code(), Code::kBadModel);
}

Result<Json> OfPackage(const std::map<std::string, Bytes>& files, const std::string& model) {
  package::Manifest manifest;
  manifest.name = "digits";
  manifest.version = "1.0.0";
  manifest.task = {{"name", "digits"}};
  std::vector<package::SourceFile> sources;
  for (const auto& [path, bytes] : files) sources.push_back({path, bytes});
  const Result<Bytes> written = package::WritePackage(manifest, std::move(sources));
  EXPECT_TRUE(written.ok()) << written.status().ToString();
  const auto package = package::Package::Open(*written);
  EXPECT_TRUE(package.ok()) << package.status().ToString();
  return GraphOfPackage(*package, model);
}

TEST(ModelGraph, AProfileBesideAModelIsReported) {
  const Bytes model = FileOf(kConvolution);
  const auto with = [&](std::string_view profile) {
    return OfPackage({{"a.fm", model}, {"a.profile.json", ToBytes(profile)}}, "");
  };
  const Result<Json> good = with(
      R"({"explain":{"steps":[{"node":"c1","measured_us":2.5},{"node":"c1","measured_us":1.5},
         {"node":"gone","measured_us":7},{"node":"flat","measured_us":-1}]}})");
  ASSERT_TRUE(good.ok()) << good.status().ToString();
  EXPECT_EQ((*good)["nodes"][0]["reported_us"], 4.0);
  EXPECT_FALSE((*good)["nodes"][1].contains("reported_us"));
  EXPECT_EQ((*good)["reported"], Json::parse(R"({"us":4.0,"of":1,"elsewhere_us":7.0})"));
  for (const char* bad : {"", "[]", R"({"explain":{"steps":[{"node":1}]}})"}) {
    const Result<Json> graph = with(bad);
    ASSERT_TRUE(graph.ok()) << bad;
    EXPECT_TRUE((*graph)["reported"].contains("problem")) << bad;
  }
}

TEST(ModelGraph, APackageSaysWhichModelsItHas) {
  const Bytes model = FileOf(kConvolution);
  const Result<Json> one = OfPackage({{"a.fm", model}, {"notes.txt", {}}}, "");
  ASSERT_TRUE(one.ok()) << one.status().ToString();
  EXPECT_EQ((*one)["file"], "a.fm");
  const Result<Json> several = OfPackage({{"a.fm", model}, {"b.fm", model}}, "");
  EXPECT_EQ(several.code(), Code::kNotFound);
  EXPECT_THAT(several.status().message(), HasSubstr("a.fm, b.fm"));
  EXPECT_TRUE(OfPackage({{"a.fm", model}, {"b.fm", model}}, "b.fm").ok());
  EXPECT_EQ(OfPackage({{"notes.txt", {}}}, "").code(), Code::kNotFound);
  EXPECT_EQ(OfPackage({{"draft.flm", {}}}, "").code(), Code::kUnsupported);
  const Result<Json> bad = OfPackage({{"a.fm", ToBytes("no model")}}, "");
  EXPECT_EQ(bad.code(), Code::kBadModel);
  EXPECT_THAT(bad.status().message(), HasSubstr("a.fm"));
}

}  // namespace
}  // namespace ferry::model_graph
