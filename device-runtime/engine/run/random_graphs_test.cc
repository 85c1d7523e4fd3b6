// Random small graphs, in which operators whose outputs depend on data stand among plain ones: the
// session says what the naive path says.
#include <cstring>

#include <gtest/gtest.h>
#include "common/sys/random.h"
#include "device-runtime/engine/engine.h"
#include "device-runtime/engine/reference/reference.h"
#include "device-runtime/engine/run/eager.h"
#include "device-runtime/engine/value_testing.h"
#include "device-runtime/ir/text.h"

namespace ferry::engine {
namespace {

using ir::Attribute;
using ir::ValueId;
using tensor::Value;

constexpr int kGraphs = 200;
constexpr double kRandomGraphsTolerance = 1e-3;

Value RandomTensor(sys::Random& random, const Shape& shape) {
  auto made = Tensor::Zeros(DType::kF32, shape);
  CHECK(made.ok());
  for (int64_t i = 0; i < made->elements(); ++i) made->SetNumber(i, random.NextDouble() * 2 - 1);
  return *std::move(made);
}

// Grows a graph node by node, running each at once: what does not fit is not added.
class Maker {
 public:
  Maker(sys::Random& random, int depth) : random_(random), depth_(depth) {}

  ValueId AddInput(const Value& value) {
    const ValueId id = graph.AddValue(Name());
    graph.inputs.push_back(id);
    if (value.IsTensor()) {
      graph.values[id].dtype = value.tensor().dtype();
      if (depth_ == 0) {
        graph.values[id].dims.emplace();
        for (int axis = 0; axis < value.tensor().shape().rank(); ++axis) {
          const std::string symbol = graph.values[id].name + "_" + std::to_string(axis);
          graph.values[id].dims->push_back({-1, symbol});
        }
      }
    }
    values.push_back(value);
    return id;
  }

  void Grow(int nodes) {
    for (int i = 0; i < nodes; ++i) One();
  }

  // Adds a node with one output; kNoValue when it does not run.
  ValueId Add(std::string op, std::vector<ValueId> inputs,
              std::map<std::string, Attribute, std::less<>> attributes = {}, int captured = 0) {
    ir::Node node;
    node.op = std::move(op);
    node.name = "n" + std::to_string(graph.nodes.size());
    node.inputs = std::move(inputs);
    node.attributes = std::move(attributes);
    node.captured = captured;
    std::vector<const Value*> in;
    for (ValueId id : node.inputs) {
      if (id >= 0 && values[id].IsTensor() && values[id].tensor().elements() > 500) return -1;
      in.push_back(id == ir::kNoValue ? nullptr : &values[id]);
    }
    node.outputs = {static_cast<ValueId>(graph.values.size())};
    EagerBodies bodies;
    auto out = RunNode(node, in, bodies, nullptr);
    if (!out.ok()) return -1;
    graph.AddValue(Name());
    values.push_back((*out)[0]);
    graph.nodes.push_back(std::move(node));
    return graph.nodes.back().outputs[0];
  }

  ir::Graph graph;
  std::vector<Value> values;

  uint64_t Below(uint64_t bound) { return random_.Below(bound); }

  // Any value that is an f32 tensor.
  ValueId Pick() {
    std::vector<ValueId> fits;
    for (size_t id = 0; id < values.size(); ++id) {
      if (values[id].IsTensor() && values[id].tensor().dtype() == DType::kF32) {
        fits.push_back(static_cast<ValueId>(id));
      }
    }
    return fits[Below(fits.size())];
  }

 private:
  std::string Name() { return "v" + std::to_string(graph.values.size()); }

  ValueId Constant(Tensor tensor) {
    values.emplace_back(tensor);
    return graph.AddConstant(Name(), std::move(tensor));
  }
  ValueId Ints(std::vector<int64_t> list) {
    const auto size = static_cast<int64_t>(list.size());
    return Constant(*Tensor::Of<int64_t>({size}, list));
  }

