#include "device-runtime/passes/layout/layouts.h"

#include <gtest/gtest.h>
#include "device-runtime/ir/text.h"
#include "device-runtime/ops/op.h"
#include "device-runtime/passes/graph_pass.h"
#include "device-runtime/passes/layout/min_cut.h"
#include "device-runtime/passes/lower.h"

namespace ferry::passes {
namespace {

// A thousandth for each element that a raster or a map makes: convolutions cost the same in any
// case.
double Elements(const ir::Program& program, const ir::Step& step) {
  const bool counts = std::holds_alternative<ir::RasterPrim>(step.primitive) ||
                      std::holds_alternative<ir::MapPrim>(step.primitive);
  const auto& y = program.buffers[static_cast<size_t>(step.outputs[0])];
  return counts ? static_cast<double>(y.shape.elements()) * 1e-3 : 0;
}

ir::Graph Specialized(std::string_view text) {
  const ir::Graph graph = ir::Parse(text).value();
  std::vector<ir::Shape> shapes;
  for (ir::ValueId id : graph.inputs) shapes.push_back(*graph.values[id].FixedShape());
  return Specialize(graph, shapes).value();
}

// A node that lacks no input or output, alone.
Status LowerOne(const ir::Graph& graph, size_t n, ir::Program& program, std::span<ops::Forms> in,
                std::span<ops::Forms> out) {
  const ir::Node& node = graph.nodes[n];
  std::vector<ops::ValueInfo> infos;
  for (const ir::Value& value : graph.values) infos.push_back(InfoOf(value));
  std::vector<const ops::ValueInfo*> inputs, outputs;
  std::vector<ops::Forms*> input_forms, output_forms;
  for (size_t i = 0; i < in.size(); ++i) {
    inputs.push_back(&infos[node.inputs[i]]);
    input_forms.push_back(&in[i]);
  }
  for (size_t i = 0; i < out.size(); ++i) {
    outputs.push_back(&infos[node.outputs[i]]);
    output_forms.push_back(&out[i]);
  }
  ops::LowerContext context(node, inputs, outputs, program, input_forms, output_forms);
  FERRY_TRY(ops::FindOp(node.op)->lower(context));
  context.Finish();
  return OkStatus();
}

// A line "name plain" or "name last" for each node that could have two layouts.
std::string Chosen(std::string_view text) {
  const ir::Graph graph = Specialized(text);
  const auto lower = [&](size_t n, ir::Program& program, std::span<ops::Forms> in,
                         std::span<ops::Forms> out) {
    return LowerOne(graph, n, program, in, out);
  };
  const Layouts layouts = ChooseLayouts(graph, lower, Elements).value();
  std::string chosen;
  for (size_t n = 0; n < layouts.size(); ++n) {
    if (!layouts[n]) continue;
    chosen += graph.nodes[n].name + (layouts[n] == ir::Layout::kPlain ? " plain\n" : " last\n");
  }
  return chosen;
}

double CostOf(const ir::Program& program) {
  double cost = 0;
  for (const ir::Step& step : program.steps) cost += Elements(program, step);
  return cost;
}

// Large element-wise operators around one small convolution, whose result is spread over the large
// tensor: only what is small changes layout.
constexpr std::string_view kTinyConvolution = R"(graph g
input x f32 [1,8,64,64]
input v f32 [1,8,4,4]
input w f32 [8,8,1,1]
const tall i64 [4] = 1 8 64 64
node Conv conv (v, w) -> (s)
node ReduceMax most (s) -> (m) axes=I[3]
node Mul scaled (x, m2) -> (a)
node Tanh bent (a) -> (b)
node Add moved (b, x) -> (y)
output y
)";

std::string TinyConvolution() {
  std::string text(kTinyConvolution);
  // One number a line of each channel: [1,8,4,1] cannot broadcast over 64 lines, so lines repeat.
  const std::string from = "node Mul scaled (x, m2)";
  text.replace(text.find(from), from.size(),
               "const lines i64 [4] = 1 1 16 1\nnode Tile rows (m, lines) -> (m2)\n" + from);
  return text;
}

TEST(ChooseLayouts, LargeElementWiseOperatorsStayPlainAroundASmallConvolution) {
  const std::string text = TinyConvolution();
  const std::string chosen = Chosen(text);
  EXPECT_NE(chosen.find("scaled plain\nbent plain\nmoved plain\n"), std::string::npos) << chosen;
  // Those who follow their inputs would turn x around: 32768 elements twice.
  const ir::Graph graph = Specialized(text);
  const double by_cost = CostOf(Lower(graph, Elements).value());
  EXPECT_LE(by_cost, CostOf(Lower(graph).value()));
  EXPECT_LT(by_cost, 32.768 * 3 + 2);
}

TEST(ChooseLayouts, BetweenConvolutionsEverythingIsChannelsLast) {
  EXPECT_EQ(Chosen(R"(graph g
input x f32 [1,8,16,16]
input w f32 [8,8,3,3]
input v f32 [8,16,1,1]
node Conv one (x, w) -> (a) pads=I[1,1,1,1]
node Tanh bend (a) -> (b)
node Concat join (a, b) -> (c) axis=i1
node Conv two (c, v) -> (d)
node MaxPool pool (d) -> (y) kernel_shape=I[2,2] strides=I[2,2]
output y
)"),
            "one plain\nbend last\njoin last\ntwo last\npool last\n");
}

// The same operators: where the small side lies decides.
TEST(ChooseLayouts, TheCheaperSideChanges) {
  const auto text = [](const char* conv_to, const char* plain_from) {
    return fmt::format(R"(graph g
input x f32 [1,16,8,8]
input w f32 [{0},16,1,1]
input u f32 [1,{1},8,8]
node Conv conv (x, w) -> (a)
node Concat join (a, u) -> (y) axis=i1
node Tanh bend (y) -> (z)
node Conv next (z, v) -> (r)
input v f32 [4,{2},1,1]
output r
output y
)",
                       conv_to, plain_from, std::atoi(conv_to) + std::atoi(plain_from));
  };
  // y is read channels-last by `next` and plain as an output: one change in any case; whether
  // before the concatenation or behind it depends on who is larger.
  const std::string large_conv = Chosen(text("48", "4"));
  const std::string large_plain = Chosen(text("4", "48"));
  EXPECT_NE(large_conv.find("join last"), std::string::npos) << large_conv;
  EXPECT_NE(large_plain.find("join plain"), std::string::npos) << large_plain;
}

