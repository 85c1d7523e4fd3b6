// Random operators against the naive reference, on every instruction set.
#include <random>

#include <gtest/gtest.h>
#include "device-runtime/engine/engine.h"
#include "device-runtime/engine/reference/reference.h"
#include "device-runtime/ir/text.h"
#include "device-runtime/kernels/isa.h"

namespace ferry::engine {
namespace {

constexpr double kTolerance = 1e-5;  // of the largest reference value

class Random {
 public:
  explicit Random(uint32_t seed) : engine_(seed) {}
  int64_t In(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(engine_);
  }
  Tensor Floats(const Shape& shape) {
    Tensor t = Tensor::Allocate(DType::kF32, shape).value();
    std::uniform_real_distribution<float> values(-1, 1);
    for (float& value : t.mutable_data<float>()) value = values(engine_);
    return t;
  }

 private:
  std::mt19937 engine_;
};

void ExpectAgreement(const ir::Graph& graph, const std::vector<NamedTensor>& inputs) {
  SCOPED_TRACE(ir::Print(graph, {.max_elements = 16}));
  auto expected = RunReference(graph, inputs);
  ASSERT_TRUE(expected.ok()) << expected.status().ToString();
  auto model = Model::FromGraph(graph);
  ASSERT_TRUE(model.ok()) << model.status().ToString();
  for (kernels::Isa isa : kernels::RunningIsas()) {
    auto session = Session::Create(*model, {.isa = kernels::IsaName(isa)});
    ASSERT_TRUE(session.ok()) << session.status().ToString();
    auto outputs = (*session)->Run(inputs);
    ASSERT_TRUE(outputs.ok()) << outputs.status().ToString();
    for (size_t i = 0; i < outputs->size(); ++i) {
      auto difference = tensor::Compare((*outputs)[i].tensor, (*expected)[i].tensor);
      ASSERT_TRUE(difference.ok()) << difference.status().ToString();
      EXPECT_LE(difference->max_abs, kTolerance * std::max(1.0, difference->max_reference))
          << kernels::IsaName(isa) << "\n"
          << (*session)->plan().text;
    }
  }
}

TEST(Agreement, Convolutions) {
  Random random(1);
  for (int round = 0; round < 60; ++round) {
    const int64_t groups = random.In(0, 2) == 0 ? random.In(1, 9) : 1;
    const int64_t in = groups * random.In(1, round % 3 == 0 ? 1 : 9);
    const int64_t out = groups * random.In(1, 9);
    const int64_t kernel = random.In(1, 4);
    const int64_t dilation = random.In(1, 2), stride = random.In(1, 3), pad = random.In(0, 2);
    const int64_t extent = (kernel - 1) * dilation + 1;
    const Shape x = {random.In(1, 2), in, extent + random.In(0, 9), extent + random.In(0, 9)};
    ir::Graph graph =
        ir::Parse(
            fmt::format(
                "graph g\ninput x f32 {}\nnode Conv n (x, w, b) -> (c) group=i{} strides=I[{},{}] "
                "dilations=I[{},{}] pads=I[{},{},{},{}]\nnode Relu r (c) -> (y)\noutput y\n",
                x.ToString(), groups, stride, stride, dilation, dilation, pad, random.In(0, 2),
                random.In(0, 2), pad))
            .value();
    for (auto& value : graph.values) {
      if (value.name != "w" && value.name != "b") continue;
      value.constant =
          random.Floats(value.name == "w" ? Shape{out, in / groups, kernel, kernel} : Shape{out});
      value.dtype = DType::kF32;
      value.dims.emplace();
      for (int64_t extent_of : value.constant->shape().dims())
        value.dims->push_back({extent_of, ""});
    }
    ExpectAgreement(graph, {{"x", random.Floats(x)}});
  }
}

TEST(Agreement, PoolsAndElementwiseInBothLayouts) {
  Random random(2);
  for (int round = 0; round < 20; ++round) {
    const int64_t c = random.In(1, 20);
    const Shape x = {random.In(1, 2), c, random.In(4, 9), random.In(4, 9)};
    const std::string text = fmt::format(
        "graph g\ninput x f32 {}\ninput s f32 [{},1,1]\ninput p f32 [1,{},1,1]\n"
        "node MaxPool a (x) -> (m) kernel_shape=I[3,2] strides=I[2,1] pads=I[1,0,1,1]\n"
        "node AveragePool b (x) -> (v) kernel_shape=I[3,2] strides=I[2,1] pads=I[1,0,1,1] "
        "count_include_pad=i{}\n"
        "node Sub d (m, v) -> (t)\nnode Mul e (t, s) -> (u)\nnode Add f (t, p) -> (w)\n"
        "node Concat h (u, w, t) -> (k) axis=i1\nnode Slice j (k) -> (l) starts=I[1,1] "
        "ends=I[99,-1] axes=I[1,2]\n"
        "node Transpose q (l) -> (y) perm=I[0,2,3,1]\nnode Softmax z (m) -> (o) axis=i1\n"
        "node Pad i (t) -> (g) pads=I[0,1,2,0,0,0,1,-1] value=f3\n"
        "output y\noutput o\noutput g\n",
        x.ToString(), c, c, round % 2);
    ExpectAgreement(ir::Parse(text).value(), {{"x", random.Floats(x)},
                                              {"s", random.Floats({c, 1, 1})},
                                              {"p", random.Floats({1, c, 1, 1})}});
  }
}

TEST(Agreement, Products) {
  Random random(3);
  for (int round = 0; round < 30; ++round) {
    const int64_t m = random.In(1, 40), n = random.In(1, 70), k = random.In(1, 90),
                  b = random.In(1, 3);
    const std::string text = fmt::format(
        "graph g\ninput a f32 [{},{},{}]\ninput b f32 [{},{},{}]\ninput c f32 [{},{}]\n"
        "node MatMul p (a, b) -> (y)\nnode MatMul q (a, c) -> (z)\noutput y\noutput z\n",
        b, m, k, random.In(0, 1) ? 1 : b, k, n, k, n);
    const int64_t right = ir::Parse(text).value().values[1].dims->at(0).extent;
    ExpectAgreement(ir::Parse(text).value(), {{"a", random.Floats({b, m, k})},
                                              {"b", random.Floats({right, k, n})},
                                              {"c", random.Floats({k, n})}});
  }
}

}  // namespace
}  // namespace ferry::engine
