// Operators whose lowering has cases of its own, with random shapes, attributes and dtypes, against
// the naive reference on every instruction set.
#include <random>

#include <gtest/gtest.h>
#include "device-runtime/engine/engine.h"
#include "device-runtime/engine/reference/reference.h"
#include "device-runtime/ir/program.h"
#include "device-runtime/ir/text.h"
#include "device-runtime/kernels/isa.h"
#include "device-runtime/kernels/map/map.h"

namespace ferry::engine {
namespace {

class RandomPrimitives {
 public:
  explicit RandomPrimitives(uint32_t seed) : engine_(seed) {}
  int64_t In(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(engine_);
  }
  bool Flag() { return In(0, 1) == 1; }
  template <typename T>
  T Pick(std::initializer_list<T> list) {
    return list.begin()[In(0, static_cast<int64_t>(list.size()) - 1)];
  }
  // Numbers of any dtype in [low, high); whole ones where the dtype has no others.
  Tensor Numbers(DType dtype, const Shape& shape, double low = -1, double high = 1) {
    Tensor t = Tensor::Allocate(dtype, shape).value();
    std::uniform_real_distribution<double> values(low, high);
    for (int64_t i = 0; i < t.elements(); ++i)
      t.SetNumber(i, std::floor(values(engine_) * 64) / 64);
    return t;
  }
  Tensor Whole(DType dtype, const Shape& shape, int64_t low, int64_t high) {
    Tensor t = Tensor::Allocate(dtype, shape).value();
    for (int64_t i = 0; i < t.elements(); ++i) t.SetInteger(i, In(low, high));
    return t;
  }

