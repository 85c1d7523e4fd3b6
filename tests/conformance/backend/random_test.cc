// Random graphs on devices by chance: every output has the CPU's bits.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "common/sys/random.h"
#include "device-runtime/engine/engine.h"
#include "device-runtime/engine/explain/report.h"
#include "device-runtime/ir/graph.h"
#include "device-runtime/ir/text.h"
#include "tests/conformance/backend/test_backend.h"

namespace ferry::test {
namespace {

using engine::NamedTensor;
using ir::ValueId;
using tensor::DType;
using tensor::Shape;
using tensor::Tensor;

constexpr int kGraphs = 300;
constexpr int kChannels = 4, kSize = 5;

// Values [1,4,5,5] of f32, i32 and u8; each node takes some of them and makes one more.
class GraphMaker {
 public:
  explicit GraphMaker(sys::Random& random) : random_(random) {
    graph_.name = "random";
    AddInput("x", DType::kF32);
    AddInput("y", DType::kF32);
    AddInput("n", DType::kI32);
    scale_ = Constant(*Tensor::Of<float>({}, {{0.05f}}));
    zero_ = Constant(*Tensor::Of<uint8_t>({}, {{100}}));
    kernel_ = Constant(Numbers(DType::kF32, Shape{kChannels, kChannels, 3, 3}));
    narrow_ = Constant(Numbers(DType::kF32, Shape{kChannels, 2 * kChannels, 1, 1}));
    weights_ = Constant(Numbers(DType::kU8, Shape{kChannels, kChannels, 3, 3}));
  }

  ir::Graph Make(int nodes) {
    for (int i = 0; i < nodes; ++i) AddOne();
    for (const auto* made : {&floats_, &ints_}) {
      for (ValueId id : *made) {
        if (id == made->back() || random_.Below(4) == 0) graph_.outputs.push_back(id);
      }
    }
    return graph_;
  }

 private:
  Tensor Numbers(DType dtype, const Shape& shape) {
    Tensor made = Tensor::Zeros(dtype, shape).value();
    for (int64_t i = 0; i < made.elements(); ++i) {
      made.SetNumber(i, dtype == DType::kF32 ? random_.NextDouble() - 0.5
                                             : static_cast<double>(random_.Below(200)));
    }
    return made;
  }
  std::string Name() const { return "v" + std::to_string(graph_.values.size()); }
  ValueId Constant(Tensor tensor) { return graph_.AddConstant(Name(), std::move(tensor)); }
  void AddInput(std::string name, DType dtype) {
    const ValueId id = graph_.AddValue(std::move(name));
    graph_.inputs.push_back(id);
    graph_.values[id].dtype = dtype;
    graph_.values[id].dims = {{1, ""}, {kChannels, ""}, {kSize, ""}, {kSize, ""}};
    (dtype == DType::kF32 ? floats_ : ints_).push_back(id);
  }
  ValueId Add(std::string op, std::vector<ValueId> inputs,
              std::map<std::string, ir::Attribute, std::less<>> attributes = {}) {
    ir::Node node;
    node.op = std::move(op);
    node.name = "n" + std::to_string(graph_.nodes.size());
    node.inputs = std::move(inputs);
    node.attributes = std::move(attributes);
    node.outputs = {graph_.AddValue(Name())};
    graph_.nodes.push_back(node);
    return node.outputs[0];
  }
  ValueId Any(const std::vector<ValueId>& from) { return from[random_.Below(from.size())]; }

  void AddOne() { random_.Below(3) == 0 ? AddInts() : AddFloats(); }

  void AddFloats() {
    static constexpr const char* kUnary[] = {"Relu", "Sigmoid", "Tanh", "Neg", "Identity"};
    static constexpr const char* kBinary[] = {"Add", "Mul", "Sub", "Max"};
    const ValueId a = Any(floats_), b = Any(floats_);
    const std::vector<int64_t> ones = {1, 1, 1, 1};
    switch (random_.Below(9)) {
      case 0:
        floats_.push_back(Add("Conv", {a, kernel_}, {{"pads", ones}}));
        break;
      case 1:
        floats_.push_back(Add(kUnary[random_.Below(5)], {a}));
        break;
      case 2:
        floats_.push_back(Add(kBinary[random_.Below(4)], {a, b}));
        break;
      case 3:
        floats_.push_back(Add("Conv", {Add("Concat", {a, b}, {{"axis", int64_t{1}}}), narrow_}));
        break;
      case 4:
        floats_.push_back(
            Add("MaxPool", {a}, {{"kernel_shape", std::vector<int64_t>{3, 3}}, {"pads", ones}}));
        break;
      case 5:
        floats_.push_back(Add("Softmax", {a}, {{"axis", static_cast<int64_t>(random_.Below(4))}}));
        break;
      case 6:
        floats_.push_back(Add("Transpose", {a}, {{"perm", std::vector<int64_t>{0, 1, 3, 2}}}));
        break;
      case 7:
        floats_.push_back(Add("MatMul", {a, b}));
        break;
      default:
        floats_.push_back(Add("Add", {a, Add("GlobalAveragePool", {b})}));
    }
  }