  // An i64 that only the run can tell: between 0 and `most`.
  ValueId Number(ValueId from, double most, bool is_list) {
    auto scale = Tensor::Zeros(DType::kF32, {});
    scale->SetNumber(0, most + 0.37);  // rounding decides nothing where the maximum is 0
    ValueId id = Add("ReduceMax", {from}, {{"keepdims", int64_t{0}}});
    if (id >= 0) id = Add("Sigmoid", {id});
    if (id >= 0) id = Add("Mul", {id, Constant(*scale)});
    if (id >= 0) id = Add("Cast", {id}, {{"to", int64_t{7}}});
    return id >= 0 && is_list ? Add("Reshape", {id, Ints({1})}) : id;
  }

  ValueId Truth(ValueId from) {
    auto least = Tensor::Zeros(DType::kF32, {});
    least->SetNumber(0, 0.1234);  // sums near 0 are frequent
    const ValueId sum = Add("ReduceSum", {from}, {{"keepdims", int64_t{0}}});
    return sum < 0 ? -1 : Add("Less", {Constant(*least), sum});
  }

  // A body that captures a few values; `own` are its inputs of its own.
  ir::Subgraph Body(const std::vector<Value>& own, std::vector<ValueId>& captured, bool is_loop) {
    Maker body(random_, depth_ + 1);
    for (const Value& value : own) body.AddInput(value);
    for (uint64_t i = 0, count = 1 + Below(3); i < count; ++i) {
      captured.push_back(Pick());
      body.AddInput(values[captured.back()]);
    }
    body.graph.captured = static_cast<int>(captured.size());
    body.graph.name = "body";
    body.Grow(1 + static_cast<int>(Below(5)));
    if (is_loop) body.graph.outputs.push_back(body.graph.inputs[1]);
    body.graph.outputs.push_back(body.Pick());
    return std::make_shared<const ir::Graph>(std::move(body.graph));
  }

  void If(ValueId x) {
    const ValueId condition = Truth(x);
    if (condition < 0) return;
    std::vector<ValueId> mine, other;
    auto no = Body({}, mine, false);
    auto yes = Body({}, other, false);
    std::vector<ValueId> inputs = {condition};
    inputs.insert(inputs.end(), mine.begin(), mine.end());
    inputs.insert(inputs.end(), other.begin(), other.end());
    Add("If", inputs, {{"else_branch", no}, {"then_branch", yes}},
        static_cast<int>(inputs.size()) - 1);
  }

  void Loop(ValueId x) {
    const ValueId trips = Number(x, 5, false);
    if (trips < 0) return;
    auto go = Tensor::Zeros(DType::kBool, {});
    go->SetInteger(0, 1);
    std::vector<ValueId> captured;
    auto step = Tensor::Zeros(DType::kI64, {});
    auto body = Body({Value(*step), Value(*go), values[x]}, captured, true);
    std::vector<ValueId> inputs = {trips, ir::kNoValue, x};
    inputs.insert(inputs.end(), captured.begin(), captured.end());
    Add("Loop", inputs, {{"body", body}}, static_cast<int>(captured.size()));
  }

  void Sequences(ValueId x, ValueId y) {
    ValueId s = Add(Below(2) == 0 ? "SplitToSequence" : "SequenceConstruct", {x});
    if (s >= 0 && Below(2) == 0) {
      const ValueId longer = Add("SequenceInsert", {s, y});
      s = longer >= 0 ? longer : s;
    }
    if (s < 0) return;
    Add("ConcatFromSequence", {s}, {{"axis", int64_t{0}}});
    const ValueId at = Number(y, 2, false);
    if (at >= 0) Add("SequenceAt", {s, at});
  }