TEST(ChooseLayouts, NothingToChooseWithoutConvolutions) {
  EXPECT_EQ(Chosen(R"(graph g
input x f32 [1,8,16,16]
node Tanh bend (x) -> (y)
output y
)"),
            "");
}

// All cuts of small networks by trying each labelling.
TEST(MinCutTest, IsTheCheapestOfAll) {
  uint64_t state = 1;
  const auto below = [&](uint64_t n) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % n;
  };
  for (int round = 0; round < 300; ++round) {
    const int nodes = 3 + static_cast<int>(below(7));
    struct Cost {
      int from, to;
      double cost;
    };
    std::vector<Cost> costs;
    MinCut cut;
    for (int i = 2; i < nodes; ++i) cut.AddNode();
    for (uint64_t k = 0; k < 3 * static_cast<uint64_t>(nodes); ++k) {
      const Cost c = {static_cast<int>(below(static_cast<uint64_t>(nodes))),
                      static_cast<int>(below(static_cast<uint64_t>(nodes))),
                      static_cast<double>(below(9))};
      costs.push_back(c);
      cut.AddCost(c.from, c.to, c.cost);
    }
    const auto price = [&](const auto& on_source_side) {
      double sum = 0;
      for (const Cost& c : costs) {
        if (c.from != c.to && on_source_side(c.from) && !on_source_side(c.to)) sum += c.cost;
      }
      return sum;
    };
    double best = MinCut::kInfinite;
    for (int mask = 0; mask < 1 << (nodes - 2); ++mask) {
      best =
          std::min(best, price([&](int i) { return i == 0 || (i > 1 && (mask >> (i - 2) & 1)); }));
    }
    const std::vector<bool> side = cut.SourceSide();
    EXPECT_TRUE(side[MinCut::kSource]);
    EXPECT_FALSE(side[MinCut::kSink]);
    EXPECT_DOUBLE_EQ(price([&](int i) { return static_cast<bool>(side[static_cast<size_t>(i)]); }),
                     best);
  }
}

}  // namespace
}  // namespace ferry::passes