 private:
  std::mt19937 engine_;
};

double ToleranceOf(DType dtype) {
  if (dtype == DType::kF16) return 2e-3;
  if (dtype == DType::kBF16) return 1.6e-2;
  return 1e-5;  // of the largest reference value
}

// One node `op` with attributes on inputs x0, x1, ... and as many outputs.
struct Trial {
  std::string op, attributes;
  std::vector<Tensor> inputs;
  int outputs = 1;
  std::string version = "";
};

void ExpectAgreement(const Trial& trial) {
  std::string text = "graph g\n", in, out;
  std::vector<NamedTensor> feeds;
  for (size_t i = 0; i < trial.inputs.size(); ++i) {
    const Tensor& x = trial.inputs[i];
    if (x.dtype() == DType::kString) continue;
    text += fmt::format("input x{} {} {}\n", i, tensor::DTypeName(x.dtype()), x.shape().ToString());
    in += fmt::format("{}x{}", i > 0 ? ", " : "", i);
    feeds.push_back({fmt::format("x{}", i), x});
  }
  for (int i = 0; i < trial.outputs; ++i) out += fmt::format("{}y{}", i > 0 ? ", " : "", i);
  text += fmt::format("node {}{} n ({}) -> ({}) {}\n", trial.op, trial.version, in, out,
                      trial.attributes);
  for (int i = 0; i < trial.outputs; ++i) text += fmt::format("output y{}\n", i);
  SCOPED_TRACE(text);
  auto graph = ir::Parse(text);
  ASSERT_TRUE(graph.ok()) << graph.status().ToString();
  auto expected = RunReference(*graph, feeds);
  auto model = Model::FromGraph(*graph);
  ASSERT_TRUE(model.ok()) << model.status().ToString();
  for (kernels::Isa isa : kernels::RunningIsas()) {
    auto session = Session::Create(*model, {.isa = kernels::IsaName(isa)});
    ASSERT_TRUE(session.ok()) << session.status().ToString();
    auto outputs = (*session)->Run(feeds);
    ASSERT_EQ(outputs.ok(), expected.ok())
        << outputs.status().ToString() << " / " << expected.status().ToString();
    if (!outputs.ok()) continue;
    for (size_t i = 0; i < outputs->size(); ++i) {
      auto difference = tensor::Compare((*outputs)[i].tensor, (*expected)[i].tensor);
      ASSERT_TRUE(difference.ok()) << difference.status().ToString();
      EXPECT_LE(difference->max_abs, ToleranceOf((*expected)[i].tensor.dtype()) *
                                         std::max(1.0, difference->max_reference))
          << kernels::IsaName(isa) << "\n"
          << (*session)->plan().text << ir::PrintTensor((*outputs)[i].tensor) << "\ninstead of "
          << ir::PrintTensor((*expected)[i].tensor);
    }
  }
}

constexpr std::initializer_list<DType> kNumbers = {
    DType::kF32, DType::kF64, DType::kF16, DType::kBF16, DType::kI8,  DType::kU8,
    DType::kI16, DType::kU16, DType::kI32, DType::kU32,  DType::kI64, DType::kU64};
constexpr std::initializer_list<DType> kFloats = {DType::kF32, DType::kF64, DType::kF16};

Shape AnyShape(RandomPrimitives& r, int rank, int64_t most = 6) {
  std::vector<int64_t> dims;
  for (int i = 0; i < rank; ++i) dims.push_back(r.In(1, most));
  return Shape::Make(dims).value();
}
// Numbers that a dtype holds, few enough that ties occur.
Tensor Small(RandomPrimitives& r, DType dtype, const Shape& shape) {
  return r.Numbers(dtype, shape, tensor::IsUnsigned(dtype) ? 0 : -5, 9);
}

// A backend implements these and nothing else; an element-wise function counts as one.
TEST(Primitives, AreAtMost64) {
  constexpr auto kOthers = static_cast<int>(std::variant_size_v<ir::Primitive>) - 1;
  EXPECT_LE(kOthers + kernels::kMapCodeCount, 64);
}

TEST(Primitives, ReductionsOfAllDtypes) {
  RandomPrimitives r(1);
  for (int round = 0; round < 120; ++round) {
    const char* op =
        r.Pick({"L1", "L2", "LogSum", "Max", "Mean", "Min", "Prod", "Sum", "SumSquare"});
    const DType dtype = r.Pick(kNumbers);
    const Shape shape = AnyShape(r, static_cast<int>(r.In(1, 4)), 5);
    const bool logs = std::string_view(op) == "LogSum";
    Trial t{fmt::format("Reduce{}", op), fmt::format("keepdims=i{}", r.In(0, 1)), {}};
    t.inputs.push_back(logs ? r.Numbers(dtype, shape, 1, 9) : Small(r, dtype, shape));
    t.inputs.push_back(r.Whole(DType::kI64, {r.In(0, 1)}, 0, shape.rank() - 1));
    ExpectAgreement(t);
  }
}

TEST(Primitives, IndicesOfExtremesScansAndSorts) {
  RandomPrimitives r(2);
  for (int round = 0; round < 90; ++round) {
    const DType dtype = r.Pick(kNumbers);
    const Shape shape = AnyShape(r, static_cast<int>(r.In(1, 3)), 9);
    const int64_t axis = r.In(0, shape.rank() - 1);
    const Tensor x = Small(r, dtype, shape);
    ExpectAgreement(
        {r.Flag() ? "ArgMax" : "ArgMin",
         fmt::format("axis=i{} select_last_index=i{} keepdims=i{}", axis, r.In(0, 1), r.In(0, 1)),
         {x}});
    ExpectAgreement({"CumSum",
                     fmt::format("exclusive=i{} reverse=i{}", r.In(0, 1), r.In(0, 1)),
                     {x, r.Whole(DType::kI64, {}, axis, axis)}});
    ExpectAgreement({"TopK",
                     fmt::format("axis=i{} largest=i{}", axis, r.In(0, 1)),
                     {x, r.Whole(DType::kI64, {1}, 0, shape[static_cast<int>(axis)])},
                     2});
  }
}

TEST(Primitives, GathersAndScatters) {
  RandomPrimitives r(3);
  for (int round = 0; round < 90; ++round) {
    const DType dtype = r.Pick(kNumbers);
    const DType index = r.Pick({DType::kI64, DType::kI32});
    const Shape data = AnyShape(r, static_cast<int>(r.In(1, 4)), 5);
    const int axis = static_cast<int>(r.In(0, data.rank() - 1));
    // Now and then one is outside.
    const int64_t high = data[axis] - (r.In(0, 8) == 0 ? 0 : 1);
    std::vector<int64_t> dims(data.dims().begin(), data.dims().end());
    for (int64_t& d : dims) d = r.In(1, d);
    dims[static_cast<size_t>(axis)] = r.In(0, 6);
    const Shape shape = Shape::Make(dims).value();
    const std::string at = fmt::format("axis=i{}", axis);
    const Tensor x = Small(r, dtype, data);
    ExpectAgreement({"Gather", at, {x, r.Whole(index, AnyShape(r, 2), -data[axis], high)}});
    ExpectAgreement({"GatherElements", at, {x, r.Whole(index, shape, -data[axis], high)}});
    const char* reduction = r.Pick({"none", "add", "mul", "min", "max"});
    ExpectAgreement({"ScatterElements",
                     fmt::format("{} reduction=s\"{}\"", at, reduction),
                     {x, r.Whole(index, shape, -data[axis], high), Small(r, dtype, shape)}});
    const int64_t depth = r.In(0, data.rank());
    const int64_t least = *std::min_element(data.dims().begin(), data.dims().end());
    std::vector<int64_t> updates = {r.In(1, 4)};
    const Tensor places = r.Whole(index, {updates[0], depth}, -least, least - 1);
    ExpectAgreement({"GatherND", "", {x, places}});
    updates.insert(updates.end(), data.dims().begin() + depth, data.dims().end());
    ExpectAgreement({"ScatterND",
                     fmt::format("reduction=s\"{}\"", reduction),
                     {x, places, Small(r, dtype, Shape::Make(updates).value())}});
  }
}

TEST(Primitives, PoolsOfAnyRank) {
  RandomPrimitives r(4);
  for (int round = 0; round < 60; ++round) {
    const int axes = static_cast<int>(r.In(1, 3));
    std::vector<int64_t> dims = {r.In(1, 2), r.In(1, 3)};
    std::string kernel, strides, pads, dilations, ends;
    for (int i = 0; i < axes; ++i) {
      const char* comma = i > 0 ? "," : "";
      dims.push_back(r.In(5, 8));
      kernel += fmt::format("{}{}", comma, r.In(2, 3));
      strides += fmt::format("{}{}", comma, r.In(1, 2));
      dilations += fmt::format("{}{}", comma, r.In(1, 2));
      pads += fmt::format("{}{}", comma, r.In(0, 1));
      ends += fmt::format(",{}", r.In(0, 1));
    }
    const Shape shape = Shape::Make(dims).value();
    const std::string window =
        fmt::format("kernel_shape=I[{}] strides=I[{}] dilations=I[{}] pads=I[{}{}] ceil_mode=i{}",
                    kernel, strides, dilations, pads, ends, r.In(0, 1));
    const DType dtype = r.Pick(kFloats);
    const Tensor x = Small(r, dtype, shape);
    ExpectAgreement({"MaxPool", window + fmt::format(" storage_order=i{}", r.In(0, 1)), {x}, 2});
    ExpectAgreement({"MaxPool", window, {Small(r, r.Pick({DType::kI8, DType::kU8}), shape)}});
    ExpectAgreement(
        {"AveragePool", window + fmt::format(" count_include_pad=i{}", r.In(0, 1)), {x}});
    ExpectAgreement({"LpPool", window + fmt::format(" p=i{}", r.In(1, 3)), {x}});
    ExpectAgreement({r.Pick({"GlobalMaxPool", "GlobalAveragePool"}), "", {x}});
  }
}

TEST(Primitives, ConvolutionsAndProductsOfAllDtypes) {
  RandomPrimitives r(5);
  for (int round = 0; round < 40; ++round) {
    const DType dtype = r.Pick({DType::kF64, DType::kF16, DType::kBF16, DType::kF32});
    const int axes = static_cast<int>(r.In(1, 4));
    const int64_t groups = r.In(1, 2), in = r.In(1, 2), out = groups * r.In(1, 2);
    std::vector<int64_t> x = {r.In(1, 2), groups * in}, w = {out, in};
    std::string strides, pads, ends;
    for (int i = 0; i < axes; ++i) {
      x.push_back(r.In(3, 5));
      w.push_back(r.In(1, 3));
      strides += fmt::format("{}{}", i > 0 ? "," : "", r.In(1, 2));
      pads += fmt::format("{}{}", i > 0 ? "," : "", r.In(0, 2));
      ends += fmt::format(",{}", r.In(0, 1));
    }
    ExpectAgreement(
        {"Conv",
         fmt::format("group=i{} strides=I[{}] pads=I[{}{}]", groups, strides, pads, ends),
         {r.Numbers(dtype, Shape::Make(x).value()), r.Numbers(dtype, Shape::Make(w).value()),
          r.Numbers(dtype, {out})}});
    const DType any = r.Pick({DType::kF64, DType::kF16, DType::kBF16, DType::kI32, DType::kU32,
                              DType::kI64, DType::kU64});
    const int64_t m = r.In(1, 9), n = r.In(1, 9), k = r.In(0, 9);
    ExpectAgreement({"MatMul", "", {Small(r, any, {2, m, k}), Small(r, any, {k, n})}});
    ExpectAgreement({"Gemm",
                     fmt::format("alpha=f{} beta=f{} transB=i1", r.In(1, 2), r.In(0, 2)),
                     {Small(r, any, {m, k}), Small(r, any, {n, k}), Small(r, any, {n})}});
    ExpectAgreement({r.Pick({"Softmax", "LogSoftmax"}),
                     fmt::format("axis=i{}", r.In(0, 1)),
                     {r.Numbers(r.Pick(kFloats), AnyShape(r, 2, 9))}});
  }
}

TEST(Primitives, SamplesAndRegions) {
  RandomPrimitives r(6);
  for (int round = 0; round < 60; ++round) {
    const DType dtype = r.Pick(kFloats);
    const int axes = static_cast<int>(r.In(1, 3));
    std::vector<int64_t> x = {r.In(1, 2), r.In(1, 3)}, grid = {x[0]};
    for (int i = 0; i < axes; ++i) {
      x.push_back(r.In(1, 5));
      grid.push_back(r.In(1, 4));
    }
    grid.push_back(axes);
    ExpectAgreement(
        {"GridSample",
         fmt::format("mode=s\"{}\" padding_mode=s\"{}\" align_corners=i{}",
                     r.Pick({"nearest", "linear", "cubic"}),
                     r.Pick({"zeros", "border", "reflection"}), r.In(0, 1)),
         {Small(r, dtype, Shape::Make(x).value()),
          r.Numbers(r.Pick({DType::kF32, DType::kF64}), Shape::Make(grid).value(), -1.5, 1.5)}});
    const Shape image = {2, r.In(1, 3), r.In(3, 6), r.In(3, 6)};
    const int64_t regions = r.In(0, 3);
    ExpectAgreement({"RoiAlign",
                     fmt::format("output_height=i{} output_width=i{} sampling_ratio=i{} "
                                 "spatial_scale=f0.5 mode=s\"{}\"",
                                 r.In(1, 3), r.In(1, 3), r.In(0, 2), r.Pick({"avg", "max"})),
                     {Small(r, dtype, image), r.Numbers(dtype, {regions, 4}, 0, 12),
                      r.Whole(DType::kI64, {regions}, 0, r.In(0, 9) == 0 ? 2 : 1)}});
    Tensor boxes = r.Numbers(dtype, {regions, 5}, 0, 6);
    for (int64_t i = 0; i < regions; ++i) boxes.SetNumber(i * 5, static_cast<double>(r.In(0, 1)));
    ExpectAgreement(
        {"MaxRoiPool",
         fmt::format("pooled_shape=I[{},{}] spatial_scale=f0.75", r.In(1, 3), r.In(1, 3)),
         {Small(r, dtype, image), boxes}});
  }
}

TEST(Primitives, DeformableConvolutions) {
  RandomPrimitives r(7);
  for (int round = 0; round < 30; ++round) {
    const DType dtype = r.Pick(kFloats);
    const int64_t groups = r.In(1, 2), offset_groups = r.In(1, 2), in = r.In(1, 2);
    const int64_t channels = groups * in * 2, out = groups * r.In(1, 2);
    const int64_t kernel = r.In(1, 2), stride = r.In(1, 2), pad = r.In(0, 1);
    const int64_t extent = r.In(3, 5), places = (extent + 2 * pad - kernel) / stride + 1;
    const int64_t taps = kernel * kernel * offset_groups;
    ExpectAgreement({"DeformConv",
                     fmt::format("group=i{} offset_group=i{} strides=I[{},{}] pads=I[{},{},{},{}]",
                                 groups, offset_groups, stride, stride, pad, pad, pad, pad),
                     {r.Numbers(dtype, {2, channels, extent, extent}),
                      r.Numbers(dtype, {out, channels / groups, kernel, kernel}),
                      r.Numbers(dtype, {2, 2 * taps, places, places}, -2, 2),
                      r.Numbers(dtype, {out}), r.Numbers(dtype, {2, taps, places, places})}});
  }
}

TEST(Primitives, RecurrentNetworks) {
  RandomPrimitives r(8);
  for (int round = 0; round < 60; ++round) {
    const int kind = static_cast<int>(r.In(0, 2));
    const char* op = kind == 0 ? "RNN" : kind == 1 ? "GRU" : "LSTM";
    const int64_t gates = kind == 0 ? 1 : kind == 1 ? 3 : 4;
    const char* direction = r.Pick({"forward", "reverse", "bidirectional"});
    const int64_t d = std::string_view(direction) == "bidirectional" ? 2 : 1;
    const int64_t steps = r.In(1, 6), batch = r.In(1, 3), input = r.In(1, 5), hidden = r.In(1, 20);
    const bool batch_first = r.Flag();
    const DType dtype = r.Pick({DType::kF32, DType::kF32, DType::kF16});
    const Shape x = batch_first ? Shape{batch, steps, input} : Shape{steps, batch, input};
    const Shape state = batch_first ? Shape{batch, d, hidden} : Shape{d, batch, hidden};
    Trial t;
    t.op = op;
    t.outputs = kind == 2 ? 3 : 2;
    t.attributes = fmt::format("hidden_size=i{} direction=s\"{}\" layout=i{}", hidden, direction,
                               batch_first ? 1 : 0);
    if (kind == 1) t.attributes += fmt::format(" linear_before_reset=i{}", r.In(0, 1));
    if (kind == 2) t.attributes += fmt::format(" input_forget=i{}", r.In(0, 1));
    if (r.Flag()) t.attributes += " clip=f0.5";
    t.inputs = {r.Numbers(dtype, x),
                r.Numbers(dtype, {d, gates * hidden, input}),
                r.Numbers(dtype, {d, gates * hidden, hidden}),
                r.Numbers(dtype, {d, 2 * gates * hidden}),
                r.Whole(DType::kI32, {batch}, 0, steps),
                r.Numbers(dtype, state)};
    if (kind == 2) {
      t.inputs.push_back(r.Numbers(dtype, state));
      t.inputs.push_back(r.Numbers(dtype, {d, 3 * hidden}));
    }
    ExpectAgreement(t);
  }
}

TEST(Primitives, LinearAttentionFourierAndDeterminants) {
  RandomPrimitives r(9);
  for (int round = 0; round < 30; ++round) {
    const int64_t batch = r.In(1, 2), length = r.In(1, 5), heads = r.In(1, 2), group = r.In(1, 2);
    const int64_t key = r.In(1, 6), value = r.In(1, 6);
    ExpectAgreement({"LinearAttention",
                     fmt::format("q_num_heads=i{} kv_num_heads=i{} update_rule=s\"gated_delta\"",
                                 heads * group, heads),
                     {r.Numbers(DType::kF32, {batch, length, heads * group * key}),
                      r.Numbers(DType::kF32, {batch, length, heads * key}),
                      r.Numbers(DType::kF32, {batch, length, heads * value}),
                      r.Numbers(DType::kF32, {batch, heads, key, value}),
                      r.Numbers(DType::kF32, {batch, length, r.Flag() ? heads : heads * key}),
                      r.Numbers(DType::kF32, {batch, length, r.Flag() ? 1 : heads})},
                     2});
    const DType dtype = r.Pick(kFloats);
    const int64_t parts = r.In(1, 2);
    const bool half = parts == 1 && r.Flag();
    ExpectAgreement(
        {"DFT",
         fmt::format("onesided=i{} inverse=i{}", half ? 1 : 0, parts == 2 ? r.In(0, 1) : 0),
         {r.Numbers(dtype, {2, r.In(1, 12), 2, parts}), r.Whole(DType::kI64, {}, 1, 12),
          r.Whole(DType::kI64, {}, 1, 2)}});
    const int64_t frame = r.In(1, 8);
    ExpectAgreement({"STFT",
                     fmt::format("onesided=i{}", r.In(0, 1)),
                     {r.Numbers(DType::kF32, {2, 16, 1}), r.Whole(DType::kI64, {}, 1, 5),
                      r.Numbers(DType::kF32, {frame}), r.Whole(DType::kI64, {}, frame, frame)}});
    const int64_t size = r.In(0, 5);
    ExpectAgreement({"Det", "", {r.Numbers(dtype, {r.In(0, 3), size, size})}});
  }
}

TEST(Primitives, Quantization) {
  RandomPrimitives r(10);
  for (int round = 0; round < 60; ++round) {
    const Shape x = AnyShape(r, 3, 6);
    const int axis = static_cast<int>(r.In(0, 2));
    const int form = static_cast<int>(r.In(0, 2));
    const int64_t block = r.In(1, 4);
    std::vector<int64_t> dims(x.dims().begin(), x.dims().end());
    dims[static_cast<size_t>(axis)] = (x[axis] + block - 1) / block;
    const Shape factors = form == 0   ? Shape{}
                          : form == 1 ? Shape{x[axis]}
                                      : Shape::Make(dims).value();
    const std::string at =
        fmt::format("axis=i{}{}", axis, form == 2 ? fmt::format(" block_size=i{}", block) : "");
    const DType dtype = r.Pick({DType::kI8, DType::kU8, DType::kI16, DType::kU16, DType::kI4,
                                DType::kU4, DType::kF8E4M3FN});
    const DType scale = r.Pick({DType::kF32, DType::kF16});
    const bool floats = dtype == DType::kF8E4M3FN;
    const Tensor zero =
        floats ? r.Numbers(dtype, factors, 0, 0.001) : r.Whole(dtype, factors, 0, 3);
    ExpectAgreement({"QuantizeLinear",
                     at,
                     {r.Numbers(scale, x, -9, 9), r.Numbers(scale, factors, 0.125, 1), zero}});
    ExpectAgreement({"DequantizeLinear",
                     at,
                     {floats ? r.Numbers(dtype, x, -4, 4) : r.Whole(dtype, x, 0, 3),
                      r.Numbers(scale, factors, 0.125, 1), zero}});
  }
}

TEST(Primitives, BatchNormalization) {
  RandomPrimitives r(11);
  for (int round = 0; round < 40; ++round) {
    const DType dtype = r.Pick(kFloats);
    const Shape x = AnyShape(r, static_cast<int>(r.In(2, 4)), 5);
    const bool trains = r.Flag();
    const auto factors = [&](double low) { return r.Numbers(dtype, {x[1]}, low, 2); };
    ExpectAgreement({"BatchNormalization",
                     fmt::format("training_mode=i{}", trains ? 1 : 0),
                     {r.Numbers(dtype, x), factors(-2), factors(-2), factors(-2), factors(0.5)},
                     trains ? 3 : 1});
  }
}

TEST(Primitives, WhatMoves) {
  RandomPrimitives r(12);
  for (int round = 0; round < 60; ++round) {
    const DType dtype = r.Pick(kNumbers);
    const Shape x = AnyShape(r, 3, 5);
    ExpectAgreement({"Pad",
                     fmt::format("mode=s\"{}\"", r.Pick({"constant", "edge", "reflect", "wrap"})),
                     {Small(r, dtype, x), r.Whole(DType::kI64, {6}, -1, 4), Small(r, dtype, {})}});
    ExpectAgreement({"Trilu",
                     fmt::format("upper=i{}", r.In(0, 1)),
                     {Small(r, dtype, x), r.Whole(DType::kI64, {}, -6, 6)}});
    ExpectAgreement({"OneHot",
                     fmt::format("axis=i{}", r.In(-1, 2)),
                     {r.Numbers(r.Pick({DType::kI64, DType::kI32, DType::kF32, DType::kU8}),
                                AnyShape(r, 2, 5), 0, 7),
                      r.Whole(DType::kI64, {}, 5, 5), Small(r, dtype, {2})}});
    ExpectAgreement({"ReverseSequence",
                     fmt::format("time_axis=i{} batch_axis=i{}", round % 2, 1 - round % 2),
                     {Small(r, dtype, x), r.Whole(DType::kI64, {x[1 - round % 2]},
                                                  r.In(0, 9) == 0 ? -1 : 0, x[round % 2])}});
    const int64_t entries = r.In(1, x[1]);
    ExpectAgreement({"TensorScatter",
                     fmt::format("axis=i1 mode=s\"{}\"", r.Pick({"linear", "circular"})),
                     {Small(r, dtype, x), Small(r, dtype, {x[0], entries, x[2]}),
                      r.Whole(DType::kI64, {x[0]}, r.In(0, 9) == 0 ? -1 : 0, x[1] - 1)}});
    ExpectAgreement({"EyeLike", fmt::format("k=i{}", r.In(-6, 6)), {Small(r, dtype, {4, 5})}});
  }
}

TEST(Primitives, IntegerDivision) {
  RandomPrimitives r(13);
  for (int round = 0; round < 60; ++round) {
    const DType dtype = r.Pick(
        {DType::kI8, DType::kU8, DType::kI16, DType::kI32, DType::kU32, DType::kI64, DType::kU64});
    const int64_t low = tensor::IsUnsigned(dtype) ? 1 : r.Pick({-9, 1});
    Tensor divisor = r.Whole(dtype, {3, 7}, low, 9);
    for (int64_t i = 0; i < 21; ++i) {
      if (divisor.Integer(i) == 0 && r.In(0, 30) > 0) divisor.SetInteger(i, 1);
    }
    const Tensor x = r.Whole(dtype, {3, 7}, tensor::IsUnsigned(dtype) ? 0 : -100, 100);
    ExpectAgreement({"Div", "", {x, divisor}});
    ExpectAgreement({"Mod", fmt::format("fmod=i{}", r.In(0, 1)), {x, divisor}});
  }
}

TEST(Primitives, RandomNumbersOfASeed) {
  RandomPrimitives r(14);
  for (int round = 0; round < 20; ++round) {
    const int64_t dtype = r.Pick({1, 10, 11});  // ONNX's float, float16, double
    ExpectAgreement({"RandomNormal",
                     fmt::format("seed=f{} mean=f1 scale=f2 shape=I[{},3] dtype=i{}", r.In(0, 99),
                                 r.In(0, 9), dtype),
                     {}});
    ExpectAgreement({"RandomUniform",
                     fmt::format("seed=f{} low=f1 high=f2 shape=I[{},3] dtype=i{}", r.In(0, 99),
                                 r.In(0, 9), dtype),
                     {}});
    ExpectAgreement({"Multinomial",
                     fmt::format("seed=f{} sample_size=i{} dtype=i{}", r.In(0, 99), r.In(0, 20),
                                 r.Pick({6, 7})),
                     {r.Numbers(r.Pick(kFloats), {r.In(1, 3), r.In(1, 9)}, -3, 3)}});
    ExpectAgreement(
        {"Dropout",
         fmt::format("seed=i{}", r.In(0, 99)),
         {r.Numbers(r.Pick(kFloats), {r.In(1, 9), 5}), r.Numbers(DType::kF32, {}, 0.25, 0.75),
          r.Whole(DType::kBool, {}, r.In(0, 1), 1)},
         2});
  }
}

TEST(Primitives, WhatIsSummedIntoPlaces) {
  RandomPrimitives r(15);
  for (int round = 0; round < 40; ++round) {
    const DType dtype = r.Pick({DType::kF32, DType::kF64, DType::kI32, DType::kI64});
    const int64_t h = r.In(3, 6), w = r.In(3, 6), stride = r.In(1, 2);
    const int64_t columns = ((h - 2) / stride + 1) * ((w - 3) / stride + 1);
    Tensor image = r.Whole(DType::kI64, {2}, h, h), block = r.Whole(DType::kI64, {2}, 2, 2);
    image.SetInteger(1, w);
    block.SetInteger(1, 3);
    ExpectAgreement({"Col2Im",
                     fmt::format("strides=I[{},{}]", stride, stride),
                     {Small(r, dtype, {2, 2 * 6, columns}), image, block}});
    const Shape pooled = {1, 2, r.In(1, 3), r.In(1, 3)};
    const int64_t size = 2 * pooled[2] * 2 * pooled[3] * 2;
    ExpectAgreement({"MaxUnpool",
                     "kernel_shape=I[2,2] strides=I[2,2]",
                     {Small(r, DType::kF32, pooled),
                      r.Whole(DType::kI64, pooled, r.In(0, 9) == 0 ? -1 : 0, size - 1)}});
  }
}

}  // namespace
}  // namespace ferry::engine