  void Shapes(ValueId x, ValueId y) {
    switch (Below(4)) {
      case 0: {  // rows up to where the data says
        const ValueId end = Number(y, 4, true);
        if (end >= 0) Add("Slice", {x, Ints({0}), end, Ints({0})});
        break;
      }
      case 1: {  // a shape of another tensor
        const ValueId shape = Add("Shape", {y});
        if (shape >= 0) Add("Reshape", {x, shape});
        break;
      }
      case 2: {
        const ValueId count = Number(y, 4, true);
        const ValueId shape =
            count < 0 ? -1 : Add("Concat", {count, Ints({1})}, {{"axis", int64_t{0}}});
        if (shape >= 0) Add("Expand", {Constant(RandomTensor(random_, {1, 1}).tensor()), shape});
        break;
      }
      default: {
        const ValueId row = Number(y, 3, Below(2) == 0);
        if (row >= 0) Add("Gather", {x, row}, {{"axis", int64_t{0}}});
      }
    }
  }

  void One() {
    static constexpr const char* kUnary[] = {"Relu", "Tanh", "Neg", "Sigmoid", "Identity"};
    static constexpr const char* kBinary[] = {"Add", "Mul", "Sub", "Max", "MatMul"};
    const ValueId x = Pick();
    const ValueId y = Pick();
    switch (Below(depth_ < 2 ? 12 : 9)) {
      case 0:
      case 1:
        Add(kUnary[Below(5)], {x});
        break;
      case 2:
      case 3:
      case 4:
        Add(kBinary[Below(5)], {x, y});
        break;
      case 5:
        Add("Transpose", {x});
        break;
      case 6:
        Add("Concat", {x, y}, {{"axis", static_cast<int64_t>(Below(2))}});
        break;
      case 7:
        Add("Softmax", {x});
        break;
      case 8:
        Shapes(x, y);
        break;
      case 9:
        Sequences(x, y);
        break;
      case 10:
        If(x);
        break;
      default:
        Loop(x);
    }
  }

