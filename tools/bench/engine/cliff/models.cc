#include "tools/bench/engine/cliff/models.h"

#include <fmt/format.h>

#include <algorithm>

#include "device-runtime/ir/text.h"
#include "tools/bench/data.h"

namespace ferry::bench {
namespace {

using engine::Model;
using engine::Tensor;

// Weights and numbers of the block; inputs that begin with "w" become random constants.
constexpr const char* kWeights = R"(input wq f32 [{0},{0}]
input wk f32 [{0},{0}]
input wv f32 [{0},{0}]
input wo f32 [{0},{0}]
input w1 f32 [{0},{1}]
input w2 f32 [{1},{0}]
input wb f32 [{0}]
input wc f32 [{1}]
input wg f32 [{0}]
const two f32 [] = 2
const one f32 [] = 1
const half f32 [] = 0.5
const root f32 [] = 1.41421356
const little f32 [] = 0.00001
const scale f32 [] = 0.125
const first i64 [] = 0
const list i64 [1] = 0
const heads i64 [2] = {2} {3}
const whole i64 [1] = {0}
)";

constexpr const char* kBlock = R"(node ReduceMean a1 (x) -> (m) axes=I[-1]
node Sub a2 (x, m) -> (c)
node Pow a3 (c, two) -> (p)
node ReduceMean a4 (p) -> (v) axes=I[-1]
node Add a5 (v, little) -> (ve)
node Sqrt a6 (ve) -> (sd)
node Div a7 (c, sd) -> (nx)
node Mul a8 (nx, wg) -> (ng)
node Add a9 (ng, wb) -> (h)
node MatMul b1 (h, wq) -> (q0)
node Add b2 (q0, wb) -> (q)
node MatMul b3 (h, wk) -> (k0)
node Add b4 (k0, wb) -> (k)
node MatMul b5 (h, wv) -> (v0)
node Add b6 (v0, wb) -> (vv)
node Shape c1 (x) -> (sh)
node Gather c2 (sh, first) -> (n)
node Unsqueeze c3 (n, list) -> (n1)
node Concat c4 (n1, heads) -> (cut) axis=i0
node Reshape c5 (q, cut) -> (q3)
node Transpose c6 (q3) -> (qt) perm=I[1,0,2]
node Reshape c7 (k, cut) -> (k3)
node Transpose c8 (k3) -> (kt) perm=I[1,2,0]
node Reshape c9 (vv, cut) -> (v3)
node Transpose d1 (v3) -> (vt) perm=I[1,0,2]
node MatMul d2 (qt, kt) -> (s0)
node Mul d3 (s0, scale) -> (s1)
node Softmax d4 (s1) -> (s2) axis=i-1
node MatMul d5 (s2, vt) -> (o3)
node Transpose d6 (o3) -> (ot) perm=I[1,0,2]
node Concat d7 (n1, whole) -> (joined) axis=i0
node Reshape d8 (ot, joined) -> (o)
node MatMul d9 (o, wo) -> (oo)
node Add e1 (oo, wb) -> (ob)
node Add e2 (x, ob) -> (r)
node ReduceMean f1 (r) -> (rm) axes=I[-1]
node Sub f2 (r, rm) -> (rc)
node Pow f3 (rc, two) -> (rp)
node ReduceMean f4 (rp) -> (rv) axes=I[-1]
node Add f5 (rv, little) -> (re)
node Sqrt f6 (re) -> (rs)
node Div f7 (rc, rs) -> (rn)
node MatMul g1 (rn, w1) -> (u0)
node Add g2 (u0, wc) -> (u)
node Div g3 (u, root) -> (ud)
node Erf g4 (ud) -> (ue)
node Add g5 (ue, one) -> (ua)
node Mul g6 (u, ua) -> (um)
node Mul g7 (um, half) -> (ug)
node MatMul g8 (ug, w2) -> (y0)
)";

std::string Weights(int64_t width) {
  return fmt::format(kWeights, width, 2 * width, width / 32, 32);
}

Result<ir::Graph> WithWeights(const std::string& text) {
  FERRY_ASSIGN_OR_RETURN(ir::Graph graph, ir::Parse(text));
  for (ir::ValueId id : graph.inputs) {
    ir::Value& value = graph.values[id];
    if (!value.name.starts_with("w")) continue;
    FERRY_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Zeros(*value.dtype, *value.FixedShape()));
    const Floats numbers = RandomFloats(static_cast<size_t>(tensor.elements()));
    std::ranges::transform(std::span(numbers.get(), static_cast<size_t>(tensor.elements())),
                           tensor.mutable_data<float>().begin(),
                           [](float number) { return number * 0.05f; });
    value.constant = std::move(tensor);
  }
  std::erase_if(graph.inputs, [&](ir::ValueId id) { return graph.IsConstant(id); });
  FERRY_TRY(ir::Verify(graph));
  return graph;
}

}  // namespace

Result<std::shared_ptr<const Model>> BlockModel(int64_t width) {
  const std::string text = "graph block\n" + fmt::format("input x f32 [n,{}]\n", width) +
                           Weights(width) + kBlock + "output y0\n";
  FERRY_ASSIGN_OR_RETURN(ir::Graph graph, WithWeights(text));
  return Model::FromGraph(std::move(graph));
}

Result<std::shared_ptr<const Model>> LoopModel(int64_t width) {
  constexpr const char* kNames = "wq, wk, wv, wo, w1, w2, wb, wc, wg";
  std::string inside = Weights(width);
  std::string captured;
  for (size_t at = 0, end; at < inside.size(); at = end + 1) {
    end = inside.find('\n', at);
    captured += inside.substr(at, end - at + 1);
  }
  const std::string text =
      "graph loop\ninput steps i64 []\n" + fmt::format("input x f32 [n,{}]\n", width) +
      Weights(width) +
      fmt::format("node Loop l (steps, -, x, {}) -> (y) captured 9 body=g\n{{\n", kNames) +
      "graph body captured 9\ninput i i64 []\ninput go bool []\ninput x f32\n" + captured +
      "const last i64 [1] = -1\nconst end i64 [1] = 9223372036854775807\n" + kBlock +
      "node Identity z1 (go) -> (goes)\nnode Slice z2 (y0, last, end, list) -> (row)\n"
      "node Concat z3 (x, row) -> (more) axis=i0\noutput goes\noutput more\n}\noutput y\n";
  FERRY_ASSIGN_OR_RETURN(ir::Graph graph, WithWeights(text));
  return Model::FromGraph(std::move(graph));
}

Result<std::shared_ptr<const Model>> ChosenRowsModel(int64_t width) {
  const std::string text =
      "graph chosen\n" + fmt::format("input all f32 [n,{}]\ninput keep f32 [n]\n", width) +
      Weights(width) +
      "node NonZero n1 (keep) -> (places)\nnode Squeeze n2 (places, list) -> (rows)\n"
      "node Gather n3 (all, rows) -> (x) axis=i0\n" +
      kBlock + "output y0\n";
  FERRY_ASSIGN_OR_RETURN(ir::Graph graph, WithWeights(text));
  return Model::FromGraph(std::move(graph));
}

Result<ir::Graph> FoldedProduct() {
  return WithWeights(
      "graph folded\ninput x f32 [200,256]\ninput wa f32 [200,256]\ninput wb f32 [256,256]\n"
      "node MatMul p (wa, wb) -> (c)\nnode Add a (x, c) -> (y)\noutput y\n");
}

}  // namespace ferry::bench
