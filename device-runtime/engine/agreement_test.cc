// Random operators against the naive reference, on every instruction set.
#include <random>

#include <gtest/gtest.h>
#include "device-runtime/engine/engine.h"
#include "device-runtime/engine/reference/reference.h"
#include "device-runtime/ir/text.h"
#include "device-runtime/kernels/isa.h"

namespace ferry::engine {
namespace {

constexpr double kAgreementTolerance = 1e-5;  // of the largest reference value

class RandomAgreement {
 public:
  explicit RandomAgreement(uint32_t seed) : engine_(seed) {}
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
  // Plain sums; and what the default bound allows, whose errors are those of sums that activations
  // may bend into a smaller range.
  for (const double bound : {0.0, kDefaultErrorBound}) {
    const double tolerance = kAgreementTolerance + 4 * bound;
    for (kernels::Isa isa : kernels::RunningIsas()) {
      auto session = Session::Create(*model, {.isa = kernels::IsaName(isa), .error_bound = bound});
      ASSERT_TRUE(session.ok()) << session.status().ToString();
      auto outputs = (*session)->Run(inputs);
      ASSERT_TRUE(outputs.ok()) << outputs.status().ToString();
      for (size_t i = 0; i < outputs->size(); ++i) {
        auto difference = tensor::Compare((*outputs)[i].tensor, (*expected)[i].tensor);
        ASSERT_TRUE(difference.ok()) << difference.status().ToString();
        EXPECT_LE(difference->max_abs, tolerance * std::max(1.0, difference->max_reference))
            << kernels::IsaName(isa) << " " << bound << "\n"
            << (*session)->plan().text;
      }
    }
  }
}

TEST(Agreement, Convolutions) {
  RandomAgreement random(1);
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
  RandomAgreement random(2);
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
  RandomAgreement random(3);
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

// Channels joined and cut between convolutions, pools, products and functions: what lies inside
// other buffers is read and written there.
TEST(Agreement, SlicesOfChannels) {
  RandomAgreement random(5);
  for (int round = 0; round < 150; ++round) {
    struct Made {
      std::string name;
      int64_t channels;
    };
    const int64_t batch = random.In(1, 2), side = random.In(1, 6);
    std::vector<Made> made = {{"x", random.In(1, 40)}};
    const Shape x = {batch, made[0].channels, side, side};
    std::string text = fmt::format("graph g\ninput x f32 {}\n", x.ToString());
    std::vector<std::pair<std::string, Shape>> constants;
    auto any = [&] {
      return made[static_cast<size_t>(random.In(0, static_cast<int64_t>(made.size()) - 1))];
    };
    for (int k = 0; k < 12; ++k) {
      const Made a = any(), b = any();
      const std::string y = fmt::format("v{}", k);
      const auto add = [&](const std::string& node, int64_t channels) {
        text += fmt::format("node {}\n", node);
        made.push_back({y, channels});
      };
      switch (random.In(0, 6)) {
        case 0:
        case 1: {
          const int64_t out = random.In(1, 40), kernel = random.In(0, 1) * 2 + 1, pad = kernel / 2;
          constants.push_back({"w" + y, Shape{out, a.channels, kernel, kernel}});
          add(fmt::format("Conv {} ({}, w{}) -> ({}) pads=I[{},{},{},{}]", "n" + y, a.name, y, y,
                          pad, pad, pad, pad),
              out);
          break;
        }
        case 2:
          add(fmt::format("MaxPool n{} ({}) -> ({}) kernel_shape=I[3,3] pads=I[1,1,1,1]", y, a.name,
                          y),
              a.channels);
          break;
        case 3:
        case 4:
          add(fmt::format("Concat n{} ({}, {}) -> ({}) axis=i1", y, a.name, b.name, y),
              a.channels + b.channels);
          break;
        case 5: {
          if (a.channels < 2) break;
          const int64_t first = random.In(1, a.channels - 1);
          text += fmt::format("const s{} i64 [2] = {} {}\n", y, first, a.channels - first);
          text +=
              fmt::format("node Split n{} ({}, s{}) -> ({}, {}b) axis=i1\n", y, a.name, y, y, y);
          made.push_back({y, first});
          made.push_back({y + "b", a.channels - first});
          break;
        }
        default:
          add(fmt::format("{} n{} ({}) -> ({})", random.In(0, 1) == 0 ? "Tanh" : "Relu", y, a.name,
                          y),
              a.channels);
      }
    }
    for (size_t i = made.size() > 3 ? made.size() - 3 : 1; i < made.size(); ++i) {
      text += fmt::format("output {}\n", made[i].name);
    }
    ir::Graph graph = ir::Parse(text).value();
    for (auto& value : graph.values) {
      for (const auto& [name, shape] : constants) {
        if (value.name != name) continue;
        value.constant = random.Floats(shape);
        value.dtype = DType::kF32;
        value.dims.emplace();
        for (int64_t extent : shape.dims()) value.dims->push_back({extent, ""});
      }
    }
    ExpectAgreement(graph, {{"x", random.Floats(x)}});
  }
}

// Rows that gathers with known indices bring are read where they lie.
TEST(Agreement, RowsOfGathers) {
  RandomAgreement random(9);
  for (int round = 0; round < 60; ++round) {
    const Shape x = {random.In(1, 2), random.In(1, 4), random.In(1, 6),
                     round % 3 == 0 ? random.In(1, 40) : random.In(30, 300)};
    const int64_t axis = random.In(0, 2), count = random.In(1, 9);
    std::vector<int64_t> dims(x.dims().begin(), x.dims().end());
    dims[static_cast<size_t>(axis)] = count;
    std::string text = fmt::format("graph g\ninput x f32 {}\n", x.ToString());
    for (const char* name : {"i", "j"}) {
      text += fmt::format("const {} i64 [{}] =", name, count);
      for (int64_t k = 0; k < count; ++k)
        text += fmt::format(" {}", random.In(-x[axis], x[axis] - 1));
      text += "\n";
    }
    text += fmt::format(
        "input w f32 [{},1]\nnode Gather a (x, i) -> (p) axis=i{}\nnode Gather b (x, j) -> (q) "
        "axis=i{}\nnode Mul c (p, w) -> (r)\nnode Add d (r, q) -> (y)\noutput y\n",
        dims[2], axis, axis);
    ExpectAgreement(ir::Parse(text).value(),
                    {{"x", random.Floats(x)}, {"w", random.Floats(Shape{dims[2], 1})}});
  }
}

}  // namespace
}  // namespace ferry::engine