  void AddInts() {
    static constexpr const char* kBinary[] = {"Add", "Mul", "Sub"};
    const ValueId a = Any(ints_), b = Any(ints_);
    switch (random_.Below(5)) {
      case 0:
      case 1:
        ints_.push_back(Add(kBinary[random_.Below(3)], {a, b}));
        break;
      case 2:
        ints_.push_back(Add("Transpose", {a}, {{"perm", std::vector<int64_t>{0, 1, 3, 2}}}));
        break;
      case 3: {
        const ValueId bytes = Add("QuantizeLinear", {Any(floats_), scale_, zero_});
        ints_.push_back(Add("ConvInteger", {bytes, weights_, zero_, zero_},
                            {{"pads", std::vector<int64_t>{1, 1, 1, 1}}}));
        break;
      }
      default: {
        const ValueId bytes = Add("QuantizeLinear", {Any(floats_), scale_, zero_});
        floats_.push_back(Add("DequantizeLinear", {bytes, scale_, zero_}));
      }
    }
  }

  sys::Random& random_;
  ir::Graph graph_;
  ValueId scale_, zero_, kernel_, narrow_, weights_;
  std::vector<ValueId> floats_, ints_;
};

std::vector<NamedTensor> Feeds(sys::Random& random) {
  std::vector<NamedTensor> feeds;
  for (const char* name : {"x", "y", "n"}) {
    const DType dtype = *name == 'n' ? DType::kI32 : DType::kF32;
    Tensor made = Tensor::Zeros(dtype, Shape{1, kChannels, kSize, kSize}).value();
    for (int64_t i = 0; i < made.elements(); ++i) {
      made.SetNumber(i, dtype == DType::kI32 ? static_cast<double>(random.Below(1000)) - 500
                                             : random.NextDouble() * 2 - 1);
    }
    feeds.push_back({name, std::move(made)});
  }
  return feeds;
}

void ExpectSameBits(const std::vector<NamedTensor>& got, const std::vector<NamedTensor>& wanted) {
  ASSERT_EQ(got.size(), wanted.size());
  for (size_t i = 0; i < got.size(); ++i) {
    ASSERT_EQ(got[i].tensor.TypeText(), wanted[i].tensor.TypeText());
    ASSERT_EQ(
        std::memcmp(got[i].tensor.raw(), wanted[i].tensor.raw(), wanted[i].tensor.bytes().size()),
        0)
        << got[i].name;
  }
}

// Some primitives by chance; all of them now and then.
std::set<std::string> SomePrimitives(sys::Random& random) {
  std::set<std::string> some;
  if (random.Below(3) == 0) return some;
  for (const char* name : ir::PrimitiveNames()) {
    if (random.Below(2) == 0) some.insert(name);
  }
  some.insert("map");
  return some;
}

class RandomBackends {
 public:
  explicit RandomBackends(uint64_t seed) : random_(seed) {}

  void Run() {
    GraphMaker maker(random_);
    const ir::Graph graph = maker.Make(3 + static_cast<int>(random_.Below(100)));
    SCOPED_TRACE(ir::Print(graph));
    auto model = engine::Model::FromGraph(graph);
    ASSERT_TRUE(model.ok()) << model.status().ToString();
    auto plain = engine::Session::Create(*model).value();
    for (int i = 0; i < 3; ++i) {
      feeds_.push_back(Feeds(random_));
      wanted_.push_back(plain->Run(feeds_.back()).value());
    }
    TestBackend first("first"), second("second");
    first.primitives = SomePrimitives(random_);
    second.primitives = SomePrimitives(random_);
    ASSERT_NO_FATAL_FAILURE(Compare(*model, {&first}, true));
    ASSERT_NO_FATAL_FAILURE(Compare(*model, {&first, &second}, true));
    ASSERT_NO_FATAL_FAILURE(Compare(*model, {&first, &second}, false));
    plain.reset();
    model->reset();  // the last user of what was brought up
    EXPECT_EQ(first.counts().live_bytes, 0);
    EXPECT_EQ(second.counts().live_bytes, 0);
  }
  int foreign_steps = 0, parts = 0;

 private:
  void Compare(std::shared_ptr<const engine::Model> model,
               const std::vector<const backends::Backend*>& backends, bool is_random) {
    engine::SessionOptions options;
    options.backends = backends;
    options.placement = {is_random, random_.Next64()};
    auto session = engine::Session::Create(std::move(model), options);
    ASSERT_TRUE(session.ok()) << session.status().ToString();
    EXPECT_EQ((*session)->plan().fallbacks, std::vector<std::string>());
    SCOPED_TRACE((*session)->plan().text);
    for (size_t i = 0; i < feeds_.size(); ++i) {
      auto got = (*session)->Run(feeds_[i]);
      ASSERT_TRUE(got.ok()) << got.status().ToString();
      ASSERT_NO_FATAL_FAILURE(ExpectSameBits(*got, wanted_[i]));
    }
    const char* before = "cpu";
    for (const engine::StepReport& report : (*session)->Explain()) {
      foreign_steps += report.backend != "cpu" ? 1 : 0;
      parts += report.backend != "cpu" && report.backend != before ? 1 : 0;
      before = report.backend == "first" ? "first" : report.backend == "second" ? "second" : "cpu";
    }
  }

  sys::SeededRandom random_;
  std::vector<std::vector<NamedTensor>> feeds_, wanted_;
};

TEST(BackendsRandom, OutputsHaveTheCpusBits) {
  int foreign_steps = 0, parts = 0;
  for (uint64_t seed = 1; seed <= kGraphs; ++seed) {
    SCOPED_TRACE(seed);
    RandomBackends one(seed);
    one.Run();
    if (testing::Test::HasFatalFailure()) return;
    foreign_steps += one.foreign_steps;
    parts += one.parts;
  }
  EXPECT_GT(foreign_steps, 30 * kGraphs);
  EXPECT_GT(parts, 10 * kGraphs);
  RecordProperty("foreign_steps", foreign_steps);
  RecordProperty("parts", parts);
}

}  // namespace
}  // namespace ferry::test