  sys::Random& random_;
  const int depth_;
};

const Shape kShapes[] = {{3, 3}, {2, 3}, {3, 1}};

// Of kShapes, or of others, which the graph may not fit.
std::vector<NamedValue> RandomFeeds(const ir::Graph& graph, sys::Random& random, bool others) {
  std::vector<NamedValue> feeds;
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    Shape shape = kShapes[i];
    if (others && random.Below(2) == 0) shape = {static_cast<int64_t>(random.Below(5)), shape[1]};
    feeds.push_back({graph.values[graph.inputs[i]].name, RandomTensor(random, shape)});
  }
  return feeds;
}

// Outputs in the caller's memory have the bits that a run without has, lie there, and nothing
// behind them changes.
void CompareBound(Session& session, const std::vector<NamedTensor>& inputs,
                  const std::vector<NamedTensor>& expected) {
  constexpr uint8_t kPoison = 0xa5;
  constexpr size_t kBehind = 64;
  std::vector<Tensor> in_order;
  for (const NamedTensor& input : inputs) in_order.push_back(input.tensor);
  std::vector<std::vector<uint8_t>> memory;
  std::vector<OutputMemory> wanted;
  for (size_t k = 0; k < expected.size(); ++k) {
    const auto bytes = static_cast<size_t>(expected[k].tensor.size_bytes());
    memory.emplace_back(bytes + kBehind, kPoison);
    // Some are left in the session's memory.
    wanted.push_back(k % 3 == 2 ? OutputMemory{}
                                : OutputMemory{memory[k].data(), static_cast<int64_t>(bytes)});
  }
  const Status ran = session.Execute(in_order, wanted);
  ASSERT_TRUE(ran.ok()) << ran.ToString();
  for (size_t k = 0; k < expected.size(); ++k) {
    const Tensor& output = session.output(static_cast<int>(k));
    const auto bytes = static_cast<size_t>(output.size_bytes());
    ASSERT_EQ(output.shape(), expected[k].tensor.shape());
    if (wanted[k].data != nullptr) {
      ASSERT_EQ(output.raw(), memory[k].data()) << k;
    }
    ASSERT_EQ(std::memcmp(output.raw(), expected[k].tensor.raw(), bytes), 0) << expected[k].name;
    for (size_t i = 0; wanted[k].data != nullptr && i < kBehind; ++i)
      ASSERT_EQ(memory[k][bytes + i], kPoison);
  }
  // And back in the session's own.
  ASSERT_TRUE(session.Execute(in_order, {}).ok());
  for (size_t k = 0; k < expected.size(); ++k) {
    const Tensor& output = session.output(static_cast<int>(k));
    ASSERT_NE(output.raw(), memory[k].data());
    ASSERT_EQ(std::memcmp(output.raw(), expected[k].tensor.raw(),
                          static_cast<size_t>(output.size_bytes())),
              0);
  }
}

// In parts, and by the plan of a session that has one.
void Compare(const ir::Graph& graph, Session& parts, Session& session,
             const std::vector<NamedValue>& feeds) {
  auto naive = RunReference(graph, feeds);
  auto outputs = parts.RunValues(feeds);
  if (!naive.ok()) return;  // the session need not fail: it leaves out what nobody reads
  ASSERT_TRUE(outputs.ok()) << outputs.status().ToString();
  bool are_tensors = true;
  for (size_t k = 0; k < naive->size(); ++k) {
    are_tensors = are_tensors && (*naive)[k].value.IsTensor();
    ASSERT_EQ(ValueDifference((*outputs)[k].value, (*naive)[k].value, kRandomGraphsTolerance), "")
        << (*naive)[k].name;
  }
  if (!are_tensors) return;
  std::vector<NamedTensor> inputs;
  for (const NamedValue& feed : feeds) inputs.push_back({feed.name, feed.value.tensor()});
  auto planned = session.Run(inputs);
  ASSERT_TRUE(planned.ok()) << planned.status().ToString();
  for (size_t k = 0; k < naive->size(); ++k) {
    ASSERT_EQ(ValueDifference((*planned)[k].tensor, (*naive)[k].value, kRandomGraphsTolerance), "")
        << (*naive)[k].name;
  }
  CompareBound(session, inputs, *planned);
}

TEST(RandomGraphs, SessionAgreesWithTheNaivePath) {
  int with_parts = 0;
  for (uint64_t seed = 1; seed <= kGraphs; ++seed) {
    SCOPED_TRACE(seed);
    sys::SeededRandom random(seed);
    Maker maker(random, 0);
    maker.graph.name = "random";
    for (const Shape& shape : kShapes) {
      maker.AddInput(RandomTensor(random, shape));
    }
    maker.Grow(4 + static_cast<int>(random.Below(40)));
    for (size_t id = 3; id < maker.values.size(); ++id) {
      const auto value = static_cast<ValueId>(id);
      if (!maker.graph.IsConstant(value) && random.Below(3) == 0) {
        maker.graph.outputs.push_back(value);
      }
    }
    maker.graph.outputs.push_back(maker.Pick());
    if (maker.graph.IsConstant(maker.graph.outputs.back())) maker.graph.outputs.back() = 0;
    std::ranges::sort(maker.graph.outputs);
    const auto repeats = std::ranges::unique(maker.graph.outputs);
    maker.graph.outputs.erase(repeats.begin(), repeats.end());
    SCOPED_TRACE(ir::Print(maker.graph));
    ASSERT_TRUE(ir::Verify(maker.graph).ok()) << ir::Verify(maker.graph).ToString();
    auto model = Model::FromGraph(maker.graph);
    ASSERT_TRUE(model.ok()) << model.status().ToString();
    auto session = Session::Create(*model);
    ASSERT_TRUE(session.ok()) << session.status().ToString();
    auto parts = Session::Create(*model);
    ASSERT_TRUE(parts.ok()) << parts.status().ToString();
    for (int i = 0; i < 8; ++i) {
      Compare(maker.graph, **parts, **session, RandomFeeds(maker.graph, random, i % 2 == 1));
      if (HasFatalFailure()) return;
    }
    with_parts += (*session)->plan().is_static ? 0 : 1;
  }
  EXPECT_GT(with_parts, kGraphs / 3);
}

}  // namespace
}  // namespace ferry::engine
