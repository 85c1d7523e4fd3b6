// Every operator on random nodes, most of them senseless: they end in a result or an error.
#include <random>

#include <gtest/gtest.h>
#include "device-runtime/engine/run/eager.h"
#include "device-runtime/ops/op.h"

namespace ferry::engine {
namespace {

using ir::DType;
using tensor::Tensor;
using tensor::Value;

constexpr int kRounds = 150;  // nodes of each operator
constexpr int64_t kMostBytes = 1 << 20;

class RandomNodes {
 public:
  explicit RandomNodes(uint32_t seed) : random_(seed) {}

  int64_t Whole(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random_);
  }
  bool Rarely() { return Whole(0, 5) == 0; }

  int64_t Number() {
    static constexpr int64_t kOdd[] = {std::numeric_limits<int64_t>::min(),
                                       std::numeric_limits<int64_t>::max(),
                                       int64_t{1} << 31,
                                       -(int64_t{1} << 31) - 1,
                                       int64_t{1} << 40,
                                       1000};
    return Rarely() ? kOdd[Whole(0, 5)] : Whole(-3, 5);
  }

  DType Type() {
    static constexpr DType kUsual[] = {DType::kF32, DType::kI64, DType::kBool, DType::kF64};
    if (!Rarely()) return kUsual[Whole(0, 3)];
    return static_cast<DType>(Whole(1, static_cast<int64_t>(tensor::kLastDType)));
  }

  tensor::Shape Shape() {
    std::vector<int64_t> dims(static_cast<size_t>(Rarely() ? Whole(0, 8) : Whole(0, 4)));
    for (int64_t& extent : dims) extent = Rarely() ? Whole(0, 4) : Whole(1, 2);
    return tensor::Shape::Make(dims).value();
  }

  Tensor Elements(DType dtype, const tensor::Shape& shape) {
    Tensor tensor = Tensor::Zeros(dtype, shape).value();
    auto pool = std::make_shared<tensor::StringPool>();
    for (int64_t i = 0; i < tensor.elements(); ++i) {
      if (dtype == DType::kString) {
        tensor.SetText(i, pool->Add(Rarely() ? "" : std::to_string(Number())));
      } else if (tensor::IsFloat(dtype)) {
        tensor.SetNumber(i, Rarely() ? std::nan("") : static_cast<double>(Number()) / 2);
      } else {
        tensor.SetInteger(i, Number());
      }
    }
    if (dtype == DType::kString) tensor.KeepStrings(pool);
    return tensor;
  }

  ir::Attribute Attribute() {
    static const char* const kTexts[] = {"add", "LEFT", "wrap", "linear", "none", "SAME_UPPER", ""};
    switch (Whole(0, 6)) {
      case 0:
        return kTexts[Whole(0, 6)];
      case 1:
        return static_cast<float>(Number());
      case 2: {
        std::vector<int64_t> list(static_cast<size_t>(Whole(0, 4)));
        for (int64_t& number : list) number = Number();
        return list;
      }
      case 3:
        return Elements(Type(), Shape());
      default:
        return Number();
    }
  }

  ir::Node Node(const ops::Op& op) {
    static const char* const kKeys[] = {"axis",
                                        "axes",
                                        "keepdims",
                                        "noop_with_empty_axes",
                                        "to",
                                        "k",
                                        "largest",
                                        "perm",
                                        "pads",
                                        "mode",
                                        "blocksize",
                                        "reduction",
                                        "batch_dims",
                                        "direction",
                                        "fmod",
                                        "value",
                                        "split",
                                        "num_outputs",
                                        "allowzero",
                                        "start",
                                        "end",
                                        "exclusive",
                                        "reverse",
                                        "time_axis",
                                        "batch_axis",
                                        "sorted",
                                        "upper",
                                        "dtype",
                                        "kernel_shape",
                                        "strides",
                                        "dilations",
                                        "group",
                                        "broadcast",
                                        "starts",
                                        "ends",
                                        "num_heads",
                                        "epsilon",
                                        "hidden_size",
                                        "block_size",
                                        "axis_b",
                                        "auto_pad",
                                        "ceil_mode",
                                        "p",
                                        "output_shape",
                                        "select_last_index"};
    ir::Node node;
    node.op = op.name;
    node.name = "n";
    if (Rarely()) node.version = static_cast<int>(Whole(1, ops::kNewestOpset));
    for (int64_t i = Rarely() ? 0 : Whole(0, 4); i > 0; --i) {
      node.attributes[kKeys[Whole(0, std::size(kKeys) - 1)]] = Attribute();
    }
    const int64_t inputs = Whole(op.min_inputs, std::min(op.max_inputs, op.min_inputs + 3));
    for (int64_t i = 0; i < inputs; ++i) {
      const bool left_out = i >= op.min_inputs && Rarely();
      node.inputs.push_back(left_out ? ir::kNoValue : static_cast<ir::ValueId>(i));
    }
    const int64_t outputs = Whole(op.min_outputs, std::min(op.max_outputs, op.min_outputs + 2));
    for (int64_t i = 0; i < outputs; ++i) {
      node.outputs.push_back(static_cast<ir::ValueId>(inputs + i));
    }
    return node;
  }

  // Inputs of few types and shapes, so that some fit each other.
  std::vector<Value> Inputs(size_t count) {
    std::vector<Value> inputs;
    const DType dtypes[] = {Type(), Type()};
    const tensor::Shape shapes[] = {Shape(), Shape(), {Whole(0, 4)}, {}};
    for (size_t i = 0; i < count; ++i) {
      const DType dtype = Rarely() ? Type() : dtypes[Whole(0, 1)];
      inputs.emplace_back(Elements(dtype, Rarely() ? Shape() : shapes[Whole(0, 3)]));
    }
    return inputs;
  }

 private:
  std::mt19937 random_;
};

TEST(HostileNodes, EndInAResultOrAnError) {
  int sound = 0;
  for (const ops::Op* op : ops::AllOps()) {
    for (int round = 0; round < kRounds; ++round) {
      RandomNodes random(static_cast<uint32_t>(round * 31) +
                         static_cast<uint32_t>(op->name.size()));
      const ir::Node node = random.Node(*op);
      if (!ops::CheckNode(node).ok()) continue;
      const std::vector<Value> values = random.Inputs(node.inputs.size());
      std::vector<const Value*> inputs;
      for (size_t i = 0; i < values.size(); ++i) {
        inputs.push_back(node.inputs[i] == ir::kNoValue ? nullptr : &values[i]);
      }
      SCOPED_TRACE(fmt::format("{} {}", op->name, round));
      const auto budget = std::make_shared<tensor::MemoryBudget>(kMostBytes);
      EagerBodies bodies(budget);
      if (RunNode(node, inputs, bodies, budget).ok()) ++sound;
    }
  }
  EXPECT_GT(sound, 1000);
}

}  // namespace
}  // namespace ferry::engine
