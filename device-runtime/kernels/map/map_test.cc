#include "device-runtime/kernels/map/map.h"

#include <cmath>
#include <cstring>
#include <random>

#include <gtest/gtest.h>
#include "device-runtime/kernels/map/kernels.h"
#include "device-runtime/kernels/testing/testing.h"
#include "device-runtime/tensor/tensor.h"

namespace ferry::kernels {
namespace {

using tensor::DType;
using tensor::Tensor;

struct Limit {
  const char* name;
  double error;
};
constexpr Limit kLimits[] = {
#define FERRY_MAP(name, operands, kinds, error) {#name, error},
#include "device-runtime/kernels/map/codes.inc"
#undef FERRY_MAP
};

constexpr MapType kMapTypes[] = {MapType::kF32, MapType::kF64, MapType::kI32, MapType::kI64,
                                 MapType::kU64};
constexpr DType kDTypes[] = {DType::kF32, DType::kF64, DType::kI32, DType::kI64, DType::kU64};

// y = code(a, b, c) of dense operands of one type.
MapProgram OneStep(MapCode code, DType dtype, int64_t n) {
  MapProgram p;
  p.rank = 1;
  p.size[0] = n;
  for (int i = 0; i < MapOperands(code); ++i) {
    MapInput in{dtype, static_cast<uint8_t>(i), {}};
    in.strides[0] = 1;
    p.inputs.push_back(in);
  }
  p.code.push_back({code, MapTypeOf(dtype), 3, 0, 1, 2});
  p.outputs.push_back({dtype, 3});
  return p;
}

Tensor RandomOf(DType dtype, int64_t n, std::mt19937& random, bool special) {
  Tensor t = Tensor::Zeros(dtype, {n}).value();
  constexpr double kSpecial[] = {0, -0.0, 1, -1, INFINITY, -INFINITY, NAN, 0.5, 2.5, -2.5, 100};
  for (int64_t i = 0; i < n; ++i) {
    if (tensor::IsFloat(dtype)) {
      std::uniform_real_distribution<double> uniform(-4, 4);
      t.SetNumber(
          i, special && i % 3 == 0 ? kSpecial[random() % std::size(kSpecial)] : uniform(random));
    } else {
      t.SetInteger(i, static_cast<int64_t>(random() % 100) - 50);
    }
  }
  return t;
}

bool Near(double got, double want, double limit) {
  if (std::isnan(want)) return std::isnan(got);
  if (got == want) return true;
  return std::abs(got - want) <= limit * std::max(1.0, std::abs(want));
}

// Every code of every type on every instruction set against the reference functions.
TEST(Map, EveryCodeAgreesWithTheReference) {
  std::mt19937 random(7);
  for (Isa isa : RunningIsas()) {
    for (int c = 0; c < kMapCodeCount - 1; ++c) {
      const auto code = static_cast<MapCode>(c);
      for (size_t t = 0; t < std::size(kMapTypes); ++t) {
        if (!MapHas(code, kMapTypes[t])) continue;
        const int64_t n = 1 + static_cast<int64_t>(random() % 700);
        std::vector<Tensor> in;
        for (int i = 0; i < 3; ++i) in.push_back(RandomOf(kDTypes[t], n, random, i == 0));
        const void* inputs[] = {in[0].raw(), in[1].raw(), in[2].raw()};
        Tensor got = Tensor::Zeros(kDTypes[t], {n}).value();
        Tensor want = Tensor::Zeros(kDTypes[t], {n}).value();
        void* out = got.mutable_raw();
        (void)Map(TableOf(isa), sys::SerialParallel(), OneStep(code, kDTypes[t], n), inputs, &out);
        kMapReference.code[c][t](n, inputs[0], inputs[1], inputs[2], want.mutable_raw());
        const double limit = kLimits[c].error + (code == MapCode::kMulAdd ? 2e-7 : 0);
        for (int64_t i = 0; i < n; ++i) {
          ASSERT_TRUE(Near(got.Number(i), want.Number(i), limit))
              << IsaName(isa) << " " << kLimits[c].name << " type " << t << " of "
              << in[0].Number(i) << ", " << in[1].Number(i) << ": " << got.Number(i)
              << " instead of " << want.Number(i);
        }
      }
    }
  }
}

TEST(Map, FunctionsOverTheirRange) {
  constexpr int64_t kCount = 20000;
  for (Isa isa : RunningIsas()) {
    for (MapCode code : {MapCode::kExp, MapCode::kLog, MapCode::kTanh, MapCode::kErf, MapCode::kSin,
                         MapCode::kSigmoid, MapCode::kCos}) {
      Tensor x = Tensor::Zeros(DType::kF32, {kCount}).value();
      for (int64_t i = 0; i < kCount; ++i) {
        const double at = static_cast<double>(i) / kCount;
        x.SetNumber(i, code == MapCode::kLog ? std::pow(10.0, 76 * at - 38) : 180 * at - 90);
      }
      Tensor got = Tensor::Zeros(DType::kF32, {kCount}).value();
      const void* in = x.raw();
      void* out = got.mutable_raw();
      (void)Map(TableOf(isa), sys::SerialParallel(), OneStep(code, DType::kF32, kCount), &in, &out);
      Tensor want = Tensor::Zeros(DType::kF32, {kCount}).value();
      kMapReference.code[static_cast<size_t>(code)][0](kCount, in, nullptr, nullptr,
                                                       want.mutable_raw());
      const double limit = kLimits[static_cast<size_t>(code)].error;
      for (int64_t i = 0; i < kCount; ++i) {
        ASSERT_TRUE(Near(got.Number(i), want.Number(i), limit))
            << IsaName(isa) << " " << MapCodeName(code) << " of " << x.Number(i) << ": "
            << got.Number(i) << " instead of " << want.Number(i);
      }
    }
  }
}

// Rows in place and in pieces, rows that are collected, and what repeats: x * scale + shift over
// strides of all kinds, the same bits as over dense copies.
TEST(Map, RowsThatLieApart) {
  std::mt19937 random(11);
  for (int round = 0; round < 120; ++round) {
    const auto below = [&](int64_t n) {
      return static_cast<int64_t>(random() % static_cast<uint64_t>(n));
    };
    const std::array<int64_t, 3> size = {1 + below(3), 1 + below(5),
                                         round % 4 == 0 ? 1 + below(40) : 30 + below(700)};
    MapProgram p;
    p.rank = 3;
    std::ranges::copy(size, p.size.begin());
    const DType dtypes[] = {round % 5 == 0 ? DType::kF16 : DType::kF32, DType::kF32, DType::kF32};
    std::vector<Tensor> in, dense;
    MapProgram q = p;
    for (uint8_t k = 0; k < 3; ++k) {
      tensor::Strides s{};
      s[2] = below(6) == 0 ? 0 : below(6) == 0 ? 2 : 1;
      s[1] = below(4) == 0 ? 0 : s[2] * size[2] + below(3) * 8;
      s[0] = below(4) == 0 ? 0 : s[1] * size[1] + below(2) * 5;
      // Now and then a table says where rows lie.
      std::vector<int64_t> rows;
      if (size[2] > 1 && below(4) == 0) {
        s[2] = 1;
        for (int64_t row = 0; row < size[0] * size[1]; ++row) rows.push_back(below(99));
      }
      p.inputs.push_back({dtypes[k], k, s, rows});
      q.inputs.push_back({dtypes[k], k, {size[1] * size[2], size[2], 1}});
      const int64_t last = (size[0] - 1) * s[0] + (size[1] - 1) * s[1] + (size[2] - 1) * s[2] + 99;
      in.push_back(RandomOf(dtypes[k], last + 1, random, false));
      dense.push_back(Tensor::Zeros(dtypes[k], {p.elements()}).value());
      for (int64_t i = 0; i < p.elements(); ++i) {
        const int64_t row = i / size[2];
        const int64_t start = rows.empty() ? row / size[1] * s[0] + row % size[1] * s[1]
                                           : rows[static_cast<size_t>(row)];
        const int64_t at = start + i % size[2] * s[2];
        dense.back().SetNumber(i, in.back().Number(at));
      }
    }
    p.code = q.code = {{MapCode::kMulAdd, MapType::kF32, 3, 0, 1, 2}};
    p.outputs = q.outputs = {{DType::kF32, 3}};
    Simplify(p);
    const void* from[] = {in[0].raw(), in[1].raw(), in[2].raw()};
    const void* copies[] = {dense[0].raw(), dense[1].raw(), dense[2].raw()};
    for (Isa isa : RunningIsas()) {
      Tensor want = Tensor::Zeros(DType::kF32, {q.elements()}).value();
      void* out = want.mutable_raw();
      ASSERT_TRUE(Map(TableOf(isa), sys::SerialParallel(), q, copies, &out));
      for (int width = 1; width <= 3; ++width) {
        Tensor got = Tensor::Zeros(DType::kF32, {q.elements()}).value();
        out = got.mutable_raw();
        testing::SplitParallel parallel(width);
        ASSERT_TRUE(Map(TableOf(isa), parallel, p, from, &out));
        ASSERT_EQ(std::memcmp(got.raw(), want.raw(), static_cast<size_t>(q.elements()) * 4), 0)
            << "round " << round << " " << IsaName(isa) << " of width " << width;
      }
    }
  }
}

// Numbers of every size: functions end in their limits, not in what a polynomial gives there.
TEST(Map, FunctionsFarOut) {
  std::vector<double> numbers;
  for (int e = -45; e <= 38; ++e) {
    for (double m : {1.0, 1.7, 3.1}) {
      for (double sign : {1.0, -1.0}) numbers.push_back(sign * m * std::pow(10.0, e));
    }
  }
  for (double x = 80; x < 1200; x += 1.5) {
    numbers.push_back(x);
    numbers.push_back(-x);
  }
  const auto count = static_cast<int64_t>(numbers.size());
  Tensor x = Tensor::Zeros(DType::kF32, {count}).value();
  for (int64_t i = 0; i < count; ++i) x.SetNumber(i, numbers[static_cast<size_t>(i)]);
  const void* in = x.raw();
  for (Isa isa : RunningIsas()) {
    for (MapCode code : {MapCode::kExp, MapCode::kSigmoid, MapCode::kTanh, MapCode::kErf,
                         MapCode::kAtan, MapCode::kLog, MapCode::kSqrt, MapCode::kRound}) {
      Tensor got = Tensor::Zeros(DType::kF32, {count}).value();
      void* out = got.mutable_raw();
      (void)Map(TableOf(isa), sys::SerialParallel(), OneStep(code, DType::kF32, count), &in, &out);
      Tensor want = Tensor::Zeros(DType::kF32, {count}).value();
      kMapReference.code[static_cast<size_t>(code)][0](count, in, nullptr, nullptr,
                                                       want.mutable_raw());
      const double limit = kLimits[static_cast<size_t>(code)].error;
      for (int64_t i = 0; i < count; ++i) {
        ASSERT_TRUE(Near(got.Number(i), want.Number(i), limit))
            << IsaName(isa) << " " << MapCodeName(code) << " of " << x.Number(i) << ": "
            << got.Number(i) << " instead of " << want.Number(i);
      }
    }
  }
}

// Every bit pattern of the narrow types (many of u32) widens and comes back as in the reference.
TEST(Map, NarrowElements) {
  constexpr int64_t kCount = 65536 + 37;
  constexpr int64_t kPart = 1 + 256 * 3 + 5;
  for (DType dtype : {DType::kF16, DType::kBF16, DType::kI8, DType::kU8, DType::kBool, DType::kI16,
                      DType::kU16, DType::kU32, DType::kF8E5M2}) {
    const size_t width = tensor::DTypeSize(dtype);
    Tensor x = Tensor::Zeros(dtype, {kCount}).value();
    for (int64_t i = 0; i < kCount; ++i) {
      const uint32_t bits = static_cast<uint32_t>(i) * (width == 4 ? 2654435761u : 1u);
      const uint32_t kept = dtype == DType::kBool ? bits & 1 : bits;
      std::memcpy(x.mutable_raw() + static_cast<size_t>(i) * width, &kept, width);
    }
    const bool is_float = tensor::IsFloat(dtype);
    const MapProgram program = OneStep(is_float ? MapCode::kMul : MapCode::kAdd, dtype, kPart);
    for (Isa isa : RunningIsas()) {
      for (int64_t begin = 0; begin + kPart <= kCount; begin += kPart) {
        const uint8_t* in = x.raw() + static_cast<size_t>(begin) * width;
        const uint8_t* other = x.raw() + static_cast<size_t>(kCount - kPart - begin) * width;
        const void* inputs[] = {in, other};
        Tensor got = Tensor::Zeros(dtype, {kPart}).value();
        Tensor want = Tensor::Zeros(dtype, {kPart}).value();
        void* out = got.mutable_raw();
        ASSERT_TRUE(Map(TableOf(isa), sys::SerialParallel(), program, inputs, &out));
        out = want.mutable_raw();
        ASSERT_TRUE(Map(TableOf(Isa::kReference), sys::SerialParallel(), program, inputs, &out));
        for (int64_t i = 0; i < kPart; ++i) {
          const bool same =
              is_float ? Near(got.Number(i), want.Number(i), 0) : got.Integer(i) == want.Integer(i);
          ASSERT_TRUE(same) << IsaName(isa) << " " << tensor::DTypeName(dtype) << " " << begin + i;
        }
      }
    }
  }
}

TEST(Map, PowersOfSpecialNumbers) {
  constexpr double kNumbers[] = {0,    -0.0,  1,    -1,    INFINITY, -INFINITY, NAN,
                                 0.5,  -0.5,  2,    -2,    3,        -3,        2.5,
                                 -2.5, 1e-30, 1e30, -1e30, 40,       -41,       8388609};
  constexpr auto kCount = static_cast<int64_t>(std::size(kNumbers));
  Tensor a = Tensor::Zeros(DType::kF32, {kCount * kCount}).value();
  Tensor b = Tensor::Zeros(DType::kF32, {kCount * kCount}).value();
  for (int64_t i = 0; i < kCount * kCount; ++i) {
    a.SetNumber(i, kNumbers[i / kCount]);
    b.SetNumber(i, kNumbers[i % kCount]);
  }
  const void* in[] = {a.raw(), b.raw()};
  for (Isa isa : RunningIsas()) {
    Tensor got = Tensor::Zeros(DType::kF32, a.shape()).value();
    void* out = got.mutable_raw();
    ASSERT_TRUE(Map(TableOf(isa), sys::SerialParallel(),
                    OneStep(MapCode::kPow, DType::kF32, kCount * kCount), in, &out));
    for (int64_t i = 0; i < kCount * kCount; ++i) {
      const float want = static_cast<float>(std::pow(a.Number(i), b.Number(i)));
      const double limit = 5e-7 * std::abs(static_cast<double>(want));
      const bool same = std::isnan(want)
                            ? std::isnan(got.Number(i))
                            : got.Number(i) == static_cast<double>(want) ||
                                  std::abs(got.Number(i) - static_cast<double>(want)) <= limit;
      EXPECT_TRUE(same) << IsaName(isa) << ": " << a.Number(i) << "^" << b.Number(i) << " = "
                        << got.Number(i) << " instead of " << want;
    }
  }
}

TEST(Map, IntegersDividedByZeroAreReported) {
  for (Isa isa : RunningIsas()) {
    for (DType dtype : {DType::kI32, DType::kI64, DType::kU64}) {
      for (MapCode code : {MapCode::kDiv, MapCode::kMod, MapCode::kRem}) {
        Tensor a = Tensor::Zeros(dtype, {300}).value(), b = Tensor::Zeros(dtype, {300}).value();
        for (int64_t i = 0; i < 300; ++i) b.SetInteger(i, 3);
        Tensor y = Tensor::Zeros(dtype, {300}).value();
        const void* in[] = {a.raw(), b.raw()};
        void* out = y.mutable_raw();
        const MapProgram p = OneStep(code, dtype, 300);
        EXPECT_TRUE(Map(TableOf(isa), sys::SerialParallel(), p, in, &out));
        b.SetInteger(290, 0);
        EXPECT_FALSE(Map(TableOf(isa), sys::SerialParallel(), p, in, &out));
      }
    }
  }
}

// A program of several steps over broadcast inputs of several element types: element by element by
// hand.
TEST(Map, BroadcastsAndConverts) {
  std::mt19937 random(3);
  constexpr DType kIn[] = {DType::kF16, DType::kU8, DType::kBF16, DType::kF32, DType::kI8};
  for (int round = 0; round < 60; ++round) {
    MapProgram p;
    p.rank = 3;
    for (size_t a = 0; a < 3; ++a) p.size[a] = 1 + static_cast<int64_t>(random() % 19);
    std::vector<Tensor> tensors;
    std::vector<std::array<int64_t, 3>> extents;
    for (size_t i = 0; i < 2; ++i) {
      std::array<int64_t, 3> extent{};
      for (size_t a = 0; a < 3; ++a) extent[a] = random() % 3 == 0 ? 1 : p.size[a];
      const tensor::Shape shape{extent[0], extent[1], extent[2]};
      const DType dtype = kIn[random() % std::size(kIn)];
      Tensor t = Tensor::Zeros(dtype, shape).value();
      for (int64_t e = 0; e < t.elements(); ++e) t.SetNumber(e, static_cast<double>(random() % 60));
      MapInput in{dtype, static_cast<uint8_t>(i), {}};
      in.strides = tensor::BroadcastStrides(shape, {p.size[0], p.size[1], p.size[2]});
      p.inputs.push_back(in);
      tensors.push_back(std::move(t));
      extents.push_back(extent);
    }
    // y = float(a) * 0.5 - float(b)
    uint8_t at[2] = {0, 1};
    for (uint8_t i = 0; i < 2; ++i) {
      const MapType type = MapTypeOf(p.inputs[i].dtype);
      if (type == MapType::kF32) continue;
      at[i] = static_cast<uint8_t>(4 + i);
      p.code.push_back({MapCode::kConvert, MapType::kF32, at[i], i, 0, 0, type});
    }
    p.constants.push_back({MapType::kF32, 2, 0.5, 0});
    p.code.push_back({MapCode::kMul, MapType::kF32, 6, at[0], 2});
    p.code.push_back({MapCode::kSub, MapType::kF32, 7, 6, at[1]});
    p.outputs.push_back({DType::kF32, 7});
    const tensor::Shape full{p.size[0], p.size[1], p.size[2]};
    Simplify(p);
    Tensor y = Tensor::Zeros(DType::kF32, full).value();
    const void* inputs[] = {tensors[0].raw(), tensors[1].raw()};
    void* out = y.mutable_raw();
    const Isa isa = RunningIsas()[static_cast<size_t>(round) % RunningIsas().size()];
    (void)Map(TableOf(isa), sys::SerialParallel(), p, inputs, &out);
    for (int64_t e = 0; e < y.elements(); ++e) {
      const std::array<int64_t, 3> index = {e / (full[1] * full[2]), e / full[2] % full[1],
                                            e % full[2]};
      double value[2];
      for (size_t i = 0; i < 2; ++i) {
        int64_t flat = 0;
        for (size_t a = 0; a < 3; ++a) {
          flat = flat * extents[i][a] + (extents[i][a] == 1 ? 0 : index[a]);
        }
        value[i] = tensors[i].Number(flat);
      }
      ASSERT_EQ(y.Number(e), value[0] * 0.5 - value[1]) << IsaName(isa) << " round " << round;
    }
  }
}

TEST(Map, ThreadsChangeNothing) {
  constexpr int64_t kCount = 300'001;
  std::mt19937 random(5);
  Tensor x = RandomOf(DType::kF32, kCount, random, false);
  const void* in = x.raw();
  std::vector<float> results[3];
  for (int width = 1; width <= 3; ++width) {
    testing::SplitParallel parallel(width);
    results[width - 1].resize(kCount);
    void* out = results[width - 1].data();
    (void)Map(TableOf(RunningIsas().back()), parallel, OneStep(MapCode::kTanh, DType::kF32, kCount),
              &in, &out);
  }
  EXPECT_EQ(results[0], results[1]);
  EXPECT_EQ(results[0], results[2]);
}

}  // namespace
}  // namespace ferry::kernels
