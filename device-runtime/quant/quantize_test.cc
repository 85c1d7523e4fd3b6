#include "device-runtime/quant/quantize.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include <gtest/gtest.h>
#include "common/sys/random.h"
#include "device-runtime/engine/engine.h"
#include "device-runtime/engine/reference/reference.h"
#include "device-runtime/ir/text.h"
#include "device-runtime/quant/calibrate/prepare.h"
#include "device-runtime/quant/measure/probe.h"
#include "device-runtime/quant/storage.h"

namespace ferry::quant {
namespace {

Tensor Random(const tensor::Shape& shape, uint64_t seed, double reach = 1) {
  sys::SeededRandom random(seed);
  Tensor out = Tensor::Allocate(DType::kF32, shape).value();
  for (float& x : out.mutable_data<float>()) {
    x = static_cast<float>(reach * (2 * random.NextDouble() - 1));
  }
  return out;
}

// A graph from text; constants "?NAME SHAPE" cannot be written out, so they are added after.
ir::Graph Parsed(const std::string& text) {
  auto graph = ir::Parse(text);
  EXPECT_TRUE(graph.ok()) << graph.status().ToString();
  return *std::move(graph);
}

std::string Const(const std::string& name, const tensor::Shape& shape, uint64_t seed,
                  double reach = 1) {
  return "const " + name + " " + ir::PrintTensor(Random(shape, seed, reach)) + "\n";
}

// conv - relu - depthwise conv - clip - conv + skip - relu - pool - gemm
std::string SmallNet() {
  return "graph net\ninput x f32 [n,3,8,8]\n" + Const("w1", {8, 3, 3, 3}, 1, 0.5) +
         Const("b1", {8}, 2) + Const("w2", {8, 1, 3, 3}, 3, 0.5) + Const("b2", {8}, 4) +
         Const("w3", {8, 8, 1, 1}, 5, 0.4) + Const("w4", {10, 8}, 6) + Const("b4", {10}, 7) +
         "const low f32 [] = 0\nconst high f32 [] = 6\n"
         "node Conv@13 c1 (x, w1, b1) -> (v1) pads=I[1,1,1,1]\n"
         "node Relu@13 r1 (v1) -> (v2)\n"
         "node Conv@13 c2 (v2, w2, b2) -> (v3) group=i8 pads=I[1,1,1,1]\n"
         "node Clip@13 r2 (v3, low, high) -> (v4)\n"
         "node Conv@13 c3 (v4, w3) -> (v5)\n"
         "node Add@13 a1 (v5, v2) -> (v6)\n"
         "node Relu@13 r3 (v6) -> (v7)\n"
         "node GlobalAveragePool@13 p1 (v7) -> (v8)\n"
         "node Flatten@13 f1 (v8) -> (v9)\n"
         "node Gemm@13 g1 (v9, w4, b4) -> (y) transB=i1\n"
         "output y\n";
}

// LayerNormalization, attention of one head, a table.
std::string SmallTransformer() {
  return "graph net\ninput ids i64 [1,t]\n" + Const("table", {128, 64}, 1) +
         Const("wq", {64, 64}, 2, 0.2) + Const("wk", {64, 64}, 3, 0.2) +
         Const("wv", {64, 64}, 4, 0.2) + Const("bq", {64}, 5) + Const("s", {64}, 6) +
         "node Gather@17 e (table, ids) -> (x)\n"
         "node LayerNormalization@17 n (x, s) -> (h)\n"
         "node MatMul@17 q (h, wq) -> (q0)\n"
         "node Add@17 qb (q0, bq) -> (q1)\n"
         "node MatMul@17 k (h, wk) -> (k1)\n"
         "node MatMul@17 v (h, wv) -> (v1)\n"
         "node Transpose@17 kt (k1) -> (k2) perm=I[0,2,1]\n"
         "node MatMul@17 qk (q1, k2) -> (a)\n"
         "node Softmax@17 sm (a) -> (p) axis=i-1\n"
         "node MatMul@17 o (p, v1) -> (z)\n"
         "node Add@17 res (z, x) -> (y)\n"
         "output y\n";
}

std::vector<Sample> Images(int count) {
  std::vector<Sample> out;
  for (int i = 0; i < count; ++i) out.push_back({{"x", Random({2, 3, 8, 8}, 100 + i)}});
  return out;
}

std::vector<Sample> Sentences(int count) {
  std::vector<Sample> out;
  sys::SeededRandom random(3);
  for (int i = 0; i < count; ++i) {
    Tensor ids = Tensor::Allocate(DType::kI64, {1, 4 + i % 3}).value();
    for (int64_t& id : ids.mutable_data<int64_t>()) id = static_cast<int64_t>(random.Below(128));
    out.push_back({{"ids", ids}});
  }
  return out;
}

int Count(const ir::Graph& graph, std::string_view op) {
  return static_cast<int>(std::ranges::count(graph.nodes, op, &ir::Node::op));
}

// Relative error of the first output between two graphs, both by the naive references.
double ErrorBetween(const ir::Graph& a, const ir::Graph& b, const std::vector<Sample>& samples) {
  Distance distance;
  for (const Sample& sample : samples) {
    const auto want = engine::RunReference(a, sample);
    const auto got = engine::RunReference(b, sample);
    EXPECT_TRUE(want.ok() && got.ok()) << want.status().ToString() << got.status().ToString();
    if (want.ok() && got.ok()) distance.Add((*want)[0].tensor, (*got)[0].tensor);
  }
  return distance.Relative();
}

struct Case {
  Type type;
  double most;  // error
};

TEST(Quantize, EveryTypeStaysNearTheFloatModel) {
  const Case cases[] = {{Type::kInt8, 0.06},   {Type::kInt8Dynamic, 0.06}, {Type::kWeight8, 0.02},
                        {Type::kWeight4, 0.3}, {Type::kF16, 2e-3},         {Type::kBF16, 2e-2}};
  for (const bool is_transformer : {false, true}) {
    const ir::Graph graph = Parsed(is_transformer ? SmallTransformer() : SmallNet());
    const auto samples = is_transformer ? Sentences(6) : Images(6);
    for (const Case& c : cases) {
      SCOPED_TRACE(std::string(TypeName(c.type)) + (is_transformer ? " transformer" : " net"));
      auto result = Quantize(graph, samples, {.type = c.type});
      ASSERT_TRUE(result.ok()) << result.status().ToString();
      const double error = ErrorBetween(graph, result->graph, samples);
      EXPECT_LT(error, c.most);
      EXPECT_GT(error, 0);
      if (is_transformer) {
        EXPECT_LT(result->report.bytes, result->report.float_bytes);
      }
      // The engine gives what the references give.
      auto model = engine::Model::FromGraph(result->graph);
      ASSERT_TRUE(model.ok()) << model.status().ToString();
      auto session = engine::Session::Create(*model);
      ASSERT_TRUE(session.ok()) << session.status().ToString();
      Distance distance;
      for (const Sample& sample : samples) {
        auto outputs = (*session)->Run(sample);
        ASSERT_TRUE(outputs.ok()) << outputs.status().ToString();
        distance.Add((*engine::RunReference(result->graph, sample))[0].tensor,
                     (*outputs)[0].tensor);
      }
      EXPECT_LT(distance.Relative(), 0.02);
    }
  }
}

TEST(Quantize, EveryCalibrationAndForm) {
  const ir::Graph graph = Parsed(SmallNet());
  const auto samples = Images(8);
  for (Calibration how :
       {Calibration::kMinMax, Calibration::kPercentile, Calibration::kKl, Calibration::kMse}) {
    for (DType activations : {DType::kU8, DType::kI8}) {
      for (bool per_channel : {true, false}) {
        Options options{.calibration = how, .per_channel = per_channel, .activations = activations};
        options.equalize = !per_channel;
        auto result = Quantize(graph, samples, options);
        ASSERT_TRUE(result.ok()) << result.status().ToString();
        EXPECT_LT(ErrorBetween(graph, result->graph, samples), 0.12)
            << CalibrationName(how) << DTypeName(activations) << per_channel;
      }
    }
  }
}

TEST(Quantize, WhatTheGraphLooksLike) {
  auto result = Quantize(Parsed(SmallNet()), Images(4), {});
  ASSERT_TRUE(result.ok()) << result.status().ToString();
  const ir::Graph& graph = result->graph;
  EXPECT_EQ(graph.values[graph.outputs[0]].name, "y");
  // x, v2, v4, v5, v7, v8, v9; the last product gives floats. Nothing between conv and activation.
  EXPECT_EQ(Count(graph, "QuantizeLinear"), 7) << ir::Print(graph, {.max_elements = 8});
  // Beside those: 4 weights, 4 biases (c3 got one that corrects its mean).
  EXPECT_EQ(Count(graph, "DequantizeLinear"), 7 + 4 + 4);
  EXPECT_EQ(result->report.layers.size(), 4u);
  for (const LayerReport& layer : result->report.layers) {
    EXPECT_EQ(layer.form, "int8");
    EXPECT_TRUE(layer.measured);
    EXPECT_GT(layer.cosine, 0.99);
    EXPECT_GT(layer.snr_db, 15);
  }
}

TEST(Quantize, BiasScaleIsTheProductOfScales) {
  auto result = Quantize(Parsed(SmallNet()), Images(4), {.correct_bias = false});
  ASSERT_TRUE(result.ok());
  const ir::Graph& graph = result->graph;
  const std::vector<int> producers = graph.Producers();
  const auto scales = [&](ir::ValueId id) {
    const ir::Node& dq = graph.nodes[static_cast<size_t>(producers[id])];
    EXPECT_EQ(dq.op, "DequantizeLinear");
    return *graph.values[dq.inputs[1]].constant;
  };
  int seen = 0;
  for (const ir::Node& node : graph.nodes) {
    if ((node.op != "Conv" && node.op != "Gemm") || !node.HasInput(2)) continue;
    const Tensor x = scales(node.inputs[0]), w = scales(node.inputs[1]), b = scales(node.inputs[2]);
    ASSERT_EQ(w.elements(), b.elements());
    for (int64_t i = 0; i < w.elements(); ++i) {
      EXPECT_FLOAT_EQ(b.Number(i), x.Number(0) * w.Number(i));
    }
    ++seen;
  }
  EXPECT_EQ(seen, 3);
}

// The largest bias step that integer sums can hold bounds scales of tiny weights.
TEST(Quantize, TinyWeightsWithALargeBias) {
  std::string text = "graph net\ninput x f32 [1,4]\nconst w f32 [4,2] =";
  for (int i = 0; i < 8; ++i) text += i % 2 == 0 ? " 1e-12" : " 0.5";
  text += "\nconst b f32 [2] = 100 -100\nnode Gemm@13 g (x, w, b) -> (y)\noutput y\n";
  const ir::Graph graph = Parsed(text);
  const std::vector<Sample> samples = {{{"x", Random({1, 4}, 5)}}};
  auto result = Quantize(graph, samples, {});
  ASSERT_TRUE(result.ok()) << result.status().ToString();
  EXPECT_LT(ErrorBetween(graph, result->graph, samples), 1e-3);
}

TEST(Quantize, SkipAndKeep) {
  const ir::Graph graph = Parsed(SmallNet());
  const auto forms = [&](const Options& options) {
    auto result = Quantize(graph, Images(2), options);
    EXPECT_TRUE(result.ok()) << result.status().ToString();
    std::map<std::string, std::string> out;
    if (result.ok()) {
      for (const LayerReport& layer : result->report.layers) out[layer.name] = layer.form;
    }
    return out;
  };
  using Forms = std::map<std::string, std::string>;
  const std::string i = "int8", f = "float";
  EXPECT_EQ(forms({.skip = {"c2"}}), (Forms{{"c1", i}, {"c2", f}, {"c3", i}, {"g1", i}}));
  EXPECT_EQ(forms({.skip = {"c*"}}), (Forms{{"c1", f}, {"c2", f}, {"c3", f}, {"g1", i}}));
  EXPECT_EQ(forms({.keep_first = 1, .keep_last = 2}),
            (Forms{{"c1", f}, {"c2", i}, {"c3", f}, {"g1", f}}));
  auto none = Quantize(graph, Images(2), {.skip = {"nobody*"}});
  EXPECT_EQ(none.status().code(), Code::kInvalidArgument);
  EXPECT_NE(none.status().message().find("nobody*"), std::string::npos);
}

TEST(Quantize, HoldsABound) {
  const ir::Graph graph = Parsed(SmallNet());
  const auto samples = Images(4);
  auto all = Quantize(graph, samples, {.type = Type::kWeight4});
  ASSERT_TRUE(all.ok());
  const double error = all->report.outputs[0].relative_error;
  for (double bound : {error / 2, error / 10, error / 1000}) {
    auto result = Quantize(graph, samples, {.type = Type::kWeight4, .max_error = bound});
    ASSERT_TRUE(result.ok()) << result.status().ToString();
    EXPECT_LE(result->report.outputs[0].relative_error, bound);
    // The measured error is that of the file.
    EXPECT_LE(ErrorBetween(graph, result->graph, samples), bound * 1.01 + 1e-6);
    EXPECT_GT(result->report.evaluations, 0);
  }
  auto loose = Quantize(graph, samples, {.type = Type::kWeight4, .max_error = 1});
  for (const LayerReport& layer : loose->report.layers) EXPECT_EQ(layer.form, "weight4");
}

TEST(Quantize, SimulationIsWhatTheFileDoes) {
  const ir::Graph graph = FoldedGraph(Parsed(SmallNet())).value();
  const auto samples = Images(3);
  Options options;
  const Prepared prepared = Prepare(graph, samples, options).value();
  const auto forms = ChooseForms(prepared.graph, prepared.units, options).value();
  Builder builder(prepared, options);
  const ir::Graph exact = builder.Build(forms, Target::kQdq).value();
  const ir::Graph simulated = builder.Build(forms, Target::kSimulate).value();
  EXPECT_LT(ErrorBetween(exact, simulated, samples), 1e-6);
}

// A layer whose rounding shifts the means: correction takes most of the shift away.
TEST(Quantize, BiasCorrectionKeepsMeans) {
  const std::string text = "graph net\ninput x f32 [16,64]\n" + Const("w", {64, 32}, 3) +
                           Const("b", {32}, 4) + "node Gemm@13 g (x, w, b) -> (y)\noutput y\n";
  const ir::Graph graph = Parsed(text);
  std::vector<Sample> samples;
  for (int i = 0; i < 8; ++i) {
    Tensor x = Random({16, 64}, 50 + i);
    for (float& v : x.mutable_data<float>()) v = std::fabs(v) + 1;  // means far from zero
    samples.push_back({{"x", x}});
  }
  const auto shift = [&](bool correct) {
    auto result = Quantize(graph, samples, {.type = Type::kWeight4, .correct_bias = correct});
    EXPECT_TRUE(result.ok());
    std::vector<double> sums(32, 0.0);
    for (const Sample& sample : samples) {
      const Tensor a = (*engine::RunReference(graph, sample))[0].tensor;
      const Tensor b = (*engine::RunReference(result->graph, sample))[0].tensor;
      for (int64_t i = 0; i < a.elements(); ++i) {
        sums[static_cast<size_t>(i % 32)] += b.Number(i) - a.Number(i);
      }
    }
    double total = 0;
    for (double sum : sums) total += std::fabs(sum);
    return total;
  };
  EXPECT_LT(shift(true), shift(false) / 10);
}

TEST(Equalize, KeepsOutputsAndEvensRanges) {
  std::string text = "graph net\ninput x f32 [1,3,6,6]\n" + Const("w1", {4, 3, 3, 3}, 1) +
                     Const("b1", {4}, 2) + Const("w2", {4, 1, 3, 3}, 3) +
                     Const("w3", {5, 4, 1, 1}, 4) +
                     "node Conv@13 c1 (x, w1, b1) -> (v1)\nnode Relu@13 r1 (v1) -> (v2)\n"
                     "node Conv@13 c2 (v2, w2) -> (v3) group=i4\n"
                     "node Conv@13 c3 (v3, w3) -> (y)\noutput y\n";
  ir::Graph graph = Parsed(text);
  for (ir::Value& value : graph.values) {  // one channel of the first is a hundred times the rest
    if (value.name != "w1") continue;
    auto w = value.constant->mutable_data<float>();
    for (size_t i = 0; i < 27; ++i) w[i] *= 100;
  }
  ir::Graph equal = graph;
  EXPECT_EQ(Equalize(equal).value(), 2);
  const std::vector<Sample> samples = {{{"x", Random({1, 3, 6, 6}, 9)}}};
  EXPECT_LT(ErrorBetween(graph, equal, samples), 1e-5);
}

TEST(Quantize, HostileInputs) {
  const ir::Graph graph = Parsed(SmallNet());
  const auto code = [](const Result<Quantized>& result) { return result.status().code(); };
  EXPECT_EQ(code(Quantize(graph, {}, {})), Code::kInvalidArgument);  // no data
  EXPECT_EQ(code(Quantize(graph, {}, {.type = Type::kWeight8, .max_error = 0.1})),
            Code::kInvalidArgument);
  EXPECT_EQ(code(Quantize(graph, Images(1), {.percentile = 3})), Code::kInvalidArgument);
  EXPECT_EQ(code(Quantize(graph, Images(1), {.block = -1})), Code::kInvalidArgument);
  const std::vector<Sample> wrong_name = {{{"z", Random({1, 3, 8, 8}, 1)}}};
  EXPECT_EQ(code(Quantize(graph, wrong_name, {})), Code::kInvalidArgument);
  const std::vector<Sample> wrong_shape = {{{"x", Random({1, 4, 8, 8}, 1)}}};
  EXPECT_EQ(code(Quantize(graph, wrong_shape, {})), Code::kShapeMismatch);
  const std::vector<Sample> missing = {{}};
  EXPECT_FALSE(Quantize(graph, missing, {}).ok());
  for (double bad : {std::numeric_limits<double>::quiet_NaN(), HUGE_VAL}) {
    auto samples = Images(2);
    samples[1][0].tensor.SetNumber(5, bad);
    auto result = Quantize(graph, samples, {});
    EXPECT_EQ(code(result), Code::kInvalidArgument);
    EXPECT_NE(result.status().message().find("sample 1"), std::string::npos);
  }
  // Quantised twice.
  auto once = Quantize(graph, Images(2), {});
  ASSERT_TRUE(once.ok());
  EXPECT_EQ(code(Quantize(once->graph, Images(2), {})), Code::kInvalidArgument);
}

TEST(Quantize, OddModels) {
  const auto run = [](const std::string& text, const std::vector<Sample>& samples) {
    const ir::Graph graph = Parsed(text);
    auto result = Quantize(graph, samples, {});
    EXPECT_TRUE(result.ok()) << result.status().ToString() << "\n" << text;
    if (!result.ok()) return Quantized();
    EXPECT_LT(ErrorBetween(graph, result->graph, samples), 0.1) << text;
    return *std::move(result);
  };
  const std::vector<Sample> four = {{{"x", Random({2, 4}, 1)}}};
  // Zero weights, constant activations.
  run("graph g\ninput x f32 [n,4]\nconst w f32 [4,2] = 0 0 0 0 0 0 0 0\n"
      "node MatMul@13 m (x, w) -> (y)\noutput y\n",
      four);
  run("graph g\ninput x f32 [n,4]\nconst z f32 [] = 0\n" + Const("w", {4, 3}, 2) +
          "node Mul@13 k (x, z) -> (h)\nnode MatMul@13 m (h, w) -> (y)\noutput y\n",
      four);
  // No layer at all.
  auto none = run("graph g\ninput x f32 [n,4]\nnode Relu@13 r (x) -> (y)\noutput y\n", four);
  EXPECT_EQ(Count(none.graph, "QuantizeLinear"), 0);
  EXPECT_FALSE(none.report.notes.empty());
  // Empty tensors.
  run("graph g\ninput x f32 [n,4]\n" + Const("w", {4, 3}, 2) +
          "node MatMul@13 m (x, w) -> (y)\noutput y\n",
      {{{"x", Random({0, 4}, 1)}}});
  run("graph g\ninput x f32 [n,0]\nconst w f32 [0,3] =\n"
      "node MatMul@13 m (x, w) -> (y)\noutput y\n",
      {{{"x", Random({2, 0}, 1)}}});
  // An input that is an output, a value read by a body, an output that is quantised.
  run("graph g\ninput x f32 [n,4]\n" + Const("w", {4, 4}, 2) +
          "node MatMul@13 m (x, w) -> (h)\nnode MatMul@13 m2 (h, w) -> (y)\noutput y\noutput h\n"
          "output x\n",
      four);
  run("graph g\ninput x f32 [n,4]\nconst c bool [] = 1\n" + Const("w", {4, 4}, 2) +
          "node MatMul@13 m (x, w) -> (h)\nnode MatMul@13 m2 (h, w) -> (k)\n"
          "node If@13 i (c, k, h) -> (y) captured 2 else_branch=g then_branch=g\n"
          "{\ngraph e captured 1\ninput k f32\nnode Neg@13 a (k) -> (o)\noutput o\n}\n"
          "{\ngraph t captured 1\ninput h f32\nnode Relu@13 a (h) -> (o)\noutput o\n}\n"
          "output y\n",
      four);
}

TEST(Quantize, ValuesThatAreNotFiniteStayFloat) {
  const std::string text = "graph g\ninput x f32 [n,4]\nconst z f32 [] = 0\n" +
                           Const("w", {4, 3}, 2) + Const("w2", {3, 3}, 3) +
                           "node Div@13 d (x, z) -> (h)\nnode MatMul@13 m (h, w) -> (k)\n"
                           "node MatMul@13 m2 (x, w) -> (a)\nnode MatMul@13 m3 (a, w2) -> (y)\n"
                           "output y\noutput k\n";
  const std::vector<Sample> samples = {{{"x", Random({2, 4}, 1)}}};
  auto result = Quantize(Parsed(text), samples, {});
  ASSERT_TRUE(result.ok()) << result.status().ToString();
  std::map<std::string, std::string> forms;
  for (const LayerReport& layer : result->report.layers) forms[layer.name] = layer.form;
  EXPECT_EQ(forms["m"], "float");
  EXPECT_EQ(forms["m2"], "int8");
  ASSERT_FALSE(result->report.notes.empty());
  EXPECT_NE(result->report.notes[0].find("'h'"), std::string::npos);
}

TEST(Quantize, WeightsThatAreNotFiniteStayFloat) {
  const std::string text =
      "graph g\ninput x f32 [n,2]\nconst w f32 [2,2] = 1 2 nan 4\n" + Const("w2", {2, 2}, 3) +
      "node MatMul@13 m (x, w) -> (k)\nnode MatMul@13 m2 (x, w2) -> (y)\noutput y\noutput k\n";
  auto result = Quantize(Parsed(text), {{{{"x", Random({2, 2}, 1)}}}}, {.type = Type::kWeight8});
  ASSERT_TRUE(result.ok()) << result.status().ToString();
  EXPECT_EQ(result->report.layers[0].form, "float");
  EXPECT_EQ(result->report.layers[1].form, "weight8");
  EXPECT_FALSE(result->report.notes.empty());
}

TEST(SaturateRanges, CutsWhatActivationsFlatten) {
  const std::string text = "graph g\ninput x f32 [1,4]\nconst six f32 [] = 6\n" +
                           Const("w", {4, 4}, 1) +
                           "node MatMul@14 m1 (x, w) -> (a)\nnode HardSwish@14 h (a) -> (a2)\n"
                           "node MatMul@14 m2 (a2, w) -> (b)\nnode Sigmoid@14 s (b) -> (g)\n"
                           "node Mul@14 k (b, g) -> (b2)\n"
                           "node MatMul@14 m3 (b2, w) -> (c)\nnode Sigmoid@14 s2 (c) -> (c2)\n"
                           "node MatMul@14 m4 (c2, w) -> (d)\nnode HardSwish@14 h2 (d) -> (d2)\n"
                           "node Clip@14 cl (x, -, six) -> (e)\n"
                           "output d2\noutput d\noutput e\n";
  const ir::Graph graph = Parsed(text);
  const auto id = [&](std::string_view name) {
    return static_cast<size_t>(std::ranges::find(graph.values, name, &ir::Value::name) -
                               graph.values.begin());
  };
  ValueRanges ranges(graph.values.size());
  for (const char* name : {"a", "b", "c", "d", "x"}) ranges[id(name)] = std::pair(-50.0, 60.0);
  SaturateRanges(graph, ranges);
  EXPECT_EQ(ranges[id("a")], std::pair(-3.0, 60.0));
  EXPECT_EQ(ranges[id("b")], std::pair(-8.0, 60.0));
  EXPECT_EQ(ranges[id("c")], std::pair(-7.0, 7.0));
  EXPECT_EQ(ranges[id("d")], std::pair(-50.0, 60.0));  // the model's output too
  EXPECT_EQ(ranges[id("x")], std::pair(-50.0, 60.0));  // a product reads it too
}

TEST(ShareRanges, MoversAndLikeConcatenations) {
  const std::string text =
      "graph g\ninput x f32 [1,4,4,4]\n" + Const("w1", {4, 4, 1, 1}, 1) +
      Const("w2", {4, 4, 1, 1}, 2) + Const("w3", {4, 12, 1, 1}, 3) +
      "node Conv@13 c1 (x, w1) -> (a)\nnode Conv@13 c2 (x, w2) -> (b)\n"
      "node MaxPool@13 p (a) -> (m) kernel_shape=I[1,1]\n"
      "node Concat@13 k (m, b, x) -> (cat) axis=i1\nnode Conv@13 c3 (cat, w3) -> (y)\noutput y\n";
  const ir::Graph graph = Parsed(text);
  const std::vector<Unit> units = FindUnits(graph);
  const auto id = [&](std::string_view name) {
    return static_cast<size_t>(std::ranges::find(graph.values, name, &ir::Value::name) -
                               graph.values.begin());
  };
  std::vector<std::optional<std::pair<double, double>>> ranges(graph.values.size());
  ranges[id("a")] = std::pair(-2.0, 2.0);
  ranges[id("m")] = std::pair(-1.0, 1.5);  // its own range does not matter
  ranges[id("b")] = std::pair(-1.8, 2.1);
  ranges[id("x")] = std::pair(-0.1, 0.1);  // much narrower: keeps its scale
  ranges[id("cat")] = std::pair(-2.0, 2.1);
  ShareRanges(graph, units, ranges);
  EXPECT_EQ(ranges[id("m")], ranges[id("a")]);
  EXPECT_EQ(ranges[id("cat")], std::pair(-2.0, 2.1));
  EXPECT_EQ(ranges[id("a")], ranges[id("cat")]);
  EXPECT_EQ(ranges[id("b")], ranges[id("cat")]);
  EXPECT_EQ(ranges[id("x")], std::pair(-0.1, 0.1));
}

TEST(Storage, ShortNamesKeepTheModel) {
  ir::Graph graph = Parsed(SmallNet());
  const ir::Graph before = graph;
  ShortenNames(graph);
  ASSERT_TRUE(ir::Verify(graph).ok());
  EXPECT_EQ(graph.values[graph.inputs[0]].name, "x");
  EXPECT_EQ(graph.values[graph.outputs[0]].name, "y");
  EXPECT_EQ(graph.nodes[0].name, "c1");
  EXPECT_EQ(ErrorBetween(before, graph, Images(1)), 0);
  // An output that has such a name already.
  ir::Graph odd = Parsed(
      "graph g\ninput v0 f32 [1]\nnode Relu@13 a (v0) -> (long)\n"
      "node Relu@13 b (long) -> (v1)\noutput v1\n");
  ShortenNames(odd);
  EXPECT_TRUE(ir::Verify(odd).ok()) << ir::Print(odd);
}

TEST(Quantize, BlocksAndSizes) {
  const std::string text = "graph g\ninput x f32 [n,256]\n" + Const("w", {256, 256}, 1) +
                           Const("w2", {256, 256}, 2) +
                           "node MatMul@13 m (x, w) -> (h)\nnode Gemm@13 g (h, w2) -> (y) "
                           "transB=i1\noutput y\n";
  const ir::Graph graph = Parsed(text);
  for (int64_t block : {0, 32, 128}) {
    for (bool zero_points : {false, true}) {
      for (Type type : {Type::kWeight8, Type::kWeight4}) {
        auto result =
            Quantize(graph, {}, {.type = type, .block = block, .zero_points = zero_points});
        ASSERT_TRUE(result.ok()) << result.status().ToString();
        const std::vector<Sample> samples = {{{"x", Random({2, 256}, 7)}}};
        const double error = ErrorBetween(graph, result->graph, samples);
        EXPECT_LT(error, type == Type::kWeight8 ? 0.02 : 0.25);
        const double ratio = static_cast<double>(result->report.float_bytes) /
                             static_cast<double>(result->report.bytes);
        EXPECT_GT(ratio, type == Type::kWeight8 ? 3.4 : (block == 32 ? 5.5 : 6.2)) << block;
      }
    }
  }
}

}  // namespace
}  // namespace ferry::quant
